import { rigidGroups } from '../../../contact/index.ts'
import type { Data } from '../../../dynamics/index.ts'
import { sizeOf } from '../../../robots/index.ts'
import type { RobotInWorld, World } from '../../../simulation/index.ts'
import { PenetrationMeter, shortName } from '../../scenario/world/penetration.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/** Moments of a run at which shapes are compared, at least, and distances of pairs, about: a meshed robot takes as long as some steps. */
const SAMPLES = 100
const QUERIES = 4000
/** Depth that counts over the robot's size, and least [m]: hulls of Atlas that bends its trunk to the stops meet by 1.3 %. */
const PART = 0.02
const LEAST = 5e-3

/**
 * How far shapes of one robot overlap, beyond the start, whose pair no contact model sees: self-collision is off, or the pair is left out. Not
 * of links that cannot move against each other, nor of those that a joint joins, if they touch at the start, as most do.
 */
export class SelfOverlapMeter {
  deepest: {
    readonly robot: string
    readonly a: string
    readonly b: string
    readonly depth_m: number
    readonly t: number
  } | null = null
  private readonly watched
  private readonly every: number
  private next: number

  /** @param steps how many whole steps the run will have; Infinity: nothing is watched */
  constructor({ world, end }: MeasuredStep, steps: number) {
    this.watched = steps < Infinity ? world.robots.flatMap((robot) => watchedOf(world, robot, end) ?? []) : []
    this.every = steps / Math.max(SAMPLES, QUERIES / this.watched.reduce((sum, { count }) => sum + count, 0))
    this.next = this.every
  }

  measure({ end, elapsed, world: { state } }: MeasuredStep): void {
    if (elapsed < this.next) return
    this.next = elapsed + this.every
    for (const { name, meter, own, least } of this.watched) {
      meter.placeAll(end)
      for (const { a, b, depth } of meter.overlaps()) {
        const depth_m = depth - (own.get(`${a} ${b}`) ?? 0)
        if (depth_m > Math.max(least, this.deepest?.depth_m ?? 0)) this.deepest = { robot: name, a, b, depth_m, t: state.t[0] }
      }
    }
  }
}

/** A robot with the depths at the start of its pairs that are not seen, and the depth that counts [m]. */
function watchedOf(world: World, { name, robot, state, start }: RobotInWorld, data: Data) {
  const { model, pairs } = world
  const shapes = world.robot.shapes.slice(start.shape, start.shape + robot.shapes.length)
  const seen = [...world.shapes, ...world.robot.shapes.filter(({ body }) => body === 0)].slice(0, pairs.shapeCount)
  const places = shapes.map((shape) => seen.indexOf(shape))
  const groups = rigidGroups(model)
  const allows = (i: number, j: number) => {
    const [a, b] = [places[i], places[j]]
    return (
      groups[shapes[i].body] !== groups[shapes[j].body] && !(a >= 0 && b >= 0 && pairs.allows(Math.min(a, b), Math.max(a, b)))
    )
  }
  const count = shapes.reduce((sum, _, j) => sum + shapes.filter((_, i) => i < j && allows(i, j)).length, 0)
  if (count === 0) return undefined
  const meter = new PenetrationMeter({
    robot: { shapes: [] },
    shapes,
    fixtures: [],
    pairs: { shapeCount: shapes.length, allows },
  })
  meter.placeAll(data)
  const groupOf = new Map(shapes.map((shape) => [shortName(shape.name), groups[shape.body]]))
  const isOn = (a: string, b: string) => groups[model.parent[groupOf.get(a) as number]] === groupOf.get(b)
  const own = meter.overlaps().map(({ a, b, depth }) => [`${a} ${b}`, isOn(a, b) || isOn(b, a) ? Infinity : depth] as const)
  return { name, meter, count, own: new Map(own), least: Math.max(LEAST, PART * sizeOf(robot, state.q)) }
}
