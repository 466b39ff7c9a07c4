/*
 * npm run bench -- control
 *
 * Time of a controller's tick: the kinematics that the world hands it, the loop, and `update`.
 *   computed-torque humanoid   all 26 joints follow sines; MuJoCo: mj_kinematics, mj_comPos, mj_comVel, mj_rne, that is inverse dynamics
 *                              alone
 *   balance NAME               whole-body inverse dynamics while the robot takes a push, tick after tick; quadprog: the program of each tick,
 *                              written down beforehand
 *   program NAME               the same programs without the rest, from no active rows, as quadprog solves them; and from those of the tick
 *                              before
 * Atlas is timed where FEATHERBED_ROBOTS names the folder of real robots, our quadruped always.
 */
import {
  balance,
  type Controller,
  computedTorque,
  createControllerLoop,
  forgetActiveRows,
  type QuadraticProgram,
  solveQuadraticProgram,
  type WholeBodyMemory,
} from '../../control/index.ts'
import { createData, createState, JointType, kinematics } from '../../dynamics/index.ts'
import { setOnGround } from '../../robots/compile/home.ts'
import type { Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { mujocoOf } from '../../test/oracle/mujoco.ts'
import { quadprogForm, solveByQuadprog } from '../../test/oracle/quadprog.ts'
import { compareSides, type Row } from '../measure.ts'
import { robotOf, subjects } from '../subjects.ts'
import { dynamicsPairs } from './dynamicsPairs.ts'

const legged = ['quadruped', ...subjects.filter((name) => name === 'atlas')]
const torqueRow = 'control computed-torque humanoid'
const rowsOf = (name: string) => [`control balance ${name}`, `control program ${name} cold`, `control program ${name} warm`]
export const controlRowNames: readonly string[] = [torqueRow, ...legged.flatMap(rowsOf)]

/** Ticks that are timed, one after the other, from where the push has begun. */
const TICKS = 100

export async function controlRows(wanted: string, take: (row: Row) => void): Promise<void> {
  for (const name of legged) if (rowsOf(name).some((row) => row.includes(wanted))) await balanceRows(name, wanted, take)
  // last, as MuJoCo's memory makes every typed array of this process slower once it has grown
  if (torqueRow.includes(wanted)) await computedTorqueRow(take)
}

async function computedTorqueRow(take: (row: Row) => void): Promise<void> {
  const robot = robotOf('humanoid')
  const ours = tickedBy(robot, computedTorque() as Controller, 0.5)
  const mujoco = await mujocoOf(robot.model)
  const { theirs } = dynamicsPairs(robot.model, mujoco).rnea
  const times = {
    run: () => {
      for (let k = 0; k < TICKS; k++) theirs()
    },
    calls: TICKS,
  }
  take(
    await compareSides(torqueRow, { run: ours.run, calls: TICKS }, 'MuJoCo WASM', times, 'a tick against inverse dynamics alone'),
  )
  mujoco.delete()
}

async function balanceRows(name: string, wanted: string, take: (row: Row) => void): Promise<void> {
  const robot = robotOf(name)
  const programs: QuadraticProgram[] = []
  const inner = balance()
  const logged: Controller<WholeBodyMemory> = {
    ...inner,
    update(seen, dt) {
      const efforts = inner.update(seen, dt)
      programs.push(structuredClone(seen.memory.program!))
      return efforts
    },
  }
  tickedBy(robot, logged as Controller, 0.5)
  const forms = programs.map(quadprogForm)
  const { n, m } = programs[0]
  const size = `${n} variables, ${m} rows`
  const theirs = { run: () => forms.forEach(solveByQuadprog), calls: TICKS }
  const [tick, cold, warm] = rowsOf(name)
  const compare = async (row: string, run: () => void, compares: string) => {
    if (row.includes(wanted)) take(await compareSides(row, { run, calls: TICKS }, 'quadprog', theirs, compares))
  }
  await compare(tick, tickedBy(robot, balance() as Controller, 0.5).run, `a tick against its program alone, ${size}`)
  await compare(
    cold,
    () => {
      for (const program of programs) {
        forgetActiveRows(program)
        solveQuadraticProgram(program)
      }
    },
    size,
  )
  // one room for all, as a controller has
  const room = structuredClone(programs[0])
  await compare(
    warm,
    () => {
      for (const { H, g, C, lower, upper } of programs) {
        room.H.set(H)
        room.g.set(g)
        room.C.set(C)
        room.lower.set(lower)
        room.upper.set(upper)
        solveQuadraticProgram(room)
      }
    },
    `${size}, from the rows that were active a tick before`,
  )
}

/**
 * Runs the robot under the controller, pushed from `seconds` on, writes down the states of `TICKS` ticks from there, and gives these to the
 * controller again in their order.
 */
function tickedBy(robot: Robot, controller: Controller, seconds: number): { run(): void } {
  const dt = 2e-3
  const loop = createControllerLoop(controller, robot, { rate: 500 })
  const mass = robot.massUsed
  const pushes = robot.floating
    ? [{ link: robot.model.bodyName[1], impulse: [0.1 * mass, 0, 0] as const, at: seconds, duration: 0.1 }]
    : []
  const world = new World({ robot, contactModel: 'ncp', dt, controller: loop, pushes, q: bentKnees(robot) })
  while (world.state.t[0] < seconds) world.step()
  const states = Array.from({ length: TICKS }, () => {
    const state = createState(robot.model)
    state.q.set(world.state.q)
    state.v.set(world.state.v)
    state.t[0] = world.state.t[0]
    world.step()
    return state
  })
  // the same for every tick, as in a world: the loop makes a view of each that it sees
  const data = createData(robot.model)
  const tau = new Float64Array(robot.model.nv)
  const contactForces = new Float64Array(6 * robot.model.nb)
  return {
    run() {
      for (const state of states) {
        kinematics(robot.model, state, data)
        loop.tick(state, data, tau, contactForces)
      }
    },
  }
}

/** Straight legs cannot push. */
const bends: Readonly<Record<string, number>> = { leg_hpy: -0.4, leg_kny: 0.8, leg_aky: -0.4 }

function bentKnees({ model, joints, home, shapes }: Robot): Float64Array {
  const q = home.slice()
  for (const { name, qIndex } of joints) q[qIndex] = bends[name.replace(/^[lr]_/, '')] ?? q[qIndex]
  if (model.jointType[1] === JointType.floating) setOnGround(model, q, shapes, createData(model))
  return q
}
