import type { ConvexCutter } from '../compile/convexParts.ts'
import { type BaseOption, baseOf, groupLinks } from '../compile/groups.ts'
import type { MeshStore } from '../compile/meshStore.ts'
import type { Bodies } from '../compile/modelOf.ts'
import { type JointDescription, plain, type RobotDescription, type SemanticDescription } from '../description.ts'
import { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import type { Diagnostic } from '../robot.ts'
import { examineBodies, examineGravity, examineMasses, inertialsOfShapes } from './bodies.ts'
import { examineMagnitudes } from './magnitudes.ts'
import { examineMeshes } from './meshes.ts'
import { examineMimics } from './mimics.ts'
import { examinePlausibility } from './plausibility.ts'

export { overlapsAt, reportOverlaps } from './overlaps.ts'
export { readOtherwise } from './readers.ts'

/** Density of links with shapes but no mass [kg/m^3]. */
export const estimateDensity = 1000

export interface DoctorOptions {
  /** Density of links with shapes but no mass [kg/m^3]. Default `estimateDensity`, that of water. */
  readonly density?: number
  /** Whether collision meshes within 1 % of a cylinder, sphere, capsule or box are replaced by it. Default: they are reported. */
  readonly fit?: boolean
  /** Cuts concave collision meshes into convex parts, such as `rapierCutter` of `robots/files`. Default: they are their hulls. */
  readonly cut?: ConvexCutter
  /**
   * Whether closed concave collision meshes are treated as solids; a number is the error to which their distance is
   * sampled [m]. Default: they are their hulls.
   */
  readonly concave?: boolean | number
  /** As in `baseOf`; links fixed to the world need no mass. */
  readonly base?: BaseOption
}

export interface DoctorContext {
  readonly meshes: MeshStore
  readonly semantic?: SemanticDescription
  readonly options?: DoctorOptions
}

/** Result of an examination. */
export interface Examination {
  /** The repaired description; its `diagnostics` are the earlier ones and the doctor's. */
  readonly description: RobotDescription
  /** The doctor's own. */
  readonly findings: readonly Diagnostic[]
  /** Its bodies, which `compileRobot` may use once; undefined where repairs changed them. */
  readonly bodies?: Bodies
}

/**
 * Checks all physical values of a robot file, and repairs those of which no mechanism can be made. The returned
 * description needs no more repairs, and a file written of it none either. @unchecked
 *
 * Repairs (`repaired` is set; loading strictly refuses them) are listed in docs/robots.md, with their rules.
 *
 * Errors: `mass-negative`; `magnitude`, numbers with which no result would be finite.
 *
 * @throws RobotError with every error that is found, those and the findings of the description among its diagnostics
 */
export function examine(description: RobotDescription, { meshes, semantic, options = {} }: DoctorContext): Examination {
  const { density = estimateDensity } = options
  const findings = new Findings()
  if (!(density > 0 && density < Infinity)) throw new RangeError(`density is ${density} kg/m^3; expected a positive number`)
  examineMagnitudes(description, semantic, findings)
  examineMasses(description.links, findings)
  refuse(description, findings)
  const joints = examineMimics(withoutUselessDynamics(description, findings), findings)
  const links = inertialsOfShapes(examineMeshes(description.links, meshes, findings, options), meshes)
  let repaired: RobotDescription = { ...description, links, joints }
  let bodies: Bodies | undefined
  if (!findings.list.some(({ severity }) => severity === 'error')) {
    const base = baseOf(repaired, options.base, semantic)
    if (base.by === 'mass') repaired = fixedToWorld(repaired, findings)
    const examined = examineBodies(repaired, base, meshes, density, findings)
    repaired = examineGravity(examined.description, findings)
    if (repaired === examined.description) bodies = examined.bodies
    examinePlausibility(repaired, bodies?.groups ?? groupLinks(repaired, base), meshes, findings)
  }
  const diagnostics = refuse(description, findings)
  return { description: { ...repaired, diagnostics }, findings: findings.list, bodies }
}

/** The root without mass on a fixed joint from the world. */
function fixedToWorld(description: RobotDescription, findings: Findings): RobotDescription {
  const { root, links, joints } = description
  const { inertial, place: link } = links.find(({ name }) => name === root)!
  const place = inertial?.place ?? link
  const remedy = 'state a mass, or load it with a floating base.'
  if (inertial) {
    const done = `Its base is fixed to the world, which is what Bullet means by it; ${remedy}`
    findings.repair('mass-zero-root', place, `<mass> of link ${quote(root)}`, 'the root states a mass of 0.', done)
  } else {
    const done = `Its base is fixed to the world, as MuJoCo, Pinocchio and PyBullet have it; ${remedy}`
    findings.warning('root-without-mass', place, `<link name=${quote(root)}>`, 'the root has no mass, and others have.', done)
  }
  let name = 'world_fixed'
  while (joints.some((joint) => joint.name === name)) name += '_'
  const origin = { xyz: [0, 0, 0], rpy: [0, 0, 0] } as const
  const joint: JointDescription = { name, type: 'fixed', parent: 'world', child: root, origin, ...plain, place }
  return { ...description, joints: [...joints, joint], root: 'world', worldUndeclared: true }
}

/** All findings so far. @throws RobotError if one of them is an error */
function refuse(description: RobotDescription, findings: Findings): readonly Diagnostic[] {
  const all = new Findings()
  all.take(description.diagnostics)
  all.take(findings.list)
  all.throwIfWrong()
  return all.list
}

/** Of a ball they act about each axis alike; of a free joint, along each too, where the format has it so, which is MJCF. */
function withoutUselessDynamics(
  { joints, freeBodies }: Pick<RobotDescription, 'joints' | 'freeBodies'>,
  findings: Findings,
): JointDescription[] {
  return joints.map((joint) => {
    const { name, type, damping, friction, armature, place } = joint
    if (type !== 'planar' && (type !== 'floating' || freeBodies !== undefined)) return joint
    const stated = Object.entries({ damping, friction, 'rotor inertia': armature }).filter(([, value]) => value !== 0)
    if (stated.length === 0) return joint
    findings.repair(
      'dynamics-unused',
      place,
      `<joint name=${quote(name)}>`,
      `a ${type} joint has no axle for ${stated.map(([what, value]) => `${what} ${value}`).join(', ')}.`,
      'Taken as 0.',
    )
    return { ...joint, damping: 0, friction: 0, armature: 0 }
  })
}
