import { describe, expect, test } from 'vitest'
import type { ContactModelName, OptionsOf } from '../../../contact/index.ts'
import { JointType } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import { World, type WorldSetup } from '../../../simulation/index.ts'
import { body, slide, solid } from '../../dynamics/bodies.ts'
import { robotOf } from '../../simulation/robots.ts'
import { closing, couplerAngles, couplerRates, fourbar, wrapped } from '../loops/linkages.ts'

/*
 * The trapezoidal step of the rigid velocity-level models, `step: trapezoidal`: its order in smooth motion against closed forms and against
 * itself at a 32nd of the step, beside that of the default; its stability; what it breaks.
 */

const models = ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp'] as const
type Step = NonNullable<OptionsOf<'ncp'>['step']>

type Setup = Omit<WorldSetup, 'dt'>

/** State after a time under a step. */
function stateAfter(setup: Setup, seconds: number, dt: number, step: Step, contactModel: ContactModelName = 'ncp'): number[] {
  const world = new World({ ...setup, dt, contactModel, contactOptions: { step } } as ConstructorParameters<typeof World>[0])
  for (let k = Math.round(seconds / dt); k > 0; k--) world.step()
  expect(world.events).toMatchObject({ failures: 0, fallbacks: 0 })
  return [...world.state.q, ...world.state.v]
}

const distance = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((x, i) => Math.abs(x - b[i])))

/** Order of the error by halving the step. */
const orderOf = (errorAt: (dt: number) => number, dt: number) => Math.log2(errorAt(dt) / errorAt(dt / 2))

const rod = (parent: number, extra = {}) => ({
  name: `rod ${parent}`,
  jointName: `joint ${parent}`,
  parent,
  jointType: JointType.revolute,
  axis: [0, 1, 0] as [number, number, number],
  position: [parent, 0, 0] as [number, number, number],
  mass: 1,
  centerOfMass: [0.5, 0, 0] as [number, number, number],
  inertia: [0.01, 1 / 12, 1 / 12, 0, 0, 0] as [number, number, number, number, number, number],
  ...extra,
})

const swinging = (): Setup => ({ robot: robotOf('double pendulum', [rod(0), rod(1)]), fixtures: [], q: [0.3, 0.5], v: [1, -2] })

/** A slide of 2 kg on a spring and damper, without gravity; x'' = -w² x - 2 z w x'. */
const w = 20
const z = 0.1
function oscillator(frequency = w, damping = z): Robot {
  const mass = 2
  return robotOf('oscillator', [
    body('slide', slide('rail', 0, [1, 0, 0]), solid(mass, [0.1, 0.1, 0.1]), {
      stiffness: mass * frequency ** 2,
      damping: 2 * damping * mass * frequency,
    }),
  ])
}

function tumbling(): Setup {
  const robot = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.1, 0.2, 0.3] }, mass: 1, position: [0, 0, 5] })
  return { robot, fixtures: [], v: [1, 5, 0.5, 1, 2, 3] }
}

function flying(): Setup {
  const robot = loadOwnRobot('humanoid')
  const q = robot.home.slice()
  q[2] += 20
  return { robot, q, v: Float64Array.from({ length: robot.model.nv }, (_, i) => Math.sin(i + 1)) }
}

describe('order in smooth motion, by halving the step: 2, and 1 of the default', () => {
  test.each([
    ['a double pendulum', swinging(), 0.5, 5e-3],
    ['a box that tumbles in flight', tumbling(), 0.5, 5e-3],
    ['a humanoid in flight', flying(), 0.1, 5e-3],
  ] as const)('%s', (_, setup, seconds, dt) => {
    const exact = stateAfter(setup, seconds, dt / 32, 'trapezoidal')
    const order = (step: Step) => orderOf((h) => distance(stateAfter(setup, seconds, h, step), exact), dt)
    expect(Math.abs(order('trapezoidal') - 2)).toBeLessThan(0.4)
    expect(Math.abs(order('euler') - 1)).toBeLessThan(0.2)
  })

  test('a spring and damper, against its closed form', () => {
    const x = (t: number) => {
      const wd = w * Math.sqrt(1 - z * z)
      return Math.exp(-z * w * t) * (Math.cos(wd * t) + ((z * w) / wd) * Math.sin(wd * t))
    }
    const error = (step: Step) => (h: number) =>
      Math.abs(stateAfter({ robot: oscillator(), fixtures: [], q: [1] }, 0.4, h, step)[0] - x(0.4))
    expect(Math.abs(orderOf(error('trapezoidal'), 2e-3) - 2)).toBeLessThan(0.1)
    expect(Math.abs(orderOf(error('euler'), 2e-3) - 1)).toBeLessThan(0.15)
  })
})

// convex: what slides floats, and is thrown as its slip begins
const sliding = models.filter((name) => name !== 'convex')

test.each(sliding)(
  '%s: a block that slides and stays in contact is where v t - mu g t² / 2 says, but for compliance',
  (model) => {
    const robot = createFreeBody({
      name: 'block',
      shape: { type: 'box', size: [0.2, 0.2, 0.1] },
      mass: 2,
      position: [0, 0, 0.05],
    })
    const x = (step: Step) =>
      stateAfter({ robot, v: [0, 0, 0, 2, 0, 0], physical: { friction: 0.3 } }, 0.5, 1e-2, step, model)[0] -
      (1 - 0.125 * 0.3 * 9.81)
    expect(Math.abs(x('trapezoidal'))).toBeLessThan(1e-7)
    // h mu g t / 2 short
    expect(x('euler')).toBeCloseTo(-1e-2 * 0.3 * 9.81 * 0.25, 7)
  },
)

test('loops: a four-bar under gravity opens by the cube of the step, and is where it is to be by its square', () => {
  const { elbow, swing } = couplerRates(0)
  const run = (dt: number) => {
    const speed = 2 * Math.PI
    const world = new World({
      robot: fourbar(),
      v: [speed, speed * elbow, speed * swing],
      loops: [closing('hinge')],
      fixtures: [],
      contactModel: 'ncp',
      contactOptions: { step: 'trapezoidal' },
      dt,
    })
    let open = 0
    for (let k = 0; k < 0.25 / dt; k++) {
      world.step()
      open = Math.max(open, Math.abs(wrapped(world.state.q[1] - couplerAngles(world.state.q[0]).elbow)))
    }
    return { open, crank: world.state.q[0] }
  }
  const [a, b, c] = [2e-3, 1e-3, 5e-4].map(run)
  expect(Math.log2(a.open / b.open)).toBeGreaterThan(2.7)
  expect(Math.log2((a.crank - b.crank) / (b.crank - c.crank))).toBeGreaterThan(1.8)
})

describe('a stiff spring, h w = 100', () => {
  const dt = 1e-3

  test('rings for ever: x = x0 cos(n theta), tan(theta / 2) = h w / 2, where the default has damped it away', () => {
    const run = (step: Step, steps: number) =>
      stateAfter({ robot: oscillator(100 / dt, 0), fixtures: [], q: [1e-3] }, steps * dt, dt, step)[0]
    for (const n of [1, 10, 1000, 1040]) expect(run('trapezoidal', n)).toBeCloseTo(1e-3 * Math.cos(2 * n * Math.atan(50)), 12)
    expect(Math.abs(run('euler', 10))).toBeLessThan(1e-15)
  })

  test('two links on it do not gain energy', () => {
    const robot = robotOf('stiff arm', [rod(0, { stiffness: 1e4 / dt ** 2 / 3 }), rod(1)])
    const world = new World({
      robot,
      fixtures: [],
      q: [1e-4, 0.5],
      contactModel: 'ncp',
      contactOptions: { step: 'trapezoidal' },
      dt,
    })
    let most = 0
    for (let k = 0; k < 3000; k++) {
      world.step()
      most = Math.max(most, Math.abs(world.state.q[0]))
    }
    expect(most).toBeLessThan(1.1e-4)
    expect(world.events.energyGains).toBe(0)
  })
})

test.each(models)('%s: what lands without restitution stops, and goes on by nothing', (contactModel) => {
  const robot = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 2, position: [0, 0, 0.3] })
  const world = new World({ robot, contactModel, contactOptions: { step: 'trapezoidal' }, dt: 1e-2 })
  let lowest = 1
  for (let k = 0; k < 50; k++) {
    world.step()
    lowest = Math.min(lowest, world.state.q[2] - 0.1)
  }
  // g h² / 2 at most, in the step in which it comes down from where it was stopped; and compliance
  expect(lowest).toBeGreaterThan(-0.5 * 9.81 * 1e-4 - 1e-8)
  expect(Math.abs(world.state.v[5])).toBeLessThan(1e-5)
})

test('loops that are to be closed at the end by the mean of two velocities are refused', () => {
  const make = () =>
    new World({
      robot: fourbar(),
      contactModel: 'ncp',
      contactOptions: { loops: 'end-of-step', step: 'trapezoidal' },
      dt: 1e-3,
    })
  expect(make).toThrow(/loops "end-of-step" needs step "euler"/)
})
