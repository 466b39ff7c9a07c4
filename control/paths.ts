import { cos, sin } from '../dynamics/index.ts'
import { given } from './expected.ts'

/**
 * A path in the plane as a function of time. `sample` writes [x, y, dx, dy, ddx, ddy, speed, turnRate, hx, hy] for time t[0]:
 * position, velocity, acceleration [m, m/s, m/s^2], speed along the path and rate of turn [m/s, rad/s], and the unit
 * heading, which is defined at rest too. All start at the origin, at rest, heading along x.
 */
export interface Path {
  sample(t: Float64Array, out: Float64Array): void
}

/** Number of entries written by `Path.sample`. */
export const PATH_SIZE = 10

/**
 * The quintic 10 s^3 - 15 s^4 + 6 s^5 from 0 to 1 over `duration` seconds, which starts and ends without speed or
 * acceleration. Writes [r, its integral over time, r', r'']; 1 from there on, 0 before 0. @unchecked
 */
export function smoothStep(t: Float64Array, duration: number, out: Float64Array): void {
  const s = t[0] / duration
  if (s <= 0) {
    out.fill(0)
  } else if (s >= 1) {
    out[0] = 1
    out[1] = t[0] - duration / 2
    out[2] = 0
    out[3] = 0
  } else {
    const s2 = s * s
    out[0] = s * s2 * (10 + s * (6 * s - 15))
    out[1] = duration * s2 * s2 * (2.5 + s * (s - 3))
    out[2] = (30 * s2 * (1 - s) * (1 - s)) / duration
    out[3] = (60 * s * (1 - s) * (1 - 2 * s)) / (duration * duration)
  }
}

export interface FigureEightOptions {
  /** Half the length and half the width of the eight [m]. */
  readonly length?: number
  readonly width?: number
  /** Time of one round at full speed [s]. */
  readonly period?: number
  /** Time to reach full speed [s]. */
  readonly ramp?: number
}

/**
 * The lemniscate of Gerono, x = a sin phi, y = b sin 2 phi, turned so that it leaves the origin along x. It crosses
 * itself there, and there its curvature is zero. phi runs at 2 pi / period after a smooth start.
 */
export function figureEight(options: FigureEightOptions = {}): Path {
  return figureEightOf(given('figure-eight', options))
}

// parameters, so that passing them on boxes nothing
function figureEightOf({ length = 0.8, width = 0.35, period = 6, ramp = 1 }: FigureEightOptions): Path {
  const a = length
  const b = width
  const rate = (2 * Math.PI) / period
  // unit tangent at phi = 0, before the turn
  const c0 = a / Math.hypot(a, 2 * b)
  const s0 = (2 * b) / Math.hypot(a, 2 * b)
  const start = new Float64Array(4)

  return {
    sample(t, out) {
      smoothStep(t, ramp, start)
      const phi = rate * start[1]
      const dphi = rate * start[0]
      const ddphi = rate * start[2]
      const s = sin(phi)
      const c = cos(phi)
      const s2 = 2 * s * c
      const c2 = c * c - s * s
      // derivatives by phi, then turned by the start's tangent
      const x = a * s
      const y = b * s2
      const x1 = a * c
      const y1 = 2 * b * c2
      const x2 = -a * s
      const y2 = -4 * b * s2
      const slope = Math.sqrt(x1 * x1 + y1 * y1)
      out[0] = c0 * x + s0 * y
      out[1] = c0 * y - s0 * x
      out[2] = (c0 * x1 + s0 * y1) * dphi
      out[3] = (c0 * y1 - s0 * x1) * dphi
      out[4] = (c0 * x2 + s0 * y2) * dphi * dphi + (c0 * x1 + s0 * y1) * ddphi
      out[5] = (c0 * y2 - s0 * x2) * dphi * dphi + (c0 * y1 - s0 * x1) * ddphi
      out[6] = slope * dphi
      out[7] = ((x1 * y2 - y1 * x2) / (slope * slope)) * dphi // heading = atan2(y1, x1)
      out[8] = (c0 * x1 + s0 * y1) / slope
      out[9] = (c0 * y1 - s0 * x1) / slope
    },
  }
}

export interface ArcOptions {
  /** Speed reached after the ramp [m/s]. */
  readonly speed?: number
  /** Curvature of the path [1/m]: 0 is a straight line, positive turns to the left. */
  readonly curvature?: number
  readonly ramp?: number
}

/** A straight line or a circle at constant speed after a smooth start. */
export function arc(options: ArcOptions = {}): Path {
  return arcOf(given('arc', options))
}

// parameters, so that passing them on boxes nothing
function arcOf({ speed = 0.2, curvature = 0, ramp = 0.5 }: ArcOptions): Path {
  const start = new Float64Array(4)
  return {
    sample(t, out) {
      smoothStep(t, ramp, start)
      const run = speed * start[1]
      const v = speed * start[0]
      const dv = speed * start[2]
      const hx = cos(curvature * run)
      const hy = sin(curvature * run)
      out[0] = curvature === 0 ? run : hy / curvature
      out[1] = curvature === 0 ? 0 : (1 - hx) / curvature
      out[2] = v * hx
      out[3] = v * hy
      out[4] = dv * hx - v * v * curvature * hy
      out[5] = dv * hy + v * v * curvature * hx
      out[6] = v
      out[7] = v * curvature
      out[8] = hx
      out[9] = hy
    },
  }
}
