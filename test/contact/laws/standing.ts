import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { PenetrationMeter } from '../../../compare/index.ts'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadOwnRobot, loadRobotFile } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import { checkForces, full, type Suite } from './law.ts'
import { g, makeWorld, quadruped, run, support, type Vector } from './scenes.ts'

const folder = process.env.FEATHERBED_ROBOTS
const files = {
  A1: 'a1/a1_description/urdf/a1.urdf',
  Atlas: 'atlas/drake_models/atlas/atlas_minimal_contact.urdf',
}
const isHere = (file: string) => folder !== undefined && existsSync(join(folder, file))
if (!Object.values(files).every(isHere))
  console.log('not run: A1 and Atlas standing; set FEATHERBED_ROBOTS to the folder that holds them')

/** The title of each law is known also where its robot is not at hand, so that exceptions to it are. */
const standing: readonly (readonly [string, () => Robot, boolean?])[] = [
  ['the humanoid on its wheels', () => loadOwnRobot('humanoid')],
  ['a robot on four bent legs', bentQuadruped],
  ...Object.entries(files).map(
    ([name, file]) => [name, () => loadRobotFile(join(folder as string, file)), isHere(file)] as const,
  ),
]

/** Robots that hold their home pose by joint PD. */
export function standingLaws({ model, rigid, section, law }: Suite): void {
  section('standing', () => {
    for (const [name, load, isThere = true] of standing) {
      law(
        `${name}, held in its pose, stands and goes nowhere, 1 um deep at most, or as deep as its springs are`,
        isThere &&
          (() => {
            const { deepest, moved, fastest, weight } = stand(model, load())
            // springs' integrals overshoot while they fill; hard ones by half, and the soft start of Hunt and Crossley's twice
            expect(deepest).toBeLessThan(rigid ? 1e-6 : 2e-3)
            // joints that regain their pose creep at the end of that: 1e-4 m in springs, and rigid feet slip by 1e-6
            expect(Math.hypot(...moved)).toBeLessThan(rigid ? 1e-5 : 1e-3)
            expect(fastest).toBeLessThan(rigid ? 1e-5 : 1e-3)
            expect(Math.abs(weight - 1)).toBeLessThan(rigid ? 1e-4 : 1e-3)
          }),
      )
    }
  })
}

/** After a second: the depth at worst [m], how far the base went, the fastest velocity at the end, and what carries over the weight. */
export function stand(model: string, robot: Robot): { deepest: number; moved: Vector; fastest: number; weight: number } {
  const world = makeWorld({ robot, model, controller: createControllerLoop(hold(), robot) })
  run(world, 1)
  const meter = new PenetrationMeter(world)
  const { q, v } = world.state
  const start = q.slice(0, 3)
  let deepest = 0
  run(world, full ? 60 : 2, ({ data }, step) => {
    if (step % 20 !== 0) return
    meter.measure(data)
    deepest = Math.max(deepest, meter.deepest[0])
  })
  checkForces(world)
  expect(world.events.failures).toBe(0)
  return {
    deepest,
    moved: [q[0] - start[0], q[1] - start[1], q[2] - start[2]],
    fastest: Math.max(...v.map(Math.abs)),
    weight: support(world).force / (robot.massUsed * g),
  }
}

function bentQuadruped(): Robot {
  const legs = [0.4, -0.8, 0.4, -0.8, 0.4, -0.8, 0.4, -0.8]
  return { ...quadruped(), home: Float64Array.of(0, 0, 0.4 * Math.cos(0.4) + 0.02, 0, 0, 0, 1, ...legs) }
}
