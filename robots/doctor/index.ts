import type { ConvexCutter } from '../convexParts.ts'
import type { JointDescription, RobotDescription, SemanticDescription } from '../description.ts'
import { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import { type BaseOption, baseOf } from '../groups.ts'
import type { MeshStore } from '../meshStore.ts'
import type { Diagnostic } from '../robot.ts'
import { examineInertials } from './inertials.ts'
import { examineMagnitudes } from './magnitudes.ts'
import { fillMassless } from './massless.ts'
import { examineMeshes } from './meshes.ts'
import { examineMimics } from './mimics.ts'
import { examinePlausibility } from './plausibility.ts'

export { overlapsAt, reportOverlaps } from './overlaps.ts'

/** Density of what has shapes but no mass [kg/m^3]. */
export const estimateDensity = 1000

export interface DoctorOptions {
  /** Density of what has shapes but no mass [kg/m^3]. Default `estimateDensity`, that of water. */
  readonly density?: number
  /** Whether collision meshes that are a cylinder, sphere, capsule or box within 1 % of their size become one. Default: they are told. */
  readonly fit?: boolean
  /** Cuts concave collision meshes into convex parts, such as `rapierCutter` of `robots/files`. Default: they are their hulls. */
  readonly cut?: ConvexCutter
  /** As in `baseOf`; what is fixed to the world needs no mass. */
  readonly base?: BaseOption
}

export interface DoctorContext {
  readonly meshes: MeshStore
  readonly semantic?: SemanticDescription
  readonly options?: DoctorOptions
}

/** What came of an examination. */
export interface Examination {
  /** The repaired description; its `diagnostics` are those of before and the doctor's. */
  readonly description: RobotDescription
  /** The doctor's own. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Judges everything physical that a robot file says, and repairs what no mechanism can be made of. The description that
 * comes back needs no more repairs, and a file written of it none either.
 *
 * Repairs (`repaired` is set; loading strictly refuses them):
 *
 * | Code | Found | Done |
 * | --- | --- | --- |
 * | `mesh-missing`, `mesh-broken`, `mesh-format`, `mesh-remote` | a collision mesh cannot be had | the collision is left out |
 * | `mesh-elsewhere` | a collision mesh is not where the file says | the only file near the robot whose path ends like it is used |
 * | `mimic-unknown` | the joint to follow does not exist | moves freely |
 * | `mimic-cycle` | a joint follows itself, at once or by others | every joint of the circle moves freely |
 * | `mimic-type` | a joint of several coordinates follows or is followed | moves freely |
 * | `mimic-range` | multiplier or offset along the chain beyond 1e6 | moves freely |
 * | `mimic-master-fixed` | the joint at the end of the chain is fixed | fixed at the position that offsets and multipliers give at 0 |
 * | `mimic-multiplier` | the product of the multipliers is 0 | fixed at its offset |
 * | `mimic-limits-apart` | the limits of both joints leave no way to move | the follower's limits are left out |
 * | `mimic-limits` | the limits of a joint that follows leave the joint followed less than its own | the narrower range is used |
 * | `dynamics-unused` | damping, friction or rotor inertia of a joint of several coordinates | taken as 0: such a joint has no axle |
 * | `inertia-without-mass` | mass 0 and an inertia | the inertia is set to 0 |
 * | `inertia-triangle`, `inertia-not-positive` | an inertia that no body has | the nearest that one can have (`nearestInertia`) |
 * | `inertia-zero` | mass without inertia | that of the collision, else of the visual shapes with this mass, else of a ball of `density` |
 * | `mass-zero-root` | the root states a mass of 0, and nothing fixed to it has any | the base is fixed to the world |
 * | `massless-body` | a body moves and none of its links has mass | that of its collision, else of its visual shapes at `density`, each link its own share, meshes as their convex hulls, and together no more than their common hull; else, on its first link, a ball of 1/1000 of its lightest neighbour's mass and at least 1 g |
 *
 * Errors: `mass-negative`; `magnitude`, numbers with which no result would be finite.
 *
 * Told, with nothing changed; one finding a kind, however many places it is found at: `visual-mesh-missing`, `mesh-case`,
 * `mesh-scale`, `inertia-large`, `inertia-small`, `inertia-placeholder`, `mass-implausible`, `center-of-mass-outside`,
 * `restitution` (warnings); `mimic-fixed`, `velocity-implausible`, `mass-on-world` (information). Links
 * without inertial and chains of mimics are legal and not told of; a chain is resolved to the joint at its end.
 *
 * @throws RobotError with every error that is found, those and the findings of the description among its diagnostics
 */
export function examine(description: RobotDescription, { meshes, semantic, options = {} }: DoctorContext): Examination {
  const { density = estimateDensity } = options
  const findings = new Findings()
  if (!(density > 0 && density < Infinity)) throw new RangeError(`density is ${density} kg/m^3; expected a positive number`)
  examineMagnitudes(description, semantic, findings)
  refuse(description, findings)
  const joints = examineMimics(withoutUselessDynamics(description.joints, findings), findings)
  let links = examineMeshes(description.links, meshes, findings, options)
  links = examineInertials(links, meshes, density, findings)
  let repaired: RobotDescription = { ...description, links, joints }
  if (!findings.list.some(({ severity }) => severity === 'error')) {
    const base = baseOf(repaired, options.base, semantic)
    if (base.by === 'mass') repaired = fixedToWorld(repaired, findings)
    repaired = fillMassless(repaired, base, meshes, density, findings)
    examinePlausibility(repaired, base, meshes, findings)
  }
  const diagnostics = refuse(description, findings)
  return { description: { ...repaired, diagnostics }, findings: findings.list }
}

/** The root of a mass of 0 on a fixed joint from the world. */
function fixedToWorld(description: RobotDescription, findings: Findings): RobotDescription {
  const { root, links, joints } = description
  const { place } = links.find(({ name }) => name === root)!.inertial!
  const remedy =
    'Its base is fixed to the world, which is what Bullet means by it; state a mass, or load it with a floating base.'
  findings.repair('mass-zero-root', place, `<mass> of link ${quote(root)}`, 'the root states a mass of 0.', remedy)
  let name = 'world_fixed'
  while (joints.some((joint) => joint.name === name)) name += '_'
  const origin = { xyz: [0, 0, 0], rpy: [0, 0, 0] } as const
  const unlimited = { lower: -Infinity, upper: Infinity, effort: Infinity, velocity: Infinity }
  const still = { damping: 0, friction: 0, armature: 0, axis: [1, 0, 0] } as const
  const joint: JointDescription = { name, type: 'fixed', parent: 'world', child: root, origin, ...unlimited, ...still, place }
  return { ...description, joints: [...joints, joint], root: 'world', worldUndeclared: true }
}

/** All findings so far. @throws RobotError if one of them is an error */
function refuse(description: RobotDescription, findings: Findings): readonly Diagnostic[] {
  const all = new Findings()
  all.list.push(...description.diagnostics, ...findings.list)
  all.throwIfWrong()
  return all.list
}

function withoutUselessDynamics(joints: readonly JointDescription[], findings: Findings): JointDescription[] {
  return joints.map((joint) => {
    const { name, type, damping, friction, armature, place } = joint
    if (type !== 'floating' && type !== 'planar' && type !== 'spherical') return joint
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
