/** Moving and fixed parts of a replay: the mechanism, and collision shapes made coarse enough to send. */
import type { PlacedShape, Shape } from '../../../contact/geometry/index.ts'
import type { Model } from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import type { World } from '../../../simulation/index.ts'
import { coarseShape } from './coarse.ts'

export interface ReplayScene {
  /** All robots and free bodies of the world as one. */
  readonly robot: Pick<Robot, 'model' | 'home' | 'shapes'>
  /** Of each of `robot.shapes`: which robot or body of the world it is of, from 0 up. */
  readonly owners: readonly number[]
  readonly fixtures: readonly PlacedShape[]
  /** Height of the ground, the horizontal half-space among the fixtures [m]; null without one. */
  readonly ground: number | null
  /** How many shapes are shown with fewer faces than they touch with. */
  readonly coarse: number
}

/** Triangles of all shapes together that are drawn at most, about, and of one shape. */
const MOST_TRIANGLES = 40_000
const MOST_OF_ONE = 1500
const LEAST_OF_ONE = 60

/** The scene of a world as text; the same for all runs in the same surroundings. */
export function sceneText(world: World): string {
  const { robot, fixtures, robots, model } = world
  const all: readonly { readonly shape: Shape }[] = [...robot.shapes, ...fixtures]
  const faceted = all.filter(({ shape: { type } }) => type === 'mesh' || type === 'hull' || type === 'heightfield').length
  const most = Math.max(LEAST_OF_ONE, Math.min(MOST_OF_ONE, Math.floor(MOST_TRIANGLES / Math.max(1, faceted))))
  let coarse = 0
  const plain = <T extends PlacedShape>({ name, body, shape, R, p }: T) => {
    const drawn = coarseShape(shape, most)
    if (drawn.isCoarser) coarse++
    return { name, body, shape: drawn.shape, R, p }
  }
  const shapes = robot.shapes.map((shape) => ({ ...plain(shape), link: shape.link }))
  const scene: ReplayScene = {
    robot: { model: mechanism(model), home: robot.home, shapes },
    owners: robot.shapes.map((_, s) =>
      Math.max(
        0,
        robots.findLastIndex(({ start }) => start.shape <= s),
      ),
    ),
    fixtures: fixtures.map(plain),
    ground: groundOf(fixtures),
    coarse,
  }
  return JSON.stringify(scene, (_, value: unknown) => packed(value))
}

/** The scene of a text. */
export function sceneOf(text: string): ReplayScene {
  return JSON.parse(text, (_, value: unknown) => unpacked(value)) as ReplayScene
}

/** A model reduced to the inputs of its kinematics, so that its arrays are short. */
function mechanism(model: Model): Model {
  const { nv } = model
  const none = new Float64Array(nv)
  return {
    ...model,
    damping: none,
    friction: none,
    armature: none,
    stiffness: none,
    springReference: none,
    lower: none,
    upper: none,
    effortLimit: none,
    velocityLimit: none,
  }
}

function groundOf(fixtures: readonly PlacedShape[]): number | null {
  for (const { shape, R, p } of fixtures) {
    if (shape.type !== 'halfspace') continue
    const up = R[6] * shape.normal[0] + R[7] * shape.normal[1] + R[8] * shape.normal[2]
    if (up > 1 - 1e-9) return shape.offset + p[2]
  }
  return null
}

const arrays = { Float64Array, Int32Array, Uint8Array } as const
type ArrayName = keyof typeof arrays

/** Typed arrays by their names: JSON has none. */
function packed(value: unknown): unknown {
  for (const name of Object.keys(arrays) as ArrayName[])
    if (value instanceof arrays[name]) return { [`$${name}`]: Array.from(value as ArrayLike<number>) }
  return value
}

function unpacked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const [key] = Object.keys(value)
  if (key === undefined || !key.startsWith('$')) return value
  const name = key.slice(1) as ArrayName
  return Object.hasOwn(arrays, name) ? arrays[name].from((value as Record<string, number[]>)[key]) : value
}
