import { ballInertia, centralOf, nearestInertia, scaledInertia, solidMoments } from '../compile/massProperties.ts'
import type { MeshStore } from '../compile/meshStore.ts'
import { seatedShapes } from '../compile/shapes.ts'
import type { InertialDescription, LinkDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import { leastEstimate } from './massless.ts'

/** Makes the inertial of each link physically consistent, by the rules in the table of `examine`. */
export function examineInertials(
  links: readonly LinkDescription[],
  meshes: MeshStore,
  density: number,
  findings: Findings,
): LinkDescription[] {
  return links.map((link) => {
    const { inertial } = link
    if (!inertial) return link
    const { mass, inertia, place, inertiaPlace } = inertial
    if (mass < 0) {
      const message = `mass ${mass} kg is negative.`
      findings.error('mass-negative', place, `<mass> of link ${quote(link.name)}`, message, 'State the mass in kilograms.')
      return link
    }
    if (mass > 0) return { ...link, inertial: withBodilyInertia(link, inertial, meshes, density, findings) }
    if (inertia.every((entry) => entry === 0)) return link
    findings.repair(
      'inertia-without-mass',
      inertiaPlace,
      `<inertia> of link ${quote(link.name)}`,
      'an inertia without mass; no body has this.',
      'Ignored; state the mass.',
    )
    return { ...link, inertial: { ...inertial, inertia: [0, 0, 0, 0, 0, 0] } }
  })
}

function withBodilyInertia(
  link: LinkDescription,
  inertial: InertialDescription,
  meshes: MeshStore,
  density: number,
  findings: Findings,
): InertialDescription {
  const { mass, inertiaPlace } = inertial
  const what = `<inertia> of link ${quote(link.name)}`
  const { verdict, moments, inertia } = nearestInertia(inertial.inertia)
  const [low, middle, high] = moments.map((moment) => moment.toPrecision(6))
  switch (verdict) {
    case 'valid':
      return inertial
    case 'triangle':
      findings.repair(
        'inertia-triangle',
        inertiaPlace,
        what,
        `principal moments ${low}, ${middle}, ${high} kg m^2: the two smaller add up to less than the largest; no body has this.`,
        "The nearest valid inertia is used; check the exporter's axes.",
      )
      return { ...inertial, inertia }
    case 'not-positive':
      findings.repair(
        'inertia-not-positive',
        inertiaPlace,
        what,
        `principal moments ${low}, ${middle}, ${high} kg m^2 are not all positive; no body has this.`,
        'The nearest valid inertia is used; check the signs and the digits.',
      )
      return { ...inertial, inertia }
    case 'zero':
      break
  }
  const missing = (used: string) =>
    findings.repair(
      'inertia-zero',
      inertiaPlace,
      what,
      `a mass of ${mass} kg without rotational inertia.`,
      `${used} is used; state the part's own.`,
    )
  for (const kind of ['collision', 'visual'] as const) {
    const solid = solidMoments(seatedShapes(kind === 'collision' ? link.collisions : link.visuals, meshes), density)
    if (solid.mass < leastEstimate) continue
    missing(`The inertia of its ${kind} shapes with this mass`)
    // shapes are in the link's axes, so the origin keeps its position and loses its rotation
    const origin = { xyz: inertial.origin.xyz, rpy: [0, 0, 0] } as const
    return { ...inertial, origin, inertia: scaledInertia(centralOf(solid).inertia, mass / solid.mass) }
  }
  missing(`The inertia of a ball of ${density} kg/m^3`)
  return { ...inertial, inertia: ballInertia(mass, density) }
}
