import { checkClosed, hullOf, solidOf } from '../../contact/geometry/index.ts'
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
    if (way === 'convex' || triangles.length === 0) return momentsOfHull(scaled)
    // a scale that mirrors turns them inside out
    if (scale[0] * scale[1] * scale[2] < 0) triangles.reverse()
    if (way === 'shell') return momentsOfShell(scaled, triangles)
    tellOpen(reader, element, what, scaled, triangles, way === 'legacy')
    return momentsOfSurface(scaled, triangles, way === 'legacy')
  }
  const assetOf = (geometry: GeometryDescription, read: () => MassMoments): MeshAsset => {
    let known: MassMoments | undefined
    return { geometry, pose, moments: () => (known ??= read()) }
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
    R: turns && isUniform ? transposed(rotationOf(unitQuaternion(quat))) : identityPose().R,
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
function tellOpen(
  reader: Reader,
  element: XmlElement,
  what: string,
  points: Float64Array,
  triangles: Uint32Array,
  legacy: boolean,
): void {
  if (checkClosed({ vertices: points, triangles: Int32Array.from(triangles) }).closed) return
  const [own, hull] = [momentsOfSurface(points, triangles, legacy).mass, momentsOfHull(points).mass]
  const figures = `${Number(own.toPrecision(4))} m^3, where its hull has ${Number(hull.toPrecision(4))} m^3`
  const message = `mass is taken from a mesh that is not closed: ${figures}.`
  reader.findings.warning(
    'mesh-mass-open',
    element,
    what,
    message,
    'Used as MuJoCo does; close the mesh, or state an <inertial>.',
  )
}

function unitQuaternion([w, x, y, z]: readonly number[]): [number, number, number, number] {
  const length = Math.hypot(w, x, y, z) || 1
  return [x / length, y / length, z / length, w / length]
}

/** Area, centroid and second moments of a surface: mass in it, of 1 kg/m^2. */
function momentsOfShell(points: Float64Array, triangles: Uint32Array): MassMoments {
  const moments = emptyMoments()
  const second = new Float64Array(9)
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points.subarray(3 * triangles[t + k], 3 * triangles[t + k] + 3))
    const [u, v] = [a, a].map((from, k) => [0, 1, 2].map((d) => (k === 0 ? b : c)[d] - from[d]))
    const area = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2
    moments.mass += area
    for (let i = 0; i < 3; i++) {
      moments.first[i] += (area * (a[i] + b[i] + c[i])) / 3
      for (let j = 0; j < 3; j++) {
        const sums = (a[i] + b[i] + c[i]) * (a[j] + b[j] + c[j])
        second[3 * i + j] += (area * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sums)) / 12
      }
    }
  }
  const [xx, yy, zz] = [second[0], second[4], second[8]]
  moments.inertia.set([yy + zz, xx + zz, xx + yy, -second[1], -second[2], -second[5]])
  return moments
}

function transposed(R: Float64Array): Float64Array {
  return Float64Array.of(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
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
  const corner = (t: number, k: number) => points.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3)
  const count = triangles.length / 3
  const each = (take: (a: Float64Array, b: Float64Array, c: Float64Array, cross: number[]) => void) => {
    for (let t = 0; t < count; t++) {
      const [a, b, c] = [corner(t, 0), corner(t, 1), corner(t, 2)]
      const [u, v] = [
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]],
        [c[0] - a[0], c[1] - a[1], c[2] - a[2]],
      ]
      take(a, b, c, [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
    }
  }
  const apex = [0, 0, 0]
  let area = 0
  each((a, b, c, n) => {
    const own = Math.hypot(n[0], n[1], n[2]) / 2
    area += own
    for (let k = 0; k < 3; k++) apex[k] += (own * (a[k] + b[k] + c[k])) / 3
  })
  if (!(area > 0)) return emptyMoments()
  for (let k = 0; k < 3; k++) apex[k] /= area
  const tetrahedron = (a: Float64Array, n: readonly number[], from: readonly number[]) => {
    const signed = ((a[0] - from[0]) * n[0] + (a[1] - from[1]) * n[1] + (a[2] - from[2]) * n[2]) / 6
    return legacy ? Math.abs(signed) : signed
  }
  let volume = 0
  const center = [0, 0, 0]
  each((a, b, c, n) => {
    const own = tetrahedron(a, n, apex)
    volume += own
    for (let k = 0; k < 3; k++) center[k] += (own * (a[k] + b[k] + c[k] + apex[k])) / 4
  })
  if (!(volume > 0)) return emptyMoments()
  for (let k = 0; k < 3; k++) center[k] /= volume
  const second = new Float64Array(9)
  let mass = 0
  each((a, b, c, n) => {
    const own = tetrahedron(a, n, center)
    mass += own
    const [d, e, f] = [a, b, c].map((x) => [x[0] - center[0], x[1] - center[1], x[2] - center[2]])
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const sums = (d[i] + e[i] + f[i]) * (d[j] + e[j] + f[j])
        second[3 * i + j] += (own * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j] + sums)) / 20
      }
    }
  })
  const [xx, yy, zz] = [second[0], second[4], second[8]]
  const inertia: SymmetricInertia = [yy + zz, xx + zz, xx + yy, -second[1], -second[2], -second[5]]
  const moments = emptyMoments()
  addBody(moments, mass, inertia, { R: identityPose().R, p: Float64Array.from(center) })
  return moments
}
