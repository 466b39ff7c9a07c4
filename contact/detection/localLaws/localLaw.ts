import { type Data, pointVelocity } from '../../../dynamics/index.ts'
import type { ContactSet } from '../../contactSet.ts'

/**
 * A law of single contacts: friction and restitution by what is known of a contact where it is detected, in place of one number of the pair.
 * Candidates for what Coulomb's and Newton's laws miss; `fit` says whether one pays. Models of every kind read its values.
 */
export interface LocalLaw {
  /** Changes `mu`, `muStatic` and `restitution` of all contacts. Reads data.V and the poses. */
  write(data: Data, contacts: ContactSet): void
}

/** Multiplies the friction of contact i, static friction with it. @unchecked */
export function scaleFriction({ mu, muStatic }: ContactSet, i: number, factors: Float64Array, k: number): void {
  mu[i] *= factors[k]
  muStatic[i] *= factors[k]
}

const ofA = new Float64Array(3)
const ofB = new Float64Array(3)
const place = new Float64Array(3)

/** out, 2: speed of approach along the normal, positive when closing, and speed of slip [m/s], of contact i. @unchecked */
export function speedsOf(data: Data, contacts: ContactSet, i: number, out: Float64Array): void {
  const { bodyA, bodyB, point, normal } = contacts
  for (let k = 0; k < 3; k++) place[k] = point[3 * i + k]
  pointVelocity(data, bodyA[i], place, ofA)
  pointVelocity(data, bodyB[i], place, ofB)
  let along = 0
  let square = 0
  for (let k = 0; k < 3; k++) {
    const u = ofB[k] - ofA[k]
    along += u * normal[3 * i + k]
    square += u * u
  }
  const across = square - along * along
  out[0] = -along
  out[1] = across > 0 ? Math.sqrt(across) : 0
}
