import { defaultSoftness } from '../../contact/detection/index.ts'
import { type GeomPair, type GeomSoftness, type GeomSurface, solidOf } from '../../contact/geometry/index.ts'
import { type EllipsoidCoefficients, rotateTransposed3 } from '../../dynamics/index.ts'
import { addBody, centralOf, emptyMoments, type MassMoments, scaledInertia } from '../compile/massProperties.ts'
import { compose, identityPose, type Pose, poseAt, poseToOrigin, rotationToZ, unitOf } from '../compile/pose.ts'
import type { GeometryDescription, ShapeDescription, SurroundingDescription } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { Looks } from '../looks/mjcf.ts'
import { defaultFriction, pointRadius } from '../write/writeMjcf.ts'
import type { XmlElement } from '../xml.ts'
import { readFluidShape } from './medium.ts'
import type { MeshAsset } from './meshAssets.ts'
import type { Compiler } from './options.ts'
import { readPose } from './orientation.ts'
import { type Shell, shellOf } from './shells.ts'

interface Stated {
  readonly geom: NonNullable<SurroundingDescription['geom']>
  readonly place: XmlElement
}

/** A `<geom>` in the axes of its body. */
export interface Geom {
  readonly name: string
  readonly shape: SurroundingDescription & Stated
  /** Whether its bits or a pair let it touch anything. */
  readonly collides: boolean
  readonly group: number
  /** About the body's origin. */
  readonly moments: MassMoments
  /** Its axes as stated, before those of a mesh. */
  readonly axes: Pose
  /** Coefficients of an ellipsoid in a medium. */
  readonly fluid?: Omit<EllipsoidCoefficients, 'addedMass' | 'addedInertia'>
}

export interface GeomContext {
  readonly compiler: Compiler
  readonly meshes: ReadonlyMap<string, MeshAsset | undefined>
  readonly looks: Looks
  readonly heightFields: ReadonlyMap<string, SurroundingDescription['geometry']>
  /** By the name of a geom, the pairs that name it. */
  readonly pairs: ReadonlyMap<string, readonly GeomPair[]>
}

const identity = identityPose().R

/**
 * @param element with the attributes of its class
 * @param suffix  of its name, of a copy
 */
export function readGeom(
  reader: Reader,
  element: XmlElement,
  source: XmlElement,
  body: string,
  context: GeomContext,
  suffix: string,
): Geom | undefined {
  const { attributes } = element
  const what = `<geom${attributes.name === undefined ? '' : ` name=${quote(attributes.name)}`}> of body ${quote(body)}`
  const size = attributes.size === undefined ? [] : reader.numbers(element, 'size', undefined, what)
  const pose = readPose(reader, element, what, context.compiler)
  const number = (name: string, otherwise: number) => reader.optional(element, name, what, otherwise) ?? otherwise
  const friction = attributes.friction === undefined ? [] : reader.numbers(element, 'friction', undefined, what)
  const condim = readCondim(reader, element, what)
  if (!size || !pose || !friction || condim === undefined) return undefined
  const placed = attributes.fromto === undefined ? { size, pose } : spanned(reader, element, what, size)
  const seated = placed && geometryOf(reader, element, what, placed.size, placed.pose, context)
  if (!seated) return undefined
  const { geometry, pose: at, unit } = seated
  const mass = attributes.mass === undefined ? undefined : number('mass', 0)
  const moments = emptyMoments()
  if (unit.mass > 0) {
    const factor = mass === undefined ? number('density', 1000) : mass / unit.mass
    addScaled(moments, unit, factor, at)
  }
  const name = attributes.name === undefined ? '' : attributes.name + suffix
  const [sliding, spin = defaultFriction.spin, roll = defaultFriction.roll] = friction
  const [contype, conaffinity] = context.compiler.off.has('contact') ? [0, 0] : [number('contype', 1), number('conaffinity', 1)]
  const geomPairs = context.pairs.get(name)
  const fluid = readFluidShape(reader, element, what, geometry.type)
  const margin = number('margin', 0)
  const surface = {
    ...{ priority: number('priority', 0), condim, spin, roll },
    ...(margin !== 0 && { margin }),
    ...readAdhesion(reader, element, what),
    ...readSoftness(reader, element, what),
  }
  const running = attributes.surfacevel === undefined ? undefined : reader.numbers(element, 'surfacevel', undefined, what)
  const inMesh = attributes.mesh === undefined ? undefined : context.meshes.get(attributes.mesh)?.pose
  const surfaceVelocity = running?.some((x) => x !== 0) ? velocityIn(running, inMesh) : undefined
  const geom = {
    contype,
    conaffinity,
    geom: surface,
    ...(surfaceVelocity && { surfaceVelocity }),
    ...(name !== '' && { geomName: name }),
    ...(geomPairs && { geomPairs }),
  }
  const look = context.looks(element, context.meshes.get(attributes.mesh ?? '')?.material)
  return {
    name,
    shape: { name, origin: poseToOrigin(at), geometry, friction: sliding, geom, ...look, place: source },
    collides: contype !== 0 || conaffinity !== 0 || geomPairs !== undefined,
    group: number('group', 0),
    moments,
    axes: placed.pose,
    ...(fluid && { fluid }),
  }
}

/** Adhesion, and with it the gap up to which it acts. */
export function readAdhesion(reader: Reader, element: XmlElement, what: string): Pick<GeomSurface, 'adhesion' | 'gap'> {
  const [adhesion, gap] = ['adhesion', 'gap'].map((key) => reader.optional(element, key, what, 0) ?? 0)
  return { ...(adhesion !== 0 && { adhesion }), ...(gap !== 0 && { gap }) }
}

/** A field of velocities, linear at the origin and angular, in the axes of a pose within its own. */
function velocityIn([x = 0, y = 0, z = 0, a = 0, b = 0, c = 0]: readonly number[], at: Pose | undefined): readonly number[] {
  if (!at) return [x, y, z, a, b, c]
  const [p, q, r] = at.p
  const linear = Float64Array.of(x + b * r - c * q, y + c * p - a * r, z + a * q - b * p)
  const angular = Float64Array.of(a, b, c)
  rotateTransposed3(linear, at.R, linear)
  rotateTransposed3(angular, at.R, angular)
  return [...linear, ...angular]
}

/**
 * solref, solimp and solmix, if the element states any.
 *
 * @param of `limit` or `friction` of a joint, at the end of their names
 */
export function readSoftness(reader: Reader, element: XmlElement, what: string, of = ''): { softness: GeomSoftness } | undefined {
  const isStated = (key: string) => element.attributes[key] !== undefined
  if (![`solref${of}`, `solimp${of}`, ...(of === '' ? ['solmix'] : [])].some(isStated)) return undefined
  const list = (key: 'solref' | 'solimp') => {
    const own = isStated(key + of) ? (reader.numbers(element, key + of, undefined, what) ?? []) : []
    return defaultSoftness[key].map((value, k) => own[k] ?? value)
  }
  const solmix = reader.optional(element, 'solmix', what, defaultSoftness.solmix) ?? defaultSoftness.solmix
  return { softness: { solref: list('solref'), solimp: list('solimp'), solmix } }
}

/** `condim`, 3 by default; undefined and an error if it is none of MuJoCo's. */
export function readCondim(reader: Reader, element: XmlElement, what: string): number | undefined {
  const condim = reader.optional(element, 'condim', what, 3)
  if (condim === undefined || [1, 3, 4, 6].includes(condim)) return condim
  reader.findings.error('condim', element, what, `condim is ${condim}.`, 'It is 1, 3, 4 or 6.')
  return undefined
}

/** Pose and size of a shape stated by the two ends of its axis. */
export function spanned(
  reader: Reader,
  element: XmlElement,
  what: string,
  size: readonly number[],
): { size: number[]; pose: Pose } | undefined {
  const numbers = reader.numbers(element, 'fromto', 6, what)
  if (!numbers) return undefined
  const [x1, y1, z1, x2, y2, z2] = numbers
  const along = unitOf([x1 - x2, y1 - y2, z1 - z2])
  if (!along) {
    reader.findings.error('orientation', element, what, 'both ends of fromto are in one place.', 'Let them differ.')
    return undefined
  }
  const half = 0.5 * Math.hypot(x1 - x2, y1 - y2, z1 - z2)
  const [first = 0] = size
  const type = element.attributes.type
  return {
    size: type === 'box' || type === 'ellipsoid' ? [first, first, half] : [first, half],
    pose: poseAt([0.5 * (x1 + x2), 0.5 * (y1 + y2), 0.5 * (z1 + z2)], rotationToZ(along)),
  }
}

interface Seated {
  readonly geometry: SurroundingDescription['geometry']
  readonly pose: Pose
  /** At density 1, in the shape's own axes. */
  readonly unit: MassMoments
}

function geometryOf(
  reader: Reader,
  element: XmlElement,
  what: string,
  size: readonly number[],
  pose: Pose,
  { meshes, heightFields }: GeomContext,
): Seated | undefined {
  const { type = 'sphere', mesh } = element.attributes
  if (mesh !== undefined) {
    const asset = meshes.get(mesh)
    if (!asset) {
      if (!meshes.has(mesh))
        reader.findings.error('mesh-unknown', element, what, `there is no mesh ${quote(mesh)}.`, 'Declare it in <asset>.')
      return undefined
    }
    if (type !== 'mesh' && type !== 'sdf') {
      const message = `a ${type} is to be fitted to the mesh ${quote(mesh)}.`
      reader.findings.repair('geom-fitted', element, what, message, 'The mesh is used; state the size of the shape.')
    }
    if (element.attributes.shellinertia === 'true')
      reader.findings.error(
        'mesh-shell',
        element,
        what,
        'shellinertia of a mesh.',
        'State inertia="shell" of the mesh in <asset>.',
      )
    const at = compose(pose, asset.pose)
    return { geometry: asset.geometry, pose: at, unit: asset.moments() }
  }
  const [a = 0, b = 0, c = 0] = size
  const solid = (geometry: GeometryDescription, unit: MassMoments): Seated | undefined => {
    const wanted = { sphere: 1, capsule: 2, cylinder: 2, box: 3, ellipsoid: 3 }[geometry.type as string] ?? 0
    if ([a, b, c].slice(0, wanted).every((x) => x > 0)) return { geometry, pose, unit }
    reader.findings.error('size', element, what, `a ${type} needs ${wanted} positive sizes.`, 'State size="...".')
    return undefined
  }
  const shell = element.attributes.shellinertia === 'true' ? shellOf(type, size) : undefined
  const of = (shape: Parameters<typeof solidOf>[0]) => (shell ? shellMoments(shell) : unitMoments(solidOf(shape)))
  switch (type) {
    case 'sphere':
      return solid({ type, radius: a > pointRadius ? a : 0 }, of({ type, radius: a }))
    case 'capsule':
    case 'cylinder':
      return solid({ type, radius: a, length: 2 * b }, of({ type, radius: a, length: 2 * b }))
    case 'box':
      return solid({ type, size: [2 * a, 2 * b, 2 * c] }, of({ type, size: [2 * a, 2 * b, 2 * c] }))
    case 'ellipsoid':
      return solid({ type, radii: [a, b, c] }, of({ type, radii: [a, b, c] }))
    case 'plane':
      return { geometry: { type }, pose, unit: emptyMoments() }
    case 'hfield': {
      const name = element.attributes.hfield ?? ''
      const geometry = heightFields.get(name)
      if (geometry) return { geometry, pose, unit: emptyMoments() }
      reader.findings.repair(
        'hfield-unknown',
        element,
        what,
        `there is no height field ${quote(name)} that can be read.`,
        'Left out.',
      )
      return undefined
    }
    case 'mesh':
    case 'sdf':
      reader.findings.repair('geometry-missing', element, what, `a ${type} without mesh="...".`, 'Left out.')
      return undefined
    default:
      reader.findings.error('geom-type', element, what, `type="${type}" is unknown.`, 'Such as sphere, capsule, box, mesh.')
      return undefined
  }
}

function unitMoments({
  volume,
  centroid,
  inertia,
}: Pick<ReturnType<typeof solidOf>, 'volume' | 'inertia' | 'centroid'>): MassMoments {
  const moments = emptyMoments()
  addBody(moments, volume, inertia, poseAt(centroid, identity))
  return moments
}

function shellMoments({ mass, moments: [xx, yy, zz] }: Shell): MassMoments {
  const moments = emptyMoments()
  addBody(moments, mass, [xx, yy, zz, 0, 0, 0], identityPose())
  return moments
}

/** Adds moments about one origin, as often, to those about another. */
function addScaled(out: MassMoments, { mass, first, inertia }: MassMoments, factor: number, { R, p }: Pose): void {
  const { centerOfMass, inertia: central } = centralOf({ mass, first, inertia })
  addBody(out, factor * mass, scaledInertia(central, factor), compose({ R, p }, poseAt(centerOfMass)))
}

export function isBounded(shape: Geom['shape']): shape is ShapeDescription & Stated {
  return shape.geometry.type !== 'plane' && shape.geometry.type !== 'heightfield'
}

/** `<hfield>` with its heights in the file; without any it is flat. Pictures are not read. */
export function readHeightFields(reader: Reader, root: XmlElement): ReadonlyMap<string, SurroundingDescription['geometry']> {
  const fields = new Map<string, SurroundingDescription['geometry']>()
  const elements = root.children.filter(({ name }) => name === 'asset').flatMap(({ children }) => children)
  for (const element of elements) {
    if (element.name !== 'hfield') continue
    reader.account.use(element)
    const name = reader.name(element)
    const what = `<hfield name=${quote(name ?? '')}>`
    const rows = reader.optional(element, 'nrow', what, 0) ?? 0
    const columns = reader.optional(element, 'ncol', what, 0) ?? 0
    const size = reader.numbers(element, 'size', 4, what)
    if (name === undefined || !size || element.attributes.file !== undefined) continue
    if (!(Number.isInteger(rows) && Number.isInteger(columns) && rows >= 2 && columns >= 2 && rows * columns <= 1_000_000)) {
      reader.findings.error(
        'hfield-size',
        element,
        what,
        'nrow and ncol are whole numbers from 2 on, a million points at most.',
        'Correct them.',
      )
      continue
    }
    reader.ask('points', rows * columns, element, what)
    const stated =
      element.attributes.elevation === undefined ? undefined : reader.numbers(element, 'elevation', rows * columns, what)
    const heights = new Array<number>(rows * columns).fill(0)
    if (stated) {
      // MuJoCo scales stated heights to between 0 and 1, and its first row is the one at greatest y
      const [low, high] = stated.reduce(([l, h], x) => [Math.min(l, x), Math.max(h, x)], [Infinity, -Infinity])
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          const x = stated[(rows - 1 - r) * columns + c]
          heights[r * columns + c] = high > low ? (size[2] * (x - low)) / (high - low) : 0
        }
      }
    }
    fields.set(name, {
      type: 'heightfield',
      rows,
      columns,
      spacing: [(2 * size[0]) / (columns - 1), (2 * size[1]) / (rows - 1)],
      heights,
    })
  }
  return fields
}
