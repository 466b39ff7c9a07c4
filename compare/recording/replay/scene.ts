/** Moving and fixed parts of a replay: the mechanism, and the shapes by which it is drawn, made coarse enough to send. */
import { type PlacedShape, type Shape, surfaceOf } from '../../../contact/geometry/index.ts'
import type { Model } from '../../../dynamics/index.ts'
import { type CollisionShape, compose, type Robot } from '../../../robots/index.ts'
import type { World } from '../../../simulation/index.ts'
import { canSimplify, coarseShape } from './coarse.ts'
import type { Looks } from './looks.ts'

/** A shape of a robot or a body of the world, as it is drawn. */
export interface ReplayShape extends CollisionShape {
  /** Which of them, from 0 up. */
  readonly owner: number
  /** As its file has it: red, green and blue, 0 to 1. */
  readonly color?: readonly number[]
}

export interface ReplayScene {
  /** All robots and free bodies of the world as one. */
  readonly robot: Pick<Robot, 'model' | 'home'> & { readonly shapes: readonly ReplayShape[] }
  readonly fixtures: readonly PlacedShape[]
  /** Height of the ground, the horizontal half-space among the fixtures [m]; null without one. */
  readonly ground: number | null
}

/** Triangles of all shapes together that are drawn at most, about, and that any one keeps. */
const MOST_TRIANGLES = 40_000
const LEAST_OF_ONE = 60

/**
 * The scene of a world as text, in two lines: the mechanism, and all shapes, which are the same for all runs of the same robots.
 *
 * @param sources of each robot and body of the world, the file whose looks `withLooks` may put in place of its shapes
 */
export async function sceneText(world: World, sources: readonly (string | undefined)[] = []): Promise<string> {
  await canSimplify
  const { robot, fixtures, robots, model } = world
  const most = trianglesEach([...robot.shapes, ...fixtures].map(({ shape }) => shape))
  const plain = ({ name, body, shape, R, p }: PlacedShape) => ({ name, body, shape: coarseShape(shape, most), R, p })
  const ownerOf = (s: number) => robots.filter(({ start }, i) => i > 0 && start.shape <= s).length
  const drawn: DrawnScene = {
    shapes: robot.shapes.map((shape, s) => ({ ...plain(shape), link: shape.link, owner: ownerOf(s) })),
    fixtures: fixtures.map(plain),
    ground: groundOf(fixtures),
    frames: robot.frames,
    members: robots.map(({ name }, i) => ({ prefix: robots.length > 1 ? `${name}/` : '', source: sources[i] })),
  }
  return [{ model: mechanism(model), home: robot.home }, drawn].map(textOf).join('\n')
}

/** Triangles of each shape at most, so that all together have no more than a page holds; those that have fewer leave theirs to others. */
export function trianglesEach(shapes: readonly (Shape | undefined)[]): number {
  const counts = shapes.map((shape) => ((shape && surfaceOf(shape)?.triangles.length) ?? 0) / 3)
  let most = MOST_TRIANGLES
  while (most > LEAST_OF_ONE && counts.reduce((sum, count) => sum + Math.min(count, most), 0) > MOST_TRIANGLES) most *= 0.9
  return Math.floor(most)
}

/**
 * The scene with the looks of its robots, by their files, in place of the shapes that touch; these stand in for meshes that could not be read.
 *
 * @param missing out: the names of those
 */
export function withLooks(text: string, looks: Looks, missing: Set<string>): string {
  const [mechanism, second] = text.split('\n')
  const { shapes, frames, members, ...rest } = parsed(second) as DrawnScene
  const seen = members.flatMap(({ prefix, source = '' }, owner): ReplayShape[] => {
    const touching = shapes.filter((shape) => shape.owner === owner)
    const standIns = new Set<string>()
    const own = (looks.get(source) ?? []).flatMap(({ link, shape, color, name: stated, ...pose }): ReplayShape[] => {
      const frame = frames.find(({ name }) => name === prefix + link)
      if (!frame) return []
      const { name, body } = frame
      if (shape) return [{ name, body, shape, ...compose(frame, pose), link: name, owner, color }]
      missing.add(stated)
      if (standIns.has(name)) return []
      standIns.add(name)
      return touching.flatMap((one) => (one.link === name ? { ...one, color } : []))
    })
    // a link without looks of its own, such as a wheel, is not invisible beside others
    const drawn = new Set(own.map(({ link }) => link))
    return [...own, ...touching.filter(({ link }) => !drawn.has(link))]
  })
  return `${mechanism}\n${textOf({ ...rest, shapes: seen })}`
}

/** The second line of a scene, before looks are in it. */
interface DrawnScene extends Omit<ReplayScene, 'robot'> {
  readonly shapes: readonly ReplayShape[]
  readonly frames: Robot['frames']
  readonly members: readonly { readonly prefix: string; readonly source?: string }[]
}

const textOf = (value: unknown): string => JSON.stringify(value, (_, inner: unknown) => packed(inner))
const parsed = (text: string): unknown => JSON.parse(text, (_, inner: unknown) => unpacked(inner))

/** The scene of a text. */
export function sceneOf(text: string): ReplayScene {
  const [robot, drawn] = text.split('\n').map(parsed) as [Omit<ReplayScene['robot'], 'shapes'>, DrawnScene]
  const { shapes, fixtures, ground } = drawn
  return { robot: { ...robot, shapes }, fixtures, ground }
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
