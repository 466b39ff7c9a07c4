import { hullOf, meshOfPolyhedron, solidOf } from '../../contact/geometry/index.ts'
import { transposed3 } from '../../dynamics/index.ts'
import { addBody, emptyMoments, type MassMoments, type SymmetricInertia } from '../compile/massProperties.ts'
import { identityPose, type Pose, rotationOf } from '../compile/pose.ts'
import type { GeometryDescription, Triple } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import { noFiles, type Resolver, readerBeside, resolveReference } from '../files/resolve.ts'
import { MeshError, readMesh } from '../meshes/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Defaults } from './document.ts'
import type { Compiler } from './options.ts'

/** A mesh of `<asset>`: its geometry, and the pose of that in the mesh's axes. */
export interface MeshAsset {
  readonly geometry: GeometryDescription
  readonly pose: Pose
  /** Of geoms that name none. */
  readonly material?: string
  /** About the mesh's origin at density 1; computed at the first call. */
  moments(): MassMoments
}

/** The meshes of a file, by their names; undefined is one that cannot be had, as was reported. */
export function readMeshes(
  reader: Reader,
  root: XmlElement,
  defaults: Defaults,
  compiler: Compiler,
  file: string,
  resolver: Resolver = noFiles,
): ReadonlyMap<string, MeshAsset | undefined> {
  const assets = new Map<string, MeshAsset | undefined>()
  for (const section of root.children) {
    if (section.name !== 'asset') continue
    reader.account.use(section)
    for (const element of section.children) {
      if (element.name !== 'mesh') continue
      reader.account.use(element)
      const source = element.attributes.file
      const name = element.attributes.name ?? source?.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
      const what = `<mesh name=${quote(name ?? '')}>`
      const asset = readAsset(reader, defaults.filled(element, undefined), what, compiler, file, resolver)
      if (name === undefined) reader.name(element)
      else assets.set(name, asset)
    }
  }
  return assets
}

function readAsset(
  reader: Reader,
  element: XmlElement,
  what: string,
  compiler: Compiler,
  file: string,
  resolver: Resolver,
): MeshAsset | undefined {
  const { attributes } = element
  const scale = attributes.scale === undefined ? ([1, 1, 1] as const) : reader.triple(element, 'scale', what)
  const pose = scale && poseOf(reader, element, what, scale)
  if (!pose) return undefined
  const way = attributes.inertia ?? 'legacy'
  /** Of a surface before it is scaled; without triangles, of its hull. */
  const momentsOf = ({ points, triangles }: Surface): MassMoments => {
    // MuJoCo reads points in single precision
    const scaled = Float64Array.from(points, (x, i) => Math.fround(x) * scale[i % 3])
    if (!scaled.every(Number.isFinite)) return emptyMoments() // reported by the doctor
    if (way === 'shell' && triangles.length === 0) {
      const hull = meshOfPolyhedron(hullOf(scaled))
      return momentsOfShell(hull.vertices, hull.triangles)
    }
    if (way === 'convex' || triangles.length === 0) return momentsOfHull(scaled)
    // a scale that mirrors turns them inside out
    if (scale[0] * scale[1] * scale[2] < 0) triangles.reverse()
    if (way === 'shell') return momentsOfShell(scaled, triangles)
    const moments = momentsOfSurface(scaled, triangles, way === 'legacy')
    if (!isClosed(triangles)) tellOpen(reader, element, what, scaled, moments.mass)
    return moments
  }
  const assetOf = (geometry: GeometryDescription, read: () => MassMoments): MeshAsset => {
    let known: MassMoments | undefined
    return { geometry, pose, material: attributes.material, moments: () => (known ??= read()) }
  }
  if (attributes.vertex !== undefined || attributes.builtin === 'box') {
    const surface = attributes.vertex === undefined ? readBox(reader, element, what) : readSurface(reader, element, what)
    const points = surface && Array.from(surface.points, (x, i) => x * scale[i % 3])
    return surface && points && assetOf({ type: 'points', points }, () => momentsOf(surface))
  }
  if (attributes.file === undefined) {
    const built =
      attributes.builtin === undefined
        ? 'it has neither a file nor vertices.'
        : `builtin="${attributes.builtin}" is made by MuJoCo alone.`
    reader.findings.repair('mesh-unsupported', element, what, built, 'Left out; save it as a file.')
    return undefined
  }
  const filename = compiler.meshPath(attributes.file)
  return assetOf({ type: 'mesh', filename, scale }, () => {
    const path = resolveReference(filename, file, resolver)?.path
    const bytes = path === undefined ? undefined : resolver.read(path)
    if (path === undefined || bytes === undefined) return emptyMoments()
    try {
      return momentsOf(readMesh(bytes, path, { read: readerBeside(path, resolver) }))
    } catch (error) {
      if (error instanceof MeshError) return emptyMoments() // reported by the doctor
      throw error
    }
  })
}

interface Surface {
  /** n x 3 [m]. */
  readonly points: ArrayLike<number>
  readonly triangles: Uint32Array
}

/** Of the scaled points in the mesh's axes: a vertex becomes S R^T (v - refpos). */
function poseOf(reader: Reader, element: XmlElement, what: string, scale: Triple): Pose | undefined {
  const { attributes } = element
  const refpos = attributes.refpos === undefined ? [0, 0, 0] : reader.triple(element, 'refpos', what)
  const quat = attributes.refquat === undefined ? [1, 0, 0, 0] : reader.numbers(element, 'refquat', 4, what)
  if (!refpos || !quat) return undefined
  const turns = quat[1] !== 0 || quat[2] !== 0 || quat[3] !== 0
  const isUniform = scale[0] === scale[1] && scale[1] === scale[2]
  if (turns && !isUniform) {
    const message = 'refquat with a scale that differs by axis.'
    reader.findings.repair('mesh-turned-scale', element, what, message, 'refquat is passed by.')
  }
  const pose: Pose = {
    R: turns && isUniform ? transposed3(rotationOf(unitQuaternion(quat))) : identityPose().R,
    p: new Float64Array(3),
  }
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) pose.p[r] -= pose.R[3 * r + c] * refpos[c]
    pose.p[r] *= scale[r]
  }
  return pose
}

/** `vertex` and `face`. */
function readSurface(reader: Reader, element: XmlElement, what: string): Surface | undefined {
  const points = reader.numbers(element, 'vertex', undefined, what)
  const faces = element.attributes.face === undefined ? [] : reader.numbers(element, 'face', undefined, what)
  if (!points || !faces) return undefined
  if (points.length % 3 !== 0 || points.length < 12) {
    const message = 'fewer than four vertices, or not three numbers each.'
    reader.findings.error('mesh-vertices', element, what, message, 'State x y z of each.')
    return undefined
  }
  const count = points.length / 3
  if (faces.length % 3 !== 0 || faces.some((k) => !Number.isInteger(k) || k < 0 || k >= count)) {
    const message = 'face is not three numbers of vertices each.'
    reader.findings.error('mesh-faces', element, what, message, `They are from 0 to ${count - 1}.`)
    return undefined
  }
  return { points, triangles: Uint32Array.from(faces) }
}

/** `builtin="box"`: three counts of points, and their distances. */
function readBox(reader: Reader, element: XmlElement, what: string): Surface | undefined {
  const params = reader.numbers(element, 'params', undefined, what)
  if (!params) return undefined
  const half = [0, 1, 2].map((k) => ((params[k] - 1) * params[k + 3]) / 2)
  if (!half.every((x) => x > 0)) {
    const remedy = 'params are three counts from 2 on and three spacings.'
    reader.findings.error('mesh-vertices', element, what, 'a box has no extent.', remedy)
    return undefined
  }
  const points = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) => half.map((x, k) => ((corner >> k) % 2 === 0 ? -x : x)))
  return { points, triangles: new Uint32Array(0) }
}

/** Says that the volume of a mesh that is not closed is no solid's, with that of its hull. */
function tellOpen(reader: Reader, element: XmlElement, what: string, points: Float64Array, volume: number): void {
  const hull = momentsOfHull(points).mass
  const figures = `${Number(volume.toPrecision(4))} m^3, where its hull has ${Number(hull.toPrecision(4))} m^3`
  const message = `mass is taken from a mesh that is not closed: ${figures}.`
  const remedy = 'Used as MuJoCo does; close the mesh, or state an <inertial>.'
  reader.findings.warning('mesh-mass-open', element, what, message, remedy)
}

/**
 * Whether each edge has as many triangles along it as against it, so that a volume is enclosed: numbers of edges drawn from their ends, with the sign of
 * their direction, add up to 0 in 64 bits.
 */
function isClosed(triangles: ArrayLike<number>): boolean {
  let [sum, other] = [0, 0]
  for (let i = 0; i < triangles.length; i++) {
    const [a, b] = [triangles[i], triangles[i % 3 === 2 ? i - 2 : i + 1]]
    if (a === b) continue
    let drawn = Math.imul(Math.min(a, b) ^ 0x5bd1e995, 0x9e3779b1) ^ Math.imul(Math.max(a, b), 0x85ebca6b)
    drawn = Math.imul(drawn ^ (drawn >>> 15), 0xc2b2ae35)
    const second = Math.imul(drawn ^ (drawn >>> 13), 0x27d4eb2f) ^ Math.imul(Math.max(a, b), 0x165667b1)
    sum = (a < b ? sum + drawn : sum - drawn) | 0
    other = (a < b ? other + second : other - second) | 0
  }
  return sum === 0 && other === 0
}

function unitQuaternion([w, x, y, z]: readonly number[]): [number, number, number, number] {
  const length = Math.hypot(w, x, y, z) || 1
  return [x / length, y / length, z / length, w / length]
}

/** Corners of a surface's triangles, 9 each, and the vectors of twice their areas, 3 each. */
function trianglesOf(points: Float64Array, triangles: Uint32Array | Int32Array) {
  const corners = new Float64Array(3 * triangles.length)
  const doubled = new Float64Array(triangles.length)
  for (let i = 0; i < triangles.length; i++) for (let k = 0; k < 3; k++) corners[3 * i + k] = points[3 * triangles[i] + k]
  for (let t = 0, n = 0; n < doubled.length; t += 9, n += 3) {
    const [ux, uy, uz] = [corners[t + 3] - corners[t], corners[t + 4] - corners[t + 1], corners[t + 5] - corners[t + 2]]
    const [vx, vy, vz] = [corners[t + 6] - corners[t], corners[t + 7] - corners[t + 1], corners[t + 8] - corners[t + 2]]
    doubled[n] = uy * vz - uz * vy
    doubled[n + 1] = uz * vx - ux * vz
    doubled[n + 2] = ux * vy - uy * vx
  }
  return { corners, doubled }
}

const areaOf = (doubled: Float64Array, n: number) =>
  Math.sqrt(doubled[n] * doubled[n] + doubled[n + 1] * doubled[n + 1] + doubled[n + 2] * doubled[n + 2]) / 2

/** Adds the weighted second moments of three corners and of their sum about a point to those of a whole. @param second 9 */
function addSecond(second: Float64Array, weight: number, corners: Float64Array, t: number, from: ArrayLike<number>): void {
  for (let i = 0; i < 3; i++) {
    const [di, ei, fi] = [corners[t + i] - from[i], corners[t + 3 + i] - from[i], corners[t + 6 + i] - from[i]]
    for (let j = i; j < 3; j++) {
      const [dj, ej, fj] = [corners[t + j] - from[j], corners[t + 3 + j] - from[j], corners[t + 6 + j] - from[j]]
      second[3 * i + j] += weight * (di * dj + ei * ej + fi * fj + (di + ei + fi) * (dj + ej + fj))
    }
  }
}

const inertiaOf = (second: Float64Array): SymmetricInertia => [
  ...([second[4] + second[8], second[0] + second[8], second[0] + second[4]] as const),
  ...([-second[1], -second[2], -second[5]] as const),
]

/** Area, centroid and second moments of a surface: mass in it, of 1 kg/m^2. */
function momentsOfShell(points: Float64Array, triangles: Uint32Array | Int32Array): MassMoments {
  const { corners, doubled } = trianglesOf(points, triangles)
  const moments = emptyMoments()
  const second = new Float64Array(9)
  for (let t = 0, n = 0; n < doubled.length; t += 9, n += 3) {
    const area = areaOf(doubled, n)
    moments.mass += area
    for (let k = 0; k < 3; k++) moments.first[k] += (area * (corners[t + k] + corners[t + 3 + k] + corners[t + 6 + k])) / 3
    addSecond(second, area / 12, corners, t, [0, 0, 0])
  }
  moments.inertia.set(inertiaOf(second))
  return moments
}

function momentsOfHull(points: Float64Array): MassMoments {
  const moments = emptyMoments()
  const { volume, centroid, inertia } = solidOf({ type: 'hull', polyhedron: hullOf(points, points.length + 4) })
  addBody(moments, volume, inertia, { R: identityPose().R, p: Float64Array.from(centroid) })
  return moments
}

/**
 * Volume, centroid and inertia enclosed by a surface, as MuJoCo sums them over tetrahedra on each triangle: with apex at the
 * centroid of the surface, and for the inertia at that of the volume. Its `legacy` mode counts each tetrahedron as positive, which
 * is exact for convex surfaces.
 */
function momentsOfSurface(points: Float64Array, triangles: Uint32Array, legacy: boolean): MassMoments {
  const { corners, doubled } = trianglesOf(points, triangles)
  const apex = new Float64Array(3)
  let area = 0
  for (let t = 0, n = 0; n < doubled.length; t += 9, n += 3) {
    const own = areaOf(doubled, n)
    area += own
    for (let k = 0; k < 3; k++) apex[k] += (own * (corners[t + k] + corners[t + 3 + k] + corners[t + 6 + k])) / 3
  }
  if (!(area > 0)) return emptyMoments()
  for (let k = 0; k < 3; k++) apex[k] /= area
  const tetrahedron = (n: number, from: Float64Array) => {
    const t = 3 * n
    const [x, y, z] = [corners[t] - from[0], corners[t + 1] - from[1], corners[t + 2] - from[2]]
    const signed = (x * doubled[n] + y * doubled[n + 1] + z * doubled[n + 2]) / 6
    return legacy ? Math.abs(signed) : signed
  }
  let volume = 0
  const center = new Float64Array(3)
  for (let t = 0, n = 0; n < doubled.length; t += 9, n += 3) {
    const own = tetrahedron(n, apex)
    volume += own
    for (let k = 0; k < 3; k++) center[k] += (own * (corners[t + k] + corners[t + 3 + k] + corners[t + 6 + k] + apex[k])) / 4
  }
  if (!(volume > 0)) return emptyMoments()
  for (let k = 0; k < 3; k++) center[k] /= volume
  const second = new Float64Array(9)
  let mass = 0
  for (let n = 0; n < doubled.length; n += 3) {
    const own = tetrahedron(n, center)
    mass += own
    addSecond(second, own / 20, corners, 3 * n, center)
  }
  const moments = emptyMoments()
  addBody(moments, mass, inertiaOf(second), { R: identityPose().R, p: center })
  return moments
}
