/** Overlays of contacts. */

import { planarHull } from '../../contact/geometry/index.ts'
import { contactStride, type Snapshot } from '../runs/protocol.ts'
import { newtons } from './contactForces.ts'
import { isWithin } from './parts.ts'
import { across, along, around, green, type Pen, red, type Sight, violet } from './pen.ts'

/** Numbers of contacts, by the place where each begins in `Snapshot.contacts`. */
function* places({ contacts }: Snapshot): Iterable<readonly [contact: number, k: number]> {
  for (let k = 0; k < contacts.length; k += contactStride) yield [k / contactStride, k]
}

/** Of each robot the hull of the points at which others and the surroundings push it up, and in it the centre of pressure. */
export function support(pen: Pen, { snapshot, parts, size }: Sight): void {
  const { contacts, contactBodies } = snapshot
  for (const part of parts) {
    const points: number[][] = []
    const pressure = [0, 0, 0]
    let load = 0
    for (const [c, k] of places(snapshot)) {
      const isSecond = isWithin(contactBodies[2 * c + 1], part)
      if (isWithin(contactBodies[2 * c], part) === isSecond) continue
      const up = isSecond ? contacts[k + 8] : -contacts[k + 8] // the force is that on the second
      if (!(up > 0)) continue
      const p = [contacts[k], contacts[k + 1], contacts[k + 2]]
      points.push(p)
      load += up
      for (let i = 0; i < 3; i++) pressure[i] += up * p[i]
    }
    if (load === 0) continue
    const hull = planarHull(points)
    hull.forEach((p, i) => {
      pen.line(p, hull[(i + 1) % hull.length], green)
    })
    const middle = pressure.map((x) => x / load)
    pen.cross(middle, 0.06 * size, green)
  }
}

/** Of a force at its cone's edge, over the cone's bound: less than 1 by single precision and solvers [1]. */
const SLIDING = 0.995

/**
 * At each contact that pushes the cone of the forces that Coulomb's law allows there, as high as the normal force: the arrow of the force ends
 * within the rim where it sticks, and on it, drawn red, where it slides. None where the coefficient is not known.
 */
export function frictionCones(pen: Pen, { snapshot, metresPerNewton }: Sight): void {
  const { contacts, mu } = snapshot
  for (const [c, k] of places(snapshot)) {
    const [p, n, f] = [contacts.subarray(k, k + 3), contacts.subarray(k + 3, k + 6), contacts.subarray(k + 6, k + 9)]
    const normal = f[0] * n[0] + f[1] * n[1] + f[2] * n[2]
    if (!(normal > 0) || Number.isNaN(mu[c])) continue
    const sideways = Math.hypot(f[0] - normal * n[0], f[1] - normal * n[1], f[2] - normal * n[2])
    const color = sideways >= SLIDING * mu[c] * normal ? red : violet
    const rim = along(p, n, normal * metresPerNewton)
    const radius = mu[c] * normal * metresPerNewton
    const [u, v] = across(n)
    pen.arc(rim, u, v, radius, 0, 2 * Math.PI, 16, color)
    for (let i = 0; i < 4; i++) pen.line(p, around(rim, u, v, radius, (i * Math.PI) / 2), color)
  }
}

/** Magnitude of the force of each pair of bodies, at its end. */
export function forceNotes(pen: Pen, { snapshot, metresPerNewton }: Sight): void {
  const { contacts, contactBodies } = snapshot
  const pairs = new Map<string, { readonly at: number[]; readonly force: number[]; weight: number }>()
  for (const [c, k] of places(snapshot)) {
    const strength = Math.hypot(contacts[k + 6], contacts[k + 7], contacts[k + 8])
    if (strength === 0) continue
    const name = `${contactBodies[2 * c]} ${contactBodies[2 * c + 1]}`
    const pair = pairs.get(name) ?? { at: [0, 0, 0], force: [0, 0, 0], weight: 0 }
    pairs.set(name, pair)
    pair.weight += strength
    for (let i = 0; i < 3; i++) {
      pair.at[i] += strength * contacts[k + i]
      pair.force[i] += contacts[k + 6 + i]
    }
  }
  for (const { at, force, weight } of pairs.values()) {
    // arrows of the pair's contacts are shorter than the sum: beside the longest is near enough
    const middle = at.map((x) => x / weight)
    pen.note(along(middle, force, metresPerNewton), newtons(Math.hypot(...force)))
  }
}
