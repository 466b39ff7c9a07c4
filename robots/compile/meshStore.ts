import {
  checkClosed,
  closedMesh,
  GeometryError,
  halfExtentOf,
  hullOf,
  meshVolume,
  type Polyhedron,
  polyhedronOf,
  type Shape,
  solidOf,
  type TriangleMesh,
} from '../../contact/geometry/index.ts'
import { Meter, sincos } from '../../dynamics/index.ts'
import type { GeometryDescription, ShapeDescription, Triple } from '../description.ts'
import { once, quote, shorten } from '../elements/index.ts'
import {
  isRemote,
  NearbyFiles,
  noFiles,
  type Resolver,
  readerBeside,
  relativePath,
  resolveReference,
  whereToFind,
} from '../files/resolve.ts'
import { extensionOf, isMeshFormat, type Mesh, MeshError, type MeshOptions, meshFormats, readMesh } from '../meshes/index.ts'
import type { Place } from '../robot.ts'
import type { ConvexCutter } from './convexParts.ts'
import { type Fit, fitOf } from './fit.ts'
import { Supports } from './supports.ts'

export type MeshDescription = Extract<GeometryDescription, { type: 'mesh' }>

/** The problem of a reference to a mesh, as the text of a finding. */
export interface MeshProblem {
  readonly code: string
  readonly message: string
  readonly remedy: string
}

/** A resolved reference to a mesh. Without a problem it has a path; with one it may have: another letter case, another folder. */
export interface FoundMesh {
  readonly path?: string
  readonly problem?: MeshProblem
}

/** The convex hull of a mesh, in the axes of its `<origin>`. */
export interface MeshHull {
  readonly shape?: Shape
  readonly problem?: MeshProblem
  /** Parts of the file that the reader ignored or corrected, a sentence each. */
  readonly warnings: readonly string[]
  /** Set where corners were left out: largest distance of the full hull from the shape, absolute [m] and of the largest extent. */
  readonly thinned?: { readonly corners: number; readonly kept: number; readonly deviation: number; readonly relative: number }
}

/** A concave mesh as convex parts, in the axes of its `<origin>`. */
export interface MeshParts {
  /** The corners of each, n x 3 [m]; none if the mesh could not be cut. */
  readonly parts: readonly Float64Array[]
  /** Volumes over that of the hull: of the parts, and of the mesh where it is closed. */
  readonly volume: number
  readonly meshVolume?: number
}

/** A concave mesh as the solid that it bounds, in the axes of its `<origin>`; or why it bounds none. */
export type MeshSolid =
  | { readonly shape: Extract<Shape, { type: 'mesh' }> /** Its volume over that of its hull. */; readonly volume: number }
  | { readonly shape?: undefined; readonly reason: string }

/** Corners that a hull always keeps, and the largest deviation of a thinned hull from that of all, of the largest extent. */
export const hullCorners = 2048
export const hullError = 1e-3
/** Largest distance of a primitive shape from the mesh that it replaces, of its largest extent. */
export const fitTolerance = 0.01
/** [characters]; no system has longer paths. */
const LONGEST_PATH = 4096
/** Scales of one mesh of which each has its own hull; of further ones it is the first, scaled. */
const mostScales = 8
/** Of the hulls at further scales, which a small file may state in any number. */
const limits = { corners: 200_000 }
/** Directions in which a thinned hull keeps its farthest corner. A ball then loses 0.05 % of its diameter. */
const hullDirections = 4096
const goldenAngle = Math.PI * (3 - Math.sqrt(5))

/** A reference as quoted in messages: paths are long, and all of one counts. */
export const shown = (filename: string) => `"${shorten(filename, 300)}"`

const missingRemedy = 'Put the mesh there, or add the folder of its package to the roots.'

/** Finds meshes and makes hulls of them; reads each file once and makes each hull once. @unchecked */
export class MeshStore {
  private readonly file: string
  private readonly resolver: Resolver
  private readonly upAxis: MeshOptions['upAxis']
  private readonly nearby: NearbyFiles
  private readonly found = new Map<string, FoundMesh>()
  private readonly meshes = new Map<string, Mesh | MeshError>()
  private readonly hulls = new Map<string, MeshHull>()
  /** Of each file, the hull at the first scale that has one, and the numbers of scales, and of those that are sampled. */
  private readonly scales = new Map<
    string,
    { readonly first: MeshHull; readonly scale: Triple; count: number; sampled: number }
  >()
  private readonly meter = new Meter(limits, (kind, most) => new MeshError(`at all its scales it has more than ${most} ${kind}`))
  private readonly ofPoints = new Map<readonly number[], Shape>()
  private readonly heights = new Map<readonly number[], Float64Array>()
  private readonly fits = new Map<Shape, Fit | undefined>()
  private readonly solids = new Map<Shape, MeshSolid | undefined>()
  private readonly cuts = new Map<Shape, MeshParts | undefined>()

  /**
   * @param file   the robot's file, from which references start
   * @param upAxis treatment of the vertical axis that a COLLADA file states
   */
  constructor(file: string, resolver: Resolver = noFiles, upAxis?: MeshOptions['upAxis']) {
    this.file = file
    this.resolver = resolver
    this.upAxis = upAxis
    this.nearby = new NearbyFiles(file, resolver)
  }

  /** Where a mesh is, without reading it. References in an included file may start from that file too. */
  find({ filename }: Pick<MeshDescription, 'filename'>, place: Place): FoundMesh {
    return once(this.found, `${filename} ${place.file}`, () => this.lookUp(filename, place))
  }

  /** The shape with the path of its mesh where that was found elsewhere than stated; else the shape itself. */
  refound(shape: ShapeDescription): ShapeDescription {
    const { geometry, place } = shape
    if (geometry.type !== 'mesh') return shape
    const { path, problem } = this.find(geometry, place)
    if (path === undefined || problem?.code !== 'mesh-elsewhere') return shape
    return { ...shape, geometry: { ...geometry, filename: relativePath(this.file, path) } }
  }

  hull(mesh: MeshDescription, place: Place): MeshHull {
    const { filename, scale } = mesh
    if (!isRemote(filename) && !isMeshFormat(filename)) {
      const message = `${shown(filename)}: the format ${quote(extensionOf(filename))} is not read.`
      return {
        problem: { code: 'mesh-format', message, remedy: `Convert it to one of ${meshFormats.join(', ')}.` },
        warnings: [],
      }
    }
    const { path, problem } = this.find(mesh, place)
    if (path === undefined) return { problem, warnings: [] }
    const hull = once(this.hulls, `${path} ${scale.join(' ')}`, () => this.makeHull(filename, path, scale))
    return problem ? { problem, ...hull } : hull
  }

  /** The primitive shape nearest to a mesh, within `fitTolerance`; computed once for each. */
  fit(mesh: MeshDescription, place: Place): Fit | undefined {
    const { shape } = this.hull(mesh, place)
    if (shape?.type !== 'hull') return undefined
    return once(this.fits, shape, () => fitOf(shape, fitTolerance))
  }

  /** A mesh that is not nearly its convex hull, cut into convex parts; once for each. */
  parts(mesh: MeshDescription, place: Place, cut: ConvexCutter): MeshParts | undefined {
    const { shape } = this.hull(mesh, place)
    const { path } = this.find(mesh, place)
    if (shape?.type !== 'hull' || path === undefined) return undefined
    return once(this.cuts, shape, () => {
      const { points, triangles } = this.meshOf(path)!
      return partsOf(shape, { vertices: scaled(points, mesh.scale), triangles: Int32Array.from(triangles) }, cut)
    })
  }

  /**
   * A mesh that is not nearly its convex hull, as a solid; once for each.
   *
   * @param concave true, or the error to which its distance is sampled [m], one for all of a robot
   */
  solid(mesh: MeshDescription, place: Place, concave: true | number): MeshSolid | undefined {
    const { shape } = this.hull(mesh, place)
    const { path } = this.find(mesh, place)
    if (shape?.type !== 'hull' || path === undefined) return undefined
    return once(this.solids, shape, () => {
      const { points, triangles } = this.meshOf(path)!
      if (concave !== true && ++this.scales.get(path)!.sampled > mostScales)
        return { reason: `it is stated at more than ${mostScales} scales, and would be sampled at each` }
      return solidIn(shape, scaled(points, mesh.scale), triangles, concave)
    })
  }

  /** The surface of a mesh, whatever it bounds; undefined where none can be read. */
  surface({ filename, scale }: MeshDescription, place: Place): TriangleMesh | undefined {
    try {
      const mesh = this.meshOf(this.find({ filename }, place).path ?? '')
      if (!mesh || mesh.triangles.length === 0) return undefined
      const triangles = Int32Array.from(mesh.triangles)
      return {
        vertices: scaled(mesh.points, scale),
        triangles: scale[0] * scale[1] * scale[2] < 0 ? triangles.reverse() : triangles,
      }
    } catch (error) {
      if (error instanceof MeshError) return undefined
      throw error
    }
  }

  /** The first characters of a mesh's file, a byte each; none if it cannot be read. */
  headOf(filename: string, place: Place): string {
    const { path } = this.find({ filename }, place)
    const bytes = path === undefined ? undefined : this.resolver.read(path)
    return new TextDecoder('latin1').decode(bytes?.subarray(0, 65536))
  }

  private lookUp(filename: string, place: Place): FoundMesh {
    if (isRemote(filename)) {
      const message = `${shown(filename)} is not on this machine.`
      return { problem: { code: 'mesh-remote', message, remedy: 'Download it and refer to it by a path.' } }
    }
    const isPath = filename.length <= LONGEST_PATH
    const resolved = isPath
      ? (resolveReference(filename, this.file, this.resolver) ??
        (place.file === this.file ? undefined : resolveReference(filename, place.file, this.resolver)))
      : undefined
    const elsewhere = resolved || !isPath ? undefined : this.nearby.find(filename)
    if (elsewhere !== undefined) {
      const message = `${shown(filename)} was not found; "${elsewhere}" is the only file near the robot whose path ends like it.`
      return { path: elsewhere, problem: { code: 'mesh-elsewhere', message, remedy: 'Used; correct the reference.' } }
    }
    if (!resolved) {
      const message = `${shown(filename)} was not found.`
      return {
        problem: { code: 'mesh-missing', message, remedy: whereToFind(filename, place.file, this.resolver, missingRemedy) },
      }
    }
    const { path, caseChanged } = resolved
    if (!caseChanged) return { path }
    const message = `${shown(filename)} is there only as "${path}".`
    return { path, problem: { code: 'mesh-case', message, remedy: 'Used; correct the letter case.' } }
  }

  private makeHull(filename: string, path: string, scale: MeshDescription['scale']): MeshHull {
    try {
      const read = this.meshOf(path)
      const known = this.scales.get(path)
      if (known && ++known.count > mostScales) {
        this.meter.ask('corners', cornersOf(known.first))
        const hull = scaledHull(known.first, known.scale, scale)
        if (hull) return hull
      }
      if (read === undefined) {
        const remedy = 'Check the permissions, and that it is a file of at most 64 MiB.'
        return { problem: { code: 'mesh-missing', message: `${shown(filename)} cannot be read.`, remedy }, warnings: [] }
      }
      const { points, warnings } = read
      const made = { ...hullOfCorners(scaled(points, scale)), warnings }
      if (!known) this.scales.set(path, { first: made, scale, count: 1, sampled: 0 })
      return made
    } catch (error) {
      if (!(error instanceof MeshError) && !(error instanceof GeometryError)) throw error
      const message = `${shown(filename)}: ${error.message}.`
      return { problem: { code: 'mesh-broken', message, remedy: 'Export the mesh again.' }, warnings: [] }
    }
  }

  /** The hull of points that a file states; made once for each list. */
  hullOfPoints(points: readonly number[]): Shape {
    return once(this.ofPoints, points, () => ({ type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }))
  }

  /** Heights that a file states, for shapes; one array for each list. */
  heightsOf(stated: readonly number[]): Float64Array {
    return once(this.heights, stated, () => Float64Array.from(stated))
  }

  private meshOf(path: string): Mesh | undefined {
    let mesh = this.meshes.get(path)
    if (mesh === undefined) {
      const bytes = this.resolver.read(path)
      if (!bytes) return undefined
      try {
        mesh = readMesh(bytes, path, { upAxis: this.upAxis, read: readerBeside(path, this.resolver) })
      } catch (error) {
        if (!(error instanceof MeshError)) throw error
        mesh = error
      }
      this.meshes.set(path, mesh)
    }
    if (mesh instanceof MeshError) throw mesh
    return mesh
  }
}

const scaled = (points: Float64Array, scale: readonly number[]) => points.map((value, i) => value * scale[i % 3])

const cornersOf = ({ shape }: MeshHull) => (shape?.type === 'hull' ? shape.polyhedron.vertices.length / 3 : 0)

/** A hull at another scale; undefined where it may be flat at either. */
function scaledHull(hull: MeshHull, from: Triple, to: Triple): MeshHull | undefined {
  const ratio = [0, 1, 2].map((k) => to[k] / from[k])
  if (hull.shape?.type !== 'hull' || !ratio.every((x) => Math.abs(x) > 1e-3 && Math.abs(x) < 1e3)) return undefined
  const { vertices, faces } = hull.shape.polyhedron
  const isMirrored = ratio[0] * ratio[1] * ratio[2] < 0
  const loops = isMirrored ? faces.map((loop) => loop.toReversed()) : faces
  const shape: Shape = { type: 'hull', polyhedron: polyhedronOf(scaled(vertices, ratio), loops) }
  const deviation = Math.max(...ratio.map(Math.abs)) * (hull.thinned?.deviation ?? 0)
  return { ...hull, shape, thinned: hull.thinned && { ...hull.thinned, deviation } }
}

/** A mesh that fills more of its hull than this is its hull. */
const convexEnough = 0.95

function solidIn(
  hull: Shape,
  vertices: Float64Array,
  triangles: ArrayLike<number>,
  concave: true | number,
): MeshSolid | undefined {
  const whole = solidOf(hull).volume
  if (!(whole > 0)) return undefined
  try {
    const mesh = closedMesh(vertices, triangles)
    const volume = meshVolume(mesh) / whole
    return volume > convexEnough
      ? undefined
      : { shape: { type: 'mesh', mesh, sampled: concave === true ? undefined : concave }, volume }
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error
    return { reason: error.message }
  }
}

function partsOf(hull: Shape, mesh: TriangleMesh, cut: ConvexCutter): MeshParts | undefined {
  const whole = solidOf(hull).volume
  const filled = checkClosed(mesh).closed ? Math.abs(meshVolume(mesh)) / whole : undefined
  if (!(whole > 0) || (filled !== undefined && filled > convexEnough)) return undefined
  const parts = cut(mesh.vertices, mesh.triangles)
  const volumes = parts.map((points) => solidOf({ type: 'hull', polyhedron: hullOf(points) }).volume)
  return { parts, volume: volumes.reduce((sum, volume) => sum + volume, 0) / whole, meshVolume: filled }
}

/** The hull of a cloud, thinned where it has too many corners. */
function hullOfCorners(points: Float64Array): Pick<MeshHull, 'shape' | 'thinned'> {
  const full = hullOf(points, points.length + 4)
  const corners = full.vertices.length / 3
  if (corners <= hullCorners) return { shape: { type: 'hull', polyhedron: full } }
  const supports = new Supports(full.vertices)
  const polyhedron = hullOf(extremesOf(full.vertices, supports), points.length + 4)
  const kept = polyhedron.vertices.length / 3
  const deviation = largestGap(full.vertices, supports, polyhedron)
  const relative = deviation / (2 * halfExtentOf(full.vertices))
  if (relative > hullError) return { shape: { type: 'hull', polyhedron: full } }
  return { shape: { type: 'hull', polyhedron }, thinned: { corners, kept, deviation, relative } }
}

/** The farthest of the points in each of an even spiral of directions. */
function extremesOf(points: Float64Array, supports: Supports): Float64Array {
  const sc = new Float64Array(2)
  const angle = new Float64Array(1)
  const found = new Set<number>()
  for (let n = 0; n < hullDirections; n++) {
    const z = 1 - (2 * n + 1) / hullDirections
    const level = Math.sqrt(1 - z * z)
    angle[0] = n * goldenAngle
    sincos(sc, angle, 0)
    found.add(supports.farthest(level * sc[1], level * sc[0], z))
  }
  return Float64Array.from([...found].sort((i, j) => i - j).flatMap((i) => [...points.subarray(3 * i, 3 * i + 3)]))
}

/** Largest height of the points above the faces of a hull; at most their distance from the hull. */
function largestGap(points: Float64Array, supports: Supports, { vertices, faces, faceNormals }: Polyhedron): number {
  let gap = 0
  for (let f = 0; f < faces.length; f++) {
    const [x, y, z] = faceNormals.subarray(3 * f, 3 * f + 3)
    const heightOf = (p: Float64Array, i: number) => x * p[3 * i] + y * p[3 * i + 1] + z * p[3 * i + 2]
    gap = Math.max(gap, heightOf(points, supports.farthest(x, y, z)) - heightOf(vertices, faces[f][0]))
  }
  return gap
}
