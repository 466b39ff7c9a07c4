/** The command line's base coordinates are world axes; ours are body axes. Checked by differences in time, not by the formulas. */
import { describe, expect, test } from 'vitest'
import {
  type DynamicsAt,
  dynamicsAt,
  parseStateFile,
  type StateFile,
  StateFileError,
  velocityNames,
} from '../../compare/dynamicsAt.ts'
import {
  createData,
  createRandom,
  createState,
  integrateConfiguration,
  kinematics,
  kineticEnergy,
  potentialEnergy,
  velocities,
} from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { mujocoOf } from '../oracle/mujoco.ts'

const random = createRandom(3)
const number = () => 2 * random.next() - 1

function randomState(
  robot: Robot,
): Required<StateFile> & { q: Record<string, number | number[]>; v: number[]; a: number[]; tau: number[] } {
  const quaternion = [number(), number(), number(), number()]
  const norm = Math.hypot(...quaternion)
  const q: Record<string, number | number[]> = Object.fromEntries(robot.joints.map(({ name }) => [name, number()]))
  if (robot.floating) q.base = [number(), number(), number(), ...quaternion.map((x) => x / norm)]
  const vector = () => Array.from({ length: robot.model.nv }, number)
  return { q, v: vector(), a: vector(), tau: vector().map((x) => 50 * x) }
}

/** Each entry of a within the tolerance of its fellow in b. */
function expectNear(a: readonly number[], b: readonly number[], tolerance: number): void {
  expect(a).toHaveLength(b.length)
  for (let i = 0; i < a.length; i++) expect(Math.abs(a[i] - b[i])).toBeLessThan(tolerance)
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0)
const times = (M: DynamicsAt['massMatrix'], x: readonly number[]) => M.map((row) => dot(row, x))

/** Base rotation as a matrix, from the state file's quaternion. */
function rotation([x, y, z, w]: readonly number[]): number[][] {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ]
}

/** The robot's own state, and its energy, for a state file. */
function ownState(robot: Robot, { q, v }: { q: Record<string, number | number[]>; v: readonly number[] }) {
  const state = createState(robot.model)
  for (const { name, qIndex } of robot.joints) state.q[qIndex] = q[name] as number
  state.v.set(v)
  if (robot.floating) {
    state.q.set(q.base as number[])
    const R = rotation((q.base as number[]).slice(3))
    for (const start of [0, 3])
      for (let i = 0; i < 3; i++) state.v[start + i] = [0, 1, 2].reduce((sum, k) => sum + R[k][i] * v[start + k], 0)
  }
  return state
}

function energyOf(robot: Robot, state: ReturnType<typeof ownState>): [number, number] {
  const data = createData(robot.model)
  const out = new Float64Array(1)
  kinematics(robot.model, state, data)
  velocities(robot.model, state, data)
  kineticEnergy(robot.model, state, data, out)
  const kinetic = out[0]
  potentialEnergy(robot.model, data, out)
  return [kinetic, out[0]]
}

for (const base of ['floating', 'fixed'] as const) {
  for (const name of ['diffdrive', 'humanoid'] as const) {
    const robot = loadOwnRobot(name, { base })
    const given = randomState(robot)
    const result = dynamicsAt(robot, given)
    const { massMatrix, bias, inverseDynamics, forwardDynamics, gravityTerm } = result
    const scale = Math.max(...inverseDynamics.map(Math.abs))

    describe(`dynamics of ${name}, ${base}`, () => {
      test('names every velocity', () => {
        expect(result.velocityNames).toHaveLength(robot.model.nv)
        expect(result.velocityNames.slice(0, 6)).toEqual(
          base === 'floating' ? ['base/wx', 'base/wy', 'base/wz', 'base/vx', 'base/vy', 'base/vz'] : expect.anything(),
        )
      })

      test('half v M v is the kinetic energy', () => {
        const [kinetic] = energyOf(robot, ownState(robot, given))
        expect(0.5 * dot(given.v, times(massMatrix, given.v))).toBeCloseTo(kinetic, 8)
      })

      test('the mass matrix is symmetric', () => {
        for (const [i, row] of massMatrix.entries())
          expectNear(
            row,
            massMatrix.map((other) => other[i]),
            1e-12 * scale,
          )
      })

      test('inverse dynamics is M a + bias', () => {
        const sum = times(massMatrix, given.a).map((x, i) => x + bias[i])
        expectNear(sum, inverseDynamics, 1e-10 * scale)
      })

      test('forward dynamics undoes inverse dynamics', () => {
        const back = dynamicsAt(robot, { ...given, tau: [...inverseDynamics] }).forwardDynamics
        // the humanoid's M has a condition of about 1e5
        expectNear(back, given.a, 1e-8)
      })

      test('gravityTerm is the gradient of the potential energy', () => {
        // moving along each velocity for a short time, both ways: error h^2, rounding 1e-16 / h, both below 1e-7 of the weight
        const h = 1e-5
        const at = ownState(robot, given)
        gravityTerm.forEach((x, k) => {
          const unit = Array.from({ length: robot.model.nv }, (_, i) => (i === k ? 1 : 0))
          const along = ownState(robot, { q: given.q, v: unit }).v
          const moved = (sign: number) => {
            const state = createState(robot.model)
            integrateConfiguration(robot.model, at.q, along, sign * h, state.q)
            return energyOf(robot, state)[1]
          }
          expect(Math.abs((moved(1) - moved(-1)) / (2 * h) - x)).toBeLessThan(1e-6 * scale)
        })
      })

      test('power: v tau is the rate of change of mechanical energy under the accelerations that come out', () => {
        // the world-axes velocity u(t) = u0 + a t along the motion; central difference of the energy
        // its error is h^2, and light joints accelerate at 1e5 rad/s^2 here
        const h = 1e-6
        const { tau, v } = given
        const energyAt = (time: number) => {
          const u = v.map((x, i) => x + forwardDynamics[i] * time)
          const middle = v.map((x, i) => x + 0.5 * forwardDynamics[i] * time)
          const q = createState(robot.model)
          const from = ownState(robot, given)
          integrateConfiguration(robot.model, from.q, bodyAxes(robot, given, middle, time), time, q.q)
          return energyOf(robot, { ...q, v: toBody(robot, q.q, u) }).reduce((a, b) => a + b)
        }
        const power = (energyAt(h) - energyAt(-h)) / (2 * h)
        expect(Math.abs(power - dot(tau, v))).toBeLessThan(1e-5 * Math.max(1, Math.abs(dot(tau, v)), scale))
      })
    })
  }
}

/** World-axes velocity in the axes of the base at q. */
function toBody(robot: Robot, q: Float64Array, u: readonly number[]): Float64Array {
  const v = Float64Array.from(u)
  if (!robot.floating) return v
  const R = rotation([...q.slice(3, 7)])
  for (const start of [0, 3])
    for (let i = 0; i < 3; i++) v[start + i] = [0, 1, 2].reduce((sum, k) => sum + R[k][i] * u[start + k], 0)
  return v
}

/** The same for the base half-way along a motion of this time, to first order: good for a midpoint step. */
function bodyAxes(
  robot: Robot,
  given: { q: Record<string, number | number[]>; v: number[] },
  u: readonly number[],
  time: number,
): Float64Array {
  const start = ownState(robot, given)
  const half = new Float64Array(robot.model.nq)
  integrateConfiguration(robot.model, start.q, start.v, time / 2, half)
  return toBody(robot, half, u)
}

describe('MuJoCo, whose free joint has world-axes linear and body-axes angular velocity, gives the same', () => {
  for (const name of ['diffdrive', 'humanoid'] as const) {
    test(name, async () => {
      const robot = loadOwnRobot(name)
      const { model } = robot
      const given = randomState(robot)
      const ours = dynamicsAt(robot, given)
      const mujoco = await mujocoOf(model)
      const { mj, model: mjModel, data, qposStart, dofStart } = mujoco
      const base = given.q.base as number[]
      const R = rotation(base.slice(3))
      const turned = (x: readonly number[], inverse = false) =>
        [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, k) => sum + (inverse ? R[k][i] : R[i][k]) * x[k], 0))
      /** Ours [angular; linear] to MuJoCo's [linear; angular in body axes], and back. */
      const toMujoco = (u: readonly number[]) => {
        const out = new Float64Array(model.nv)
        out.set([...u.slice(3, 6), ...turned(u.slice(0, 3), true)], dofStart[1])
        for (const { body, vIndex } of robot.joints) out[dofStart[body]] = u[vIndex]
        return out
      }
      const fromMujoco = (x: ArrayLike<number>) => {
        const out = new Array<number>(model.nv)
        const free = Array.from({ length: 6 }, (_, i) => x[dofStart[1] + i])
        for (const { body, vIndex } of robot.joints) out[vIndex] = x[dofStart[body]]
        return [...turned(free.slice(3)), ...free.slice(0, 3), ...out.slice(6)]
      }
      // what two correct engines may differ by
      const agree = (a: readonly number[], b: readonly number[]) => expectNear(a, b, 1e-9 * Math.max(...b.map(Math.abs)))
      const qpos = new Float64Array(model.nq)
      qpos.set([...base.slice(0, 3), base[6], base[3], base[4], base[5]], qposStart[1])
      for (const { name: joint, body } of robot.joints) qpos[qposStart[body]] = given.q[joint] as number
      data.qpos.set(qpos)
      data.qvel.set(toMujoco(given.v))
      data.qfrc_applied.set(toMujoco(given.tau))
      mj.mj_forward(mjModel, data)
      agree(ours.bias, fromMujoco(data.qfrc_bias))
      agree(ours.forwardDynamics, fromMujoco(data.qacc))
      data.qacc.set(toMujoco(given.a))
      mj.mj_inverse(mjModel, data)
      agree(ours.inverseDynamics, fromMujoco(data.qfrc_inverse))
      mujoco.delete()
    })
  }
})

describe('Jacobians of links', () => {
  const robot = loadOwnRobot('humanoid')
  const given = randomState(robot)
  const links = robot.frames.map(({ name }) => name)
  const { jacobians } = dynamicsAt(robot, given, links)

  test('give the velocity of every link’s origin, merged links included', () => {
    const h = 1e-6
    const placesAt = (time: number) => {
      const state = ownState(robot, given)
      integrateConfiguration(robot.model, state.q, state.v, time, state.q)
      const data = createData(robot.model)
      kinematics(robot.model, state, data)
      return robot.frames.map(({ body, p }) =>
        [0, 1, 2].map((i) => data.p_WB[body][i] + [0, 1, 2].reduce((sum, k) => sum + data.R_WB[body][3 * i + k] * p[k], 0)),
      )
    }
    const [before, after] = [placesAt(-h), placesAt(h)]
    links.forEach((link, l) => {
      const velocity = jacobians[link].slice(3).map((row) => dot(row, given.v))
      // difference error h^2, rounding 1e-16 / h
      const difference = after[l].map((x, i) => (x - before[l][i]) / (2 * h))
      expectNear(velocity, difference, 1e-7)
    })
  })

  test('turn the base by its angular velocity and nothing else', () => {
    const J = jacobians[robot.model.bodyName[1]]
    for (const [i, row] of J.entries())
      expectNear(
        row,
        row.map((_, k) => (i === k ? 1 : 0)),
        1e-14,
      )
  })

  test('an unknown link is refused by name', () => expect(() => dynamicsAt(robot, {}, ['nose'])).toThrow('has no link "nose"'))
})

describe('joint damping and friction', () => {
  const robot = loadOwnRobot('humanoid')
  const given = randomState(robot)
  test('come in with --passive only, as damping v + friction sign(v)', () => {
    const [without, passive] = [dynamicsAt(robot, given), dynamicsAt(robot, given, [], true)]
    const { damping, friction } = robot.model
    const expected = without.bias.map((x, i) => x + damping[i] * given.v[i] + friction[i] * Math.sign(given.v[i]))
    expectNear(passive.bias, expected, 1e-10)
    expect(passive.gravityTerm).toEqual(without.gravityTerm)
  })
})

describe('a state file', () => {
  const robot = loadOwnRobot('diffdrive')
  const wheel = robot.joints[0].name
  test('may give velocities by name or as a list', () => {
    const byName = dynamicsAt(robot, { v: { base: [1, 2, 3, 4, 5, 6], [wheel]: 7 } })
    expect(dynamicsAt(robot, { v: [1, 2, 3, 4, 5, 6, 7, 0] })).toEqual(byName)
    expect(velocityNames(robot)[6]).toBe(wheel)
  })
  for (const [text, message] of [
    ['{', 's.json: is no JSON'],
    ['{"p": 1}', 'unknown field p'],
    ['{"q": {"base": [0, 0, 0, 0, 0, 0, 2]}}', 'has length 2, expected 1'],
    ['{"q": {"base": [0, 0]}}', 'expected [x, y, z, qx, qy, qz, qw]'],
    ['{"q": {"nose": 1}}', 'has no moving joint "nose"'],
    ['{"v": [1, 2]}', 'found 2 numbers, expected 8'],
    ['{"v": {"base": 3}}', 'expected six numbers'],
    [`{"tau": {"${wheel}": [1]}}`, 'expected one finite number'],
    [`{"a": {"${wheel}": "x"}}`, 's.json: a'],
  ]) {
    test(`is refused: ${text}`, () => {
      expect(() => dynamicsAt(robot, parseStateFile(text, 's.json'))).toThrow(StateFileError)
      expect(() => dynamicsAt(robot, parseStateFile(text, 's.json'))).toThrow(message)
    })
  }
})
