import { fixtureGeoms, geomsOf } from '../../../bench/mujocoScene.ts'
import type { PlacedShape } from '../../../contact/geometry/index.ts'
import { type ContactModelOptions, ContactSet, contactModels, noEvents, treesOf } from '../../../contact/index.ts'
import {
  type BodyDefinition,
  createData,
  createState,
  integrateConfiguration,
  JointType,
  kinematics,
  type Model,
  quaternionStart,
  type Random,
  rotationOfQuaternion,
  type State,
} from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { body, hinge, solid } from '../../dynamics/bodies.ts'
import { type Mujoco, mujocoOf, qposOf } from '../../oracle/mujoco.ts'
import { turned, turnedBack } from '../geometry/poses.ts'
import {
  box,
  effortsOf,
  fixedBox,
  floating,
  floor,
  freeBody,
  makeRobot,
  type ShapeOn,
  sphere,
  type Vector,
} from '../laws/scenes.ts'

/*
 * Robots and states for the contact law of MuJoCo beside MuJoCo itself: on MuJoCo's own contacts, so that nothing but the law is compared,
 * and on those that a world of ours finds.
 */

/** solref, solimp, impratio, friction and cone, as options of the model. */
export interface Setting {
  readonly cone: 'elliptic' | 'pyramidal'
  readonly friction: number
  readonly dt: number
  readonly solref: readonly [number, number]
  readonly solimp: readonly [number, number, number, number, number]
  readonly impratio: number
}

export const optionsOf = ({ cone, solref, solimp, impratio }: Setting): ContactModelOptions => ({
  cone,
  timeConstant: solref[0],
  dampingRatio: solref[1],
  dmin: solimp[0],
  dmax: solimp[1],
  width: solimp[2],
  midpoint: solimp[3],
  power: solimp[4],
  impratio,
  flight: 'euler',
})

export const fixtures: readonly PlacedShape[] = [floor, fixedBox('step', [0.5, 0, 0.1], [1, 2, 0.2])]

/** A trunk with two arms of capsules, a cylinder and a ball at their ends; the joints have limits, some dry friction. */
function chain(): Robot {
  const bodies: BodyDefinition[] = [
    { ...floating, mass: 5, centerOfMass: [0.02, -0.01, 0.03], inertia: [0.06, 0.09, 0.1, 0.002, -0.003, 0.001] },
  ]
  const shapes: ShapeOn[] = [{ body: 1, shape: { type: 'box', size: [0.3, 0.2, 0.1] } }]
  const axes: readonly Vector[] = [
    [0, 1, 0],
    [1, 0, 0],
    [0, 1, 0],
  ]
  for (const side of [1, -1]) {
    for (let n = 0; n < 3; n++) {
      bodies.push(
        body(
          `link ${side} ${n}`,
          hinge(
            `joint ${side} ${n}`,
            n === 0 ? 1 : bodies.length,
            axes[n],
            n === 0 ? [0.15 * side, 0.05, 0] : [0.2 * side, 0, 0],
          ),
          solid(1 - 0.25 * n, [0.002, 0.004, 0.004], [0.1 * side, 0.01, 0]),
          { armature: 0.01 * n, friction: n === 1 ? 0.5 : 0, lower: -0.6, upper: 0.8 },
        ),
      )
      const last = bodies.length
      const p: Vector = [0.1 * side, 0, 0]
      if (n === 0) shapes.push({ body: last, shape: { type: 'capsule', radius: 0.03, length: 0.15 }, p, R: alongX })
      if (n === 1) shapes.push({ body: last, shape: { type: 'cylinder', radius: 0.04, length: 0.15 }, p, R: alongX })
      if (n === 2) shapes.push({ body: last, shape: { type: 'sphere', radius: 0.05 }, p })
    }
  }
  return makeRobot('chain', bodies, shapes)
}

/** Turns z to x. */
const alongX = Float64Array.of(0, 0, 1, 0, 1, 0, -1, 0, 0)

export const robots: Readonly<Record<string, () => Robot>> = {
  box: () => box([0.3, 0.2, 0.1], 3),
  sphere: () => sphere(0.15, 2),
  capsule: () => freeBody({ mass: 4, shape: { type: 'capsule', radius: 0.08, length: 0.3 } }),
  cylinder: () => freeBody({ mass: 6, shape: { type: 'cylinder', radius: 0.1, length: 0.25 } }),
  chain,
}

/** Forces of contacts along normal and tangents, 3 a contact [N], and accelerations, of a base angular first [rad/s², m/s²]. */
export interface Answer {
  readonly force: Float64Array
  readonly a: Float64Array
}

const none = new Float64Array(0)

/** One robot inside MuJoCo, and MuJoCo's answers for the states of it. */
export class Beside {
  readonly robot: Robot
  readonly model: Model
  readonly contacts = new ContactSet()
  private readonly mujoco: Mujoco
  /** solref, solimp and impratio of a geom that states none. */
  readonly softness: readonly number[]
  private readonly bodyOf: Int32Array
  /** `StatedSoftness.axes` by pairs of geoms: of capsules on planes. */
  private readonly axes: Float64Array

  private constructor(robot: Robot, mujoco: Mujoco) {
    this.robot = robot
    this.model = robot.model
    this.mujoco = mujoco
    const { mj, model } = mujoco
    this.softness = [...model.geom_solref.slice(0, 2), ...model.geom_solimp.slice(0, 5), model.opt.impratio]
    this.bodyOf = Int32Array.from(model.geom_bodyid as ArrayLike<number>, (id) => {
      const name = mj.mj_id2name(model, mj.mjtObj.mjOBJ_BODY.value, id)
      return id === 0 ? 0 : Number(name.slice(1))
    })
    const { ngeom, geom_type: types } = model
    this.axes = new Float64Array(4 * ngeom * ngeom)
    this.bodyOf.forEach((body, g) => {
      const capsule = robot.shapes.find((shape) => shape.body === body && shape.shape.type === 'capsule')
      if (types[g] !== mj.mjtGeom.mjGEOM_CAPSULE.value || !capsule) return
      for (let other = 0; other < ngeom; other++)
        if (types[other] === mj.mjtGeom.mjGEOM_PLANE.value)
          this.axes.set([body, capsule.R[2], capsule.R[5], capsule.R[8]], 4 * (other * ngeom + g))
    })
  }

  static async of(robot: Robot): Promise<Beside> {
    const mujoco = await mujocoOf(robot.model, {
      option: 'solver="Newton" tolerance="0" iterations="500" integrator="Euler"',
      flags: 'autoreset="disable" eulerdamp="disable"',
      world: fixtureGeoms(fixtures),
      geoms: geomsOf(robot.shapes),
    })
    return new Beside(robot, mujoco)
  }

  delete(): void {
    this.mujoco.delete()
  }

  set({ cone, friction, dt, solref, solimp, impratio }: Setting): void {
    const { mj, model } = this.mujoco
    const repeat = (target: Float64Array, values: readonly number[]) => {
      for (let i = 0; i < target.length; i++) target[i] = values[i % values.length]
    }
    for (const of of ['geom', 'jnt', 'dof'] as const) {
      repeat(model[`${of}_solref`], solref)
      repeat(model[`${of}_solimp`], solimp)
    }
    repeat(model.geom_friction, [friction, 0, 0])
    model.opt.timestep = dt
    model.opt.impratio = impratio
    model.opt.cone = (cone === 'elliptic' ? mj.mjtCone.mjCONE_ELLIPTIC : mj.mjtCone.mjCONE_PYRAMIDAL).value
  }

  /** A state with its deepest contact so deep, on the ground, on the step or on both. */
  place(random: Random, depth: number, speed: number): State {
    const { model } = this
    const state = createState(model)
    const turn = Float64Array.from({ length: model.nv }, (_, k) =>
      k < 3 ? random.between(-2, 2) : k < 6 ? 0 : random.between(-0.65, 0.85),
    )
    // some lie flat, or almost
    if (random.next() < 0.4) turn.fill(random.next() < 0.5 ? 0 : random.between(-1e-3, 1e-3), 0, 2)
    integrateConfiguration(model, state.q, turn, 1, state.q)
    state.q[0] = random.between(-0.4, 0.6)
    state.q[1] = random.between(-0.3, 0.3)
    for (let k = 0; k < model.nv; k++) state.v[k] = speed * random.between(-1, 1) * (k < 3 || k > 5 ? 3 : 1)
    let high = 1.2
    while (this.deepest(state, high) < depth) high -= 0.01
    let low = high
    high += 0.01
    for (let n = 0; n < 40; n++) {
      const middle = 0.5 * (low + high)
      if (this.deepest(state, middle) < depth) high = middle
      else low = middle
    }
    state.q[2] = low
    return state
  }

  private deepest(state: State, height: number): number {
    const { mj, model, data } = this.mujoco
    state.q[2] = height
    data.qpos.set(qposOf(this.mujoco, this.model, state))
    mj.mj_kinematics(model, data)
    mj.mj_comPos(model, data)
    mj.mj_collision(model, data)
    let most = 0
    for (let i = 0; i < data.ncon; i++) {
      const contact = data.contact.get(i)
      if (contact === undefined) continue
      most = Math.max(most, -contact.dist)
      contact.delete()
    }
    return most
  }

  /** MuJoCo's contacts into `contacts`; its forces along their axes [N], 3 a contact, and its qacc, angular part first as ours. */
  ask(state: State, tau: Float64Array): Answer {
    const { mujoco, contacts, bodyOf } = this
    const { mj, model, data } = mujoco
    data.qpos.set(qposOf(mujoco, this.model, state))
    const R = new Float64Array(9)
    rotationOfQuaternion(R, state.q, quaternionStart(this.model, 1))
    const map = (v: Float64Array): Float64Array => toMujoco(mujoco, this.model, R, v)
    data.qvel.set(map(state.v))
    data.qfrc_applied.set(map(tau))
    data.qacc_warmstart.fill(0)
    mj.mj_forward(model, data)
    contacts.reserve(data.ncon)
    contacts.count = data.ncon
    const force = new Float64Array(3 * data.ncon)
    const buffer = new mj.DoubleBuffer(6)
    for (let i = 0; i < data.ncon; i++) {
      const contact = data.contact.get(i)
      if (contact === undefined) throw new Error(`MuJoCo has no contact ${i}`)
      contacts.bodyA[i] = bodyOf[contact.geom1]
      contacts.bodyB[i] = bodyOf[contact.geom2]
      contacts.pair[i] = contact.geom1 * model.ngeom + contact.geom2
      contacts.feature[i] = i
      contacts.gap[i] = contact.dist
      contacts.mu[i] = contact.friction[0]
      contacts.muStatic[i] = contact.friction[0]
      contacts.point.set(contact.pos, 3 * i)
      contacts.normal.set(contact.frame.slice(0, 3), 3 * i)
      contacts.tangent1.set(contact.frame.slice(3, 6), 3 * i)
      contacts.tangent2.set(contact.frame.slice(6, 9), 3 * i)
      mj.mj_contactForce(model, data, i, buffer)
      force.set(buffer.GetView().slice(0, 3), 3 * i)
      contact.delete()
    }
    buffer.delete()
    return { force, a: fromMujoco(mujoco, this.model, data.qacc) }
  }

  /** Where MuJoCo's own steps lead: q of ours after so many. */
  run(state: State, { dt }: Setting, steps: number): Float64Array {
    const { mujoco, model: own } = this
    const { mj, model, data } = mujoco
    model.opt.timestep = dt
    this.ask(state, new Float64Array(own.nv))
    for (let n = 0; n < steps; n++) mj.mj_step(model, data)
    const q = new Float64Array(own.nq)
    for (let i = 1; i < own.nb; i++) {
      const from = mujoco.qposStart[i]
      const to = own.qStart[i]
      const isFree = own.jointType[i] === JointType.floating
      q.set(data.qpos.slice(from, from + (isFree ? 3 : 1)), to)
      if (!isFree) continue
      q.set(data.qpos.slice(from + 4, from + 7), to + 3)
      q[to + 6] = data.qpos[from + 3]
    }
    return q
  }

  /** Our law on the contacts that `ask` found. */
  solve(state: State, tau: Float64Array, { dt, friction, ...rest }: Setting): Answer {
    const { model, contacts } = this
    const context = {
      model,
      trees: treesOf(model),
      physical: { allowedPenetration: 1e-3, friction, restitution: 0 },
      integrator: 'semi-implicit-euler',
      dt,
      gravity: 9.81,
      pairCount: this.axes.length / 4,
      softness: { pairs: none, joints: none, margins: none, axes: this.axes, centers: none, friction: none },
    } as const
    const contactModel = contactModels.mujoco(context, optionsOf({ dt, friction, ...rest }))
    const data = createData(model)
    kinematics(model, state, data)
    const events = noEvents(contactModel.solvers)
    const unused = () => {
      throw new Error('detection is not asked')
    }
    const end = { q: state.q.slice(), v: state.v.slice(), t: state.t.slice() }
    const memory = new Float64Array(contactModel.memorySize)
    const step = { model, state: end, data, contacts, tau, dt, memory, events }
    contactModel.advance({ ...step, detect: unused, detectStart: unused, detectAt: unused, endAt: unused })
    if (events.failures + events.fallbacks > 0) throw new Error(`the solver failed: ${JSON.stringify(events)}`)
    return { force: contacts.impulse.slice(0, 3 * contacts.count).map((p) => p / dt), a: accelerationOf(model, state, end, dt) }
  }

  /** A world of ours with detection of its own. */
  world(state: State, setting: Setting, tau: Float64Array = new Float64Array(this.model.nv)): World {
    return new World({
      robot: this.robot,
      contactModel: 'mujoco',
      contactOptions: optionsOf(setting),
      dt: setting.dt,
      fixtures,
      physical: { friction: setting.friction },
      q: state.q,
      v: state.v,
      controller: effortsOf((efforts) => efforts.set(tau)),
    })
  }

  /**
   * One step of such a world; undefined where its contacts are not MuJoCo's, to 1e-9 m. Forces in the order and along the axes of MuJoCo's
   * contacts, which `ask` has found.
   */
  step(state: State, tau: Float64Array, setting: Setting): Answer | undefined {
    const { dt } = setting
    const world = this.world(state, setting, tau)
    world.step()
    const ours = world.contacts
    const theirs = this.contacts
    const force = new Float64Array(3 * theirs.count)
    let touching = 0
    for (let i = 0; i < ours.count; i++) if (ours.gap[i] < 0) touching++
    if (touching !== theirs.count) return undefined
    for (let j = 0; j < theirs.count; j++) {
      const i = Array.from({ length: ours.count }, (_, i) => i).find((i) => apart(ours, i, theirs, j) < 1e-9)
      if (i === undefined) return undefined
      const sign = theirs.bodyB[j] === ours.bodyB[i] ? 1 : -1
      for (let d = 0; d < 3; d++) {
        const along =
          ours.normal[3 * i + d] * ours.impulse[3 * i] +
          ours.tangent1[3 * i + d] * ours.impulse[3 * i + 1] +
          ours.tangent2[3 * i + d] * ours.impulse[3 * i + 2]
        for (const [r, axis] of [theirs.normal, theirs.tangent1, theirs.tangent2].entries())
          force[3 * j + r] += (axis[3 * j + d] * sign * along) / dt
      }
    }
    return { force, a: accelerationOf(this.model, state, world.state, dt) }
  }
}

/** Largest difference of gap, point and normal of two contacts. */
function apart(ours: ContactSet, i: number, theirs: ContactSet, j: number): number {
  const sign = theirs.bodyB[j] === ours.bodyB[i] ? 1 : -1
  let off = Math.abs(theirs.gap[j] - ours.gap[i])
  for (let d = 0; d < 3; d++) {
    off = Math.max(off, Math.abs(theirs.point[3 * j + d] - ours.point[3 * i + d]))
    off = Math.max(off, Math.abs(theirs.normal[3 * j + d] - sign * ours.normal[3 * i + d]))
  }
  return off
}

/** Over one step, as MuJoCo states it: v at the end is in the axes of the end. */
function accelerationOf(model: Model, state: State, end: State, dt: number): Float64Array {
  const at = quaternionStart(model, 1)
  const [R0, R1] = [new Float64Array(9), new Float64Array(9)]
  rotationOfQuaternion(R0, state.q, at)
  rotationOfQuaternion(R1, end.q, at)
  const a = end.v.map((x, k) => (x - state.v[k]) / dt)
  const angular = turnedBack(R0, turned(R1, end.v.slice(0, 3)))
  const linear = turned(R1, end.v.subarray(3, 6))
  const before = turned(R0, state.v.subarray(3, 6))
  for (let d = 0; d < 3; d++) {
    a[d] = (angular[d] - state.v[d]) / dt
    a[3 + d] = (linear[d] - before[d]) / dt
  }
  return a
}

/** A base's linear part is in world axes with MuJoCo, and stands first. */
function toMujoco({ model: { nv }, dofStart }: Mujoco, model: Model, R: Float64Array, v: Float64Array): Float64Array {
  const out = new Float64Array(nv)
  out.set(turned(R, v.subarray(3, 6)), dofStart[1])
  out.set(v.subarray(0, 3), dofStart[1] + 3)
  for (let i = 2; i < model.nb; i++) out[dofStart[i]] = v[model.vStart[i]]
  return out
}

/** Angular first; both in the axes that MuJoCo has them in. */
function fromMujoco({ dofStart }: Mujoco, model: Model, x: ArrayLike<number>): Float64Array {
  const out = new Float64Array(model.nv)
  for (let d = 0; d < 3; d++) {
    out[d] = x[dofStart[1] + 3 + d]
    out[3 + d] = x[dofStart[1] + d]
  }
  for (let i = 2; i < model.nb; i++) out[model.vStart[i]] = x[dofStart[i]]
  return out
}
