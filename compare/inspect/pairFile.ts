/** Two shapes at their places, as `featherbed contacts` reads them from a file. */
import * as z from 'zod'
import {
  checkShape,
  closedMesh,
  GeometryError,
  hullOf,
  meshOfPolyhedron,
  meshVolume,
  type PolyhedralOptions,
  type Polyhedron,
  type Shape,
} from '../../contact/geometry/index.ts'
import { rotationOfQuaternion } from '../../dynamics/index.ts'
import { readMesh } from '../../robots/index.ts'
import { expecting, fields, found, Lines, number, parseJson } from '../scenario/fileFields.ts'
import { shown } from '../scenario/index.ts'

/** One shape at its place. */
export interface PairBody {
  readonly shape: Shape
  /** A convex shape or half-space that is the same solid; undefined for meshes that are not convex. */
  readonly convex: Exclude<Shape, { type: 'mesh' | 'heightfield' }> | undefined
  /** The hull of a mesh, whether or not it is the same solid. */
  readonly hull: Polyhedron | undefined
  /** 9, row-major: turns the shape's axes into the world's. */
  readonly R: Float64Array
  /** 3: the shape's origin in the world [m]. */
  readonly p: Float64Array
  /** Options of a curved shape's polyhedron, where stated. */
  readonly polyhedral: PolyhedralOptions | undefined
  /** The mesh's file, as the pair's file names it. */
  readonly file: string | undefined
}

export interface Pair {
  readonly a: PairBody
  readonly b: PairBody
  /** Contacts with a larger gap are left out [m]. */
  readonly margin: number
  /** Relaxation of the features' applicability, the sine of an angle. */
  readonly epsilon: number
}

export class PairFileError extends Error {
  override name = 'PairFileError'
}

/** Taken where the file has none [m]. */
const defaultMargin = 0.01
const defaultEpsilon = 0.01
/** A mesh whose volume is short of its hull's by less than this part of it is convex. */
const convexVolume = 1e-9
/** How far from 1 the length of a quaternion may be; it is normalised. */
const unit = 1e-6

const positive = number('a length above 0 m', (x) => x > 0)
const notNegative = number('a length of at least 0 m', (x) => x >= 0)
const coordinate = number('a finite number')
const three = (what: string, entry = coordinate) => z.tuple([entry, entry, entry], expecting(what))

const polyhedral = {
  sides: number('a whole number from 3 to 1024', (x) => Number.isInteger(x) && x >= 3 && x <= 1024).optional(),
  fit: z.enum(['inscribed', 'circumscribed'], expecting('"inscribed" or "circumscribed"')).optional(),
}

const shapes = [
  fields({
    type: z.literal('halfspace'),
    normal: three('three numbers that are not all 0').refine(
      (n) => Math.hypot(...n) > 0,
      expecting('three numbers that are not all 0'),
    ),
    offset: coordinate,
  }),
  fields({ type: z.literal('sphere'), radius: notNegative, ...polyhedral }),
  fields({ type: z.literal('ellipsoid'), radii: three('three lengths above 0 m, along x, y and z', positive), ...polyhedral }),
  fields({ type: z.literal('capsule'), radius: positive, length: notNegative, ...polyhedral }),
  fields({ type: z.literal('cylinder'), radius: positive, length: positive, ...polyhedral }),
  fields({ type: z.literal('box'), size: three('three lengths above 0 m, along x, y and z', positive) }),
  fields({
    type: z.literal('hull'),
    points: z
      .array(three('a point of three numbers'), expecting('a list of points'))
      .min(1, { error: 'is empty, expected at least one point' }),
  }),
  fields({
    type: z.literal('mesh'),
    file: z.string(expecting('the path of a mesh file')),
  }),
] as const
const types = shapes.map(({ shape }) => shape.type.value)

const shape = z.discriminatedUnion('type', shapes, {
  error: ({ input }) =>
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? `${found((input as { type?: unknown }).type)}, expected one of ${types.join(', ')}`
      : `${found(input)}, expected an object with a type, one of ${types.join(', ')}`,
})

const body = fields({
  shape,
  position: three('three numbers [m]').optional(),
  orientation: z
    .tuple([coordinate, coordinate, coordinate, coordinate], expecting('a unit quaternion [x, y, z, w]'))
    .refine((q) => Math.abs(Math.hypot(...q) - 1) < unit, {
      error: ({ input }) =>
        `found ${shown(input)} of length ${Math.hypot(...(input as number[]))}, expected length 1, in the order x, y, z, w`,
    })
    .optional(),
})

const schema = fields({
  a: body,
  b: body,
  margin: notNegative.optional(),
  epsilon: number('the sine of an angle, 0 to 1', (x) => x >= 0 && x <= 1).optional(),
})
type PairFile = z.infer<typeof schema>
type ShapeFile = PairFile['a']['shape']

/**
 * @param open the bytes of a mesh file; it may throw
 * @throws PairFileError with one line for each problem: the file, the field, what was found and what was expected
 */
export function parsePair(text: string, file: string, open: (path: string) => Uint8Array): Pair {
  const result = schema.safeParse(parseJson(text, file, PairFileError))
  if (!result.success) {
    const lines = new Lines(file)
    for (const { path, message } of result.error.issues) lines.add(path, message)
    throw new PairFileError(lines.all.join('\n'))
  }
  const { a, b, margin = defaultMargin, epsilon = defaultEpsilon } = result.data
  if (a.shape.type === 'halfspace' && b.shape.type === 'halfspace') {
    throw new PairFileError(`${file}: b.shape.type found a second "halfspace", expected one of the two shapes to be bounded`)
  }
  return { a: bodyOf(a, 'a', file, open), b: bodyOf(b, 'b', file, open), margin, epsilon }
}

function bodyOf(given: PairFile['a'], name: string, file: string, open: (path: string) => Uint8Array): PairBody {
  const { position = [0, 0, 0], orientation = [0, 0, 0, 1] } = given
  const norm = Math.hypot(...orientation)
  const R = new Float64Array(9)
  rotationOfQuaternion(
    R,
    Float64Array.from(orientation, (x) => x / norm),
    0,
  )
  const p = Float64Array.from(position)
  const place = `${file}: ${name}.shape`
  try {
    const { solid, hull, file: meshFile } = solidOf(given.shape, open, place)
    checkShape(solid, `${name}.shape`)
    const sides = 'sides' in given.shape ? given.shape.sides : undefined
    const fit = 'fit' in given.shape ? given.shape.fit : undefined
    return {
      shape: solid,
      convex: convexOf(solid, hull),
      hull,
      R,
      p,
      polyhedral: sides === undefined ? undefined : { sides, fit },
      file: meshFile,
    }
  } catch (error) {
    if (error instanceof GeometryError) throw new PairFileError(`${place} ${error.message}`)
    throw error
  }
}

interface Solid {
  readonly solid: Shape
  readonly hull?: Polyhedron
  readonly file?: string
}

function solidOf(given: ShapeFile, open: (path: string) => Uint8Array, place: string): Solid {
  switch (given.type) {
    case 'halfspace': {
      const length = Math.hypot(...given.normal)
      const [x, y, z] = given.normal
      return { solid: { type: 'halfspace', normal: [x / length, y / length, z / length], offset: given.offset / length } }
    }
    case 'hull':
      return {
        solid: { type: 'hull', polyhedron: hullOf(Float64Array.from(given.points.flat()), hullLimit(given.points.length)) },
      }
    case 'mesh': {
      const { vertices, triangles } = meshOf(given.file, open, place)
      const mesh = closedMesh(vertices, triangles)
      const hull = hullOf(mesh.vertices, hullLimit(mesh.vertices.length / 3))
      return { solid: { type: 'mesh', mesh }, hull, file: given.file }
    }
    default: {
      const { sides: _sides, fit: _fit, ...solid } = { sides: undefined, fit: undefined, ...given }
      return { solid }
    }
  }
}

/** So that a hull is not thinned. */
const hullLimit = (points: number) => Math.max(4, points)

function meshOf(path: string, open: (path: string) => Uint8Array, place: string) {
  let bytes: Uint8Array
  try {
    bytes = open(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new PairFileError(
      `${place}.file found ${shown(path)}, which cannot be read (${code ?? message}); expected a path from the pair's file`,
    )
  }
  try {
    const { points, triangles } = readMesh(bytes, path)
    return { vertices: points, triangles }
  } catch (error) {
    throw new PairFileError(`${place}.file found ${shown(path)}, expected a mesh: ${(error as Error).message}`)
  }
}

function convexOf(shape: Shape, hull: Polyhedron | undefined): PairBody['convex'] {
  if (shape.type === 'heightfield') return undefined
  if (shape.type !== 'mesh') return shape
  const full = meshVolume(meshOfPolyhedron(hull!))
  return full - meshVolume(shape.mesh) <= convexVolume * full ? { type: 'hull', polyhedron: hull! } : undefined
}

/** A body in a few words: `box 0.1 x 0.1 x 0.05 m`. */
export function describeBody({ shape, file, polyhedral }: PairBody): string {
  const facets = polyhedral === undefined ? '' : `, as a polyhedron of ${polyhedral.sides} sides`
  const length = (x: number) => String(Number(x.toPrecision(4)))
  switch (shape.type) {
    case 'halfspace':
      return `half-space, normal ${shape.normal.map(length).join(' ')}, offset ${length(shape.offset)} m`
    case 'sphere':
      return `sphere of radius ${length(shape.radius)} m${facets}`
    case 'capsule':
    case 'cylinder':
      return `${shape.type} of radius ${length(shape.radius)} and length ${length(shape.length)} m${facets}`
    case 'ellipsoid':
      return `ellipsoid of radii ${shape.radii.map(length).join(' x ')} m${facets}`
    case 'box':
      return `box ${shape.size.map(length).join(' x ')} m`
    case 'hull':
      return `hull of ${shape.polyhedron.vertices.length / 3} vertices`
    case 'mesh':
      return `mesh ${file ?? ''} of ${shape.mesh.triangles.length / 3} triangles`
    case 'heightfield':
      return 'height field'
  }
}
