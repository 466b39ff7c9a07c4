import { fileURLToPath } from 'node:url'
import { bodyFrames, JointType } from '../../../dynamics/index.ts'
import { loadRobotFile } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import type { WorldLoop } from '../../../simulation/index.ts'
import { body, slide, solid } from '../../dynamics/bodies.ts'
import { robotOf } from '../../simulation/robots.ts'

/*
 * Linkages whose motion is known in closed form.
 */

export const fourbarFile = fileURLToPath(new URL('../../../docs/examples/fourbar.urdf', import.meta.url))

/** The four-bar of the examples without what is lost in its joints. */
export function fourbar({ gravity = 9.81, damping = 0, file = fourbarFile } = {}): Robot {
  const robot = loadRobotFile(file)
  const { model } = robot
  return {
    ...robot,
    model: { ...model, gravity: Float64Array.of(0, 0, 0, 0, 0, -gravity), damping: model.damping.map(() => damping) },
  }
}

/** Crank, coupler and rocker, and the distance of the pivots [m]. */
const [a, b, c, d] = [0.1, 0.26, 0.2, 0.24]

/** The coupler's pin from the crank's tip with every joint at zero [m]. */
const pin = [0.24, 0.1]

/** What closes it: the pin of the coupler at the rocker's tip. */
export function closing(kind: 'point' | 'hinge'): WorldLoop {
  const axis = kind === 'hinge' ? { axis: [0, 1, 0] } : {}
  return { kind, a: { link: 'coupler', point: [pin[0], 0, pin[1]], ...axis }, b: { link: 'tip', ...axis } }
}

/**
 * Angles of elbow and swing for an angle of the crank, all as the URDF counts them: a turn by q about y takes up, z, to
 * (sin q, cos q) in (x, z). Tip of the crank A, pivot of the rocker D; the pin is where circles about A and D meet, on
 * the side on which it is at zero.
 */
export function couplerAngles(crank: number): { elbow: number; swing: number } {
  const A = [a * Math.sin(crank), a * Math.cos(crank)]
  const toD = [d - A[0], -A[1]]
  const r = Math.hypot(...toD)
  const along = (b * b - c * c + r * r) / (2 * r)
  const across = Math.sqrt(b * b - along * along)
  const C = [A[0] + (along * toD[0] - across * toD[1]) / r, A[1] + (along * toD[1] + across * toD[0]) / r]
  // the angle from up towards x
  const swing = Math.atan2(C[0] - d, C[1])
  const coupler = Math.atan2(C[0] - A[0], C[1] - A[1]) - Math.atan2(pin[0], pin[1])
  return { elbow: wrapped(coupler - crank), swing: wrapped(swing) }
}

/** Rates of elbow and swing over that of the crank: the loop equation A + b e(beta) = D + c e(swing), derived. */
export function couplerRates(crank: number): { elbow: number; swing: number } {
  const { elbow, swing } = couplerAngles(crank)
  const beta = crank + elbow + Math.atan2(pin[0], pin[1])
  const swingRate = (a * Math.sin(crank - beta)) / (c * Math.sin(swing - beta))
  const betaRate = (a * Math.sin(crank - swing)) / (b * Math.sin(swing - beta))
  return { elbow: betaRate - 1, swing: swingRate }
}

export const wrapped = (angle: number) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))

/** Potential energy of the linkage [J] less what it has with its pivots' height. */
export function fourbarPotential(crank: number, gravity = 9.81): number {
  const { elbow, swing } = couplerAngles(crank)
  const turn = crank + elbow
  const coupler = a * Math.cos(crank) - 0.12 * Math.sin(turn) + 0.05 * Math.cos(turn)
  return gravity * (0.5 * 0.05 * Math.cos(crank) + 0.8 * coupler + 1 * 0.1 * Math.cos(swing))
}

/** Crank and rod of a slider-crank [m]. */
export const crankLength = 0.1
export const rodLength = 0.3

/**
 * A slider along x, a rod on it and a crank at the other end of the rod, which nothing holds yet: at zero all lie along x, the slider at
 * the crank's length plus the rod's, and the crank's far end at the origin, to which `pinned` ties it.
 */
export function sliderCrank(): Robot {
  const bar = { jointType: JointType.revolute, axis: [0, 1, 0] } as const
  const robot = robotOf('slider-crank', [
    body('slider', slide('rail', 0, [1, 0, 0], [crankLength + rodLength, 0, 0]), solid(1, [1e-3, 1e-3, 1e-3])),
    {
      ...bar,
      name: 'rod',
      jointName: 'wrist',
      parent: 1,
      mass: 0.6,
      centerOfMass: [-rodLength / 2, 0, 0],
      inertia: [1e-4, 0.0045, 0.0045, 0, 0, 0],
    },
    {
      ...bar,
      name: 'crank',
      jointName: 'elbow',
      parent: 2,
      position: [-rodLength, 0, 0],
      mass: 0.4,
      centerOfMass: [-crankLength / 2, 0, 0],
      inertia: [1e-4, 4e-4, 4e-4, 0, 0, 0],
    },
  ])
  return { ...robot, frames: bodyFrames(robot.model) }
}

export const pinned: WorldLoop = {
  kind: 'point',
  a: { link: 'world', point: [0, 0, 0] },
  b: { link: 'crank', point: [-crankLength, 0, 0] },
}

/** Where the slider is for a turn of the crank about y, a turn of the whole by which its pin rises to -sin [m]. */
export const sliderPosition = (turn: number) =>
  crankLength * Math.cos(turn) + Math.sqrt(rodLength * rodLength - (crankLength * Math.sin(turn)) ** 2)
