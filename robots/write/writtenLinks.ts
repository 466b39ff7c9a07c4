import { baseOf, groupLinks } from '../compile/groups.ts'
import { centralOf, momentsOfLinks, nearestInertia } from '../compile/massProperties.ts'
import { compose, inversePose, poseToOrigin } from '../compile/pose.ts'
import type { InertialDescription, LinkDescription, RobotDescription, SemanticDescription } from '../description.ts'

/** Mass and moment of a body that has none: the least that MuJoCo and sdformat take for a body [kg, kg m^2]. */
const least = { mass: 1e-12, moment: 1e-12 }

export interface WrittenLinks {
  readonly links: readonly LinkDescription[]
  /** Links whose mass stands with that of the links that they are fixed to. */
  readonly lumped: readonly string[]
  /** Links of moving bodies that got the least mass or moment. */
  readonly least: readonly string[]
}

/**
 * The links for tools that judge each of them by itself. Where a proper body has a part that no body could be, all of its mass is
 * written with its first link; a body without mass or moment gets the least.
 *
 * @param firstWeighs whether the first link of a body has to have mass, which is then that of all its links
 */
export function writtenLinks(description: RobotDescription, semantic?: SemanticDescription, firstWeighs = false): WrittenLinks {
  const changed = new Map<string, InertialDescription | undefined>()
  const lumped: string[] = []
  const slight: string[] = []
  for (const { joint, links } of groupLinks(description, baseOf(description, 'auto', semantic)).slice(1)) {
    const [{ link: first, pose: seat }] = links
    if (joint?.mocap || links.every(({ link }) => link.massless)) continue
    const improper = links.filter(({ link: { inertial } }) => {
      if (!inertial) return false
      if (inertial.mass === 0) return inertial.inertia.some((entry) => entry !== 0)
      return nearestInertia(inertial.inertia, inertial.mass).verdict !== 'valid'
    })
    const moments = momentsOfLinks(links)
    const bareFirst = firstWeighs && !((first.inertial?.mass ?? 0) > 0)
    if (improper.length === 0 && moments.mass > 0 && !bareFirst) continue
    const { centerOfMass, inertia } = centralOf(moments)
    const place = first.inertial?.place ?? first.place
    const inertiaPlace = first.inertial?.inertiaPlace ?? place
    const { verdict } = nearestInertia(inertia, moments.mass)
    const bare = verdict === 'zero' || verdict === 'slender'
    if (bare || moments.mass === 0) slight.push(first.name)
    if (links.length > 1 && improper.length > 0) lumped.push(...improper.map(({ link }) => link.name))
    for (const { link } of links) changed.set(link.name, undefined)
    const turned = { R: seat.R, p: seat.p }
    const center = { R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p: Float64Array.from(centerOfMass) }
    const floor = bare ? Math.max(least.moment, 1e-12 * moments.mass) : 0
    changed.set(first.name, {
      origin: poseToOrigin(compose(inversePose(turned), center)),
      mass: Math.max(moments.mass, least.mass),
      inertia: [inertia[0] + floor, inertia[1] + floor, inertia[2] + floor, inertia[3], inertia[4], inertia[5]],
      ...{ place, inertiaPlace },
    })
  }
  const links = description.links.map((link) => (changed.has(link.name) ? { ...link, inertial: changed.get(link.name) } : link))
  return { links, lumped, least: slight }
}
