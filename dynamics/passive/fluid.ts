import { addBodyForces } from '../algorithms/jacobians.ts'
import { rotate3, rotateTransposed3 } from '../math/index.ts'
import type { Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'

/*
 * Forces of a medium at rest, or moving with the wind, on bodies: those of MuJoCo ("Fluid forces" in its documentation), both quasi-static and of
 * the velocity u, w of a frame on the body alone, in the frame's axes.
 *
 * Box: each axis of the box with the body's inertia has drag -density / 2 A |u| u of its face and the matching moment, and Stokes drag of a
 * sphere as wide as the box on average.
 * Ellipsoid: added mass (Lamb, Hydrodynamics, 1932, chapter 5), drag of the projected area and of the rest of the surface (blunt, slender), drag of
 * rotation, Magnus lift w x u, and Kutta lift; after Andersen, Pesavento and Wang, J. Fluid Mech. 541 (2005), in three dimensions.
 */

type Triple = readonly [number, number, number]

/** What a medium acts on: a frame of a body, its sides [m], and for an ellipsoid its coefficients. */
export interface FluidPart {
  readonly body: number
  readonly point: Triple
  /** Row-major: the frame's axes in the body's. */
  readonly rotation: readonly number[]
  /** Sides of the box, or half axes of the ellipsoid [m]. */
  readonly size: Triple
  readonly ellipsoid?: EllipsoidCoefficients
}

/** Dimensionless, but for the added masses per density: [m^3] and [m^5] about each axis. */
export interface EllipsoidCoefficients {
  readonly blunt: number
  readonly slender: number
  readonly angular: number
  readonly kutta: number
  readonly magnus: number
  readonly addedMass: Triple
  readonly addedInertia: Triple
}

/** A medium: density [kg/m^3], viscosity [Pa s], and its own velocity in the world [m/s]. */
export interface Medium {
  readonly density: number
  readonly viscosity: number
  readonly wind: Triple
}

export interface Fluid extends Medium {
  readonly parts: readonly FluidPart[]
}

interface Part {
  readonly body: number
  readonly point: Float64Array
  readonly rotation: Float64Array
  readonly size: Float64Array
  readonly ellipsoid: Ellipsoid | undefined
}

/** Constants of an ellipsoid per density and viscosity. */
type Ellipsoid = Readonly<ReturnType<typeof constantsOf>>

/** Computes the forces of a medium; owns its scratch. */
export class FluidForces {
  private readonly model: Model
  private readonly fluid: Fluid
  private readonly parts: readonly Part[]
  private readonly forces: Float64Array
  private readonly wind: Float64Array
  private readonly u = new Float64Array(3)
  private readonly w = new Float64Array(3)
  private readonly force = new Float64Array(3)
  private readonly moment = new Float64Array(3)
  private readonly lever = new Float64Array(3)
  private readonly area = new Float64Array(3)

  constructor(model: Model, fluid: Fluid) {
    this.model = model
    this.fluid = fluid
    this.forces = new Float64Array(6 * model.nb)
    this.wind = Float64Array.from(fluid.wind)
    this.parts = fluid.parts.map(({ body, point, rotation, size, ellipsoid }) => ({
      body,
      point: Float64Array.from(point),
      rotation: Float64Array.from(rotation),
      size: Float64Array.from(size),
      ellipsoid: ellipsoid && constantsOf(size, ellipsoid),
    }))
  }

  /** tau += the medium's forces. Reads data.R_WB, data.p_WB, data.SW (`kinematics`) and data.V (`velocities`). */
  add(data: Data, tau: Float64Array): void {
    const { parts, forces, model } = this
    forces.fill(0)
    for (let n = 0; n < parts.length; n++) {
      const part = parts[n]
      this.setVelocity(part, data)
      this.force.fill(0)
      this.moment.fill(0)
      if (part.ellipsoid === undefined) this.addBox(part.size)
      else this.addEllipsoid(part.size, part.ellipsoid)
      this.toWorld(part, data)
    }
    addBodyForces(model, forces, data, tau)
  }

  /** u and w: velocity through the medium of the part's frame, in its axes. */
  private setVelocity({ body, point, rotation }: Part, { V, R_WB }: Data): void {
    const { u, w, lever, wind } = this
    const own = V[body]
    rotateTransposed3(lever, R_WB[body], wind)
    u[0] = own[3] + own[1] * point[2] - own[2] * point[1] - lever[0]
    u[1] = own[4] + own[2] * point[0] - own[0] * point[2] - lever[1]
    u[2] = own[5] + own[0] * point[1] - own[1] * point[0] - lever[2]
    for (let d = 0; d < 3; d++) w[d] = own[d]
    rotateTransposed3(u, rotation, u)
    rotateTransposed3(w, rotation, w)
  }

  private addBox(size: Float64Array): void {
    const { u, w, force, moment, fluid } = this
    const { density, viscosity } = fluid
    const mean = (size[0] + size[1] + size[2]) / 3
    const drag = 3 * Math.PI * mean * viscosity
    const turn = Math.PI * mean * mean * mean * viscosity
    for (let d = 0; d < 3; d++) {
      const a = size[(d + 1) % 3]
      const b = size[(d + 2) % 3]
      const aa = a * a
      const bb = b * b
      force[d] -= (drag + 0.5 * density * a * b * Math.abs(u[d])) * u[d]
      moment[d] -= (turn + (density * size[d] * (aa * aa + bb * bb) * Math.abs(w[d])) / 64) * w[d]
    }
  }

  private addEllipsoid(size: Float64Array, own: Ellipsoid): void {
    const { u, w, force, moment, area, fluid } = this
    const { density, viscosity } = fluid
    const { addedMass, addedInertia, blunt, slender, volume, largest } = own
    // the ellipsoid's section across u: pi sqrt(sum (a b)^4 u^2 / sum (a b u)^2), with a b of each axis
    let fourth = 0
    let second = 0
    let speed = 0
    for (let d = 0; d < 3; d++) {
      const ab = size[(d + 1) % 3] * size[(d + 2) % 3]
      area[d] = ab * ab * u[d]
      fourth += ab * ab * ab * ab * u[d] * u[d]
      second += ab * ab * u[d] * u[d]
      speed += u[d] * u[d]
    }
    speed = Math.sqrt(speed)
    const section = Math.PI * Math.sqrt(fourth / Math.max(1e-15, second))
    const lift = (own.kutta * density * section * second) / Math.max(1e-15, speed * fourth)
    const magnus = own.magnus * density * volume
    const drag = viscosity * own.stokes + density * speed * (section * blunt + slender * (largest - section))
    let turn = 0
    for (let d = 0; d < 3; d++) turn += w[d] * own.turn[d] * (w[d] * own.turn[d])
    turn = viscosity * own.stokesTurn + density * Math.sqrt(turn)
    for (let d = 0; d < 3; d++) {
      const i = (d + 1) % 3
      const j = (d + 2) % 3
      const pi = density * addedMass[i] * u[i]
      const pj = density * addedMass[j] * u[j]
      const li = density * addedInertia[i] * w[i]
      const lj = density * addedInertia[j] * w[j]
      // momentum p = m_a u and l = I_a w of the medium: p x w; p x u + l x w
      force[d] += pi * w[j] - pj * w[i]
      moment[d] += pi * u[j] - pj * u[i] + (li * w[j] - lj * w[i])
      // (area x u) x u, area along the normal of the section
      const along = area[i] * u[i] + area[j] * u[j]
      const across = u[i] * u[i] + u[j] * u[j]
      force[d] += magnus * (w[i] * u[j] - w[j] * u[i]) + lift * (along * u[d] - across * area[d]) - drag * u[d]
      moment[d] -= turn * w[d]
    }
  }

  private toWorld({ body, point, rotation }: Part, { R_WB, p_WB }: Data): void {
    const { force, moment, forces, lever } = this
    rotate3(force, rotation, force)
    rotate3(moment, rotation, moment)
    rotate3(force, R_WB[body], force)
    rotate3(moment, R_WB[body], moment)
    rotate3(lever, R_WB[body], point)
    const p = p_WB[body]
    for (let d = 0; d < 3; d++) {
      const i = (d + 1) % 3
      const j = (d + 2) % 3
      forces[6 * body + d] += moment[d] + (p[i] + lever[i]) * force[j] - (p[j] + lever[j]) * force[i]
      forces[6 * body + 3 + d] += force[d]
    }
  }
}

function constantsOf(size: Triple, coefficients: EllipsoidCoefficients) {
  const [least, middle, most] = [...size].sort((a, b) => a - b)
  const sphere = (2 / 3) * (least + middle + most)
  const quadratic = (d: number, a: number) => (8 / 15) * Math.PI * d * a * a * a * a
  const whole = quadratic(middle, most)
  const { angular, slender } = coefficients
  const turn = Float64Array.from(size, (own, d) => {
    const blunt = quadratic(own, Math.max(size[(d + 1) % 3], size[(d + 2) % 3]))
    return angular * blunt + slender * (whole - blunt)
  })
  return {
    ...coefficients,
    volume: (4 / 3) * Math.PI * least * middle * most,
    /** Largest section [m^2]. */
    largest: Math.PI * most * middle,
    /** Of the sphere of its mean radius: its Stokes drag and moment per viscosity [m, m^3]. */
    stokes: 3 * Math.PI * sphere,
    stokesTurn: Math.PI * sphere * sphere * sphere,
    /** Per axis: moment of quadratic drag of rotation per density [m^5]. */
    turn,
  }
}
