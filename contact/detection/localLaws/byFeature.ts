import type { Data } from '../../../dynamics/index.ts'
import type { ContactSet } from '../../contactSet.ts'
import { type LocalLaw, scaleFriction } from './localLaw.ts'

/** Factors of friction and restitution where two bodies touch at one point, at two, and at more. */
export interface FeatureFactors {
  readonly cornerFriction: number
  readonly cornerRestitution: number
  readonly edgeFriction: number
  readonly edgeRestitution: number
  readonly faceFriction: number
  readonly faceRestitution: number
}

/** Points up to this gap count as touching [m]: at a step of 1 ms and 0.5 m/s. */
const TOUCHING = 5e-4

/** A corner, an edge or a face, by the number of points at which two bodies touch: each with friction and restitution of its own. @unchecked */
export class ByFeature implements LocalLaw {
  private readonly friction: Float64Array
  private readonly restitution: Float64Array

  constructor(of: FeatureFactors) {
    this.friction = Float64Array.of(of.cornerFriction, of.edgeFriction, of.faceFriction)
    this.restitution = Float64Array.of(of.cornerRestitution, of.edgeRestitution, of.faceRestitution)
  }

  write(_: Data, contacts: ContactSet): void {
    const { count, bodyA, bodyB, gap, restitution } = contacts
    for (let i = 0; i < count; i++) {
      let touching = 0
      for (let j = 0; j < count; j++) if (bodyA[j] === bodyA[i] && bodyB[j] === bodyB[i] && gap[j] <= TOUCHING) touching++
      const kind = touching < 2 ? 0 : touching === 2 ? 1 : 2
      scaleFriction(contacts, i, this.friction, kind)
      restitution[i] = Math.min(1, restitution[i] * this.restitution[kind])
    }
  }
}
