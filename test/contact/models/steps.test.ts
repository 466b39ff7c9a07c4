import { describe, expect, test, vi } from 'vitest'
import { SemiImplicitForces } from '../../../contact/models/semiImplicit/index.ts'
import { biasForces, crba, createData, createRandom, factorize, kinematics, solve } from '../../../dynamics/index.ts'
import { dailyModels } from '../../dailyModels.ts'
import { generalisedImpulse } from '../impacts/scene.ts'
import {
  box,
  floating,
  quadruped as fourLegs,
  g,
  makeRobot,
  makeWorld,
  run,
  slope,
  sphere,
  unrotate,
  velocityW,
} from '../laws/scenes.ts'

/** Damped, one hip with dry friction, knees with limits. */
const quadruped = () =>
  fourLegs(undefined, (name) => {
    if (name === 'body') return { centerOfMass: [0.01, -0.02, 0.03] }
    if (name.startsWith('shank')) return { damping: 0.2, lower: -1, upper: 0.4 }
    return { damping: 0.2, friction: name === 'thigh 2' ? 0.5 : 0 }
  })

for (const model of dailyModels) {
  describe(model, () => {
    test('M (v⁺ - v) is dt (tau - c) and the reported impulses, on a robot with joints, by full Jacobians', () => {
      const robot = quadruped()
      const random = createRandom(21)
      const free = { ...robot.model, damping: new Float64Array(robot.model.nv), friction: new Float64Array(robot.model.nv) }
      const undamped = {
        ...robot,
        model: { ...free, lower: free.lower.map(() => -Infinity), upper: free.upper.map(() => Infinity) },
      }
      const { nv } = robot.model
      const world = makeWorld({
        robot: undamped,
        model,
        // else it writes contacts where the step ends; see peg.test.ts
        options: model === 'peg' ? { passes: 0 } : {},
        q: [0, 0, 0.39, 0, 0, 0, 1, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6],
        v: Array.from({ length: nv }, () => random.between(-0.5, 0.5)),
        push(tau, t) {
          for (let k = 6; k < nv; k++) tau[k] = 4 * Math.sin(3 * t + k)
        },
      })
      const data = createData(undamped.model)
      const c = new Float64Array(nv)
      const before = { q: world.state.q.slice(), v: world.state.v.slice(), t: world.state.t }
      // impulses are of size 0.1 N s; sticking friction of force-level models multiplies rounding of v by mu F dt / stickSpeed,
      // 1e3 kg (measured: the miss goes as 1 / stickSpeed)
      const rounding = model === 'stewart-trinkle' ? 1e-12 : 2e-9
      let contactsSeen = 0
      run(world, 0.6, () => {
        const { contacts, state, dt, tau } = world
        contactsSeen += contacts.count
        // where the step began; a step without contact is one of free flight (`FreeTree`)
        if (contacts.count === 0) {
          before.q.set(state.q)
          before.v.set(state.v)
          return
        }
        kinematics(undamped.model, before, data)
        crba(undamped.model, data)
        // impacts come first, all at once
        const { impact } = contacts
        const struck = generalisedImpulse(undamped.model, before, contacts, impact)
        factorize(undamped.model, data.M, data.L)
        solve(undamped.model, data.L, struck)
        for (let k = 0; k < nv; k++) before.v[k] += struck[k]
        biasForces(undamped.model, before, data, c)
        const sum = Array.from({ length: nv }, (_, k) => dt * (tau[k] - c[k]))
        const force = contacts.impulse.map((x, k) => x - impact[k])
        generalisedImpulse(undamped.model, before, contacts, force).forEach((p, k) => {
          sum[k] += p
        })
        // the new velocity in the base's axes of the start, less what these axes' own turning adds
        const v = state.v.slice()
        v.set(unrotate(before.q, 3, velocityW(world)), 3)
        const [wx, wy, wz, vx, vy, vz] = before.v
        v[3] -= dt * (wy * vz - wz * vy)
        v[4] -= dt * (wz * vx - wx * vz)
        v[5] -= dt * (wx * vy - wy * vx)
        for (let k = 0; k < nv; k++) {
          let momentum = 0
          for (let l = 0; l < nv; l++) momentum += data.M[k * nv + l] * (v[l] - before.v[l])
          expect(Math.abs(momentum - sum[k])).toBeLessThan(rounding)
        }
        before.q.set(state.q)
        before.v.set(state.v)
      })
      expect(contactsSeen).toBeGreaterThan(500)
      expect(world.events.failures).toBe(0)
    })

    test('a restored checkpoint goes on bit for bit', () => {
      for (const integrator of ['semi-implicit-euler', 'rk4'] as const) {
        const world = makeWorld({
          robot: quadruped(),
          model,
          integrator,
          q: [0, 0, 0.42, 0, 0, 0, 1, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6],
          v: [0.3, -0.2, 0.1, 0.5, 0.2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        })
        run(world, 0.25)
        const saved = structuredClone(world.checkpoint())
        const hash = run(world, 0.25).hash()
        world.restore(saved)
        expect(run(world, 0.25).hash()).toBe(hash)
      }
    })

    test('a limp quadruped falls down on its limits and comes to rest', () => {
      for (const dt of [1e-3, 5e-3]) {
        const world = makeWorld({
          robot: quadruped(),
          model,
          dt,
          physical: { friction: 0.6 },
          q: [0, 0, 0.45, 0, 0, 0, 1, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6],
        })
        run(world, 6)
        expect(world.events.failures).toBe(0)
        expect(world.state.q.every(Number.isFinite)).toBe(true)
        // knees keep their limits, springs within 2 degrees under the trunk's weight
        for (const k of [8, 10, 12, 14]) expect(world.state.q[k]).toBeLessThan(0.4 + 0.035)
        for (const k of [8, 10, 12, 14]) expect(world.state.q[k]).toBeGreaterThan(-1 - 0.035)
      }
    })
  })
}

describe('stewart-trinkle', () => {
  test("Newton's method and Lemke's algorithm asked before it give the same motion", () => {
    const scenes = [
      { robot: sphere(0.1), q: [0, 0, 0.12, 0, 0, 0, 1], v: [10, -5, 3, 1, 2, 0] },
      { robot: box([0.2, 0.3, 0.1]), q: [0, 0, 0.12, 0, 0, 0, 1], v: [0.2, 0, 3, 1, -1, 0] },
      { robot: quadruped(), q: [0, 0, 0.41, 0, 0, 0, 1, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6] },
    ]
    for (const scene of scenes) {
      const world = makeWorld({ ...scene, model: 'stewart-trinkle' })
      run(world, 0.3)
      const other = makeWorld({ ...scene, model: 'stewart-trinkle', options: { solver: 'lemke' } })
      run(other, 0.3)
      expect(other.events.failures + other.events.fallbacks).toBe(0)
      const lemke = other.events.solvers.find(({ solver }) => solver === 'lemke, by name')
      expect(lemke?.solved).toBeGreaterThan(150)
      // answers agree to the solvers' 1e-8; impacts and compliance of 1e-6 blow that up over 300 steps
      expect(Math.max(...world.state.q.map((x, k) => Math.abs(x - other.state.q[k])))).toBeLessThan(1e-5)
    }
  })

  test('a penetrating body is pushed out no faster than the correction speed, and is not shot up', () => {
    const world = makeWorld({ robot: sphere(0.1), model: 'stewart-trinkle', q: [0, 0, 0.08, 0, 0, 0, 1] })
    let fastest = 0
    let highest = 0
    run(world, 2, () => {
      fastest = Math.max(fastest, world.state.v[5])
      highest = Math.max(highest, world.state.q[2] - 0.1)
    })
    expect(fastest).toBeLessThanOrEqual(0.1 + 1e-9)
    expect(highest).toBeLessThan((0.1 * 0.1) / (2 * g) + 1e-4)
    expect(Math.abs(world.state.q[2] - 0.1)).toBeLessThan(1e-7)
  })

  test('a ball wedged between two planes that leave it no room is held, not thrown', () => {
    const ceiling = { ...slope(Math.PI), name: 'ceiling', p: Float64Array.of(0, 0, 0.19) }
    const world = makeWorld({
      robot: sphere(0.1),
      model: 'stewart-trinkle',
      fixtures: [slope(0), ceiling],
      q: [0, 0, 0.095, 0, 0, 0, 1],
    })
    run(world, 1)
    expect(world.contacts.count).toBe(2)
    expect(Math.hypot(...world.state.v)).toBeLessThan(1e-6) // compliance alone
    expect(Math.abs(world.state.q[2] - 0.095)).toBeLessThan(1e-6)
    // the two walls together carry the weight, not a force that grows with how little room there is
    const [lower, upper] = [world.contacts.impulse[0], world.contacts.impulse[3]]
    expect((lower - upper) / 1e-3 / (10 * g)).toBeCloseTo(1, 6)
    expect(upper / 1e-3).toBeLessThan(10 * g)
    expect(world.events.failures).toBe(0)
    expect(world.events.fallbacks).toBe(1000) // and every step says that it made no correction
  })

  test('the load of a table on more legs than three is spread as equal springs would', () => {
    // a beam on five pairs of feet, its middle in theirs: all springs are pressed alike
    const feet = [-2, -1, 0, 1, 2].flatMap((x) => [
      { body: 1, shape: { type: 'sphere', radius: 0 } as const, p: [0.1 * x, 0.1, -0.1] as const },
      { body: 1, shape: { type: 'sphere', radius: 0 } as const, p: [0.1 * x, -0.1, -0.1] as const },
    ])
    const table = makeRobot('table', [{ ...floating, mass: 10, inertia: [0.2, 0.2, 0.3, 0, 0, 0] }], feet)
    const world = makeWorld({ robot: table, model: 'stewart-trinkle', q: [0, 0, 0.1, 0, 0, 0, 1], physical: { friction: 0 } })
    run(world, 0.5)
    expect(world.contacts.count).toBe(10)
    for (let i = 0; i < 10; i++) expect(Math.abs(world.contacts.impulse[3 * i] / 1e-3 / g - 1)).toBeLessThan(1e-9)
  })
})

describe('a force-level step whose guesses never settle', () => {
  for (const model of ['penalty-deepest', 'penalty']) {
    test(`${model}: friction gives way, forces stay admissible, and no energy comes of it`, () => {
      const never = vi.spyOn(SemiImplicitForces.prototype as unknown as { settle(): boolean }, 'settle').mockReturnValue(false)
      try {
        const random = createRandom(5)
        const robot = quadruped()
        const world = makeWorld({
          robot,
          model,
          dt: 1e-2,
          q: [0, 0, 0.45, 0, 0, 0, 1, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6],
          v: Array.from({ length: robot.model.nv }, () => random.between(-1, 1)),
        })
        let touched = 0
        let fastest = 0
        run(world, 2, () => {
          const { count, impulse, mu } = world.contacts
          touched += count
          for (let i = 0; i < count; i++) {
            expect(impulse[3 * i]).toBeGreaterThanOrEqual(0)
            // as near to the cone as every step comes, a part in a thousand
            const friction = Math.hypot(impulse[3 * i + 1], impulse[3 * i + 2])
            expect(friction).toBeLessThanOrEqual(mu[i] * impulse[3 * i] * 1.0011)
          }
          for (const speed of world.state.v) fastest = Math.max(fastest, Math.abs(speed))
        })
        expect(touched).toBeGreaterThan(100)
        expect(world.events.fallbacks).toBe(200)
        // 12.8 kg that fall 0.45 m have 57 J; a shank of 0.004 kg m^2 + 0.6 kg (0.1 m)^2 that got all of it would turn at 107 rad/s
        expect(fastest).toBeLessThan(107)
      } finally {
        never.mockRestore()
      }
    })
  }
})
