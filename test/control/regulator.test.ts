import { expect, test } from 'vitest'
import { Plan } from '../../control/controllers/regulator.ts'
import { type Controller, createControllerLoop, type JointTrajectory, regulator } from '../../control/index.ts'
import { cos, sin } from '../../dynamics/index.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

const link = (name: string, mass: number, z: number) =>
  `<link name="${name}"><inertial><origin xyz="0 0 ${z}"/><mass value="${mass}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>`
/** A pole of 0.5 m that stands on a cart of 1 kg. */
const cartPole = loadRobot(
  `<robot name="cart-pole"><link name="world"/>${link('cart', 1, 0)}${link('pole', 0.2, 0.25)}` +
    '<joint name="slide" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/><limit lower="-5" upper="5" effort="100" velocity="100"/></joint>' +
    '<joint name="hinge" type="continuous"><parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/></joint></robot>',
  { file: 'cart-pole.urdf' },
)
const h = 1e-3
const [position, velocity, effort] = [10, 1, 0.1]

function run(
  robot: Robot,
  controller: Controller,
  start: { q: number[]; v: number[] },
  seconds: number,
  watch: (world: World) => void,
) {
  const loop = createControllerLoop(controller, robot, { rate: 1 / h })
  const world = new World({ robot, controller: loop, contactModel: 'ncp', dt: h, fixtures: [], ...start })
  for (let k = 0; k < Math.round(seconds / h); k++) {
    world.step()
    watch(world)
  }
  return world
}

/** Price of one step, at its start. */
const priceOf = (off: readonly number[], fast: readonly number[], u: readonly number[]) =>
  h * (position * sum(off) + velocity * sum(fast) + effort * sum(u))
const sum = (values: readonly number[]) => values.reduce((total, x) => total + x * x, 0)

test('a pole on a cart whose motor alone is driven is caught from 0.3 rad', () => {
  const controller = regulator({ motors: ['slide'], position, velocity, effort }) as Controller
  const world = run(cartPole, controller, { q: [0, 0.3], v: [0, 0] }, 8, () => {})
  for (const x of [...world.state.q, ...world.state.v]) expect(Math.abs(x)).toBeLessThan(1e-3)
  expect(world.tau[1]).toBe(0)
})

test('what it costs near the reference is xᵀP x, at rest and along a trajectory', () => {
  /** The cart swings by 0.3 m, the pole is held level with it by a motor of its own. */
  const swing = (): JointTrajectory => ({
    sample([t], q, v, a) {
      q.set([0.3 * sin(2 * t), 0.4 * (1 - cos(t))])
      v.set([0.6 * cos(2 * t), 0.4 * sin(t)])
      a.set([-1.2 * sin(2 * t), 0.4 * cos(t)])
    },
  })
  for (const trajectory of [undefined, swing]) {
    const motors = trajectory === undefined ? ['slide'] : undefined
    const options = { motors, position, velocity, effort, trajectory, duration: 6 }
    const plan = new Plan(cartPole, h, options, trajectory?.())
    const reference = (t: number) => {
      const [q, v, a] = [new Float64Array(2), new Float64Array(2), new Float64Array(2)]
      trajectory?.().sample(Float64Array.of(t), q, v, a)
      return { q, v }
    }
    const deviation = [2e-4, -1e-4, 1e-4, 3e-4]
    const { q, v } = reference(0)
    const start = { q: [q[0] + deviation[0], q[1] + deviation[1]], v: [v[0] + deviation[2], v[1] + deviation[3]] }
    // twice: with and without the deviation, whose difference is free of what the step makes of the reference itself
    const paths = [start, { q: [...q], v: [...v] }].map((from) => {
      const rows: number[][] = [[...from.q, ...from.v]]
      const efforts: number[][] = []
      run(cartPole, regulator(options) as Controller, from, 6, ({ state, tau }) => {
        rows.push([...state.q, ...state.v])
        efforts.push([...tau])
      })
      return { rows, efforts }
    })
    let cost = 0
    paths[0].efforts.forEach((u, k) => {
      const off = paths[0].rows[k].map((x, i) => x - paths[1].rows[k][i])
      cost += priceOf(
        off.slice(0, 2),
        off.slice(2),
        u.map((x, i) => x - paths[1].efforts[k][i]),
      )
    })
    let expected = 0
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) expected += deviation[i] * plan.gains.P[4 * i + j] * deviation[j]
    expect(Math.abs(cost / expected - 1)).toBeLessThan(5e-3)
  }
})

test('gains of a run that is too long are refused before any is computed', () => {
  const trajectory = (): JointTrajectory => ({ sample() {} })
  const { init } = regulator({ trajectory, duration: 1e5 })
  expect(() => init({ robot: cartPole, model: cartPole.model, period: 1e-3, options: {} })).toThrow(
    /100000000 ticks of 2 motors and 4 states have 800000000 gains, more than 50000000; shorten the run, or lower the rate/,
  )
})

test('a base that floats, and motors that are not there, are refused', () => {
  const init = (robot: Robot, motors?: string[]) => () =>
    regulator({ motors }).init({ robot, model: robot.model, period: h, options: {} })
  expect(init({ ...cartPole, floating: true } as Robot)).toThrow(/not bolted down/)
  expect(init(cartPole, ['wheel'])).toThrow(/motors names "wheel"; "cart-pole" has slide, hinge/)
})
