import type { Model } from '../model/model.ts'

// Shared by both forms of aba and by `articulatedInertias`.

/**
 * out += the force that a floating joint within a tree transmits to its parent: no inertia of the body, IA - U D^-1 U^T = 0, and of its
 * bias force F with S^T F = tau. Computed explicitly, not by cancellation: the rounding error of a heavy body's 0 may be as large as a
 * light parent's inertia.
 *
 * @param out 6: world axes, about c
 * @param R   the body's pose R, p, in world axes
 * @param tau the joint's efforts, at tau[k..k+5]
 */
export function addFreeJointForce(
  out: Float64Array,
  R: Float64Array,
  p: Float64Array,
  c: Float64Array,
  tau: Float64Array,
  k: number,
): void {
  const x = p[0] - c[0]
  const y = p[1] - c[1]
  const z = p[2] - c[2]
  const fx = R[0] * tau[k + 3] + R[1] * tau[k + 4] + R[2] * tau[k + 5]
  const fy = R[3] * tau[k + 3] + R[4] * tau[k + 4] + R[5] * tau[k + 5]
  const fz = R[6] * tau[k + 3] + R[7] * tau[k + 4] + R[8] * tau[k + 5]
  out[0] += R[0] * tau[k] + R[1] * tau[k + 1] + R[2] * tau[k + 2] + (y * fz - z * fy)
  out[1] += R[3] * tau[k] + R[4] * tau[k + 1] + R[5] * tau[k + 2] + (z * fx - x * fz)
  out[2] += R[6] * tau[k] + R[7] * tau[k + 1] + R[8] * tau[k + 2] + (x * fy - y * fx)
  out[3] += fx
  out[4] += fy
  out[5] += fz
}

/** The error of `algorithm` for a joint whose inertia D is not positive. */
export function nothingToMove(model: Model, body: number, D: number, algorithm = 'aba'): Error {
  return new Error(
    `${algorithm}: joint "${model.jointName[body]}" of model "${model.name}" meets the inertia ${D}; expected more than 0. ` +
      'If it is 0, the bodies that it carries have no mass to resist it: give them some, or give the joint an armature; ' +
      'if it is NaN, q is not finite.',
  )
}
