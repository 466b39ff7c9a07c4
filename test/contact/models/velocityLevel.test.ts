import { describe, expect, test } from 'vitest'
import { body, hinge, solid } from '../../dynamics/bodies.ts'
import {
  blockOnGround,
  box,
  effortsOf,
  fixedBox,
  floor,
  g,
  largestDuring,
  makeRobot,
  makeWorld,
  run,
  sphere,
} from '../laws/scenes.ts'

const upright = (z: number) => [0, 0, z, 0, 0, 0, 1]

/** A hinge about a vertical axis with inertia 1 and dry friction 2. */
function dryHinge() {
  return makeRobot('hinge', [body('arm', hinge('hinge', 0, [0, 0, 1]), solid(1, [1, 1, 1]), { friction: 2 })], [])
}

describe('dry friction of joints', () => {
  for (const model of ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp']) {
    test(`${model}: holds a joint up to its limit, and beyond it leaves the rest of the torque`, () => {
      const held = makeWorld({ robot: dryHinge(), model, push: (tau) => tau.fill(1.99) })
      run(held, 1)
      // softness: a tenth of 1e-5 of the torque's impulse over the inertia
      expect(Math.abs(held.state.v[0])).toBeLessThan(1e-6 * 2 * 1e-3 * 1.01)
      const moved = makeWorld({ robot: dryHinge(), model, push: (tau) => tau.fill(-3) })
      run(moved, 1)
      expect(Math.abs(moved.state.v[0] + 1)).toBeLessThan(1e-12)
      // what slides comes to rest, and stays: 1 rad/s against 2 rad/s² after 0.5 s and 0.25 rad
      const sliding = makeWorld({ robot: dryHinge(), model, v: [1] })
      run(sliding, 2)
      expect(Math.abs(sliding.state.v[0])).toBeLessThan(1e-12)
      expect(Math.abs(sliding.state.q[0] - 0.25)).toBeLessThan(1e-3)
    })
  }

  test('regularised, a joint creeps at its part of the stick speed instead', () => {
    const world = makeWorld({
      robot: dryHinge(),
      model: 'stewart-trinkle',
      options: { jointFriction: 'regularised' },
      push: (tau) => tau.fill(1),
    })
    run(world, 1)
    expect(Math.abs(world.state.v[0] - 0.5e-3)).toBeLessThan(1e-9)
  })
})

describe('drift', () => {
  test('a ball that is 1 mm deep: Baumgarte pushes it out and it keeps that speed, projection moves it, none leaves it', () => {
    const end = (drift: string, steps: number) => {
      const world = makeWorld({ robot: sphere(0.1), model: 'stewart-trinkle', options: { drift }, q: upright(0.099) })
      for (let n = 0; n < steps; n++) world.step()
      return { depth: 0.1 - world.state.q[2], speed: world.state.v[5] }
    }
    // 0.2 of 1 mm a step would be 0.2 m/s; the correction speed is half that
    const pushed = end('baumgarte', 1)
    expect(Math.abs(pushed.speed / 0.1 - 1)).toBeLessThan(2e-5) // softness
    const moved = end('projection', 1)
    // softness takes 1e-5 of the step's weight off, and of the way
    expect(Math.abs(moved.depth)).toBeLessThan(2e-8)
    expect(Math.abs(moved.speed)).toBeLessThan(1e-6)
    const left = end('none', 100)
    expect(Math.abs(left.depth - 1e-3)).toBeLessThan(1e-7)
    expect(Math.abs(left.speed)).toBeLessThan(1e-6)
  })

  test('projection leaves velocities to the law: a sliding block goes as far as without it', () => {
    const slide = (drift: string) => {
      const world = makeWorld({
        robot: box([0.2, 0.2, 0.1]),
        model: 'stewart-trinkle',
        options: { drift },
        q: upright(0.05),
        v: [0, 0, 0, 1, 0, 0],
        physical: { friction: 0.5 },
      })
      run(world, 0.5)
      return world.state.q[0]
    }
    expect(Math.abs(slide('projection') / slide('baumgarte') - 1)).toBeLessThan(1e-6)
  })
})

describe('the constraints of Anitescu and Hart (2004), gamma psi / h + J_n v >= 0', () => {
  const sunk = (depth: number, gamma: number, dt: number) =>
    makeWorld({
      robot: sphere(0.1),
      model: 'anitescu-potra',
      options: { drift: 'baumgarte', stabilization: gamma, correctionSpeed: 100 },
      q: upright(0.1 - depth),
      dt,
    })

  test('a penetration d falls to (1 - gamma) d in each step, where gamma² d is less than what gravity takes, g h²', () => {
    for (const [gamma, dt, depth] of [
      [0.2, 1e-3, 1e-4],
      [0.5, 1e-2, 3e-3],
      [1, 1e-2, 9e-4],
    ]) {
      const world = sunk(depth, gamma, dt)
      for (let k = 1; k <= 8; k++) {
        world.step()
        const now = 0.1 - world.state.q[2]
        expect(Math.abs(now - depth * (1 - gamma) ** k)).toBeLessThan(1e-3 * depth)
      }
    }
  })

  test('a deeper one pops: it leaves at gamma d / h, and flies', () => {
    const [gamma, dt, depth] = [0.2, 1e-3, 0.01]
    const world = sunk(depth, gamma, dt)
    world.step()
    const speed = (gamma * depth) / dt
    expect(Math.abs(world.state.v[5] / speed - 1)).toBeLessThan(1e-4)
    let highest = 0
    for (let k = 0; k < 400; k++) {
      world.step()
      highest = Math.max(highest, world.state.q[2] - 0.1)
    }
    // v² / (2 g), from where it was
    expect(Math.abs(highest + depth - (speed * speed) / (2 * g))).toBeLessThan(0.01 * highest)
  })
})

describe('anitescu-potra', () => {
  test('an active distance of 5 cm holds a ball and a box where they are, and what falls onto it within a step of it', () => {
    for (const [robot, half] of [
      [sphere(0.1), 0.1],
      [box([0.2, 0.2, 0.1]), 0.05],
    ] as const) {
      for (const dt of [1e-3, 1e-2]) {
        const restsAt = (gap: number) => {
          const q = upright(half + gap)
          const world = makeWorld({ robot, model: 'anitescu-potra', dt, options: { activeDistance: 0.05 }, q })
          run(world, 0.5)
          return world.state.q[2] - half
        }
        // what yields is compliance g h a second
        expect(Math.abs(restsAt(0.03) - 0.03)).toBeLessThan(5e-8 * g * dt)
        const fallen = restsAt(0.2)
        expect(fallen).toBeLessThan(0.05)
        expect(fallen).toBeGreaterThan(0.05 - dt * Math.sqrt(2 * g * 0.15) - 2 * g * dt * dt)
      }
    }
  })

  test('with no gaps open it is stewart-trinkle', () => {
    const velocity = (model: string, drift: string) => {
      const world = makeWorld({
        robot: box([0.2, 0.3, 0.1]),
        model,
        options: { drift, compliance: 1e-6, activeDistance: 0.05 } as Record<string, number | string>,
        q: upright(0.05),
        v: [0, 0, 0, 1, 0.5, 0],
      })
      world.step()
      return world.state.v
    }
    const other = makeWorld({
      robot: box([0.2, 0.3, 0.1]),
      model: 'stewart-trinkle',
      options: { drift: 'none', compliance: 1e-6 },
      q: upright(0.05),
      v: [0, 0, 0, 1, 0.5, 0],
    })
    other.step()
    const v = velocity('anitescu-potra', 'none')
    for (let k = 0; k < 6; k++) expect(Math.abs(v[k] - other.state.v[k])).toBeLessThan(1e-12)
  })
})

describe('compliance', () => {
  test('a ton on a gram sinks no deeper than a ton alone', () => {
    const sink = (masses: number[]) => {
      const bodies = masses.map((mass) => ({ robot: box([0.2, 0.2, 0.2], mass) }))
      const q = masses.map((_, i) => upright(0.1 + 0.2 * i))
      const world = makeWorld({ robots: bodies.map(({ robot }, i) => ({ robot, q: q[i] })), model: 'stewart-trinkle' } as never)
      run(world, 2)
      return 0.1 + 0.2 * (masses.length - 1) - world.state.q[7 * masses.length - 5]
    }
    // c g h² / stabilization a face, whose points share its softness
    const alone = (5e-6 * g * 1e-6) / 0.2
    expect(Math.abs(sink([1000]) / alone - 1)).toBeLessThan(0.01)
    expect(Math.abs(sink([1e-3, 1000]) / (2 * alone) - 1)).toBeLessThan(0.01)
  })
})

describe('the problem of a step', () => {
  test('is what a file can hold, and its law and sides are the model’s', () => {
    const world = makeWorld({ robot: box([0.2, 0.3, 0.1]), model: 'stewart-trinkle', options: { sides: 8 }, q: upright(0.05) })
    run(world, 0.01)
    const problem = world.contactModel.problem?.()
    if (problem === undefined) throw new Error('a box on the ground has a problem of contact')
    expect(structuredClone(problem)).toEqual(problem)
    const { law, sides, J, M, vFree, gap, mu, allowed } = problem
    expect([law, sides, gap.length, mu.length, allowed?.length, J.length, M.length]).toEqual(['pyramid', 8, 4, 4, 4, 12, 6])
    // it falls by g h within the step, were it not for the ground: down its own z axis
    expect(Math.abs(vFree[5] + g * 1e-3)).toBeLessThan(1e-8) // what is left of settling
    // masses and inertias of M, [angular, linear]
    expect(M[3][3]).toBe(M[5][5])
  })

  test('there is none before the first step and where nothing touches', () => {
    const world = makeWorld({ robot: sphere(0.1), model: 'ncp', q: upright(2) })
    expect(world.contactModel.problem?.()).toBeUndefined()
    world.step()
    expect(world.contactModel.problem?.()).toBeUndefined()
  })
})

describe('counts', () => {
  for (const [model, options] of [
    ['stewart-trinkle', { jointFriction: 'regularised' }],
    ['lcp', undefined],
  ] as const) {
    test(`${model}: a step that solves several times over counts one fallback`, () => {
      // The box is squeezed between walls that leave it no room, which each solution says; the arm starts and stops every 10 ms.
      const walls = [floor, fixedBox('left', [-0.59, 0, 0], [1, 1, 1]), fixedBox('right', [0.59, 0, 0], [1, 1, 1])]
      const controller = effortsOf((tau, t) => {
        tau[0] = Math.round(t * 1000) % 20 < 10 ? 3 : -3
      })
      const arm = { name: 'arm', robot: dryHinge(), controller }
      const squeezed = { name: 'box', robot: box([0.2, 0.2, 0.2], 1), q: upright(0.1) }
      const world = makeWorld({ robots: [arm, squeezed], model, options, fixtures: walls } as never)
      run(world, 0.2)
      expect(world.events.fallbacks).toBeGreaterThan(100)
      expect(world.events.fallbacks).toBeLessThanOrEqual(200)
      expect(world.events.iterations).toBeGreaterThan(200)
    })
  }
})

describe('convex', () => {
  const block = (mu: number, v: number, dt: number, gap: number) =>
    blockOnGround({ model: 'convex', dt, physical: { friction: mu }, sink: -gap, v: [v, 0, 0] })
  const cases = [0.1, 0.5, 0.8, 1.2].flatMap((mu) => [1, 5].map((v) => [mu, v] as const))

  test('what touches and slides at v is thrown up at mu v / (1 + mu²), to that squared / 2g, at every step', () => {
    for (const [mu, v] of cases) {
      const up = (mu * v) / (1 + mu * mu)
      for (const dt of [1e-2, 1e-3, 1e-4]) {
        const world = block(mu, v, dt, 0)
        world.step()
        expect(Math.abs(world.state.v[2] / up - 1)).toBeLessThan(mu * g * dt * (1 / v + 1 / (mu * v)) * 1.1)
        const top = largestDuring(world, up / g + 2 * dt, ({ state }) => state.q[2] - 0.05)
        // a step of rising, and one of falling
        expect(Math.abs(top / ((up * up) / (2 * g)) - 1)).toBeLessThan((1.1 * g * dt) / up)
      }
    }
    // 5 m/s, mu 0.8
    expect((0.8 * 5) / (1 + 0.8 * 0.8)).toBeCloseTo(2.439, 3)
    expect(2.439 ** 2 / (2 * g)).toBeCloseTo(0.303, 3)
  })

  test('a step in which friction throws a contact up is counted, with the first in words; steady sliding is none', () => {
    const thrown = block(0.5, 5, 1e-3, 0)
    run(thrown, 0.3)
    expect(thrown.events.strained).toBe(1)
    expect(thrown.events.firstStrain).toMatch(/^convex: friction threw a contact up at 2\.00 m\/s at t = 0 s/)
    const steady = block(0.5, 5, 1e-3, 0.5 * 5e-3)
    run(steady, 1.2)
    expect(steady.events).toMatchObject({ strained: 0, firstStrain: '' })
  })
})
