/** The command line's base coordinates are world axes; ours are body axes. Checked by differences in time, not by the formulas. */
import { describe, expect, test } from 'vitest'
import {
  type DynamicsAt,
  dynamicsAt,
  parseStateFile,
  type StateFile,
  StateFileError,
  velocityNames,
} from '../../compare/inspect/dynamicsAt.ts'
import {
  type BodyDefinition,
  buildModel,
  createData,
  createRandom,
  createState,
  integrateConfiguration,
  JointType,
  kinematics,
} from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { dataAt, energiesOf, filled } from '../dynamics/at.ts'
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
        const [kinetic] = energiesOf(robot.model, ownState(robot, given))
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
            return energiesOf(robot.model, state)[1]
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
          return energiesOf(robot.model, { ...q, v: toBody(robot, q.q, u) }).reduce((a, b) => a + b)
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
  const half = filled(robot.model.nq, (out) => integrateConfiguration(robot.model, start.q, start.v, time / 2, out))
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

/**
 * Bodies of point masses on joints of every type. What `dynamicsAt` says of them is held against d'Alembert's principle,
 * tau_k = sum m (x'' - g) . dx'/du_k, over the points, with derivatives by differences along motions in the state file's own
 * coordinates: nothing of it knows a mass matrix, a spatial velocity or the turn from body to joint axes.
 */
describe('joints of several coordinates inside a tree', () => {
  interface Point {
    readonly body: number
    readonly mass: number
    readonly place: readonly number[]
  }
  type Configuration = Record<string, number | number[]>

  function mixedRobot(floating: boolean): { robot: Robot; points: Point[] } {
    const points: Point[] = []
    const unit = (length: number) => {
      const x = Array.from({ length }, number)
      const norm = Math.hypot(...x)
      return x.map((entry) => entry / norm)
    }
    const body = (
      name: string,
      parent: number,
      jointType: BodyDefinition['jointType'],
      more: Partial<BodyDefinition> = {},
    ): BodyDefinition => {
      const index = names.push(name)
      const own = Array.from({ length: 5 }, () => ({
        body: index,
        mass: 0.2 + random.next(),
        place: [number(), number(), number()],
      }))
      points.push(...own)
      const mass = own.reduce((sum, { mass: m }) => sum + m, 0)
      const centre = [0, 1, 2].map((i) => own.reduce((sum, { mass: m, place }) => sum + m * place[i], 0) / mass)
      const second = (i: number, j: number) =>
        own.reduce((sum, { mass: m, place }) => sum + m * (place[i] - centre[i]) * (place[j] - centre[j]), 0)
      const [xx, yy, zz] = [second(0, 0), second(1, 1), second(2, 2)]
      return {
        name,
        jointName: name,
        parent,
        jointType,
        rotation: rotation(unit(4)).flat(),
        position: [number(), number(), number()],
        mass,
        centerOfMass: centre as [number, number, number],
        inertia: [yy + zz, xx + zz, xx + yy, -second(0, 1), -second(0, 2), -second(1, 2)],
        ...more,
      }
    }
    const names: string[] = []
    const axis = () => unit(3) as [number, number, number]
    const definitions = [
      body('base', 0, floating ? JointType.floating : JointType.revolute, floating ? {} : { axis: axis() }),
      body('table', 1, JointType.planar, { axis: axis() }),
      body('ball', 2, JointType.spherical),
      body('elbow', 3, JointType.revolute, { axis: axis() }),
      body('loose', 4, JointType.floating),
      body('rail', 2, JointType.prismatic, { axis: axis(), follows: 4, multiplier: -0.7, offset: 0.1 }),
      body('tip', 5, JointType.revolute, { axis: axis() }),
    ]
    const model = buildModel('mixed', definitions)
    const at = (k: number) => ({ name: names[k - 1], body: k, qIndex: model.qStart[k], vIndex: model.vStart[k] })
    const robot = {
      ...loadOwnRobot('diffdrive'),
      name: 'mixed',
      model,
      floating,
      joints: [...(floating ? [] : [1]), 4, 7].map((k) => ({ ...at(k), type: 'revolute' as const })),
      freeJoints: [
        { ...at(2), type: 'planar' as const },
        { ...at(3), type: 'spherical' as const },
        { ...at(5), type: 'floating' as const },
      ],
      mimics: [{ name: 'rail', type: 'prismatic' as const, body: 6, follows: 'elbow', multiplier: -0.7, offset: 0.1 }],
      frames: names.map((name, k) => ({
        name,
        body: k + 1,
        R: Float64Array.from(rotation(unit(4)).flat()),
        p: new Float64Array(unit(3)),
      })),
    }
    return { robot, points }
  }

  /** The quaternion of exp(t) times q: a turn about axes that stand still while the body moves. */
  function turned([x, y, z, w]: readonly number[], t: readonly number[]): number[] {
    const angle = Math.hypot(...t)
    const [a, b, c] = t.map((entry) => (angle === 0 ? 0 : (entry / angle) * Math.sin(angle / 2)))
    const d = Math.cos(angle / 2)
    return [
      d * x + a * w + b * z - c * y,
      d * y + b * w + c * x - a * z,
      d * z + c * w + a * y - b * x,
      d * w - a * x - b * y - c * z,
    ]
  }

  /** q after moving by s in the coordinates of the state file: positions by what is added, rotations by a turn. */
  function moved(robot: Robot, q: Configuration, s: readonly number[]): Configuration {
    const out: Configuration = {}
    const joints = [
      ...(robot.floating ? [{ name: 'base', type: 'floating', vIndex: 0 }] : []),
      ...robot.freeJoints,
      ...robot.joints.map((joint) => ({ ...joint, type: 'single' })),
    ]
    for (const { name, type, vIndex: k } of joints) {
      const from = q[name]
      if (typeof from === 'number') out[name] = from + s[k]
      else if (type === 'planar') out[name] = from.map((x, i) => x + s[k + i])
      else if (type === 'spherical') out[name] = turned(from, s.slice(k, k + 3))
      else out[name] = [...from.slice(0, 3).map((x, i) => x + s[k + 3 + i]), ...turned(from.slice(3), s.slice(k, k + 3))]
    }
    return out
  }

  function kinematicsAt({ model, freeJoints, joints, floating }: Robot, q: Configuration) {
    const state = createState(model)
    for (const { name, qIndex } of freeJoints) state.q.set(q[name] as number[], qIndex)
    for (const { name, qIndex } of joints) state.q[qIndex] = q[name] as number
    if (floating) state.q.set(q.base as number[])
    return dataAt(model, state)
  }

  function placesAt(robot: Robot, points: readonly Pick<Point, 'body' | 'place'>[], q: Configuration): number[][] {
    const { R_WB, p_WB } = kinematicsAt(robot, q)
    return points.map(({ body, place }) =>
      [0, 1, 2].map((i) => p_WB[body][i] + [0, 1, 2].reduce((sum, k) => sum + R_WB[body][3 * i + k] * place[k], 0)),
    )
  }

  for (const floating of [true, false]) {
    describe(floating ? 'under a floating base' : 'under a fixed base', () => {
      const { robot, points } = mixedRobot(floating)
      const { nv } = robot.model
      const unitQuaternion = () => {
        const x = Array.from({ length: 4 }, number)
        return x.map((entry) => entry / Math.hypot(...x))
      }
      const q: Configuration = {
        base: floating ? [number(), number(), number(), ...unitQuaternion()] : number(),
        table: [number(), number(), number()],
        ball: unitQuaternion(),
        elbow: number(),
        loose: [number(), number(), number(), ...unitQuaternion()],
        tip: number(),
      }
      const vector = () => Array.from({ length: nv }, number)
      const [v, a, tau] = [vector(), vector(), vector().map((x) => 20 * x)]
      const ours = dynamicsAt(
        robot,
        { q, v, a, tau },
        robot.frames.map(({ name }) => name),
      )

      const h = 1e-4
      const along = (s: (time: number) => number[]) => [-h, 0, h].map((time) => placesAt(robot, points, moved(robot, q, s(time))))
      /** Rows: each velocity alone; then each point's velocity under it. Error h^2 = 1e-8. */
      const jacobian = Array.from({ length: nv }, (_, k) => {
        const [before, , after] = along((time) => Array.from({ length: nv }, (_, i) => (i === k ? time : 0)))
        return after.map((place, i) => place.map((x, j) => (x - before[i][j]) / (2 * h)))
      })
      /** Forces that give the points these accelerations under gravity. */
      const forcesFor = (accelerations: readonly (readonly number[])[]) =>
        jacobian.map((row) =>
          points.reduce(
            (sum, { mass }, i) =>
              sum + mass * dot([accelerations[i][0], accelerations[i][1], accelerations[i][2] + 9.81], row[i]),
            0,
          ),
        )
      const accelerationsUnder = (rate: readonly number[], change: readonly number[]) => {
        const [before, now, after] = along((t) => rate.map((x, i) => x * t + 0.5 * change[i] * t * t))
        return now.map((place, i) => place.map((x, j) => (after[i][j] - 2 * x + before[i][j]) / (h * h)))
      }
      const scale = Math.max(...ours.inverseDynamics.map(Math.abs))
      const none = Array.from({ length: nv }, () => 0)
      // second differences: truncation h^2 and rounding 1e-15 / h^2, both about 1e-7 of the accelerations
      const tolerance = 2e-6 * scale

      test('the mass matrix is the sum of the points’ masses between their velocities', () => {
        const expected = jacobian.map((a) =>
          jacobian.map((b) => points.reduce((sum, { mass }, i) => sum + mass * dot(a[i], b[i]), 0)),
        )
        for (const [k, row] of expected.entries()) expectNear(ours.massMatrix[k], row, 1e-6 * scale)
      })
      test('gravityTerm holds the points at rest', () =>
        expectNear(ours.gravityTerm, forcesFor(accelerationsUnder(none, none)), tolerance))
      test('bias holds the plain velocities constant', () =>
        expectNear(ours.bias, forcesFor(accelerationsUnder(v, none)), tolerance))
      test('inverseDynamics gives the plain accelerations', () =>
        expectNear(ours.inverseDynamics, forcesFor(accelerationsUnder(v, a)), tolerance))
      test('forwardDynamics answers the accelerations that take the forces', () => {
        const back = forcesFor(accelerationsUnder(v, ours.forwardDynamics))
        // light points accelerate at a thousand or so
        expectNear(back, tau, 2e-6 * Math.max(...ours.forwardDynamics.map(Math.abs), scale))
      })
      test('Jacobians give every frame’s velocity', () => {
        const places = robot.frames.map(({ body, p }) => ({ body, place: [...p] }))
        const at = (time: number) =>
          placesAt(
            robot,
            places,
            moved(
              robot,
              q,
              v.map((x) => x * time),
            ),
          )
        const turns = (time: number) =>
          kinematicsAt(
            robot,
            moved(
              robot,
              q,
              v.map((x) => x * time),
            ),
          ).R_WB
        const [before, after, R0, R1] = [at(-h), at(h), turns(-h), turns(h)]
        robot.frames.forEach(({ name, body }, f) => {
          const velocity = ours.jacobians[name].map((row) => dot(row, v))
          expectNear(
            velocity.slice(3),
            after[f].map((x, i) => (x - before[f][i]) / (2 * h)),
            1e-6,
          )
          // R1 R0' = 1 + 2 h w~ to second order
          const spin = (i: number, j: number) =>
            [0, 1, 2].reduce(
              (sum, k) => sum + R1[body][3 * i + k] * R0[body][3 * j + k] - R1[body][3 * j + k] * R0[body][3 * i + k],
              0,
            ) /
            (4 * h)
          expectNear(velocity.slice(0, 3), [spin(2, 1), spin(0, 2), spin(1, 0)], 1e-6)
        })
      })
      test('a joint’s velocities carry its name and a number; one that follows has none', () => {
        const base = floating ? ['wx', 'wy', 'wz', 'vx', 'vy', 'vz'].map((axis) => `base/${axis}`) : ['base']
        const numbered = (name: string, n: number) => Array.from({ length: n }, (_, i) => `${name}/${i}`)
        expect(ours.velocityNames).toEqual([
          ...base,
          ...numbered('table', 3),
          ...numbered('ball', 3),
          'elbow',
          ...numbered('loose', 6),
          'tip',
        ])
      })
      test('velocities by name are those of the list', () => {
        const start = floating ? 6 : 1
        const named = {
          ...(floating ? { base: v.slice(0, 6) } : { base: v[0] }),
          table: v.slice(start, start + 3),
          ball: v.slice(start + 3, start + 6),
          elbow: v[start + 6],
          loose: v.slice(start + 7, start + 13),
          tip: v[start + 13],
        }
        expect(dynamicsAt(robot, { q, v: named }).bias).toEqual(ours.bias)
      })
      for (const [given, message] of [
        [
          { q: { rail: 1 } },
          'q.rail: "rail" has no coordinate of its own, it follows "elbow" (rail = -0.7 × elbow + 0.1); give q.elbow',
        ],
        [{ q: { table: 1 } }, 'q.table: found 1, expected [x, y, angle]'],
        [{ q: { ball: [0, 0, 0] } }, 'q.ball: found [0,0,0], expected [qx, qy, qz, qw]'],
        [{ q: { ball: [0, 0, 1, 1] } }, 'q.ball: the quaternion has length 1.414'],
        [{ q: { loose: [0, 0, 0, 0, 0, 0, 0] } }, 'q.loose: the quaternion has length 0'],
        [{ v: { ball: [1, 2] } }, "v.ball: found [1,2], expected three numbers, angular, in the joint's axes"],
        [{ tau: { loose: 3 } }, "tau.loose: found 3, expected six numbers, angular then linear, in the joint's axes"],
        [{ a: { elbow: [3] } }, 'a.elbow: found [3], expected one finite number'],
      ] as [StateFile, string][]) {
        test(`refused: ${JSON.stringify(given)}`, () => expect(() => dynamicsAt(robot, given)).toThrow(message))
      }
    })
  }
})

describe('joint damping and friction', () => {
  const robot = loadOwnRobot('humanoid')
  const given = randomState(robot)
  test('come in with --passive only: damping v, and friction against the motion of joints that move', () => {
    const [without, passive] = [dynamicsAt(robot, given), dynamicsAt(robot, given, [], true)]
    const { damping, friction } = robot.model
    const expected = without.bias.map((x, i) => x + damping[i] * given.v[i] + friction[i] * Math.sign(given.v[i]))
    expectNear(passive.bias, expected, 1e-10)
    expect(passive.gravityTerm).toEqual(without.gravityTerm)
    const push = (result: DynamicsAt) => times(result.massMatrix, result.forwardDynamics)
    const lost = push(without).map((x, i) => x - push(passive)[i])
    expectNear(
      lost,
      expected.map((x, i) => x - without.bias[i]),
      1e-8,
    )
  })
  test('hold a joint that creeps with a force in proportion to its speed: half the friction at half a millimetre a second', () => {
    const file = 'slider.urdf'
    const slider = loadRobot(
      `<robot name="slider"><link name="world"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
       <joint name="slide" type="prismatic"><parent link="world"/><child link="a"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
       <dynamics damping="0.5" friction="8"/></joint></robot>`,
      { file },
    )
    expect(dynamicsAt(slider, { v: { slide: 5e-4 } }, [], true).bias[0]).toBeCloseTo(0.5 * 5e-4 + 4, 12)
    expect(dynamicsAt(slider, { v: { slide: -2 } }, [], true).bias[0]).toBeCloseTo(-0.5 * 2 - 8, 12)
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
    [`{"a": {"${wheel}": "x"}}`, `s.json: a.${wheel} found "x", expected a number`],
    ['{"v": [1, "x"]}', 's.json: v.1 '],
    ['{"v": 3}', 's.json: v found 3, expected an object with joint names or a list of numbers'],
    ['[]', 's.json: found [], expected an object with q, v, a and tau'],
  ]) {
    test(`is refused: ${text}`, () => {
      expect(() => dynamicsAt(robot, parseStateFile(text, 's.json'))).toThrow(StateFileError)
      expect(() => dynamicsAt(robot, parseStateFile(text, 's.json'))).toThrow(message)
    })
  }
})
