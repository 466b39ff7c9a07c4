import type { PlacedShape } from '../contact/geometry/index.ts'
import type { ContactSet } from '../contact/index.ts'
import {
  type Model,
  mulQuaternion,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
} from '../dynamics/index.ts'
import type { RobotPart } from '../robots/index.ts'
import type { RobotInWorld } from './world.ts'
import type { WorldRobot } from './worldOptions.ts'

/** Pose of a body (`createPrescribedBody`) at each time, independent of contact. Both functions depend on t alone. */
export interface PrescribedMotion {
  /** Writes the position of the body's origin [m] and its orientation, a unit quaternion x, y, z, w, at t >= 0 [s] into out (7). */
  pose(t: number, out: Float64Array): void
  /** Writes the velocity of its surface relative to the body, such as a belt's, in the body's axes [m/s], into out (3). Default: zero. */
  surface?(t: number, out: Float64Array): void
}

/**
 * Entry of M's diagonal that represents unbounded inertia [kg, kg m²]: an impulse changes the velocity by 1e-12 of that for a kilogram,
 * which is undone after the step.
 */
const IMMOVABLE = 1e12

/**
 * The bodies of a world whose motion is prescribed. For a contact model they are ordinary, immovable bodies, with an effort that gives them
 * over each step the velocity (pose at its end - pose at its start) / dt. So the linearised gap at the end of the step, psi + h (J v + d
 * psi / dt) in Williams, Lu, Trinkle (2014), eq. 28, refers to the body's final pose.
 */
export class PrescribedBodies {
  /** The model for contact models. In the world's own model these bodies have no inertia, hence neither energy nor momentum. */
  readonly model: Model
  readonly any: boolean
  /** 2: end and length of the step that `begin` prepares [s]. Written by the world; an array, so that no number is boxed. */
  readonly time = new Float64Array(2)
  private readonly moved: readonly Moved[]
  /** Per body of the model: its entry of `moved`, or undefined. */
  private readonly movedOf: readonly (Moved | undefined)[]
  private readonly R = new Float64Array(9)
  private readonly a3 = new Float64Array(3)
  private readonly turn = new Float64Array(4)
  private readonly wrench = new Float64Array(6)

  /** @throws RangeError for a motion of an ordinary body, a prescribed body without motion, and a world in which nothing else moves */
  constructor(model: Model, robots: readonly RobotInWorld[], members: readonly (WorldRobot & RobotPart)[]) {
    this.moved = robots.flatMap((own, i) => {
      const { motion } = members[i]
      const { floating, model } = own.robot
      const isPrescribed = floating && model.nb === 2 && model.I[1][0] === 0
      if (motion === undefined && !isPrescribed) return []
      if (motion === undefined) throw new RangeError(`"${own.name}" has neither a mass nor a motion; give it one of the two`)
      if (!isPrescribed) throw new RangeError(`"${own.name}" has a motion; only a body of createPrescribedBody may have one`)
      if (own.controller !== undefined)
        throw new RangeError(`"${own.name}" has a motion and a controller; leave out one of the two`)
      return [new Moved(own, motion)]
    })
    this.any = this.moved.length > 0
    if (this.moved.length === robots.length)
      throw new RangeError(
        'nothing in this world moves by itself; add a robot or a free body to the bodies whose motion is given',
      )
    this.movedOf = Array.from({ length: model.nb }, (_, body) => this.moved.find((one) => one.body === body))
    const armature = model.armature.slice()
    for (const { own } of this.moved) armature.fill(IMMOVABLE, own.start.v, own.start.v + 6)
    this.model = this.any ? { ...model, armature } : model
  }

  /** Pairs that never touch, by the names of shapes: prescribed bodies with fixed shapes or other prescribed bodies. */
  pairsWith(all: readonly PlacedShape[]): (readonly [string, string])[] {
    const given = ({ body }: PlacedShape) => this.isGiven(body)
    const others = all.filter((shape) => shape.body === 0 || given(shape))
    return all.filter(given).flatMap((a) => others.flatMap((b) => (a === b ? [] : [[a.name, b.name] as const])))
  }

  isGiven(body: number): boolean {
    return this.movedOf[body] !== undefined
  }

  /** @param what name of the action on the body @throws RangeError if the body's motion is prescribed */
  checkFree(body: number, what: string): void {
    const held = this.movedOf[body]
    if (held !== undefined)
      throw new RangeError(`${what} is on "${held.own.name}", whose motion is given; it acts on what moves by itself`)
  }

  /** Sets the bodies to their poses at t = 0, with the velocity of the first step. @throws RangeError for an invalid pose */
  start(dt: number): void {
    this.time[0] = dt
    this.time[1] = dt
    for (const one of this.moved) {
      one.aim(0)
      one.own.state.q.set(one.next)
    }
    this.begin()
    for (const { own, step } of this.moved) {
      own.state.v.set(step)
      own.tau.fill(0)
    }
  }

  /** Prepares the step of `time`: the efforts that bring each body to its pose at the end. @throws RangeError for an invalid pose */
  begin(): void {
    const { R, a3, turn, time } = this
    const t = time[0]
    const dt = time[1]
    for (const one of this.moved) {
      one.aim(t)
      const { own, next, surface, linear, step, mean } = one
      const { state, tau } = own
      const { q, v } = state
      // the velocity over the step, in the axes of its start
      for (let k = 0; k < 3; k++) turn[k] = -q[3 + k]
      turn[3] = q[6]
      mulQuaternion(turn, 0, turn, 0, next, 3)
      rotationVectorOfQuaternion(step, 0, turn, 0)
      for (let k = 0; k < 3; k++) linear[k] = (next[k] - q[k]) / dt
      rotationOfQuaternion(R, q, 3)
      rotateTransposed3(a3, R, linear)
      for (let k = 0; k < 3; k++) {
        step[k] /= dt
        step[3 + k] = a3[k] + surface[k]
      }
      // v is in rotating axes; in those of the start, used in the step (`RestFrame`), its rate is larger by omega x v
      for (let k = 0; k < 3; k++) {
        const i = (k + 1) % 3
        const j = (k + 2) % 3
        tau[k] = (IMMOVABLE * (step[k] - v[k])) / dt
        tau[3 + k] = IMMOVABLE * ((step[3 + k] - v[3 + k]) / dt - (v[i] * v[3 + j] - v[j] * v[3 + i]))
      }
      // its mean with the previous step's, in world axes about the world's origin
      for (let part = 0; part < 6; part += 3) {
        for (let k = 0; k < 3; k++) a3[k] = 0.5 * (v[part + k] + step[part + k])
        rotate3(a3, R, a3)
        for (let k = 0; k < 3; k++) mean[part + k] = a3[k]
      }
      mean[3] += q[1] * mean[2] - q[2] * mean[1]
      mean[4] += q[2] * mean[0] - q[0] * mean[2]
      mean[5] += q[0] * mean[1] - q[1] * mean[0]
    }
  }

  /** Sets each body to its final pose and removes its efforts, no motor's. @param applied nv of the world: efforts that acted */
  end(applied: Float64Array): void {
    const { R, a3 } = this
    for (const { own, next, surface, linear, step } of this.moved) {
      const { q, v } = own.state
      q.set(next)
      rotationOfQuaternion(R, q, 3)
      rotateTransposed3(a3, R, linear)
      for (let k = 0; k < 3; k++) {
        v[k] = step[k]
        v[3 + k] = a3[k] + surface[k]
      }
      own.tau.fill(0)
      applied.fill(0, own.start.v, own.start.v + 6)
    }
  }

  /** out[0] = work of these bodies on all others over the step, through its contacts [J]. */
  writeWork(contacts: ContactSet, out: Float64Array): void {
    const { wrench } = this
    const { count, bodyA, bodyB } = contacts
    out[0] = 0
    for (let c = 0; c < count; c++) {
      const a = this.movedOf[bodyA[c]]
      const moved = a ?? this.movedOf[bodyB[c]]
      if (moved === undefined) continue
      contacts.writeWrench(c, wrench)
      // B received the impulse, so that a prescribed B gave the opposite
      const sign = a === undefined ? -1 : 1
      for (let d = 0; d < 6; d++) out[0] += sign * wrench[d] * moved.mean[d]
    }
  }
}

class Moved {
  /** Its body in the model. */
  readonly body: number
  /** 7: pose at the end of the step. */
  readonly next = new Float64Array(7)
  /** 3: velocity of the surface relative to the body, body axes; and of the body's origin over the step, world axes [m/s]. */
  readonly surface = new Float64Array(3)
  readonly linear = new Float64Array(3)
  /** 6: velocity over the step, with that of the surface, in the body's axes at its start [rad/s; m/s]. */
  readonly step = new Float64Array(6)
  /** 6: mean of the velocities of the previous and this step, in world axes about the world's origin [rad/s; m/s]. */
  readonly mean = new Float64Array(6)

  readonly own: RobotInWorld
  readonly motion: PrescribedMotion

  constructor(own: RobotInWorld, motion: PrescribedMotion) {
    this.own = own
    this.motion = motion
    this.body = own.start.body + 1
  }

  /** Evaluates the motion at time t. */
  aim(t: number): void {
    const { own, motion, next, surface } = this
    motion.pose(t, next)
    motion.surface?.(t, surface)
    for (let k = 0; k < 10; k++) {
      if (Number.isFinite(k < 7 ? next[k] : surface[k - 7])) continue
      const what = k < 7 ? `is at ${next.join(', ')}` : `has a surface that moves at ${surface.join(', ')}`
      throw new RangeError(`"${own.name}" ${what} at t = ${Number(t.toPrecision(9))} s; its motion has to give finite numbers`)
    }
  }
}
