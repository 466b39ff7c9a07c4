import { GeometryError, hullOf, lowestPoint, type Shape } from '../contact/geometry/index.ts'
import { type BodyDefinition, buildModel, createData, createState, JointType, kinematics, type Model } from '../dynamics/index.ts'
import type {
  GeometryDescription,
  InertialDescription,
  JointDescription,
  LinkDescription,
  RobotDescription,
  ShapeDescription,
} from './description.ts'
import { Findings, robotError } from './diagnostics.ts'
import {
  addBody,
  centralOf,
  emptyMoments,
  type MassMoments,
  nearestInertia,
  type SymmetricInertia,
  solidOf,
} from './massProperties.ts'
import { extensionOf, isMeshFormat, MeshError, readMeshPoints } from './meshes/index.ts'
import { compose, identityPose, type Pose, poseOfOrigin } from './pose.ts'
import { isRemote, noFiles, type Resolver, resolveReference } from './resolve.ts'
import type { CollisionShape, Frame, Place, Robot, RobotJoint } from './robot.ts'

export interface CompileOptions {
  /** Where meshes come from. Default: nowhere, every mesh is missing. */
  readonly resolver?: Resolver
  /**
   * `auto`: fixed if the root link is called `world`, floating otherwise, and floating too where the one joint under
   * `world` says so. The others force it.
   */
  readonly base?: 'auto' | 'floating' | 'fixed'
}

/** Density of what has shapes but no mass [kg/m^3]. */
export const estimateDensity = 1000
/** Mass and radius of what has neither mass nor a shape with a volume [kg], [m]. */
const leastMass = 1e-3
const leastRadius = 0.01

/** A link in the body that carries it. */
interface PlacedLink {
  readonly link: LinkDescription
  readonly body: number
  readonly pose: Pose
}

interface Group {
  name: string
  readonly parent: number
  readonly joint: JointDescription | undefined
  readonly type: JointType
  readonly pose: Pose
  readonly links: PlacedLink[]
}

/**
 * Makes a robot of what a file says.
 *
 * Links behind fixed joints join the body before them; every link keeps its name and place as a frame. Bodies are
 * numbered depth first, in the order of the joints in the file. What the file leaves open or has wrong is filled in by
 * the rules that the findings state, never silently.
 *
 * @throws RobotError if the base is to float and nothing is fixed to the root `world`
 */
export function compileRobot(description: RobotDescription, options: CompileOptions = {}): Robot {
  const findings = new Findings()
  findings.list.push(...description.diagnostics)
  const { groups, floating } = groupLinks(description, options.base ?? 'auto')
  const meshes = new MeshStore(description.file, options.resolver ?? noFiles, findings)

  const shapes: CollisionShape[] = []
  for (const group of groups) for (const placed of group.links) placeShapes(placed, meshes, findings, shapes)

  const moments = groups.map((group) => momentsOf(group, shapes, findings))
  for (let body = 1; body < groups.length; body++) {
    if (moments[body].mass === 0) estimateMass(moments[body], groups[body], body, shapes, meshes, findings)
  }

  const definitions = groups.slice(1).map((group, k) => bodyDefinition(group, moments[k + 1]))
  const model = buildModel(description.name, definitions)
  return {
    name: description.name,
    model,
    floating,
    joints: jointsOf(groups, model),
    frames: groups.flatMap((group) =>
      group.links.map(({ link, body, pose }): Frame => ({ name: link.name, body, R: pose.R, p: pose.p })),
    ),
    shapes,
    home: homeOf(model, floating, shapes),
    massDeclared: description.links.reduce((sum, link) => sum + (link.inertial?.mass ?? 0), 0),
    massUsed: moments.reduce((sum, { mass }) => sum + mass, 0),
    diagnostics: findings.list,
    tags: description.tags,
    counts: countsOf(description),
    worldMoments: Float64Array.of(moments[0].mass, ...moments[0].first),
  }
}

// Which links make a body

function groupLinks(description: RobotDescription, base: 'auto' | 'floating' | 'fixed'): { groups: Group[]; floating: boolean } {
  const { joints, root } = description
  const links = new Map(description.links.map((link) => [link.name, link]))
  const below = new Map<string, JointDescription[]>()
  for (const joint of joints) {
    const siblings = below.get(joint.parent)
    if (siblings) siblings.push(joint)
    else below.set(joint.parent, [joint])
  }
  // a base that floats by a joint of its own comes first, so that its coordinates lead q
  const floatingJoint = joints.find((joint) => joint.type === 'floating')
  const rootJoints = below.get(root)
  if (floatingJoint && rootJoints) rootJoints.sort((a, b) => Number(b === floatingJoint) - Number(a === floatingJoint))

  const world: Group = { name: 'world', parent: -1, joint: undefined, type: JointType.fixed, pose: identityPose(), links: [] }
  const groups = [world]
  const rootFloats = base === 'floating' ? floatingJoint === undefined : base === 'auto' && root !== 'world'
  let rootGroup = 0
  if (rootFloats) {
    groups.push({ name: '', parent: 0, joint: undefined, type: JointType.floating, pose: identityPose(), links: [] })
    rootGroup = 1
  }

  // depth first; children are pushed last first so that they are taken in the file's order
  const stack: { name: string; body: number; pose: Pose; joint: JointDescription | undefined }[] = []
  const visit = (name: string, body: number, pose: Pose) => {
    const group = groups[body]
    const link = links.get(name)
    if (link) group.links.push({ link, body, pose })
    // a floating root called `world` is no name for a body: body 0 has it
    if (body > 0 && group.name === '' && name !== 'world') group.name = name
    const children = below.get(name) ?? []
    for (let k = children.length - 1; k >= 0; k--) {
      stack.push({ name: children[k].child, body, pose: compose(pose, poseOfOrigin(children[k].origin)), joint: children[k] })
    }
  }
  visit(root, rootGroup, identityPose())
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { name, body, pose, joint } = next
    const type = joint ? jointTypeOf(joint, base) : JointType.fixed
    if (type === JointType.fixed) visit(name, body, pose)
    else {
      groups.push({ name: '', parent: body, joint, type, pose, links: [] })
      visit(name, groups.length - 1, identityPose())
    }
  }
  if (rootFloats && root === 'world' && groups[1].name === '') {
    throw robotError(
      'base-floating',
      description.place,
      `<robot name="${description.name}">`,
      'the base is to float, but no link is fixed to "world": all that hangs from it moves on joints.',
      'Load it with a fixed base.',
    )
  }
  return { groups, floating: groups.length > 1 && groups[1].type === JointType.floating }
}

function jointTypeOf(joint: JointDescription, base: 'auto' | 'floating' | 'fixed'): JointType {
  switch (joint.type) {
    case 'fixed':
      return JointType.fixed
    case 'revolute':
    case 'continuous':
      return JointType.revolute
    case 'prismatic':
      return JointType.prismatic
    case 'floating':
      return base === 'fixed' ? JointType.fixed : JointType.floating
  }
}

function bodyDefinition({ name, parent, joint, type, pose }: Group, moments: MassMoments): BodyDefinition {
  const { centerOfMass, inertia } = centralOf(moments)
  return {
    name,
    jointName: joint?.name ?? 'base',
    parent,
    jointType: type,
    axis: type === JointType.floating ? undefined : joint?.axis,
    rotation: pose.R,
    position: [pose.p[0], pose.p[1], pose.p[2]],
    mass: moments.mass,
    centerOfMass,
    inertia,
    damping: joint?.damping,
    friction: joint?.friction,
    lower: joint?.lower,
    upper: joint?.upper,
    effortLimit: joint?.effort,
    velocityLimit: joint?.velocity,
  }
}

function jointsOf(groups: readonly Group[], model: Model): RobotJoint[] {
  const joints: RobotJoint[] = []
  for (let body = 1; body < groups.length; body++) {
    const { joint } = groups[body]
    if (joint === undefined || joint.type === 'fixed' || joint.type === 'floating') continue
    joints.push({ name: joint.name, type: joint.type, body, qIndex: model.qStart[body], vIndex: model.vStart[body] })
  }
  return joints
}

function countsOf({ links, joints }: RobotDescription): Robot['counts'] {
  const count = (type: JointDescription['type']) => joints.filter((joint) => joint.type === type).length
  return {
    links: links.length,
    joints: {
      revolute: count('revolute'),
      continuous: count('continuous'),
      prismatic: count('prismatic'),
      fixed: count('fixed'),
      floating: count('floating'),
      planar: 0,
      mimic: joints.filter((joint) => joint.mimic).length,
    },
  }
}

// Collision shapes

function placeShapes({ link, body, pose }: PlacedLink, meshes: MeshStore, findings: Findings, out: CollisionShape[]): void {
  link.collisions.forEach((collision, k) => {
    const shape = shapeOf(collision, `<collision> of link "${link.name}"`, meshes)
    if (!shape) return
    const { R, p } = compose(pose, poseOfOrigin(collision.origin))
    out.push({
      name: link.collisions.length === 1 ? link.name : `${link.name}#${k + 1}`,
      link: link.name,
      body,
      shape,
      R,
      p,
      friction: collision.friction ?? link.friction,
      restitution: link.restitution,
    })
  })
  const restitution = link.restitution ?? 0
  if (restitution > 1) {
    findings.warning(
      'restitution',
      link.place,
      `<contact> of link "${link.name}"`,
      `restitution ${restitution} is above 1.`,
      'Used as it is; it adds energy.',
    )
  }
}

function shapeOf(description: ShapeDescription, what: string, meshes: MeshStore): Shape | undefined {
  const { geometry } = description
  if (geometry.type === 'mesh') return meshes.hull(geometry, description.place, what)
  return solidShape(geometry)
}

/** A point for what has no extent at all; a thin hull for boxes without thickness and rods without radius. */
function solidShape(geometry: Exclude<GeometryDescription, { type: 'mesh' }>): Shape {
  switch (geometry.type) {
    case 'sphere':
      return { type: 'sphere', radius: geometry.radius }
    case 'box': {
      const [x, y, z] = geometry.size
      if (x > 0 && y > 0 && z > 0) return { type: 'box', size: geometry.size }
      if (x === 0 && y === 0 && z === 0) return { type: 'sphere', radius: 0 }
      const corners = [-0.5, 0.5].flatMap((a) => [-0.5, 0.5].flatMap((b) => [-0.5, 0.5].flatMap((c) => [a * x, b * y, c * z])))
      return { type: 'hull', polyhedron: hullOf(Float64Array.from(corners)) }
    }
    case 'cylinder':
    case 'capsule': {
      const { radius, length } = geometry
      if (radius > 0) return { type: geometry.type, radius, length }
      if (length === 0) return { type: 'sphere', radius: 0 }
      return { type: 'hull', polyhedron: hullOf(Float64Array.of(0, 0, -length / 2, 0, 0, length / 2)) }
    }
  }
}

type MeshDescription = Extract<GeometryDescription, { type: 'mesh' }>

/** Reads each mesh once; what cannot be read is reported and left out. */
class MeshStore {
  private readonly file: string
  private readonly resolver: Resolver
  private readonly findings: Findings
  private readonly points = new Map<string, Float64Array>()
  private readonly hulls = new Map<string, Shape>()

  constructor(file: string, resolver: Resolver, findings: Findings) {
    this.file = file
    this.resolver = resolver
    this.findings = findings
  }

  /** @param what undefined for a reading that must not report, such as that of a visual mesh */
  hull({ filename, scale }: MeshDescription, place: Place, what: string | undefined): Shape | undefined {
    const warn = (code: string, message: string, remedy: string) => {
      if (what !== undefined) this.findings.warning(code, place, `<mesh> in the ${what}`, message, remedy)
    }
    if (isRemote(filename)) {
      warn('mesh-remote', `"${filename}" is not on this machine.`, 'Left out; download it and refer to it by a path.')
      return undefined
    }
    if (!isMeshFormat(filename)) {
      warn(
        'mesh-format',
        `"${filename}": the format "${extensionOf(filename)}" is not read for collisions.`,
        'Left out; use STL, OBJ or DAE.',
      )
      return undefined
    }
    const found = resolveReference(filename, this.file, this.resolver) ?? resolveReference(filename, place.file, this.resolver)
    if (!found) {
      warn(
        'mesh-missing',
        `"${filename}" was not found.`,
        'Left out; put the mesh there or add the folder of its package to the roots.',
      )
      return undefined
    }
    if (found.caseChanged) warn('mesh-case', `"${filename}" is there only as "${found.path}".`, 'Used; correct the letter case.')
    const key = `${found.path} ${scale.join(' ')}`
    const known = this.hulls.get(key)
    if (known) return known
    try {
      const points = this.pointsOf(found.path)
      if (points === undefined) {
        warn(
          'mesh-missing',
          `"${filename}" cannot be read.`,
          'Left out; check the permissions, and that it is a file of at most 64 MiB.',
        )
        return undefined
      }
      const scaled = points.map((value, i) => value * scale[i % 3])
      const shape: Shape = { type: 'hull', polyhedron: hullOf(scaled) }
      this.hulls.set(key, shape)
      return shape
    } catch (error) {
      if (!(error instanceof MeshError) && !(error instanceof GeometryError)) throw error
      warn('mesh-broken', `"${filename}": ${error.message}.`, 'Left out; export the mesh again.')
      return undefined
    }
  }

  private pointsOf(path: string): Float64Array | undefined {
    const known = this.points.get(path)
    if (known) return known
    const bytes = this.resolver.read(path)
    if (!bytes) return undefined
    const points = readMeshPoints(bytes, path)
    this.points.set(path, points)
    return points
  }
}

// Masses

function momentsOf(group: Group, shapes: readonly CollisionShape[], findings: Findings): MassMoments {
  const moments = emptyMoments()
  for (const { link, pose } of group.links) {
    const { inertial } = link
    if (!inertial) continue
    const { inertia, inBodyAxes } = checkedInertia(inertial, link, shapes, findings)
    if (inertial.mass === 0) continue
    const { R, p } = compose(pose, poseOfOrigin(inertial.origin))
    addBody(moments, inertial.mass, inertia, { R: inBodyAxes ? identityPose().R : R, p })
  }
  return moments
}

/** An inertia about the centre of mass, in the axes of `<inertial>` or in those of the body. */
interface CheckedInertia {
  readonly inertia: SymmetricInertia
  readonly inBodyAxes: boolean
}

function checkedInertia(
  inertial: InertialDescription,
  link: LinkDescription,
  shapes: readonly CollisionShape[],
  findings: Findings,
): CheckedInertia {
  const { mass, inertia, inertiaPlace } = inertial
  const what = `<inertia> of link "${link.name}"`
  if (mass === 0) {
    if (inertia.some((entry) => entry !== 0)) {
      findings.warning(
        'inertia-without-mass',
        inertiaPlace,
        what,
        'an inertia without mass; no body has this.',
        'Ignored; state the mass.',
      )
    }
    return { inertia: [0, 0, 0, 0, 0, 0], inBodyAxes: false }
  }
  const nearest = nearestInertia(inertia)
  const [low, middle, high] = nearest.moments.map((moment) => moment.toPrecision(6))
  switch (nearest.verdict) {
    case 'valid':
      return { inertia, inBodyAxes: false }
    case 'triangle':
      findings.warning(
        'inertia-triangle',
        inertiaPlace,
        what,
        `principal moments ${low}, ${middle}, ${high} kg m^2: the two smaller add up to less than the largest; no body has this.`,
        "The nearest valid inertia is used; check the exporter's axes.",
      )
      return { inertia: nearest.inertia, inBodyAxes: false }
    case 'not-positive':
      findings.warning(
        'inertia-not-positive',
        inertiaPlace,
        what,
        `principal moments ${low}, ${middle}, ${high} kg m^2 are not all positive; no body has this.`,
        'The nearest valid inertia is used; check the signs and the digits.',
      )
      return { inertia: nearest.inertia, inBodyAxes: false }
    case 'zero': {
      const solid = solidMoments(shapes.filter((shape) => shape.link === link.name))
      const fromShapes = solid.mass > 0
      findings.warning(
        'inertia-zero',
        inertiaPlace,
        what,
        `a mass of ${mass} kg without rotational inertia.`,
        fromShapes
          ? "The inertia of its collision shapes with this mass is used; state the part's own."
          : `The inertia of a ball of ${estimateDensity} kg/m^3 is used; state the part's own.`,
      )
      if (fromShapes) {
        const [xx, yy, zz, xy, xz, yz] = centralOf(solid).inertia
        const k = mass / solid.mass
        return { inertia: [k * xx, k * yy, k * zz, k * xy, k * xz, k * yz], inBodyAxes: true }
      }
      return { inertia: ballInertia(mass, Math.cbrt((3 * mass) / (4 * Math.PI * estimateDensity))), inBodyAxes: true }
    }
  }
}

function ballInertia(mass: number, radius: number): SymmetricInertia {
  const moment = 0.4 * mass * radius * radius
  return [moment, moment, moment, 0, 0, 0]
}

/** Moments of shapes filled at the stated density, about the origin and in the axes in which they are placed. */
function solidMoments(shapes: readonly { shape: Shape; R: Float64Array; p: Float64Array }[]): MassMoments {
  const moments = emptyMoments()
  for (const { shape, R, p } of shapes) {
    const { volume, centroid, inertia } = solidOf(shape)
    if (volume === 0) continue
    const [xx, yy, zz, xy, xz, yz] = inertia
    const k = estimateDensity
    const atCentroid = compose({ R, p }, { R: identityPose().R, p: Float64Array.from(centroid) })
    addBody(moments, k * volume, [k * xx, k * yy, k * zz, k * xy, k * xz, k * yz], atCentroid)
  }
  return moments
}

/**
 * A moving body without any mass gets that of its collision shapes at `estimateDensity`, else of its visual shapes, else
 * a gram in a ball of one centimetre.
 */
function estimateMass(
  moments: MassMoments,
  group: Group,
  body: number,
  shapes: readonly CollisionShape[],
  meshes: MeshStore,
  findings: Findings,
): void {
  let source = 'collision shapes'
  let estimate = solidMoments(shapes.filter((shape) => shape.body === body))
  if (estimate.mass === 0) {
    source = 'visual shapes'
    estimate = solidMoments(visualSolids(group, meshes))
  }
  if (estimate.mass === 0) {
    source = ''
    addBody(estimate, leastMass, ballInertia(leastMass, leastRadius), identityPose())
  }
  moments.mass = estimate.mass
  moments.first.set(estimate.first)
  moments.inertia.set(estimate.inertia)
  const { link } = group.links[0]
  findings.warning(
    'massless-body',
    link.place,
    `<link name="${link.name}">`,
    group.links.length === 1
      ? 'it moves but has no mass.'
      : `it moves but neither it nor the ${group.links.length - 1} links fixed to it have mass.`,
    source === ''
      ? `${leastMass} kg in a ball of ${leastRadius} m is used; add an <inertial>.`
      : `${estimate.mass.toPrecision(4)} kg is used, its ${source} at ${estimateDensity} kg/m^3; add an <inertial>.`,
  )
}

function visualSolids(group: Group, meshes: MeshStore): { shape: Shape; R: Float64Array; p: Float64Array }[] {
  return group.links.flatMap(({ link, pose }) =>
    link.visuals.flatMap((visual) => {
      const shape =
        visual.geometry.type === 'mesh' ? meshes.hull(visual.geometry, visual.place, undefined) : solidShape(visual.geometry)
      return shape ? [{ shape, ...compose(pose, poseOfOrigin(visual.origin)) }] : []
    }),
  )
}

// Home

function homeOf(model: Model, floating: boolean, shapes: readonly CollisionShape[]): Float64Array {
  const state = createState(model)
  const { q } = state
  for (let body = 1; body < model.nb; body++) {
    if (model.jointType[body] === JointType.floating) continue
    const v = model.vStart[body]
    q[model.qStart[body]] = Math.min(Math.max(0, model.lower[v]), model.upper[v])
  }
  if (!floating) return q
  const data = createData(model)
  kinematics(model, state, data)
  const lowest = new Float64Array(3)
  let height = Infinity
  for (const { shape, body, R, p } of shapes) {
    if (treeOf(model, body) !== 1) continue
    const { R: R_WS, p: p_WS } = compose({ R: data.R_WB[body], p: data.p_WB[body] }, { R, p })
    lowestPoint(shape, R_WS, p_WS, lowest)
    height = Math.min(height, lowest[2])
  }
  if (height < Infinity) q[2] -= height
  return q
}

/** The body under the world that a body hangs from; 0 for the world. */
function treeOf({ parent }: Model, body: number): number {
  let root = body
  while (root > 0 && parent[root] > 0) root = parent[root]
  return root
}
