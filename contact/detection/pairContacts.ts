import type { ContactSet } from '../contactSet.ts'
import { type Manifold, reduceManifold } from './manifold/manifold.ts'
import type { PairMaterials } from './materials.ts'
import type { ShapePair } from './narrowphase.ts'

/** Appends the points of a manifold, reduced to its limit, as contacts of a pair. */
export function appendManifold(manifold: Manifold, pair: ShapePair, materials: PairMaterials, contacts: ContactSet): void {
  if (manifold.count > manifold.limit) reduceManifold(manifold)
  const { count } = manifold
  if (count === 0) return
  const first = addContacts(contacts, count)
  const { point, normal } = contacts
  const from = manifold.point
  const nx = manifold.normal[0]
  const ny = manifold.normal[1]
  const nz = manifold.normal[2]
  for (let k = 0; k < count; k++) {
    const c = first + k
    const i = 3 * c
    contacts.feature[c] = manifold.feature[k]
    contacts.gap[c] = manifold.gap[k]
    point[i] = from[3 * k]
    point[i + 1] = from[3 * k + 1]
    point[i + 2] = from[3 * k + 2]
    normal[i] = nx
    normal[i + 1] = ny
    normal[i + 2] = nz
  }
  writePair(contacts, first, pair.number, pair.bodyA, pair.bodyB, materials)
  writeTangents(contacts, first)
}

/** Appends `count` contacts without values. @returns the index of the first */
export function addContacts(contacts: ContactSet, count: number): number {
  const first = contacts.count
  if (first + count > contacts.capacity) contacts.reserve(Math.max(2 * contacts.capacity, first + count))
  contacts.count = first + count
  return first
}

/** Writes pair, bodies and material of the contacts from `first` on, and zero impulses. */
export function writePair(
  contacts: ContactSet,
  first: number,
  pair: number,
  bodyA: number,
  bodyB: number,
  materials: PairMaterials,
): void {
  const { count, impulse, impact, moment } = contacts
  const mu = materials.friction[pair]
  const muStatic = materials.staticFriction[pair]
  const viscous = materials.viscousFriction[pair]
  const stribeck = materials.stribeckVelocity[pair]
  const torsion = materials.torsionRadius[pair]
  const rolling = materials.rollingLength[pair]
  const restitution = materials.restitution[pair]
  const stiffness = materials.stiffness[pair]
  const damping = materials.damping[pair]
  const solvedStatic = materials.solvedStatic[pair]
  for (let c = first; c < count; c++) {
    const i = 3 * c
    contacts.bodyA[c] = bodyA
    contacts.bodyB[c] = bodyB
    contacts.pair[c] = pair
    contacts.mu[c] = mu
    contacts.muStatic[c] = muStatic
    contacts.viscous[c] = viscous
    contacts.stribeck[c] = stribeck
    contacts.torsion[c] = torsion
    contacts.rolling[c] = rolling
    contacts.restitution[c] = restitution
    contacts.stiffness[c] = stiffness
    contacts.damping[c] = damping
    contacts.solvedStatic[c] = solvedStatic
    impulse[i] = 0
    impulse[i + 1] = 0
    impulse[i + 2] = 0
    impact[i] = 0
    impact[i + 1] = 0
    impact[i + 2] = 0
    moment[i] = 0
    moment[i + 1] = 0
    moment[i + 2] = 0
  }
}

/**
 * Writes the tangents of the contacts from `first` on: the world's x axis (y if the normal is within 45 degrees of x), made orthogonal to
 * the normal, and normal x tangent1.
 */
export function writeTangents({ count, normal, tangent1, tangent2 }: ContactSet, first: number): void {
  for (let c = first; c < count; c++) {
    const i = 3 * c
    const nx = normal[i]
    const ny = normal[i + 1]
    const nz = normal[i + 2]
    if (c > first && nx === normal[i - 3] && ny === normal[i - 2] && nz === normal[i - 1]) {
      tangent1[i] = tangent1[i - 3]
      tangent1[i + 1] = tangent1[i - 2]
      tangent1[i + 2] = tangent1[i - 1]
      tangent2[i] = tangent2[i - 3]
      tangent2[i + 1] = tangent2[i - 2]
      tangent2[i + 2] = tangent2[i - 1]
      continue
    }
    const alongX = nx * nx <= 0.5
    const along = alongX ? nx : ny
    const scale = 1 / Math.sqrt(1 - along * along)
    const x = scale * ((alongX ? 1 : 0) - along * nx)
    const y = scale * ((alongX ? 0 : 1) - along * ny)
    const z = -scale * along * nz
    tangent1[i] = x
    tangent1[i + 1] = y
    tangent1[i + 2] = z
    tangent2[i] = ny * z - nz * y
    tangent2[i + 1] = nz * x - nx * z
    tangent2[i + 2] = nx * y - ny * x
  }
}
