/** Robots at edges and corners: the scenes of docs/results.md, and what comes of one run of them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Meter, type Metrics } from '../../compare/measure/metrics.ts'
import { stepsOf } from '../../compare/run/run.ts'
import type { SolverOutcome } from '../../compare/run/solverOutcomes.ts'
import { parseScenario, type Scenario } from '../../compare/scenario/index.ts'
import {
  createWorld,
  type Prepared,
  prepareWorld,
  resolvePaths,
  subjectsOf,
  withControllers,
} from '../../compare/scenario/world/files.ts'
import type { ContactModelName } from '../../contact/index.ts'

const examples = fileURLToPath(new URL('../../docs/examples', import.meta.url))
const folder = process.env.FEATHERBED_ROBOTS
const atlas = folder === undefined ? undefined : join(folder, 'atlas/drake_models/atlas/atlas_minimal_contact.urdf')

export interface EdgeScene {
  readonly name: string
  readonly file: string
  /** A robot in place of the file's. */
  readonly robot?: string
}

export const edgeScenes: readonly EdgeScene[] = [
  { name: 'curb', file: 'edges-curb.yaml' },
  { name: 'step', file: 'edges-step.yaml' },
  { name: 'ramp', file: 'edges-ramp.yaml' },
  { name: 'ledge', file: 'edges-ledge.yaml' },
  ...(atlas !== undefined && existsSync(atlas) ? [{ name: 'ledge, Atlas', file: 'edges-ledge.yaml', robot: atlas }] : []),
  { name: 'stack', file: 'edges-stack.yaml' },
]

/** Whether a real robot stands on the ledge too. */
export const hasAtlas = edgeScenes.some(({ robot }) => robot !== undefined)
export const withoutAtlas =
  'not run: Atlas half off a ledge, but our biped in its place; set FEATHERBED_ROBOTS to the folder that holds it'

/** The steps of the scenes [s]. */
export const edgeSteps = [1e-3, 5e-3, 10e-3] as const

export interface Scene {
  readonly scenario: Scenario
  readonly prepared: Prepared
}

/** @param duration in place of the file's [s] */
export async function edgeScene({ file, robot }: EdgeScene, duration?: number): Promise<Scene> {
  const path = join(examples, file)
  const read = await parseScenario(readFileSync(path, 'utf8'), path, duration === undefined ? {} : { duration })
  const resolved = resolvePaths(robot === undefined ? read : { ...read, robots: [robot] }, path)
  return { scenario: resolved, prepared: await withControllers(resolved, await prepareWorld(resolved, subjectsOf(resolved)[0])) }
}

export const edgeWorld = ({ scenario, prepared }: Scene, model: ContactModelName, dt: number) =>
  createWorld(scenario, prepared, { name: model, options: {} }, dt)

export interface EdgeOutcome {
  /** Why it broke off, or ''. */
  readonly failure: string
  readonly steps: number
  readonly metrics: Metrics
  readonly deepestPair: { readonly a: string; readonly b: string } | null
  /**
   * Depth over half the thickness of the thinner of the two shapes, of the pair that was deepest: above 1 one has its middle beyond the
   * other's surface.
   */
  readonly tunnelling: number
  /** Whether a floating base leans by more than 45 degrees at the end, or its origin lies in the ground. */
  readonly fell: boolean
  /** Of the base of the first robot or body, at the end [m]. */
  readonly position: readonly [number, number, number]
  readonly solvers: readonly SolverOutcome[]
}

/** @param patience processor time after which a run is given up [s] */
export function edgeRun(scene: Scene, model: ContactModelName, dt: number, patience = Number.POSITIVE_INFINITY): EdgeOutcome {
  const { world, loops } = edgeWorld(scene, model, dt)
  const steps = stepsOf(scene.scenario.duration, dt)
  const meter = new Meter(world, loops, steps)
  const begin = process.cpuUsage()
  let failure = ''
  let taken = 0
  try {
    for (; taken < steps; taken++) {
      meter.before()
      world.step()
      meter.after()
      if (process.cpuUsage(begin).user > 1e6 * patience) {
        failure = `given up after ${patience} s of computing`
        break
      }
    }
  } catch (error) {
    if (world.failure === undefined) throw error
    failure = world.failure.message.split('\n')[0]
  }
  const metrics = meter.metrics()
  const { deepestPair } = meter
  const thickness = new Map([...world.shapes, ...world.fixtures].map(({ name, shape }) => [shortName(name), thicknessOf(shape)]))
  const thin = Math.min(...[deepestPair?.a, deepestPair?.b].map((name) => thickness.get(name ?? '') ?? Number.POSITIVE_INFINITY))
  const [x, y, z, qx, qy] = world.robots[0].state.q
  const upright = 1 - 2 * (qx * qx + qy * qy)
  return {
    failure,
    steps: taken,
    metrics,
    deepestPair,
    tunnelling: metrics.penetrationMax_m / (0.5 * thin),
    fell: !(upright > Math.SQRT1_2) || !(z > 0),
    position: [x, y, z],
    solvers: world.events.solvers.map(({ solver, solved, failed }) => ({ name: solver, solved, failed })),
  }
}

/** As `Meter.deepestPair` has it: a free body's only link is called as the body is. */
const shortName = (name: string) => name.replace(/^([^/]+)\/\1$/, '$1')

/** The least extent of a shape along its axes; of a point and of what has no end Infinity, for neither is thin [m]. */
function thicknessOf(shape: Scene['prepared']['fixtures'][number]['shape']): number {
  switch (shape.type) {
    case 'box':
      return Math.min(...shape.size)
    case 'sphere':
    case 'capsule':
      return shape.radius > 0 ? 2 * shape.radius : Number.POSITIVE_INFINITY
    case 'cylinder':
      return Math.min(2 * shape.radius, shape.length)
    case 'hull': {
      const { vertices } = shape.polyhedron
      const extents = [0, 1, 2].map((k) => {
        const own = vertices.filter((_, i) => i % 3 === k)
        return Math.max(...own) - Math.min(...own)
      })
      return Math.min(...extents)
    }
    default:
      return Number.POSITIVE_INFINITY
  }
}
