/** Each law on a motion that is made up, so that its value is known in closed form, and on a model that breaks it beside one that keeps it. */
import { describe, expect, test } from 'vitest'
import { ignoredInputs } from '../../compare/measure/ignoredInputs.ts'
import { isKept, type LawCheck, type LawFigures, lawDefinitions, lawSentence, lawsOf } from '../../compare/measure/laws.ts'
import { Meter } from '../../compare/measure/metrics.ts'
import { type LawLimits, type LawName, lawNames } from '../../compare/scenario/limits.ts'
import {
  type ContactChoice,
  type CreateContactModel,
  contactModelNames,
  contactModels,
  type PlacedShape,
} from '../../contact/index.ts'
import { cos, sin } from '../../dynamics/index.ts'
import { createFreeBody, loadRobot } from '../../robots/index.ts'
import { World, type WorldSetup } from '../../simulation/index.ts'
import { fixedBox, g, identity } from '../contact/laws/scenes.ts'
import { byHand, dt } from './byHand.ts'

const limits = { penetration: 1e-3 }
const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.2, 0.2, 0.1] }, mass: 2, position: [0, 0, 0.05] })
const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1 })

/** A plane that falls off along x, and a start of the box that rests on it. */
function slope(degrees: number): Pick<WorldSetup, 'fixtures' | 'q'> {
  const a = (degrees * Math.PI) / 180
  const plane: PlacedShape = {
    name: 'slope',
    body: 0,
    shape: { type: 'halfspace', normal: [sin(a), 0, cos(a)], offset: 0 },
    R: identity,
    p: new Float64Array(3),
  }
  return { fixtures: [plane], q: [0.05 * sin(a), 0, 0.05 * cos(a), 0, sin(a / 2), 0, cos(a / 2)] }
}

/** Runs a world and judges it. */
function judge(
  options: Omit<WorldSetup, 'dt'> & ContactChoice & { readonly dt?: number; readonly duration: number },
): (law: LawName) => LawCheck {
  const { duration, dt: h = 1e-3, ...rest } = options
  const world = new World({ dt: h, ...rest })
  const steps = Math.round(duration / h)
  const meter = new Meter(world, [], steps)
  for (let k = 0; k < steps; k++) {
    meter.before()
    world.step()
    meter.after()
  }
  const checks = lawsOf(meter.laws(), limits, ignoredInputs(world))
  return (law) => checks.find((check) => check.law === law) as LawCheck
}

const broken = (check: LawCheck) => !isKept(check)

describe('energy', () => {
  const height = 0.01 * Math.hypot(0.2, 0.2, 0.1)

  test('a box lifted by h without work gains m g h, over its weight lifted by a hundredth of its size', () => {
    const { world, step, laws } = byHand(box)
    step(() => (world.state.q[2] += 0.5 * height))
    expect(laws().energyGain.value).toBeCloseTo(0.5, 9)
    expect(laws().energyGain.detail).toBe('at t = 0.001 s')
  })

  test('a fall is what the run had to spend', () => {
    const { world, step, laws } = byHand(box)
    step(() => (world.state.q[2] -= 0.3))
    step(() => (world.state.q[2] += 0.15))
    expect(laws().energyGain.value).toBeCloseTo(0.5, 9)
  })

  test('a contact that is pressed in may give back force times depth, and no more', () => {
    const { world, step, laws } = byHand(box)
    const depth = 1e-3
    const lift = (by: number) => () => (world.state.q[2] += by)
    step(lift(-0.1), [{ impulse: [0, 0, 0] }])
    step(lift(0), [{ impulse: [100 * dt, 0, 0], gap: -depth }]) // 0.1 J, or 5.1 mm
    step(lift(0.1 / (2 * g)))
    expect(laws().energyGain.value).toBeLessThan(1e-12)
    step(lift(0.05))
    expect(laws().energyGain.value).toBeCloseTo(0.5, 9)
  })

  test('springs that the step does not resolve gain, rigid contact does not', () => {
    const scene = { robot: box, dt: 0.01, duration: 0.3, v: [0, 0, 0, 0, 0, -0.5], physical: { stiffness: 1.5e5 } }
    const options = { contactModel: 'penalty', contactOptions: { impacts: 'none' }, integrator: 'rk4' } as const
    const springs = judge({ ...scene, ...options })('energyGain')
    expect(broken(springs), lawSentence(springs)).toBe(true)
    expect(judge({ ...scene, contactModel: 'ncp' })('energyGain').value).toBe(0)
  })
})

describe("Signorini's condition and Coulomb's law", () => {
  test('all of a weight that is carried across an open gap is against it; none up to a quarter of the allowed penetration', () => {
    for (const [gap, value] of [
      [2e-3, 1],
      [2e-4, 0],
    ]) {
      const { step, laws } = byHand(box)
      for (let k = 0; k < 4; k++) step(() => {}, [{ impulse: [2 * g * dt, 0, 0], gap }])
      expect(laws().signorini.value).toBe(value)
    }
  })

  test('a contact that is pressed in may push, and one that closes within the step', () => {
    const { world, step, laws } = byHand(box)
    step(() => (world.state.v[5] = 0.5), [{ impulse: [1, 0, 0], gap: -1e-3 }])
    step(() => (world.state.v[5] = -2), [{ impulse: [1, 0, 0], gap: 2e-3 }])
    expect(laws().signorini.value).toBe(0)
  })

  test('what rebounds may part at e times the speed of its approach', () => {
    for (const restitution of [0.5, 0]) {
      const { world, step, begin, laws } = byHand(box)
      world.state.v[5] = -2
      begin()
      step(() => (world.state.v[5] = 1), [{ impulse: [6, 0, 0], impact: [6, 0, 0], gap: 1e-5, restitution }])
      expect(laws().signorini.value).toBe(restitution === 0.5 ? 0 : 1)
    }
  })

  test('what creeps below the bound of friction: |(mu, 1)| times slip over 1 cm/s', () => {
    const { world, step, begin, laws } = byHand(box)
    world.state.v[3] = 1e-3
    begin()
    step(() => {}, [{ impulse: [1, -0.1, 0], mu: 0.5 }])
    expect(laws().signorini.value).toBeCloseTo(0.1 * Math.hypot(0.5, 1), 12)
  })

  test('what slides at the bound against its slip keeps it, also while it turns', () => {
    const { world, step, begin, laws } = byHand(box)
    world.state.v[3] = 2
    begin()
    // a turn of the body by 90 degrees: the same velocity, in other axes
    step(() => {
      world.state.q.set([0, 0, Math.SQRT1_2, Math.SQRT1_2], 3)
      world.state.v.set([0, -2, 0], 3)
    }, [{ impulse: [1, -0.5, 0], mu: 0.5 }])
    expect(laws().signorini.value).toBeLessThan(1e-12)
    expect(laws().dissipation.value).toBeLessThan(1e-12)
  })

  test('a box that slides at 5 m/s is thrown under convex, which gains no energy by it; under ncp it stays', () => {
    const scene = { robot: box, v: [0, 0, 0, 5, 0, 0], physical: { friction: 0.8 }, duration: 0.1 }
    for (const h of [1e-3, 1e-2]) {
      const thrown = judge({ ...scene, dt: h, contactModel: 'convex' })
      expect(thrown('signorini').value, `${h} s`).toBeGreaterThan(1)
      expect(lawSentence(thrown('signorini'))).toContain('box on ground')
      expect(thrown('energyGain').value).toBe(0)
      expect(judge({ ...scene, dt: h, contactModel: 'ncp' })('signorini').value).toBeLessThan(1e-12)
    }
  })

  test('a box on 20 degrees creeps under penalty at stickSpeed tan(a) / mu, within the limit, and under mujoco beyond it', () => {
    const scene = { robot: box, ...slope(20), physical: { friction: 0.5 }, duration: 0.2 }
    const penalty = judge({ ...scene, contactModel: 'penalty' })('signorini')
    const creep = (1e-4 * Math.tan(Math.PI / 9)) / 0.5
    const share = (creep / 0.01) * Math.hypot(0.5, 1)
    // 5 %: the box settles first
    expect(Math.abs((penalty.value as number) - share)).toBeLessThan(0.05 * share)
    expect(isKept(penalty)).toBe(true)
    expect(broken(judge({ ...scene, contactModel: 'mujoco' })('signorini'))).toBe(true)
    expect(judge({ ...scene, contactModel: 'ncp' })('signorini').value).toBeLessThan(1e-6)
  })
})

describe('maximum dissipation', () => {
  test('friction at an angle to slip misses 1 - cos(angle), over a tenth of the energy at least', () => {
    const { world, step, begin, laws } = byHand(box)
    const angle = 0.6
    world.state.v[3] = 2
    begin()
    const p = 1.5
    step(() => {}, [{ impulse: [p, -0.5 * p * cos(angle), 0.5 * p * sin(angle)], mu: 0.5 }])
    const missed = 0.5 * p * 2 * (1 - cos(angle))
    const kinetic = 0.5 * 2 * 4
    expect(laws().dissipation.value).toBeCloseTo(missed / Math.max(0.5 * p * 2, 0.1 * kinetic), 12)
  })

  test('friction may be against the slip of the start, of the end, or of any direction between', () => {
    for (const angle of [0, 0.4, 0.8]) {
      const { world, step, begin, laws } = byHand(box)
      world.state.v[3] = 2
      begin()
      step(
        () => world.state.v.set([2 * cos(0.8), 2 * sin(0.8), 0], 3),
        [{ impulse: [1, -0.5 * cos(angle), -0.5 * sin(angle)], mu: 0.5 }],
      )
      expect(laws().dissipation.value, `${angle}`).toBeLessThan(1e-12)
    }
  })

  test('friction along the slip misses twice what it should take', () => {
    const { world, step, begin, laws } = byHand(box)
    world.state.v[3] = 2
    begin()
    step(() => {}, [{ impulse: [1, 0.5, 0], mu: 0.5 }])
    expect(laws().dissipation.value).toBeCloseTo(2, 12)
  })

  test('a box that lands as it slides meets friction a step late under lotstedt, and at once under lcp', () => {
    const scene = { robot: box, q: [0, 0, 0.051, 0, 0, 0, 1], v: [0, 0, 0, 2, 0, 0], dt: 0.01, duration: 0.05 }
    const late = judge({ ...scene, contactModel: 'lotstedt', physical: { friction: 0.8 } })
    // no friction in the step of the landing, too much in the one after it, in which the load has halved
    for (const law of ['dissipation', 'cone'] as const) {
      expect(broken(late(law)), lawSentence(late(law))).toBe(true)
      expect(judge({ ...scene, contactModel: 'lcp', physical: { friction: 0.8 } })(law).value).toBeLessThan(1e-12)
    }
  })
})

describe('the cone of friction', () => {
  test('is broken by what friction is beyond it, and by pull, over the normal impulses', () => {
    const { step, laws } = byHand(box)
    step(() => {}, [{ impulse: [2, 1.3, 0], mu: 0.5 }])
    expect(laws().cone.value).toBeCloseTo(0.3 / 2, 12)
    step(() => {}, [{ impulse: [-0.1, 0, 0] }])
    expect(laws().cone.value).toBeCloseTo(0.4 / 2, 12)
  })

  test('bounds torsional friction by mu R p_n and rolling resistance by the root of 2 times l p_n', () => {
    const { world, step, laws } = byHand(box)
    const { contacts } = world
    step(() => {
      contacts.torsion[0] = 0.02
      contacts.rolling[0] = 0.01
      contacts.moment.set([0.5 * 0.02 * 2 + 0.001, Math.SQRT2 * 0.01 * 2 + 0.002, 0])
    }, [{ impulse: [2, 0, 0], mu: 0.5 }])
    expect(laws().cone.value).toBeCloseTo((0.001 / 0.02 + 0.002 / 0.01) / 2, 12)
  })
})

describe('restitution', () => {
  const scene = {
    robot: ball,
    q: [0, 0, 0.15, 0, 0, 0, 1],
    v: [0, 0, 0, 0, 0, -2],
    physical: { restitution: 0.6 },
    duration: 0.3,
  }

  test('a ball leaves at e times its speed under lcp, and much slower under mujoco, which drops what was stated', () => {
    expect(judge({ ...scene, contactModel: 'lcp' })('restitution').value).toBe(0)
    const mujoco = judge({ ...scene, contactModel: 'mujoco' })
    expect(broken(mujoco('restitution')), lawSentence(mujoco('restitution'))).toBe(true)
    expect(mujoco('inputs')).toMatchObject({ value: 1, detail: 'restitution' })
    expect(judge({ ...scene, contactModel: 'mujoco', physical: { restitution: 0 } })('inputs').value).toBe(0)
  })

  test('of an impact that ends at another speed than e times its own is off by the difference, but for gravity over two steps', () => {
    const { world, step, begin, laws } = byHand(ball)
    world.state.q[2] = 0.2
    world.state.v[5] = -1
    begin()
    step(() => {})
    const hit = { impulse: [1.8, 0, 0] as const, point: [0, 0, 0.1] as const, restitution: 0.5 }
    step(() => (world.state.v[5] = 0.8), [hit])
    step(() => {})
    expect(laws().restitution.value).toBeCloseTo(0.3 - 2 * g * dt, 12)
  })

  test('is not judged of an impact that is not central', () => {
    const { world, step, begin, laws } = byHand(box)
    world.state.v[5] = -1
    begin()
    step(() => {})
    step(() => (world.state.v[5] = 0.8), [{ impulse: [1.8, 0, 0], point: [0.1, 0, 0] }])
    step(() => {})
    expect(laws().restitution.value).toBeNull()
  })
})

describe('loops', () => {
  const pinned: Pick<WorldSetup, 'robot' | 'loops' | 'fixtures'> = {
    robot: ball,
    fixtures: [],
    loops: [{ name: 'pin', kind: 'point', a: { link: 'world', point: [0, 0, 0.5] }, b: { point: [0, 0, 0.5] } }],
  }

  test('open by what their points are apart', () => {
    const world = new World({ ...pinned, contactModel: 'ncp', dt, q: [0, 0, 0, 0, 0, 0, 1] })
    const meter = new Meter(world, [], 1)
    meter.before()
    world.state.q.set([0.003, 0, 0.004])
    meter.after()
    expect(meter.laws().loopOpening.value).toBeCloseTo(0.005, 14)
    expect(meter.laws().loopOpening.detail).toContain('loop "pin"')
  })

  test('a pendulum on a pin stays on it under ncp, and leaves it with a step that is too long', () => {
    const swing = (h: number) =>
      judge({ ...pinned, contactModel: 'ncp', dt: h, duration: 0.4, q: [0, 0, 0, 0, 0, 0, 1], v: [6, 0, 0, 0, -3, 0] })(
        'loopOpening',
      )
    expect(isKept(swing(1e-3))).toBe(true)
    expect(broken(swing(0.02))).toBe(true)
  })

  test('none is nothing to open', () => {
    const { step, laws } = byHand(box)
    step(() => {})
    expect(laws().loopOpening.value).toBeNull()
  })
})

describe('limits of joints', () => {
  const text = `<robot name="r"><link name="world"/>
    <link name="a"><inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="b"><inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.3 0.4 1.2"/></geometry></collision></link>
    <joint name="turn" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
    <joint name="lift" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>`
  const robot = loadRobot(text, { file: 'r.urdf' })

  test('count by the way beyond them: an angle in rad, a length over the size; from where the run began', () => {
    const { world, step, laws, metrics } = byHand(robot, { fixtures: [] })
    step(() => world.state.q.set([1, -0.013])) // of 1.3 m
    expect(laws().jointLimits.value).toBeCloseTo(0.01, 12)
    expect(laws().jointLimits.detail).toBe('at t = 0.001 s, joint "lift"')
    step(() => world.state.q.set([-1.03, 0]))
    expect(laws().jointLimits.value).toBeCloseTo(0.03, 12)
    expect([metrics().limitPassed_rad, metrics().limitPassed_m]).toEqual([expect.closeTo(0.03, 12), expect.closeTo(0.013, 12)])
  })

  test('are passed under mujoco by a joint that strikes at 20 rad/s, and under no other', () => {
    for (const contactModel of contactModelNames) {
      const check = judge({ robot, contactModel, fixtures: [], duration: 0.2, v: [20, 0] })('jointLimits')
      expect(broken(check), `${contactModel}: ${lawSentence(check)}`).toBe(contactModel === 'mujoco')
    }
  })

  test('none is nothing to pass', () => {
    const { step, laws } = byHand(box)
    step(() => {})
    expect(laws().jointLimits.value).toBeNull()
  })
})
describe('momentum', () => {
  test('a box that spins up by itself does so by a torque of I alpha, over its weight times its radius of gyration', () => {
    const { world, step, begin, laws } = byHand(box)
    const alpha = 3
    world.state.q[2] = 9
    begin()
    for (let k = 1; k <= 20; k++) step(() => world.state.v.set([0, 0, alpha * k * dt, 0, 0, -g * k * dt]))
    const [, , , , x, y, z] = box.model.I[1]
    const radius = Math.sqrt((x + y + z) / (2 * 2))
    expect(laws().angularMomentum.value).toBeCloseTo((z * alpha) / (2 * g * radius), 9)
    expect(laws().linearMomentum.value).toBeLessThan(1e-12)
  })

  test('a force beside the centre of mass turns by its lever', () => {
    const { world, step, begin, laws } = byHand(box)
    begin()
    const [f, lever] = [5, 0.07]
    const inertia = box.model.I[1][5]
    for (let k = 1; k <= 20; k++) {
      step(() => {
        world.state.v[1] = (-f * lever * k * dt) / inertia // about y, as z times x
        world.state.v[5] = (f / 2 - g) * k * dt
      }, [{ impulse: [f * dt, 0, 0], point: [lever, 0, 0.05] }])
    }
    expect(laws().angularMomentum.value).toBeLessThan(1e-12)
    expect(laws().linearMomentum.value).toBeLessThan(1e-12)
  })

  test('a model that reports half of its forces breaks both laws; as it is, neither', () => {
    const halved: CreateContactModel = (context, options) => {
      const model = contactModels.ncp(context, options)
      return {
        ...model,
        advance(step) {
          model.advance(step)
          const { impulse } = step.contacts
          for (let k = 0; k < impulse.length; k++) impulse[k] *= 0.5
        },
      }
    }
    const scene = { robot: box, v: [0, 0, 9, 2, 0, 0], physical: { friction: 0.8 }, duration: 0.05 }
    for (const law of ['linearMomentum', 'angularMomentum'] as const) {
      expect(broken(judge({ ...scene, contactModel: halved })(law)), law).toBe(true)
      expect(judge({ ...scene, contactModel: 'ncp' })(law).value, law).toBeLessThan(1e-6)
    }
  })
})

describe('impenetrability', () => {
  test('a cube that passes the edge of a ledge is blocked by the plane of its face under stewart-trinkle, and not under peg', () => {
    const cube = createFreeBody({ name: 'cube', shape: { type: 'box', size: [0.1, 0.1, 0.1] }, mass: 1 })
    const scene = {
      robot: cube,
      fixtures: [fixedBox('ledge', [-0.5, 0, -0.5], [1, 1, 1])],
      q: [0.048, 0, 0.055, 0, 0, 0, 1],
      v: [0, 0, 0, 1, 0, -1],
      dt: 0.01,
      duration: 0.01,
    }
    const blocked = judge({ ...scene, contactModel: 'stewart-trinkle' })('offSurface')
    expect(blocked.value).toBe(1)
    expect(lawSentence(blocked)).toContain('cube on ledge')
    expect(judge({ ...scene, contactModel: 'peg' })('offSurface').value).toBeNull()
  })

  test('a ball passes through a plate at steps that are too long, and not with ccd', () => {
    const small = createFreeBody({ name: 'pellet', shape: { type: 'sphere', radius: 0.01 }, mass: 0.1 })
    const scene = {
      robot: small,
      fixtures: [fixedBox('plate', [0, 0, 0], [1, 1, 0.01])],
      q: [0, 0, 0.3, 0, 0, 0, 1],
      v: [0, 0, 0, 0, 0, -20],
      dt: 0.01,
      duration: 0.05,
    }
    const through = judge({ ...scene, contactModel: 'penalty' })('tunnelling')
    expect(lawSentence(through)).toContain('lets shapes pass through each other, once (limit 0)')
    expect(through.value).toBe(1)
    expect(judge({ ...scene, contactModel: 'penalty', ccd: true })('tunnelling').value).toBe(0)
  })

  test("penetration is judged by the scenario's limit", () => {
    const { world, step, laws } = byHand(box)
    step(() => (world.state.q[2] -= 0.002))
    const check = lawsOf(laws(), { penetration: 0.002 + 1e-12 }).find(({ law }) => law === 'penetration') as LawCheck
    expect(check.value).toBeCloseTo(0.002, 12)
    expect(isKept(check)).toBe(true)
  })
})

test('inputs that a model passes by count if they were stated and have an effect', () => {
  const without = (unused: readonly string[]): CreateContactModel => {
    return (context, options) => {
      const model = contactModels.ncp(context, options)
      return { ...model, parameters: { ...model.parameters, unused } }
    }
  }
  const sticky = createFreeBody({
    name: 'sticky',
    shape: { type: 'sphere', radius: 0.1 },
    mass: 1,
    friction: 0.3,
    staticFriction: 0.8,
  })
  const rigid = new World({ robot: sticky, contactModel: without(['stiffness', 'damping']), dt })
  expect(ignoredInputs(rigid)).toEqual([])
  const blind = without(['staticFriction of a surface', 'rollingLength of a surface', 'restitution'])
  expect(ignoredInputs(new World({ robot: sticky, contactModel: blind, dt }))).toEqual(['staticFriction'])
  expect(ignoredInputs(new World({ robot: ball, contactModel: blind, dt }))).toEqual([])
})

test('failures of the solver are a share of the steps', () => {
  const { world, step, laws } = byHand(box)
  for (let k = 0; k < 8; k++) step(() => (world.events.failures += k < 2 ? 3 : 0))
  expect(laws().solver.value).toBe(2 / 8)
})

describe('a check', () => {
  const none = Object.fromEntries(lawNames.map((law) => [law, { value: 0 }])) as unknown as LawFigures
  const of = (figures: Partial<LawFigures>, given: LawLimits = limits, dropped: readonly string[] = []) =>
    lawsOf({ ...none, ...figures }, given, dropped)

  test('of nothing broken is kept by every law, at limits of 0 too', () => {
    const zero = Object.fromEntries(lawNames.map((law) => [law, 0])) as Record<LawName, number>
    const checks = of({}, { penetration: 0, laws: zero })
    expect(checks.map(({ law }) => law)).toEqual(Object.keys(lawDefinitions))
    expect(checks.every(isKept)).toBe(true)
  })

  test('says what was broken, by how much, and where', () => {
    const [gain] = of({ energyGain: { value: 3.4, detail: 'at t = 0.2 s' } })
    expect(lawSentence(gain)).toBe('gains 340 % of its energy (limit 2 %), most at t = 0.2 s')
    expect(lawSentence(of({})[0])).toBe('Energy gained: 0 % (limit 2 %)')
    const inputs = of({}, limits, ['restitution', 'staticFriction']).find(({ law }) => law === 'inputs') as LawCheck
    expect(lawSentence(inputs)).toBe('drops 2 of the stated properties of surfaces (limit 0), restitution, staticFriction')
  })

  test("takes the scenario's limits where it states them, and a figure without bound as broken by any of them", () => {
    const [gain] = of({ energyGain: { value: 0.3 } }, { ...limits, laws: { energyGain: 0.3 } })
    expect(isKept(gain)).toBe(true)
    for (const value of [Number.POSITIVE_INFINITY, Number.NaN]) {
      const [check] = of({ energyGain: { value } })
      expect(isKept(JSON.parse(JSON.stringify(check)))).toBe(false)
      expect(lawSentence(check)).toBe('gains without bound of its energy (limit 2 %)')
    }
  })
})
