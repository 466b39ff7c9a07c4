import { type Base, type Group, groupLinks } from '../compile/groups.ts'
import {
  addMoments,
  ballInertia,
  centralOf,
  commonVolume,
  emptyMoments,
  type MassMoments,
  momentsOfLinks,
  nearestInertia,
  type SymmetricInertia,
  scaledInertia,
  solidMoments,
} from '../compile/massProperties.ts'
import type { MeshStore } from '../compile/meshStore.ts'
import { type Bodies, compileBodies } from '../compile/modelOf.ts'
import { compose } from '../compile/pose.ts'
import { type SeatedShape, seatedShapes } from '../compile/shapes.ts'
import type { InertialDescription, LinkDescription, RobotDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import { type Case, report } from './gather.ts'
import { bodiesWithoutInertia } from './singular.ts'

/** A body with neither mass nor a shape with a volume gets this part of the mass of its lightest neighbour. */
const neighbourFraction = 1e-3
/** ... and at least this [kg]. */
const leastMass = 1e-3
/** Shapes with less than this are thin; their volume is rounding [kg]. */
const leastEstimate = 1e-6

const shapeKinds = ['collision', 'visual'] as const

/** Fills in the inertials that are those of collision shapes (`ofShapes`), of closed meshes and not of their hulls. */
export function inertialsOfShapes(links: readonly LinkDescription[], meshes: MeshStore): LinkDescription[] {
  return links.map((link) => {
    const { inertial } = link
    if (inertial?.ofShapes === undefined) return link
    const { ofShapes, mass, ...places } = inertial
    const moments = emptyMoments()
    for (const collision of link.collisions) {
      const { geometry } = collision
      const closed = geometry.type === 'mesh' ? [{ ...collision, geometry: { ...geometry, concave: true } as const }] : []
      const [shape] = [...seatedShapes(closed, meshes), ...seatedShapes([collision], meshes)]
      if (shape) addMoments(moments, solidMoments([shape], collision.density ?? ofShapes))
    }
    const { centerOfMass, inertia } = centralOf(moments)
    const k = mass > 0 && moments.mass > 0 ? mass / moments.mass : 1
    const origin = { xyz: centerOfMass, rpy: [0, 0, 0] } as const
    return { ...link, inertial: { ...places, origin, mass: k * moments.mass, inertia: scaledInertia(inertia, k) } }
  })
}

/** Puts links that the file takes out of gravity back into it, and says what they weigh. */
export function examineGravity(description: RobotDescription, findings: Findings): RobotDescription {
  const { links, gravity = [0, 0, -9.81] } = description
  const g = Math.hypot(...gravity)
  const weights = links.flatMap(({ name, inertial, gravity: acts, place }): Case[] => {
    const weight = (inertial?.mass ?? 0) * g
    if (acts !== false || weight === 0) return []
    return [{ place, name, message: `gravity is off for it, its weight of ${Number(weight.toPrecision(4))} N acts.` }]
  })
  const message = 'gravity is off for them; their weights act.'
  const remedy = 'Gravity acts on all of a robot alike.'
  report(findings, { severity: 'repair', code: 'gravity-off', element: '<link>', message, remedy }, weights)
  return { ...description, links: links.map(({ gravity: _, ...link }) => link) }
}

/** Refuses negative masses. */
export function examineMasses(links: readonly LinkDescription[], findings: Findings): void {
  for (const { name, inertial } of links) {
    if (!inertial || inertial.mass >= 0) continue
    const message = `mass ${inertial.mass} kg is negative.`
    findings.error('mass-negative', inertial.place, `<mass> of link ${quote(name)}`, message, 'State the mass in kilograms.')
  }
}

/**
 * Changes mass and inertia of a body only where no body has them or the joint-space inertia M would be singular by them. A body
 * is all links that fixed joints connect: a point mass or an impossible part of a proper body stays as stated.
 *
 * @returns `bodies` of a description in which nothing was changed
 */
export function examineBodies(
  description: RobotDescription,
  base: Base,
  meshes: MeshStore,
  density: number,
  findings: Findings,
): { readonly description: RobotDescription; readonly bodies?: Bodies } {
  return new BodyExamination(description, base, meshes, density, findings).run()
}

class BodyExamination {
  private readonly groups: readonly Group[]
  /** Without those that are placed from outside, which no inertia moves. */
  private readonly moving: readonly Group[]
  private readonly changed = new Map<string, InertialDescription>()
  /** Moments of bodies since the last change. */
  private readonly known = new Map<Group, MassMoments>()
  /** Of the description, as long as nothing is changed. */
  private bodies: Bodies | undefined
  private readonly description: RobotDescription
  private readonly base: Base
  private readonly meshes: MeshStore
  private readonly density: number
  private readonly findings: Findings

  constructor(description: RobotDescription, base: Base, meshes: MeshStore, density: number, findings: Findings) {
    this.groups = groupLinks(description, base)
    this.moving = this.groups.slice(1).filter(({ joint }) => !joint?.mocap)
    this.description = description
    this.base = base
    this.meshes = meshes
    this.density = density
    this.findings = findings
  }

  run(): ReturnType<typeof examineBodies> {
    const { description, groups, findings } = this
    const improperParts: Case[] = []
    for (const group of this.moving) {
      this.dropInertiaWithoutMass(group)
      improperParts.push(...this.mendImpossible(group))
    }
    report(
      findings,
      {
        severity: 'info',
        code: 'inertia-of-part',
        element: '<inertia> of link',
        message: 'no body has such moments, but those that they are fixed to make proper bodies of them.',
        remedy: 'Used as it is, as by Pinocchio; Drake puts in another.',
      },
      improperParts,
    )
    // inertias of masses first: with them a body before them may need no mass
    const lacking = this.lacking()
    for (const body of lacking) for (const { link } of groups[body].links) this.fillInertia(link)
    if (lacking.length > 0) this.fillMass(this.lacking())
    for (const group of this.moving) this.tellPointMass(group)
    if (this.changed.size === 0) return { description, bodies: this.bodies }
    const links = description.links.map((link) => ({ ...link, inertial: this.changed.get(link.name) ?? link.inertial }))
    return { description: { ...description, links } }
  }

  /** Numbers of the bodies about whose joints nothing resists, and of the followers of these joints. */
  private lacking(): number[] {
    const { groups } = this
    const moments = groups.map((group) => this.momentsOf(group))
    const bodies = compileBodies(this.description, this.base, groups, moments)
    const found = bodiesWithoutInertia(bodies.model, bodies.data)
    if (this.changed.size === 0) this.bodies = bodies
    const driven = new Set([...found].map((body) => groups[body].joint?.name))
    groups.forEach(({ joint }, body) => {
      if (joint?.mimic && driven.has(joint.mimic.joint)) found.add(body)
    })
    return [...found].sort((a, b) => a - b)
  }

  private inertialOf(link: LinkDescription): InertialDescription | undefined {
    return this.changed.get(link.name) ?? link.inertial
  }

  private change(link: string, inertial: InertialDescription): void {
    this.changed.set(link, inertial)
    this.known.clear()
    this.bodies = undefined
  }

  private momentsOf(group: Group): MassMoments {
    const known = this.known.get(group)
    if (known) return known
    const links = group.links.map((one) =>
      this.changed.has(one.link.name) ? { ...one, link: { ...one.link, inertial: this.inertialOf(one.link) } } : one,
    )
    const moments = momentsOfLinks(links)
    this.known.set(group, moments)
    return moments
  }

  /** Products of a mass of 0; beside links with mass they add to the inertia of the body. */
  private dropInertiaWithoutMass(group: Group): void {
    if (this.momentsOf(group).mass > 0) return
    for (const { link } of group.links) {
      const { inertial } = link
      if (!inertial || inertial.inertia.every((entry) => entry === 0)) continue
      this.change(link.name, { ...inertial, inertia: [0, 0, 0, 0, 0, 0] })
      this.findings.repair(
        'inertia-without-mass',
        inertial.inertiaPlace,
        `<inertia> of link ${quote(link.name)}`,
        'an inertia without mass; no body has this.',
        'Ignored; state the mass.',
      )
    }
  }

  /** Links with impossible inertias in a body that is possible; where it is not, the nearest possible ones are put in. */
  private mendImpossible(group: Group): Case[] {
    const stated = this.momentsOf(group)
    const before = nearestInertia(centralOf(stated).inertia, stated.mass)
    const improper = group.links.flatMap(({ link }) => {
      const { inertial } = link
      if (!inertial || !(inertial.mass > 0)) return []
      const judged = nearestInertia(inertial.inertia, inertial.mass)
      return isImpossible(judged.verdict) ? [{ link, inertial, judged }] : []
    })
    if (!isImpossible(before.verdict)) {
      if (group.links.length === 1) return []
      return improper.map(({ link, inertial, judged }) => ({
        place: inertial.inertiaPlace,
        name: link.name,
        message: `principal moments ${shownMoments(judged.moments)}: no body has them, but with the links fixed to it it is a proper one.`,
      }))
    }
    for (const { link, inertial, judged } of improper) {
      const inertia = judged.inertia === inertial.inertia ? this.shapeInertia(link, inertial).inertial.inertia : judged.inertia
      this.change(link.name, { ...inertial, inertia })
    }
    const after = nearestInertia(centralOf(this.momentsOf(group)).inertia)
    for (const { link, inertial, judged } of improper) {
      const used = shownMoments(after.moments)
      const triangle = judged.verdict === 'triangle'
      const fault = triangle
        ? ': the two smaller add up to less than the largest; no body has this.'
        : ' are not all positive; no body has this.'
      const body = improper.length > 1 || group.links.length > 1 ? ` Its body has ${shownMoments(before.moments)}.` : ''
      this.findings.repair(
        triangle ? 'inertia-triangle' : 'inertia-not-positive',
        inertial.inertiaPlace,
        `<inertia> of link ${quote(link.name)}`,
        `principal moments ${shownMoments(judged.moments)}${fault}${body}`,
        `The nearest valid inertia is used, ${used}; Pinocchio keeps the stated one, Drake puts in another, MuJoCo refuses it.`,
      )
    }
    return []
  }

  /** Mass of their shapes for bodies that have none, else a little of their neighbours'. */
  private fillMass(lacking: readonly number[]): void {
    const { groups, density } = this
    const masses = groups.map((group) => this.momentsOf(group).mass)
    const bare: number[] = []
    for (const body of lacking) {
      const group = groups[body]
      if (masses[body] > 0 || group.links.every(({ link }) => link.massless)) continue
      const estimate = this.estimateFrom('collision', group) ?? this.estimateFrom('visual', group)
      if (!estimate) {
        bare.push(body)
        continue
      }
      masses[body] = estimate.mass
      for (const [name, inertial] of estimate.inertials) this.change(name, inertial)
      this.tellMass(group, `${Number(estimate.mass.toPrecision(4))} kg is used, its ${estimate.kind} shapes at ${density} kg/m^3`)
    }
    const known = masses.slice()
    for (const body of bare) {
      const lightest = Math.min(...neighboursOf(body, groups).map((neighbour) => known[neighbour] || Infinity))
      const mass = lightest === Infinity ? leastMass : Math.max(leastMass, neighbourFraction * lightest)
      const [{ link }] = groups[body].links
      this.change(link.name, inertialFor(link, mass, [0, 0, 0], ballInertia(mass, density)))
      this.tellMass(groups[body], `${Number(mass.toPrecision(4))} kg in a ball of ${density} kg/m^3 is used`)
    }
  }

  /** The inertia of a link with mass that has none, or none about one axis. */
  private fillInertia(link: LinkDescription): void {
    const inertial = this.inertialOf(link)
    if (!inertial || !(inertial.mass > 0)) return
    const { verdict, moments, inertia } = nearestInertia(inertial.inertia, inertial.mass)
    const what = `<inertia> of link ${quote(link.name)}`
    if (verdict === 'slender') {
      this.change(link.name, { ...inertial, inertia })
      const message = `principal moments ${shownMoments(moments)}: nothing resists about the axis of its joint.`
      const remedy = 'The nearest inertia that does is used; check the digits.'
      this.findings.repair('inertia-not-positive', inertial.inertiaPlace, what, message, remedy)
    }
    if (verdict !== 'zero') return
    const { inertial: used, of } = this.shapeInertia(link, inertial)
    this.change(link.name, used)
    this.findings.repair(
      'inertia-zero',
      inertial.inertiaPlace,
      what,
      `a mass of ${inertial.mass} kg without rotational inertia, with which the mass matrix is singular.`,
      `The inertia of ${of} is used, ${shownMoments(nearestInertia(used.inertia).moments)}; state the part's own.`,
    )
  }

  /** By its shapes with the stated mass, else of a ball of the density. */
  private shapeInertia(link: LinkDescription, inertial: InertialDescription): { inertial: InertialDescription; of: string } {
    const { mass } = inertial
    for (const kind of shapeKinds) {
      const solid = solidMoments(seatedShapes(shapesOf(link, kind), this.meshes), this.density)
      if (solid.mass < leastEstimate) continue
      // shapes are in the link's axes, so the origin keeps its position and loses its rotation
      const origin = { xyz: inertial.origin.xyz, rpy: [0, 0, 0] } as const
      const inertia = scaledInertia(centralOf(solid).inertia, mass / solid.mass)
      return { inertial: { ...inertial, origin, inertia }, of: `its ${kind} shapes with this mass` }
    }
    const inertia = ballInertia(mass, this.density)
    return { inertial: { ...inertial, inertia }, of: `a ball of ${this.density} kg/m^3` }
  }

  /** A body of one link with mass and no rotational inertia, used as it is. */
  private tellPointMass({ links }: Group): void {
    const heavy = links.filter(({ link }) => (this.inertialOf(link)?.mass ?? 0) > 0)
    if (heavy.length !== 1) return
    const [{ link }] = heavy
    const inertial = this.inertialOf(link)!
    if (nearestInertia(inertial.inertia, inertial.mass).verdict !== 'zero') return
    this.findings.warning(
      'inertia-zero',
      inertial.inertiaPlace,
      `<inertia> of link ${quote(link.name)}`,
      `a mass of ${inertial.mass} kg without rotational inertia.`,
      "Used as a point mass; MuJoCo refuses it. State the part's own.",
    )
  }

  /**
   * Masses of the links of a group if their shapes were solid. Where shapes overlap, as a part and the capsule around it do,
   * their sum is limited to the mass of their common convex hull.
   */
  private estimateFrom(kind: (typeof shapeKinds)[number], { links }: Group) {
    const { density } = this
    const shares: { link: LinkDescription; moments: MassMoments }[] = []
    const onBody: SeatedShape[] = []
    let sum = 0
    for (const { link, pose } of links) {
      const shapes = seatedShapes(shapesOf(link, kind), this.meshes)
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
      inertials.set(link.name, inertialFor(link, k * moments.mass, centerOfMass, scaledInertia(inertia, k)))
    }
    return { kind, mass: k * sum, inertials }
  }

  private tellMass({ links }: Group, used: string): void {
    const [{ link }] = links
    const others = links.length === 2 ? 'the link' : `the ${links.length - 1} links`
    const message =
      links.length === 1
        ? 'it moves but has no mass.'
        : `it moves but neither it nor ${others} fixed to it ${links.length === 2 ? 'has' : 'have'} mass.`
    const remedy = `${used}; add an <inertial>. Pinocchio leaves it without, so that the mass matrix is singular.`
    this.findings.repair('massless-body', link.place, `<link name=${quote(link.name)}>`, message, remedy)
  }
}

const isImpossible = (verdict: ReturnType<typeof nearestInertia>['verdict']) =>
  verdict === 'triangle' || verdict === 'not-positive'

const shapesOf = (link: LinkDescription, kind: (typeof shapeKinds)[number]) =>
  kind === 'collision' ? link.collisions : link.visuals

const shownMoments = (moments: readonly number[]) => `${moments.map((moment) => Number(moment.toPrecision(6))).join(', ')} kg m^2`

function inertialFor(
  { inertial, place }: LinkDescription,
  mass: number,
  xyz: InertialDescription['origin']['xyz'],
  inertia: SymmetricInertia,
): InertialDescription {
  const origin = { xyz, rpy: [0, 0, 0] } as const
  return { origin, mass, inertia, place: inertial?.place ?? place, inertiaPlace: inertial?.inertiaPlace ?? place }
}

/** The body that carries a body, unless that is the world, and those that it carries. */
function neighboursOf(body: number, groups: readonly Group[]): number[] {
  const children = groups.flatMap(({ parent }, child) => (parent === body ? [child] : []))
  return groups[body].parent > 0 ? [groups[body].parent, ...children] : children
}
