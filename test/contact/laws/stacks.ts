import { expect } from 'vitest'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import type { World, WorldRobot } from '../../../simulation/index.ts'
import { body, slide, solid } from '../../dynamics/bodies.ts'
import { degree, full, type Suite, stickSpeed } from './law.ts'
import {
  box,
  dot,
  downhill,
  effortsOf,
  fixedBox,
  g,
  makeRobot,
  makeWorld,
  onSlope,
  run,
  sinkOf,
  slope,
  slopeNormal,
  tiltOf,
  upright,
  type Vector,
  velocityW,
} from './scenes.ts'

/** Bodies that lie on, lean against and are pressed by one another. */
export function stackLaws({ model, rigid, section, law }: Suite): void {
  section('stacks', () => {
    law('ten boxes of 1 kg and 1000 kg by turns stand for a minute, whichever is the lowest', () => {
      for (const lowest of [1, 1000]) {
        const world = byTurns(model, 10, lowest)
        run(world, full ? 60 : 0.6)
        for (const [i, { state }] of world.robots.entries()) {
          expect(Math.hypot(state.q[0], state.q[1])).toBeLessThan(1e-3)
          // springs are pressed in by 2 mm a pair at most
          expect(Math.abs(state.q[2] - (i + 0.5) * 0.2)).toBeLessThan(rigid ? 1e-6 : 2e-3 * (i + 1))
        }
        expect(world.events).toMatchObject({ failures: 0, strained: 0, firstStrain: '' })
      }
    })

    law('n bricks reach over an edge by half a length times 1 + 1/2 + ... + 1/n, and not by 1 % more', () => {
      checkBricks(model, [0.99, 1.01])
    })

    law('a box between a wall and a pad that presses S holds when 2 mu S >= m g', () => {
      checkPad(model, [0.99, 1.01], rigid ? 1e-6 : stickSpeed)
    })

    law('of two boxes on a slope the upper slides off at g (sin - mu cos) if its own mu is small, and else both stay', () => {
      const angle = 20 * degree
      for (const mu of [0.5, 0.2]) {
        const world = twoOnSlope(model, angle, mu)
        const [lower, upper] = world.robots
        const down = downhill(angle)
        run(world, 0.3)
        const early = dot(velocityW(upper), down)
        const at = Float64Array.from(lower.state.q)
        run(world, 0.2)
        const late = dot(velocityW(upper), down)
        const slides = mu < Math.tan(angle)
        const expected = slides ? g * (Math.sin(angle) - mu * Math.cos(angle)) : 0
        // the creep that models state; springs tilt a box by friction's moment, depth over width
        expect(Math.abs((late - early) / 0.2 - expected)).toBeLessThan(rigid ? 1e-4 : 5e-3)
        const crept = Math.hypot(...[0, 1, 2].map((d) => lower.state.q[d] - at[d]))
        expect(crept).toBeLessThan(rigid ? 1e-6 : 0.2 * stickSpeed + 2e-6)
        // what friction carries: the upper's share between the two, all of it on the slope
        const between = frictionBetween(world, 1, 2, down)
        const onUpper = (slides ? mu * Math.cos(angle) : Math.sin(angle)) * 4 * g
        const below = frictionBetween(world, 0, 1, down)
        expect(Math.abs(between / onUpper - 1)).toBeLessThan(rigid ? 1e-6 : 1e-2)
        expect(Math.abs(below / (onUpper + 10 * g * Math.sin(angle)) - 1)).toBeLessThan(rigid ? 1e-6 : 1e-2)
      }
    })

    law('a box on a trolley is taken along up to mu g, and slips beyond', () => checkTakenAlong(model, rigid ? 1e-5 : 5e-3))

    law('a box on a trolley tips when a > g b / c', () => {
      checkTippingOnTrolley(model, [0.99, 1.01])
    })
  })
}

/** Boxes one on the other, touching. */
export function pile(model: string, dt: number, masses: readonly number[]): World {
  const robots = masses.map(
    (mass, i): WorldRobot => ({
      robot: box([0.2, 0.3, 0.1], mass),
      q: [0.002 * (i % 2), 0, 0.05 + 0.1 * i, ...upright],
    }),
  )
  return makeWorld({ robots, model, dt })
}

/** Cubes of 20 cm one on the other, flush, of 1 kg and 1000 kg by turns. */
export function byTurns(model: string, count: number, lowest: number): World {
  const robots = Array.from(
    { length: count },
    (_, i): WorldRobot => ({
      robot: box([0.2, 0.2, 0.2], i % 2 === 0 ? lowest : 1000 / lowest),
      q: [0, 0, 0.2 * (i + 0.5), ...upright],
    }),
  )
  return makeWorld({ robots, model, dt: 1e-3 })
}

/** Sum of normal forces between two bodies [N]. */
export function loadBetween({ contacts, dt }: World, a: number, b: number): number {
  const { count, bodyA, bodyB, impulse } = contacts
  let sum = 0
  for (let i = 0; i < count; i++) {
    if ((bodyA[i] === a && bodyB[i] === b) || (bodyA[i] === b && bodyB[i] === a)) sum += impulse[3 * i]
  }
  return sum / dt
}

/** Force of friction that body b, above, feels against the direction [N]. */
function frictionBetween({ contacts, dt }: World, a: number, b: number, down: Vector): number {
  const { count, bodyA, bodyB, impulse, tangent1, tangent2 } = contacts
  let sum = 0
  for (let i = 0; i < count; i++) {
    const sign = bodyA[i] === a && bodyB[i] === b ? -1 : bodyA[i] === b && bodyB[i] === a ? 1 : 0
    for (let d = 0; d < 3; d++) {
      const along = impulse[3 * i + 1] * tangent1[3 * i + d] + impulse[3 * i + 2] * tangent2[3 * i + d]
      sum += sign * down[d] * along
    }
  }
  return sum / dt
}

/** Bricks, each `share` times as far over the next as is stable at most. */
export function checkBricks(model: string, shares: readonly number[], counts = [2, 3, 4]): void {
  const [length, height] = [0.2, 0.05]
  for (const n of counts) {
    for (const share of shares) {
      const robots: WorldRobot[] = []
      let x = -length / 2
      for (let k = n; k > 0; k--) {
        x += (share * length) / (2 * k)
        robots.push({ robot: box([length, 0.1, height]), q: [x, 0, height * (n - k + 0.5), ...upright] })
      }
      const world = makeWorld({
        robots,
        model,
        fixtures: [fixedBox('table', [-0.5, 0, -0.1], [1, 1, 0.2])],
        // springs tilt a brick by their depth over what is left to stand on; stiff ones need small steps
        dt: sinkOf(model) > 0 ? 2e-4 : 1e-3,
        physical: { allowedPenetration: 1e-6 },
      })
      run(world, 1)
      const tilt = Math.max(...world.robots.map(tiltOf))
      if (share > 1) expect(tilt).toBeGreaterThan(0.01)
      else expect(tilt).toBeLessThan(1e-3)
    }
  }
}

export function twoOnSlope(model: string, angle: number, upperFriction: number): World {
  const n = slopeNormal(angle)
  const robots = [
    { mass: 10, size: [0.4, 0.4, 0.05] as Vector, height: 0.025, friction: undefined },
    { mass: 4, size: [0.2, 0.2, 0.05] as Vector, height: 0.075, friction: upperFriction },
  ].map(({ mass, size, height, friction }): WorldRobot => {
    const q = onSlope(0, angle)
    n.forEach((x, d) => {
      q[d] = height * x
    })
    return { robot: createFreeBody({ name: 'box', shape: { type: 'box', size }, mass, friction }), q }
  })
  return makeWorld({
    robots,
    model,
    dt: sinkOf(model) > 0 ? 2e-4 : 1e-3,
    fixtures: [slope(angle)],
    physical: { friction: 0.6, allowedPenetration: 1e-5 },
  })
}

/** A load on a trolley of 20 kg that runs along x and is pushed by a force. */
function onTrolley(
  model: string,
  load: Robot,
  height: number,
  physical: { friction: number; allowedPenetration?: number },
  push: (t: number) => number,
): World {
  const trolley = makeRobot(
    'trolley',
    [body('trolley', slide('track', 0, [1, 0, 0]), solid(20, [1, 1, 1]))],
    [{ body: 1, shape: { type: 'box', size: [2, 1, 0.1] }, p: [0, 0, -0.05] }],
  )
  const controller = effortsOf((tau, t) => {
    tau[0] = push(t)
  })
  const robots = [
    { robot: trolley, controller },
    { robot: load, q: [0, 0, height, ...upright] },
  ]
  return makeWorld({ robots, model, fixtures: [], physical: { allowedPenetration: 1e-5, ...physical } })
}

/** A box on a trolley that is pushed: accelerations of both, below and beyond what friction takes along. @param within so much of them */
export function checkTakenAlong(model: string, within: number): void {
  const [M, m, mu] = [20, 5, 0.3]
  for (const share of [0.95, 1.5]) {
    const a = share * mu * g
    const push = share < 1 ? (M + m) * a : M * a + mu * m * g
    const world = onTrolley(model, box([0.3, 0.3, 0.1], m), 0.05, { friction: mu }, () => push)
    const [trolley, load] = world.robots
    run(world, 0.2)
    const start = [trolley.state.v[0], velocityW(load)[0]]
    run(world, 0.2)
    const gained = [trolley.state.v[0] - start[0], velocityW(load)[0] - start[1]].map((dv) => dv / 0.2)
    expect(Math.abs(gained[0] / a - 1)).toBeLessThan(within)
    expect(Math.abs(gained[1] / Math.min(a, mu * g) - 1)).toBeLessThan(within)
  }
}

export function checkTippingOnTrolley(model: string, shares: readonly number[]): void {
  const [b, c, mass] = [0.05, 0.1, 10]
  for (const share of shares) {
    const a = (share * g * b) / c
    const load = box([2 * b, 2 * b, 2 * c], mass)
    const world = onTrolley(model, load, c, { friction: 1 }, (t) => (20 + mass) * a * Math.min(t / 0.2, 1))
    run(world, 1)
    const tilt = tiltOf(world.robots[1])
    if (share > 1) expect(tilt).toBeGreaterThan(0.05)
    else expect(tilt).toBeLessThan(0.01)
  }
}

/** Presses a box against a wall by these shares of what holds it; what is held moves no faster than `creep`. */
export function checkPad(model: string, shares: readonly number[], creep: number): void {
  const [mu, mass] = [0.5, 10]
  const pad = makeRobot(
    'pad',
    [body('pad', slide('rail', 0, [-1, 0, 0]), solid(1, [1, 1, 1]))],
    [{ body: 1, shape: { type: 'box', size: [0.1, 0.4, 0.4] } }],
  )
  for (const share of shares) {
    const S = (share * mass * g) / (2 * mu)
    const world = makeWorld({
      robots: [
        { robot: pad, q: [-0.15], controller: effortsOf((tau) => void (tau[0] = S)) },
        { robot: box([0.2, 0.2, 0.2], mass), q: [0, 0, 0, ...upright] },
      ],
      model,
      fixtures: [fixedBox('wall', [-0.6, 0, 0], [1, 4, 4])],
      physical: { friction: mu, allowedPenetration: 1e-5 },
    })
    run(world, 0.3)
    const speed = -velocityW(world.robots[1])[2]
    run(world, 0.2)
    const gained = -velocityW(world.robots[1])[2] - speed
    if (share > 1) expect(Math.abs(speed)).toBeLessThan(creep)
    else expect(Math.abs(gained / 0.2 / ((1 - share) * g) - 1)).toBeLessThan(0.02)
  }
}

/** Ten boxes of 1 kg and 1000 kg by turns, the light ones pressed in: steps in which springs give way are counted. */
export function checkGivesWay(model: string): void {
  const world = byTurns(model, 10, 1)
  run(world, 0.3)
  expect(world.events.strained).toBeGreaterThan(0)
  expect(world.events.firstStrain).toContain(`${model}: a contact was pressed in by`)
}
