import { type Base, type Group, groupLinks } from '../compile/groups.ts'
import {
  ballInertia,
  centralOf,
  commonVolume,
  type MassMoments,
  momentsOfLinks,
  scaledInertia,
  solidMoments,
} from '../compile/massProperties.ts'
import type { MeshStore } from '../compile/meshStore.ts'
import { compose } from '../compile/pose.ts'
import { type SeatedShape, seatedShapes } from '../compile/shapes.ts'
import type { InertialDescription, LinkDescription, RobotDescription, ShapeDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'

/** A body with neither mass nor a shape with a volume gets this part of the mass of its lightest neighbour. */
const neighbourFraction = 1e-3
/** ... and at least this [kg]. */
const leastMass = 1e-3
/** Shapes with less than this are thin; their volume is rounding [kg]. */
export const leastEstimate = 1e-6

/** Gives mass to every body that moves and has none, by the rule in the table of `examine`. */
export function fillMassless(
  description: RobotDescription,
  base: Base,
  meshes: MeshStore,
  density: number,
  findings: Findings,
): RobotDescription {
  const groups = groupLinks(description, base)
  const masses = groups.map(({ links }) => momentsOfLinks(links).mass)
  const inertials = new Map<string, InertialDescription>()
  const bare: number[] = []
  for (let body = 1; body < groups.length; body++) {
    if (masses[body] > 0 || groups[body].links.every(({ link }) => link.massless)) continue
    const group = groups[body]
    const estimate = estimateFrom('collision', group, meshes, density) ?? estimateFrom('visual', group, meshes, density)
    if (!estimate) {
      bare.push(body)
      continue
    }
    masses[body] = estimate.mass
    for (const [name, inertial] of estimate.inertials) inertials.set(name, inertial)
    tell(findings, group, `${Number(estimate.mass.toPrecision(4))} kg is used, its ${estimate.kind} shapes at ${density} kg/m^3`)
  }
  const known = masses.slice()
  for (const body of bare) {
    const lightest = Math.min(...neighboursOf(body, groups).map((neighbour) => known[neighbour] || Infinity))
    const mass = lightest === Infinity ? leastMass : Math.max(leastMass, neighbourFraction * lightest)
    const [{ link }] = groups[body].links
    inertials.set(link.name, inertialOf(link, mass, [0, 0, 0], ballInertia(mass, density)))
    tell(findings, groups[body], `${Number(mass.toPrecision(4))} kg in a ball of ${density} kg/m^3 is used`)
  }
  if (inertials.size === 0) return description
  const links = description.links.map((link) => {
    const inertial = inertials.get(link.name)
    return inertial ? { ...link, inertial } : link
  })
  return { ...description, links }
}

function inertialOf(
  { inertial, place }: LinkDescription,
  mass: number,
  xyz: InertialDescription['origin']['xyz'],
  inertia: InertialDescription['inertia'],
): InertialDescription {
  const origin = { xyz, rpy: [0, 0, 0] } as const
  return { origin, mass, inertia, place: inertial?.place ?? place, inertiaPlace: inertial?.inertiaPlace ?? place }
}

/**
 * Masses of the links of a group if their shapes were solid. Where shapes overlap, as a part and the capsule around it do,
 * their sum is limited to the mass of their common convex hull.
 */
function estimateFrom(kind: 'collision' | 'visual', { links }: Group, meshes: MeshStore, density: number) {
  const shares: { link: LinkDescription; moments: MassMoments }[] = []
  const onBody: SeatedShape[] = []
  let sum = 0
  for (const { link, pose } of links) {
    const descriptions: readonly ShapeDescription[] = kind === 'collision' ? link.collisions : link.visuals
    const shapes = seatedShapes(descriptions, meshes)
    const moments = solidMoments(shapes, density)
    if (moments.mass < leastEstimate) continue
    shares.push({ link, moments })
    sum += moments.mass
    for (const shape of shapes) onBody.push({ shape: shape.shape, ...compose(pose, shape) })
  }
  if (sum === 0) return undefined
  const common = onBody.length > 1 ? density * commonVolume(onBody) : sum
  const k = common > 0 && common < (1 - 1e-9) * sum ? common / sum : 1
  const inertials = new Map<string, InertialDescription>()
  for (const { link, moments } of shares) {
    const { centerOfMass, inertia } = centralOf(moments)
    inertials.set(link.name, inertialOf(link, k * moments.mass, centerOfMass, scaledInertia(inertia, k)))
  }
  return { kind, mass: k * sum, inertials }
}

/** The body that carries a body, unless that is the world, and those that it carries. */
function neighboursOf(body: number, groups: readonly Group[]): number[] {
  const children = groups.flatMap(({ parent }, child) => (parent === body ? [child] : []))
  return groups[body].parent > 0 ? [groups[body].parent, ...children] : children
}

function tell(findings: Findings, { links }: Group, used: string): void {
  const [{ link }] = links
  const message =
    links.length === 1
      ? 'it moves but has no mass.'
      : `it moves but neither it nor ${links.length === 2 ? 'the link' : `the ${links.length - 1} links`} fixed to it ${links.length === 2 ? 'has' : 'have'} mass.`
  findings.repair('massless-body', link.place, `<link name=${quote(link.name)}>`, message, `${used}; add an <inertial>.`)
}
