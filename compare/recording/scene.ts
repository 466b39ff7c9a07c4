import { type PlacedShape, type TriangleMesh, trianglesOf, writeShapeBounds } from '../../contact/geometry/index.ts'
import { type Data, mulMatrix3, quaternionOfRotation, rotate3 } from '../../dynamics/index.ts'
import type { FrameSource, RecordedContacts, RobotInWorld, World } from '../../simulation/index.ts'
import { numberText, poseText, quaternionText, timeText, vectorText } from './json.ts'

/*
 * Scenes for Foxglove's 3D panel: the collision shapes, each in the frame of its link, and the contacts with their forces.
 */

type Color = readonly [r: number, g: number, b: number, a: number]

const fixtureColor: Color = [0.62, 0.64, 0.66, 0.6]
/** One a robot, over and over. Distinct for most colour-blind people too (Okabe and Ito, 2008). */
const robotColors: readonly Color[] = [
  [0.34, 0.71, 0.91, 0.85],
  [0.9, 0.62, 0, 0.85],
  [0, 0.62, 0.45, 0.85],
  [0.8, 0.47, 0.65, 0.85],
  [0.94, 0.89, 0.26, 0.85],
  [0, 0.45, 0.7, 0.85],
]
const forceColor: Color = [0.84, 0.37, 0, 1]
const impactColor: Color = [0.75, 0.05, 0.1, 1]
const pointColor: Color = [0.1, 0.1, 0.1, 1]

/** Half the edge of the square that stands for a half-space, and how thick it is drawn [m]. */
const PLANE_REACH = 10
const PLANE_THICKNESS = 0.02
/** An impact is drawn as the force that would give it in this time [s]. */
const IMPACT_TIME = 0.1
/** A sphere without extent is drawn this large [m]. */
const POINT_SIZE = 0.005

const colorText = ([r, g, b, a]: Color) => `{"r":${r},"g":${g},"b":${b},"a":${a}}`

interface Primitives {
  arrows: string[]
  cubes: string[]
  spheres: string[]
  cylinders: string[]
  triangles: string[]
}

const noPrimitives = (): Primitives => ({ arrows: [], cubes: [], spheres: [], cylinders: [], triangles: [] })

function entityText(id: string, frame: string, time: bigint, primitives: Primitives): string {
  const lists = Object.entries(primitives).map(([kind, list]) => `"${kind}":[${list.join(',')}]`)
  return (
    `{"timestamp":${timeText(time)},"frame_id":${JSON.stringify(frame)},"id":${JSON.stringify(id)},` +
    `"lifetime":{"sec":0,"nsec":0},"frame_locked":true,"metadata":[],${lists.join(',')},"lines":[],"texts":[],"models":[]}`
  )
}

const updateText = (entities: readonly string[]) => `{"deletions":[],"entities":[${entities.join(',')}]}`

/** foxglove.SceneUpdate with every collision shape and fixture, to be sent once. */
export function shapesScene({ world, shapes }: FrameSource): string {
  const { bodyName } = world.model
  const entities = shapes.map(({ name, placed }) => {
    const robot = world.robots.findLastIndex(({ start }) => placed.body > start.body)
    const color = placed.body === 0 ? fixtureColor : robotColors[robot % robotColors.length]
    const primitives = noPrimitives()
    addShape(primitives, placed, color)
    return entityText(name, bodyName[placed.body], 0n, primitives)
  })
  return updateText(entities)
}

function addShape(out: Primitives, { shape, R, p }: PlacedShape, color: Color): void {
  const q = new Float64Array(4)
  quaternionOfRotation(q, 0, R)
  const pose = poseText(p, q)
  const tail = `"color":${colorText(color)}}`
  const box = (pose: string, size: readonly number[]) => out.cubes.push(`{"pose":${pose},"size":${vectorText(size)},${tail}`)
  const ball = (pose: string, x: number, y = x, z = x) =>
    out.spheres.push(`{"pose":${pose},"size":${vectorText([x, y, z])},${tail}`)
  const tube = (radius: number, length: number) => {
    const size = vectorText([2 * radius, 2 * radius, length])
    out.cylinders.push(`{"pose":${pose},"size":${size},"bottom_scale":1,"top_scale":1,${tail}`)
  }
  switch (shape.type) {
    case 'box':
      if (shape.rounding) out.triangles.push(trianglesText(trianglesOf(shape), pose, tail))
      else box(pose, shape.size)
      return
    case 'sphere':
      ball(pose, 2 * shape.radius || POINT_SIZE)
      return
    case 'ellipsoid':
      ball(pose, 2 * shape.radii[0], 2 * shape.radii[1], 2 * shape.radii[2])
      return
    case 'cylinder':
      tube(shape.radius, shape.length)
      return
    case 'capsule':
      tube(shape.radius, shape.length)
      for (const side of [-0.5, 0.5]) ball(poseText(shifted(p, R, [0, 0, side * shape.length]), q), 2 * shape.radius)
      return
    case 'halfspace': {
      const turned = new Float64Array(9)
      mulMatrix3(turned, R, axesAlong(shape.normal))
      const depth = shape.offset - 0.5 * PLANE_THICKNESS
      const center = shifted(
        p,
        R,
        shape.normal.map((n) => n * depth),
      )
      quaternionOfRotation(q, 0, turned)
      box(poseText(center, q), [2 * PLANE_REACH, 2 * PLANE_REACH, PLANE_THICKNESS])
      return
    }
    default:
      out.triangles.push(trianglesText(trianglesOf(shape), pose, tail))
  }
}

function trianglesText({ vertices, triangles }: TriangleMesh, pose: string, tail: string): string {
  const points = Array.from({ length: vertices.length / 3 }, (_, i) => vectorText(vertices, 3 * i))
  return `{"pose":${pose},"points":[${points.join(',')}],"colors":[],"indices":[${triangles.join(',')}],${tail}`
}

/** p + R x */
function shifted(p: Float64Array, R: Float64Array, x: readonly number[]): Float64Array {
  const out = new Float64Array(3)
  rotate3(out, R, Float64Array.from(x))
  for (let k = 0; k < 3; k++) out[k] += p[k]
  return out
}

/** A rotation that turns z into the direction n. */
function axesAlong(n: readonly number[]): Float64Array {
  const [x, y, z] = n
  // the world's axis that is farthest from n, made orthogonal to it
  const axis = Math.abs(x) < 0.7 ? [1, 0, 0] : [0, 1, 0]
  const along = axis[0] * x + axis[1] * y
  const u = axis.map((a, k) => a - along * n[k])
  const length = Math.hypot(u[0], u[1], u[2])
  const [ux, uy, uz] = u.map((a) => a / length)
  return Float64Array.of(ux, y * uz - z * uy, x, uy, z * ux - x * uz, y, uz, x * uy - y * ux, z)
}

/** How contacts are drawn. */
export interface ArrowScale {
  /** Length of an arrow [m/N]. */
  readonly perNewton: number
  /** Thickness of arrows, and diameter of points [m]. */
  readonly thickness: number
}

/**
 * Arrows for a world: the weight of its heaviest robot is as long as the largest extent of a robot's collision shapes at the
 * start, or 0.5 m where there are none.
 *
 * @param source with kinematics of the start in its data
 */
export function arrowScaleOf({ world, data }: FrameSource): ArrowScale {
  const { robots, model } = world
  const { gravity, I } = model
  const g = Math.hypot(gravity[3], gravity[4], gravity[5])
  const weights = robots.map(({ start, robot }) => {
    let mass = 0
    for (let i = start.body + 1; i < start.body + robot.model.nb; i++) mass += I[i][0]
    return mass * g
  })
  const weight = Math.max(...weights)
  const size = Math.max(...robots.map((robot) => extentOf(robot, world, data))) || 0.5
  return { perNewton: size / (weight > 0 ? weight : 1), thickness: 0.012 * size }
}

/** The longest edge of the box around a robot's moving shapes [m]; 0 if it has none. */
function extentOf({ start, robot }: RobotInWorld, { shapes }: World, { R_WB, p_WB }: Data): number {
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  const bounds = new Float64Array(6)
  const R = new Float64Array(9)
  for (const { body, shape, R: own, p } of shapes) {
    if (body <= start.body || body >= start.body + robot.model.nb) continue
    mulMatrix3(R, R_WB[body], own)
    writeShapeBounds(shape, R, shifted(p_WB[body], R_WB[body], [...p]), new Float64Array(1), 0, bounds, 0)
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], bounds[k])
      high[k] = Math.max(high[k], bounds[3 + k])
    }
  }
  return Math.max(0, ...high.map((x, k) => x - low[k]))
}

/** foxglove.SceneUpdate of the contacts of a frame: a point each, an arrow for its force, and one for its impact. */
export function contactsScene(contacts: RecordedContacts, time: bigint, scale: ArrowScale): string {
  const { count, point, force, impact } = contacts
  const primitives = noPrimitives()
  const d = scale.thickness
  const size = vectorText([d, d, d])
  for (let c = 0; c < count; c++) {
    primitives.spheres.push(`{"pose":${poseText(point, unturned, 3 * c)},"size":${size},"color":${colorText(pointColor)}}`)
    addArrow(primitives.arrows, point, force, c, scale.perNewton, d, forceColor)
    addArrow(primitives.arrows, point, impact, c, scale.perNewton / IMPACT_TIME, d, impactColor)
  }
  return updateText([entityText('contacts', 'world', time, primitives)])
}

const unturned = [0, 0, 0, 1]

function addArrow(
  out: string[],
  point: Float64Array,
  vector: Float64Array,
  c: number,
  scale: number,
  thickness: number,
  color: Color,
): void {
  const [x, y, z] = [vector[3 * c], vector[3 * c + 1], vector[3 * c + 2]]
  const magnitude = Math.hypot(x, y, z)
  if (!(magnitude > 0 && magnitude < Infinity)) return
  const length = magnitude * scale
  const head = Math.min(3 * thickness, 0.5 * length)
  // the turn from x to the vector, about their normal: [x × u, 1 + x · u], normalised
  const w = 1 + x / magnitude
  const norm = Math.hypot(z / magnitude, y / magnitude, w)
  const turn = w > 1e-9 ? [0, -z / magnitude / norm, y / magnitude / norm, w / norm] : [0, 0, 1, 0]
  out.push(
    `{"pose":{"position":${vectorText(point, 3 * c)},"orientation":${quaternionText(turn)}},` +
      `"shaft_length":${numberText(length - head)},"shaft_diameter":${numberText(thickness)},` +
      `"head_length":${numberText(head)},"head_diameter":${numberText(2 * thickness)},"color":${colorText(color)}}`,
  )
}
