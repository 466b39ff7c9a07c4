import type { Group } from '../compile/groups.ts'
import { momentsOfLinks } from '../compile/massProperties.ts'
import type { MeshStore } from '../compile/meshStore.ts'
import { poseOfOrigin, rotationOfRpy } from '../compile/pose.ts'
import { seatedShapes } from '../compile/shapes.ts'
import type { JointDescription, LinkDescription, RobotDescription, Triple } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { boundsOf } from './bounds.ts'
import { type Case, kindsOf, report } from './gather.ts'

/** Placeholders left by exporters: 1, 0.1, 0.01, ... on the diagonal and zeros beside it. */
const placeholderMoments: ReadonlySet<number> = new Set([1, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
/** Radii of gyration of parts of robots [m]; the smaller bound holds for masses above a gram. */
const largestGyration = 3
const smallestGyration = 1e-3
const weighable = 1e-3
/** Masses of parts of robots [kg]. */
const largestMass = 1e4
const smallestMass = 1e-6
/** Fastest and slowest plausible joint speeds [rad/s, m/s]. */
const fastest = 1000
const slowest = 1e-4

/** Reports values that are possible but unlikely. Nothing is changed. */
export function examinePlausibility(
  { links, joints }: RobotDescription,
  groups: readonly Group[],
  meshes: MeshStore,
  findings: Findings,
): void {
  for (const [code, judge] of Object.entries(inertialJudges)) {
    const cases = links.flatMap((link): Case[] => {
      const { mass = 0, inertia = [] } = link.inertial ?? {}
      const message = mass > 0 && inertia.some((entry) => entry !== 0) ? judge(mass, inertia) : undefined
      return message === undefined ? [] : [{ place: link.inertial!.inertiaPlace, name: link.name, message }]
    })
    report(findings, kindOf(code), cases)
  }
  report(
    findings,
    kindOf('center-of-mass-outside'),
    links.flatMap((link) => centerOutside(link, meshes)),
  )
  report(findings, kindOf('velocity-implausible'), joints.flatMap(implausibleVelocity))
  report(findings, kindOf('restitution'), links.flatMap(tooElastic))
  const linkOf = new Map(links.map((link) => [link.name, link]))
  report(
    findings,
    kindOf('wheel-tilted'),
    joints.flatMap((joint) => tiltedWheel(joint, linkOf.get(joint.child))),
  )
  massOnTheWorld(groups, findings)
}

type Judge = (mass: number, inertia: readonly number[]) => string | undefined

const gyrationOf: (mass: number, inertia: readonly number[]) => number = (mass, [xx, yy, zz]) =>
  Math.sqrt(Math.max(xx, yy, zz) / mass)

const kindOf = kindsOf(`
warning inertia-large | <inertia> of link | radii of gyration above ${largestGyration} m. | Used as it is; check the units (kg m^2) and the exporter.
warning inertia-small | <inertia> of link | radii of gyration below 1 mm for more than a gram: denser than any metal. | Used as it is; check the units (kg m^2), and put in the inertia of the real part.
warning inertia-placeholder | <inertia> of link | one round number on the diagonal and 0 beside it looks like a placeholder. | Used as it is; put in the inertia of the real part.
warning mass-implausible | <mass> of link | masses above ${largestMass} kg or below ${smallestMass} kg. | Used as it is; masses are kilograms.
warning center-of-mass-outside | <inertial> of link | centres of mass far outside the collision shapes of the link. | Used as it is; check the <origin> of the <inertial>, which is in metres from the link.
info velocity-implausible | <limit> of joint | velocity limits above ${fastest} or below ${slowest} rad/s or m/s. | Velocity limits are reported, not enforced; they are rad/s and m/s.
warning restitution | <link> | restitution is above 1. | Taken as 1; more would add energy.
warning wheel-tilted | <joint> | their wheels are nearly but not quite in line: right angles written to few digits. | Used as it is; a rigid wheel stands on one edge by it, where a soft one carries on its whole width. Write all digits of pi/2, 1.5707963267948966.
info mass-on-world | <inertial> of link | their masses are fixed to the world. | They count in the mass of the robot and load no joint.
`)

/** Messages on implausible inertias, by their codes. */
const inertialJudges: Readonly<Record<string, Judge>> = {
  'inertia-large': (mass, inertia) => {
    const gyration = gyrationOf(mass, inertia)
    return gyration > largestGyration ? `a radius of gyration of ${gyration.toPrecision(3)} m for ${mass} kg.` : undefined
  },
  'inertia-small': (mass, inertia) => {
    const gyration = gyrationOf(mass, inertia)
    if (mass <= weighable || gyration >= smallestGyration) return undefined
    return `a radius of gyration of ${(1000 * gyration).toPrecision(3)} mm for ${mass} kg: denser than any metal.`
  },
  'inertia-placeholder': (mass, inertia) => {
    const [xx, yy, zz, xy, xz, yz] = inertia
    if (gyrationOf(mass, inertia) > largestGyration) return undefined // reported already
    const round = xx === yy && yy === zz && xy === 0 && xz === 0 && yz === 0 && placeholderMoments.has(xx)
    return round ? `${xx} on the diagonal and 0 beside it looks like a placeholder.` : undefined
  },
  'mass-implausible': (mass) =>
    mass > largestMass || mass < smallestMass ? `${Number(mass.toPrecision(4))} kg for one part of a robot.` : undefined,
}

/** A centre of mass that is farther from the box around the link's shapes than this box is long, and than 10 cm. */
function centerOutside({ name, inertial, collisions }: LinkDescription, meshes: MeshStore): Case[] {
  if (!inertial || inertial.mass === 0) return []
  const shapes = seatedShapes(collisions, meshes)
  if (shapes.length === 0) return []
  const { low, high } = boundsOf(shapes)
  const center: Triple = inertial.origin.xyz
  const beyond = center.map((x, k) => Math.max(low[k] - x, x - high[k], 0))
  const distance = Math.hypot(...beyond)
  const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2])
  if (distance <= Math.max(size, 0.1)) return []
  const message = `the centre of mass lies ${distance.toPrecision(3)} m outside the collision shapes, which measure ${size.toPrecision(3)} m.`
  return [{ place: inertial.place, name, message }]
}

function implausibleVelocity({ name, velocity, place }: JointDescription): Case[] {
  const plausible = velocity === Infinity || (velocity <= fastest && velocity >= slowest)
  return plausible ? [] : [{ place, name, message: `a velocity limit of ${velocity}.` }]
}

function tooElastic({ name, restitution = 0, place }: LinkDescription): Case[] {
  return restitution > 1 ? [{ place, name, message: `restitution ${restitution} is above 1.` }] : []
}

/** Unintended tilts of a cylinder [rad]: from above rounding to the error of a right angle written as 1.57. */
const leastTilt = 1e-9
const mostTilt = 2e-3

/** A cylinder on a continuous joint about an axis that is nearly one of its parent's, or nearly its own. */
function tiltedWheel({ name, type, axis, origin, place }: JointDescription, wheel: LinkDescription | undefined): Case[] {
  const cylinders = wheel?.collisions.filter(({ geometry }) => geometry.type === 'cylinder') ?? []
  if (type !== 'continuous' || cylinders.length === 0) return []
  const R = rotationOfRpy(origin.rpy)
  const inParent = [0, 3, 6].map((row) => R[row] * axis[0] + R[row + 1] * axis[1] + R[row + 2] * axis[2])
  const tilts = [0, 1, 2].map((k) => Math.hypot(inParent[(k + 1) % 3], inParent[(k + 2) % 3]))
  for (const cylinder of cylinders) {
    const { R: turned } = poseOfOrigin(cylinder.origin)
    const [x, y, z] = [turned[2], turned[5], turned[8]]
    tilts.push(Math.hypot(y * axis[2] - z * axis[1], z * axis[0] - x * axis[2], x * axis[1] - y * axis[0]))
  }
  const tilt = Math.max(0, ...tilts.filter((angle) => angle > leastTilt && angle < mostTilt))
  const shown = tilt < 1e-5 ? `${(tilt * 1e6).toPrecision(2)} urad` : `${(tilt * 1e3).toPrecision(2)} mrad`
  return tilt === 0 ? [] : [{ place, name, message: `its wheel is ${shown} out of line: a right angle written to few digits.` }]
}

function massOnTheWorld([{ links }]: readonly Group[], findings: Findings): void {
  const { mass } = momentsOfLinks(links)
  if (mass === 0) return
  const heavy = links.flatMap(({ link }): Case[] => {
    if (!link.inertial || link.inertial.mass === 0) return []
    return [{ place: link.inertial.place, name: link.name, message: `its ${link.inertial.mass} kg are fixed to the world.` }]
  })
  const message = `their ${Number(mass.toPrecision(6))} kg are fixed to the world.`
  report(findings, { ...kindOf('mass-on-world'), message }, heavy)
}
