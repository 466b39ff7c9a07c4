import type { LengthPart } from './tendons.ts'

/**
 * A condition on a length l, a function of q made of the parts of a tendon:
 *
 *   limit      lower <= l <= upper [m, rad]
 *   friction   dry friction along it, a force of at most `friction` [N, N m]
 *   coupling   l - references[0] = p(l' - references[1]), l' the length of the parts `other` and p the polynomial of the coefficients
 *              `polynomial`, constant first; without `other` l - references[0] is its constant
 */
export interface LengthConstraint {
  readonly name: string
  readonly kind: 'limit' | 'friction' | 'coupling'
  readonly parts: readonly LengthPart[]
  readonly lower?: number
  readonly upper?: number
  readonly friction?: number
  readonly other?: readonly LengthPart[]
  readonly polynomial?: readonly number[]
  readonly references?: readonly [number, number]
  /** MuJoCo's, for its own contact model. Default: the model's options. */
  readonly softness?: { readonly solref: readonly number[]; readonly solimp: readonly number[] }
}
