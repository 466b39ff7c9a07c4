/**
 * node --import ./scripts/typescript.mjs bench/dynamics/inverseDynamics.ts
 *
 * What inverse dynamics gains from contact, under every model: ignored, measured (half of the forces of the step before are fed forward), and
 * predicted from the motion that is wanted. The table of docs/controllers.md.
 *
 *   feet    our quadruped squats; each joint has the same springs and dampers but under `balance`, which has its tasks. Largest error of a joint after a
 *           quarter of the run [mrad]
 *   wheels  the differential drive speeds up and brakes by its wheels' commands, with a weak feedback; predicted: the robot's mass is what a wheel has to
 *           speed up, m r² / n. Largest error of a wheel's speed [rad/s]
 */
import { contactModelNames } from '../../contact/index.ts'
import {
  balance,
  type Controller,
  type ControllerState,
  createControllerLoop,
  driveWheels,
  hold,
  homeData,
  jointInertia,
} from '../../control/index.ts'
import {
  addBodyForces,
  centerOfMass,
  cos,
  createData,
  createState,
  type Data,
  kinematics,
  rnea,
  sin,
} from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

const SECONDS = 4
const DT = 1e-3

/** The largest of what `errorOf` says, over the last three quarters of the run; NaN where it broke off. */
function worst(robot: Robot, model: string, controller: Controller, errorOf: (world: World, t: number) => number): number {
  try {
    const loop = createControllerLoop(controller, robot, { rate: 1 / DT })
    const world = new World({ robot, controller: loop, contactModel: model as never, dt: DT })
    let most = 0
    for (let k = 0; k < SECONDS / DT; k++) {
      world.step()
      if (k > (0.25 * SECONDS) / DT) most = Math.max(most, errorOf(world, world.state.t[0]))
    }
    return most
  } catch {
    return NaN
  }
}

/** Jᵀ f of the contacts of the step before. */
function contactEfforts({ model, data, contactForces }: ControllerState<unknown>): Float64Array {
  const out = new Float64Array(model.nv)
  addBodyForces(model, contactForces, data, out)
  return out
}

const quadruped = loadOwnRobot('quadruped')
const swing = (name: string) => (name.includes('knee') ? -0.4 : name.includes('thigh') ? 0.2 : 0)
const rate = Math.PI // half a hertz

const squat = (t: number, j: number) => {
  const { name, qIndex } = quadruped.joints[j]
  return quadruped.home[qIndex] + 0.5 * swing(name) * (1 - cos(rate * t))
}

function squats(share: number): Controller {
  return {
    init: (setup) => ({
      gains: hold({ omega: 10 }).init(setup),
      a: new Float64Array(setup.model.nv),
      tau: new Float64Array(setup.model.nv),
    }),
    update(seen) {
      const { t, q, v, model, state, data, robot } = seen
      const { gains, a, tau } = seen.memory as {
        gains: { kp: Float64Array; kd: Float64Array }
        a: Float64Array
        tau: Float64Array
      }
      robot.joints.forEach(({ name, vIndex }) => {
        a[vIndex] = 0.5 * swing(name) * rate * rate * cos(rate * t)
      })
      rnea(model, state, a, data, tau)
      const contacts = contactEfforts(seen)
      return robot.joints.map(({ name, qIndex, vIndex }, j) => {
        const speed = 0.5 * swing(name) * rate * sin(rate * t)
        return (
          tau[vIndex] - share * contacts[vIndex] + gains.kp[j] * (squat(t, j) - q[qIndex]) + gains.kd[j] * (speed - v[vIndex])
        )
      })
    },
  }
}

const squatsAware = balance({
  trajectory: (robot) => ({
    sample(t, q, v, a) {
      robot.joints.forEach(({ name }, j) => {
        q[j] = squat(t[0], j)
        v[j] = 0.5 * swing(name) * rate * sin(rate * t[0])
        a[j] = 0.5 * swing(name) * rate * rate * cos(rate * t[0])
      })
    },
  }),
  shift: shiftAt,
})
/** Of the centre of mass above the feet, from where it starts, when the joints are where they should be and the base is upright [m]. */
function shiftAt(t: number): number[] {
  const at = (time: number) => {
    const { model, home, joints, shapes } = quadruped
    const state = createState(model)
    const data = createData(model)
    state.q.set(home)
    joints.forEach(({ qIndex }, j) => {
      state.q[qIndex] = squat(time, j)
    })
    kinematics(model, state, data)
    const center = new Float64Array(3)
    centerOfMass(model, data, center)
    const foot = shapes.reduce((lowest, one) => (heightOf(data, one) < heightOf(data, lowest) ? one : lowest))
    const R = data.R_WB[foot.body]
    return [0, 1, 2].map(
      (k) => center[k] - data.p_WB[foot.body][k] - R[3 * k] * foot.p[0] - R[3 * k + 1] * foot.p[1] - R[3 * k + 2] * foot.p[2],
    )
  }
  const [now, start] = [at(t), at(0)]
  return [now[0] - start[0], 0, now[2] - start[2]]
}

function heightOf({ R_WB, p_WB }: Data, { body, p }: Robot['shapes'][number]): number {
  return p_WB[body][2] + R_WB[body][6] * p[0] + R_WB[body][7] * p[1] + R_WB[body][8] * p[2]
}

const diffdrive = loadOwnRobot('diffdrive')
const wheels = driveWheels(diffdrive)
const turns = (t: number) => 3 * (1 - cos(rate * t))

function drives(share: number, isAware: boolean): Controller {
  const all = [...(wheels?.left ?? []), ...(wheels?.right ?? [])]
  const free = jointInertia(diffdrive, homeData(diffdrive))
  return {
    init: () => ({}),
    update(seen) {
      const { t, v, robot } = seen
      const contacts = contactEfforts(seen)
      const efforts = new Float64Array(robot.joints.length)
      for (const { joint, radius } of all) {
        const { vIndex } = robot.joints[joint]
        const inertia = free[joint] + (isAware ? (robot.massUsed * radius * radius) / all.length : 0)
        const acceleration = 3 * rate * sin(rate * t)
        efforts[joint] = inertia * acceleration - share * contacts[vIndex] + 0.02 * (turns(t) - v[vIndex])
      }
      return efforts
    },
  }
}

const joints = (world: World, t: number) =>
  1e3 * Math.max(...quadruped.joints.map(({ qIndex }, j) => Math.abs(world.state.q[qIndex] - squat(t, j))))
const speeds = (world: World, t: number) =>
  Math.max(
    ...[...(wheels?.left ?? []), ...(wheels?.right ?? [])].map(({ joint }) =>
      Math.abs(world.state.v[diffdrive.joints[joint].vIndex] - turns(t)),
    ),
  )

console.log('| model | feet: ignored | measured | predicted | wheels: ignored | measured | predicted |')
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
for (const model of contactModelNames) {
  const feet = [squats(0), squats(0.5), squatsAware as Controller].map((own) => worst(quadruped, model, own, joints))
  const rolling = [drives(0, false), drives(0.5, false), drives(0, true)].map((own) => worst(diffdrive, model, own, speeds))
  console.log(
    `| ${[`\`${model}\``, ...[...feet, ...rolling].map((x) => (Number.isNaN(x) ? 'broke off' : Number(x.toPrecision(2))))].join(' | ')} |`,
  )
}
