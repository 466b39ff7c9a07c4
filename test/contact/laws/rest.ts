import { expect } from 'vitest'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { World } from '../../../simulation/index.ts'
import { groove } from './grounds.ts'
import { checkForces, degree, full, type Suite, stickSpeed } from './law.ts'
import { box, g, kineticMeter, makeWorld, onSlope, run, slope, sphere, support, upright } from './scenes.ts'

/** How long is watched: a minute when everything is run in full; otherwise so much less, within bounds that are as much tighter. */
const watched = full ? 60 : 3
const share = watched / 60

/** What is at rest stays at rest, for a minute of simulated time. */
export function restLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('rest', () => {
    law('a box at rest on the level and on a slope stays for 60 s, but for the creep that its model states', () => {
      for (const angle of [0, 20 * degree]) {
        const world = makeWorld({
          robot: box([0.2, 0.3, 0.1]),
          model,
          fixtures: [slope(angle)],
          physical: { friction: 0.5 },
          q: onSlope(0.05 - deepest * Math.cos(angle), angle),
        })
        run(world, 0.5)
        // compliance g dt, and stickSpeed tan(angle) / mu
        const creep = rigid ? 5e-6 * g * 1e-3 : (stickSpeed * Math.tan(angle)) / 0.5
        const { fastest, moved } = watchRest(world, watched)
        expect(moved).toBeLessThan(watched * creep * 1.05 + share * 1e-9)
        expect(fastest).toBeLessThan(1.05 * creep + 1e-9)
      }
    })

    law('a sphere at rest stays for 60 s', () => {
      const world = makeWorld({ robot: sphere(0.1), model, q: [0, 0, 0.1 - deepest, ...upright] })
      run(world, 2)
      const { fastest, moved, kinetic } = watchRest(world, watched)
      expect(moved).toBeLessThan(share * 1e-8)
      expect(fastest).toBeLessThan(1e-8)
      expect(kinetic).toBeLessThan(1e-15)
    })

    law('a sphere at rest in a V-groove stays for 60 s', () => {
      const beta = 40 * degree
      const scene = { robot: sphere(0.1), model, fixtures: groove(beta) }
      // where it comes to rest without friction, which would hold it above for a while
      const { q } = run(makeWorld({ ...scene, physical: { friction: 0 }, q: [0, 0, 0.1 / Math.sin(beta), ...upright] }), 3).state
      const world = makeWorld({ ...scene, q })
      run(world, 2)
      const { fastest, moved, kinetic } = watchRest(world, watched)
      expect(moved).toBeLessThan(share * 1e-6)
      expect(fastest).toBeLessThan(1e-6)
      expect(kinetic).toBeLessThan(1e-12)
    })

    law('a stack of three boxes at rest stays for 60 s', () => {
      const { fastest, moved, kinetic } = restOfStack(model)
      expect(moved).toBeLessThan(rigid ? 1e-7 : 1e-5)
      expect(fastest).toBeLessThan(rigid ? 1e-7 : 1e-5)
      expect(kinetic).toBeLessThan(rigid ? 1e-13 : 1e-9)
    })

    law('the diffdrive robot, held, stays for 60 s', () => {
      const { fastest, moved, kinetic } = restOfRobot(model, 'diffdrive', watched)
      // its treads push against each other, and springs creep
      expect(moved).toBeLessThan(share * (rigid ? 1e-7 : 1e-5))
      expect(fastest).toBeLessThan(rigid ? 1e-7 : 1e-5)
      expect(kinetic).toBeLessThan(rigid ? 1e-13 : 1e-9)
    })

    law('a humanoid that is held in its pose stands still for 60 s', () => {
      const { world, fastest, moved, kinetic } = restOfRobot(model, 'humanoid', watched)
      checkForces(world)
      expect(moved).toBeLessThan(1e-3)
      expect(fastest).toBeLessThan(1e-3)
      expect(kinetic).toBeLessThan(1e-5)
      expect(Math.abs(support(world).force / (world.robot.massUsed * g) - 1)).toBeLessThan(1e-5)
      expect(world.events.failures).toBe(0)
    })
  })
}

export function restOfRobot(model: string, name: 'diffdrive' | 'humanoid', seconds: number) {
  const robot = loadOwnRobot(name)
  const world = makeWorld({ robot, model, controller: createControllerLoop(hold(), robot) })
  run(world, 2)
  return { world, ...watchRest(world, seconds) }
}

/** The fastest that any velocity was, how far the first body's origin ended from its start, and the largest kinetic energy. */
export function watchRest(world: World, seconds: number): { fastest: number; moved: number; kinetic: number } {
  const { q, v } = world.state
  const start = q.slice(0, 3)
  const energy = kineticMeter(world)
  let fastest = 0
  let kinetic = 0
  run(world, seconds, (_, step) => {
    for (let k = 0; k < v.length; k++) fastest = Math.max(fastest, Math.abs(v[k]))
    if (step % 100 === 0) kinetic = Math.max(kinetic, energy())
  })
  return { fastest, moved: Math.hypot(q[0] - start[0], q[1] - start[1], q[2] - start[2]), kinetic }
}

export function restOfStack(model: string) {
  const robots = [10, 5, 8].map((mass, i) => ({
    robot: box([0.2, 0.3, 0.1], mass),
    q: [0.01 * i, 0, 0.05 + 0.1 * i, ...upright],
  }))
  const world = makeWorld({ robots, model })
  run(world, 3)
  return { world, ...watchRest(world, watched) }
}
