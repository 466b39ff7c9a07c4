import type { FallMeter } from './health/fall.ts'
import type { SelfOverlapMeter } from './health/selfOverlap.ts'
import type { Creep } from './meters/stickSlip.ts'
import type { MissedTarget } from './meters/tracking.ts'

/** What a run did that a verdict must know beside its figures and laws. */
export interface RunHealth {
  /**
   * The deepest overlap of two shapes of one robot that no contact model sees (self-collision off, or that pair left out), beyond that of the
   * start; from 2 % of its size on, at least 5 mm. None of links that cannot move against each other, or that a joint joins and that touch then.
   */
  readonly selfOverlap: SelfOverlapMeter['deepest']
  /** What acted besides contacts: joints whose stop pushed, joints whose dry friction acted, closed loops. */
  readonly acted: { readonly limits: readonly string[]; readonly dryJoints: readonly string[]; readonly loops: number }
  /** The first robot that stood and has fallen for good: [s]. */
  readonly fell: FallMeter['fell']
  /** The joint whose motor stood at its effort limit for the largest part of the run, 0 to 1; null where none did. */
  readonly saturated: { readonly joint: string; readonly part: number } | null
  /** The joint (or 'base') farthest at the end from a target that stood still over the last fifth, from 0.07 rad or a twentieth of the size on. */
  readonly missedTarget: MissedTarget | null
  /** The fastest net slip over the last fifth of a contact or dry joint that must stick, its force inside its bound by 5 %; above 1 um/s or 1 urad/s. */
  readonly creep: Creep | null
  /** Solves that the model counted as indeterminate: more than one set of contact forces solves the rigid law. */
  readonly indeterminate: number
}
