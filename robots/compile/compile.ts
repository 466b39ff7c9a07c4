import type { Model } from '../../dynamics/index.ts'
import type { JointDescription, LoopDescription, RobotDescription, SemanticDescription } from '../description.ts'
import { Findings } from '../diagnostics.ts'
import { overlapsAt, reportOverlaps } from '../doctor/index.ts'
import { quote } from '../elements/index.ts'
import type { Resolver } from '../files/resolve.ts'
import { groundedShapes } from '../places.ts'
import type { Frame, Robot, RobotFreeJoint, RobotJoint, RobotLoop, RobotMimic, RobotMocap } from '../robot.ts'
import { compileActuators } from './actuators.ts'
import { type Base, type BaseOption, baseOf, type Group } from './groups.ts'
import { setOnGround, zeroPose } from './home.ts'
import { MeshStore } from './meshStore.ts'
import { type Bodies, compileBodies } from './modelOf.ts'
import { compose, placeOf, poseOfOrigin } from './pose.ts'
import { disabledPairs, namedPoses, Poses, posesNamed } from './semantics.ts'
import { compileSensors } from './sensors.ts'
import { collisionShapes, surroundingShapes } from './shapes.ts'

export interface CompileOptions {
  /** Source of meshes. Default: none, every mesh is missing. */
  readonly resolver?: Resolver
  /** Meshes that were read already, in place of a resolver. */
  readonly meshes?: MeshStore
  /** Whether the base floats; `auto`, the default, goes by the file and its SRDF, see `baseOf`. */
  readonly base?: BaseOption
  /** Whether a floating robot is placed with its lowest collision point at z = 0, or at the origin. Default true. */
  readonly ground?: boolean
  /** The named pose used as home pose: `name`, in every group that has one of it, or `group/name`. */
  readonly pose?: string
  /** Content of an SRDF file. */
  readonly semantic?: SemanticDescription
  /** The description before repairs, for the reported counts and declared mass. Default: the same. */
  readonly declared?: RobotDescription
  /** As `examine` returns them, for one robot alone. Default: made of the description. */
  readonly bodies?: Bodies
}

/**
 * Makes a robot of a description checked by `examine`; nothing is repaired here. @unchecked
 *
 * Links behind fixed joints are merged into the body before them; every link keeps its name and pose as a frame. Bodies
 * are numbered as in `groupLinks`. A joint that follows another has no coordinate; the limits of the joint followed are
 * narrowed by its followers' limits.
 *
 * @throws RobotError if the base cannot float, or the requested pose does not exist
 */
export function compileRobot(description: RobotDescription, options: CompileOptions = {}): Robot {
  const { semantic, declared = description, ground = true } = options
  const meshes = options.meshes ?? new MeshStore(description.file, options.resolver)
  const findings = new Findings()
  findings.take(description.diagnostics)

  const bodies = options.bodies ?? compileBodies(description, baseOf(description, options.base, semantic))
  const { base, groups, moments, model, data } = bodies
  const shapes = collisionShapes(groups, meshes)
  const surroundings = description.surroundings && surroundingShapes(description.surroundings, meshes)
  const disabledCollisions = disabledPairs(description, semantic)
  const grounded = groundedShapes({ shapes, surroundings, disabledCollisions })
  const parts = { model, floating: base.floats, ...jointsOf(groups, model, base) }

  const settle = (q: Float64Array) => {
    if (base.floats && ground && !description.freeBodies?.isPlaced) setOnGround(model, q, grounded, data)
  }
  const { home, fileStart } = startsOf(description, bodies)
  const reference = home.slice()
  const poses = semantic && new Poses(parts, description, semantic, base.joint?.name)
  const wanted = options.pose === undefined ? [] : posesNamed(options.pose, semantic, description.place)
  if (!wanted.map((pose) => poses!.apply(pose, home)).includes(true)) settle(home)
  const named = semantic ? namedPoses(semantic, poses!, home, settle) : []

  poses?.report(findings)
  planarBase(description, semantic, base, findings)
  const { joints, mimics } = parts
  const actuators = description.actuators?.length
    ? compileActuators(description, reference, { model, groups, joints, mimics, data })
    : []
  const overlapping = overlapsAt(model, home, shapes, data)
  const { selfCollision } = description
  reportOverlaps(overlapping, { model, shapes, disabledCollisions, selfCollision }, description.place, description.name, findings)
  return {
    name: description.name,
    ...parts,
    poses: named,
    disabledCollisions,
    overlaps: overlapping.overlaps.map(({ links }) => links),
    ...bodiesOf(description, groups),
    frames: framesOf(groups, description),
    shapes,
    ...(surroundings && { surroundings }),
    ...(actuators.length > 0 && { actuators, controls: description.controls }),
    ...(description.solver && { solver: description.solver }),
    ...(description.sensors && { sensors: compileSensors(description, { ...parts, groups, actuators }) }),
    ...(description.loops && { loops: description.loops.map(closed) }),
    home,
    ...(fileStart && { fileStart }),
    massDeclared: declared.links.reduce((sum, { inertial }) => sum + (inertial?.mass ?? 0), 0),
    massUsed: moments.reduce((sum, { mass }) => sum + mass, 0),
    diagnostics: findings.list,
    tags: description.tags,
    counts: countsOf(declared),
    worldMoments: Float64Array.of(moments[0].mass, ...moments[0].first),
  }
}

function jointsOf(
  groups: readonly Group[],
  model: Model,
  base: Base,
): Pick<Robot, 'joints' | 'freeJoints' | 'mimics' | 'mocaps'> {
  const joints: RobotJoint[] = []
  const freeJoints: RobotFreeJoint[] = []
  const mimics: RobotMimic[] = []
  const mocaps: RobotMocap[] = []
  for (let body = 1; body < groups.length; body++) {
    const { joint } = groups[body]
    if (joint === undefined || joint === base.joint) continue
    const { name, type, mimic, softness } = joint
    const indices = { qIndex: model.qStart[body], vIndex: model.vStart[body] }
    switch (type) {
      case 'revolute':
      case 'continuous':
      case 'prismatic':
        if (mimic) mimics.push({ name, type, body, follows: mimic.joint, multiplier: mimic.multiplier, offset: mimic.offset })
        else joints.push({ name, type, body, ...indices, ...(softness && { softness }) })
        break
      case 'floating':
      case 'planar':
      case 'spherical':
        freeJoints.push({ name, type, body, ...indices })
        break
      case 'fixed':
        mocaps.push({ name: groups[body].name, body, qIndex: indices.qIndex })
    }
  }
  return { joints, freeJoints, mimics, ...(mocaps.length > 0 && { mocaps }) }
}

/** Every joint at zero within its limits; and in MJCF where the file begins. */
function startsOf({ solver }: RobotDescription, { base, groups, model }: Bodies) {
  const initial = groups.map(({ joint, pose }) =>
    joint === base.joint ? undefined : joint?.mocap ? placeOf(pose) : joint?.initial,
  )
  const within = (limits: Model) => zeroPose(limits, base.floats ? groups[1].pose : undefined, initial)
  const free = { ...model, lower: model.lower.map(() => -Infinity), upper: model.upper.map(() => Infinity) }
  return { home: within(model), fileStart: solver && within(free) }
}

/** How its bodies touch and begin, as the file says. */
function bodiesOf({ freeBodies, selfCollision }: RobotDescription, groups: readonly Group[]) {
  const objects = groups.flatMap(({ joint }, body) => (joint && freeBodies?.objects.includes(joint.name) ? [body] : []))
  return {
    ...(objects.length > 0 && { objects }),
    ...(freeBodies?.isPlaced && { isPlaced: true }),
    ...(selfCollision && { selfCollision }),
  }
}

const closed = ({ place: _, relative, ...loop }: LoopDescription): RobotLoop => ({
  ...loop,
  ...(relative && { relative: poseOfOrigin(relative) }),
})

/** The links in the order of the bodies, then the file's named frames. */
function framesOf(groups: readonly Group[], { frames }: RobotDescription): Frame[] {
  const links = groups.flatMap(({ links }, body) =>
    links.map(({ link, pose }): Frame => ({ name: link.name, body, R: pose.R, p: pose.p })),
  )
  const byName = new Map(links.map((frame) => [frame.name, frame]))
  const named = frames.flatMap(({ name, link, origin }): Frame[] => {
    const carrier = byName.get(link)
    return carrier ? [{ name, body: carrier.body, ...compose(carrier, poseOfOrigin(origin)) }] : []
  })
  return [...links, ...named]
}

function countsOf({ links, joints }: RobotDescription): Robot['counts'] {
  const count = (type: JointDescription['type']) => joints.filter((joint) => joint.type === type).length
  const spherical = count('spherical')
  return {
    links: links.length,
    joints: {
      revolute: count('revolute'),
      continuous: count('continuous'),
      prismatic: count('prismatic'),
      fixed: count('fixed'),
      floating: count('floating'),
      planar: count('planar'),
      mimic: joints.filter((joint) => joint.mimic).length,
      ...(spherical > 0 && { spherical }),
    },
  }
}

function planarBase({ root }: RobotDescription, semantic: SemanticDescription | undefined, base: Base, findings: Findings): void {
  const virtual = semantic?.virtualJoints.find(({ type, childLink }) => type === 'planar' && childLink === root)
  if (!virtual || base.by !== 'srdf') return
  findings.info(
    'base-planar',
    virtual.place,
    `<virtual_joint name=${quote(virtual.name)}>`,
    'the base moves in a plane, which for planning is all that counts.',
    'The base floats, and rests on its surroundings.',
  )
}
