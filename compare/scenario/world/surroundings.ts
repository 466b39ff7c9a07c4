/** The shapes of a scenario: surroundings and free bodies. */
import {
  closedMesh,
  GeometryError,
  type HeightField,
  hullOf,
  type PlacedShape,
  type Shape,
  type Surface,
} from '../../../contact/geometry/index.ts'
import { cos, mulMatrix3, rotate3, sin } from '../../../dynamics/index.ts'
import { readMesh } from '../../../robots/index.ts'
import {
  evaluator,
  gridOf,
  type HeightFieldChoice,
  type Obstacle,
  type ObstacleChoice,
  type Program,
  type Scenario,
  type SolidChoice,
  surfaceOf,
  type Vector,
} from '../index.ts'
import type { Sources } from './assemble.ts'
import { SetupError } from './setupError.ts'

type Meshes = Pick<Sources, 'mesh'>

/** Roll, pitch, yaw about fixed axes, as in URDF: Rz(yaw) Ry(pitch) Rx(roll), row-major. */
export function rotationOfRpy([roll, pitch, yaw]: Vector): Float64Array {
  const [cr, sr, cp, sp, cy, sy] = [cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)]
  const R = new Float64Array(9)
  const Rzy = Float64Array.from([cy * cp, -sy, cy * sp, sy * cp, cy, sy * sp, -sp, 0, cp])
  mulMatrix3(R, Rzy, Float64Array.from([1, 0, 0, 0, cr, -sr, 0, sr, cr]))
  return R
}

/**
 * A stated surface as one of a shape.
 *
 * @param R turns the axes in which its velocity is stated into the shape's; default: they are the shape's
 */
export function placedSurface(stated: Surface & { readonly surface?: readonly Program[] }, R?: Float64Array) {
  const { surface, ...own }: typeof stated = surfaceOf(stated)
  if (surface === undefined) return own
  const speed = surface.map((program) => evaluator(program))
  const surfaceVelocity: PlacedShape['surfaceVelocity'] = (t, out) => {
    for (let k = 0; k < 3; k++) out[k] = speed[k](t)
    if (R) rotate3(out, R, out)
  }
  return { ...own, surfaceVelocity }
}

/**
 * The ground, the boxes and the obstacles of a scenario.
 *
 * @param height of the ground [m]
 * @throws SetupError for a mesh that cannot be had
 */
export function fixturesOf({ ground, boxes, obstacles }: Scenario, sources: Meshes, height = ground?.height ?? 0): PlacedShape[] {
  const fixtures: PlacedShape[] = []
  if (ground) {
    fixtures.push({
      name: 'ground',
      body: 0,
      shape: { type: 'halfspace', normal: [0, 0, 1], offset: height },
      R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
      p: new Float64Array(3),
      ...placedSurface(ground),
    })
  }
  for (const box of boxes) {
    const { name, size, rounding, position, rpy } = box
    fixtures.push({
      name,
      body: 0,
      shape: { type: 'box', size, ...(rounding !== undefined && { rounding }) },
      R: rotationOfRpy(rpy),
      p: Float64Array.from(position),
      ...placedSurface(box),
    })
  }
  for (const obstacle of obstacles) fixtures.push(...partsOf(obstacle, sources))
  return fixtures
}

interface Part {
  readonly shape: Shape
  /** Its origin in the obstacle's axes [m]. */
  readonly at: Vector
}

function partsOf(obstacle: Obstacle, sources: Meshes): PlacedShape[] {
  const { name, shape, position, rpy } = obstacle
  const R = rotationOfRpy(rpy)
  const parts = partsOfShape(shape, `obstacles: "${name}"`, sources)
  return parts.map(({ shape: part, at }, i) => {
    const p = new Float64Array(3)
    rotate3(p, R, Float64Array.from(at))
    for (let k = 0; k < 3; k++) p[k] += position[k]
    const own = parts.length === 1 ? name : `${name}-${i + 1}`
    return { name: own, body: 0, shape: part, R: R.slice(), p, ...placedSurface(obstacle) }
  })
}

function partsOfShape(shape: ObstacleChoice, where: string, sources: Meshes): Part[] {
  switch (shape.type) {
    case 'ramp':
      return [
        {
          shape: wedge(shape.length, shape.width, shape.height ?? shape.length * Math.tan(shape.angle as number)),
          at: [0, 0, 0],
        },
      ]
    case 'step': {
      const { length, width, height } = shape
      return [{ shape: { type: 'box', size: [length, width, height] }, at: [length / 2, 0, height / 2] }]
    }
    case 'stairs': {
      // one block from the floor up for each step, so that no tread is thinner than its height
      const { count, rise, run, width } = shape
      return Array.from({ length: count }, (_, i): Part => {
        const height = (i + 1) * rise
        return { shape: { type: 'box', size: [run, width, height] }, at: [(i + 0.5) * run, 0, height / 2] }
      })
    }
    case 'heightfield':
      return [{ shape: heightField(shape), at: [0, 0, 0] }]
    default:
      return [{ shape: solidOf(shape, where, sources), at: [0, 0, 0] }]
  }
}

/** Rises along x from 0 to `height`. */
function wedge(length: number, width: number, height: number): Shape {
  const y = width / 2
  const points = [0, -y, 0, 0, y, 0, length, -y, 0, length, y, 0, length, -y, height, length, y, height]
  return { type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }
}

function heightField({ heights, spacing, size }: HeightFieldChoice): HeightField {
  if ('ops' in heights) {
    const { columns, rows } = gridOf(size as readonly [number, number], spacing)
    const exact = [
      (size as readonly [number, number])[0] / (columns - 1),
      (size as readonly [number, number])[1] / (rows - 1),
    ] as const
    const height = evaluator(heights)
    const values = new Float64Array(rows * columns)
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++)
        values[j * columns + i] = height((i - 0.5 * (columns - 1)) * exact[0], (j - 0.5 * (rows - 1)) * exact[1])
    }
    const bad = values.findIndex((value) => !Number.isFinite(value))
    if (bad >= 0)
      throw new SetupError(
        `obstacles: the height field "${heights.text}" is ${values[bad]} at grid point ${bad}; it has to be finite everywhere`,
      )
    return { type: 'heightfield', rows, columns, spacing: exact, heights: values }
  }
  return {
    type: 'heightfield',
    rows: heights.length,
    columns: heights[0].length,
    spacing,
    heights: Float64Array.from(heights.flat()),
  }
}

/** Shapes made of files, by path, kind, scale and time of change: every run of a comparison asks for the same. */
const made = new Map<string, Shape>()

/** @param where whose shape it is, for messages. @throws SetupError for a mesh that cannot be had */
export function solidOf(choice: SolidChoice, where: string, sources: Meshes): Shape {
  switch (choice.type) {
    case 'hull':
      if (choice.file === undefined) return { type: 'hull', polyhedron: hullOf(Float64Array.from((choice.points ?? []).flat())) }
      return fromFile(choice.type, choice.file, choice.scale, where, sources)
    case 'mesh':
      return fromFile(choice.type, choice.file, choice.scale, where, sources)
    default:
      return choice
  }
}

function fromFile(type: 'hull' | 'mesh', file: string, scale = 1, where: string, sources: Meshes): Shape {
  try {
    const { stamp, bytes } = sources.mesh(file)
    const key = JSON.stringify([type, file, scale, stamp])
    const known = made.get(key)
    if (known) return known
    const { points, triangles } = readMesh(bytes(), file)
    const vertices = Float64Array.from(points, (x) => x * scale)
    const shape: Shape =
      type === 'hull' ? { type, polyhedron: hullOf(vertices) } : { type, mesh: closedMesh(vertices, triangles) }
    made.set(key, shape)
    return shape
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    const hint = error instanceof GeometryError && type === 'mesh' ? '; "type: hull" takes its hull' : ''
    throw new SetupError(`${where}: ${file}: ${code === undefined ? message : `cannot be read (${code})`}${hint}`)
  }
}
