import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import {
  type BodyDefinition,
  crba,
  createData,
  createRandom,
  factorize,
  kinematics,
  pointJacobian,
  type Random,
  solve,
} from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import type { World, WorldRobot } from '../../../simulation/index.ts'
import { body, free, hinge, solid } from '../../dynamics/bodies.ts'
import { randomQuaternion } from '../geometry/poses.ts'
import { impulseOn } from '../impacts/scene.ts'
import { checkForces, degree, full, type Suite } from './law.ts'
import {
  box,
  energyMeter,
  freeBody,
  makeRobot,
  makeWorld,
  momentumMeter,
  quadruped,
  rotate,
  run,
  type Scene,
  sphere,
  unrotate,
  upright,
  type Vector,
  velocityW,
} from './scenes.ts'

const weightless: Vector = [0, 0, 0]

/** Collisions without gravity, of free bodies and of robots: momentum, energy, and what each body takes away. */
export function collisionLaws({ model, rigid, impulsive, plain, section, law }: Suite): void {
  /**
   * Springs: explicit, hundreds of steps an impact at this speed. Impulses come at once, whatever the step; but without restitution
   * springs then push out what got in within it.
   */
  const fine = (speed: number, e: number) =>
    impulsive
      ? ({ model, dt: rigid || e > 0 ? 1e-3 : 1e-5 } as const)
      : ({ model, dt: 2e-5, integrator: 'rk4', options: plain(speed) } as const)

  section('collisions', () => {
    law('two bodies that meet head-on part at (m1 v1 + m2 v2 ± m e (v1 - v2)) / (m1 + m2)', () => {
      checkHeadOn(
        (e, speed) => fine(speed, e),
        impulsive,
        (e) => (rigid ? 2e-5 : impulsive ? (e > 0 ? 1e-9 : 1e-3) : 2e-3),
      )
    })

    law('a rod that falls flat on one end gets the impulse (1 + e) m v / (1 + 3 cos²)', () => {
      const [half, mass, speed] = [0.5, 2, 0.5]
      for (const e of impulsive ? [0, 0.5, 1] : [1]) {
        for (const angle of [0, 0.5, 1.2]) {
          const J = (mass * half * half) / 3
          const rod = makeRobot(
            'rod',
            [body('rod', free('free'), solid(mass, [1e-3, J, J]))],
            [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [half, 0, 0] }],
            weightless,
          )
          const world = makeWorld({
            ...fine(speed, e),
            dt: rigid ? 1e-3 : impulsive ? 1e-5 : 2e-6, // stiff, so that it turns by less than 1e-3 during it
            robot: rod,
            physical: { restitution: e, friction: 0, stiffness: impulsive ? undefined : 1e7 },
            q: [0, 0, half * Math.sin(angle) + 1e-5, 0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
            v: [0, 0, 0, speed * Math.sin(angle), 0, -speed * Math.cos(angle)],
          })
          run(world, 3e-3)
          const given = mass * (velocityW(world)[2] + speed)
          const expected = ((1 + e) * mass * speed) / (1 + 3 * Math.cos(angle) ** 2)
          // impulses: it turns by up to 1e-3 before it touches
          expect(Math.abs(given / expected - 1)).toBeLessThan(impulsive ? 1e-3 : 5e-3)
        }
      }
    })

    law('an arm is struck as by its effective mass, 1 / (J M⁻¹ Jᵀ), and keeps what lies across', () => {
      checkArm((e) => fine(1, e), impulsive)
    })

    law('action equals reaction: each body takes what contacts report, one the opposite of the other, at one point', () => {
      checkReactions(model)
    })

    law('without gravity the momentum of all bodies is constant, linear and angular, to 1e-10', () => {
      checkMomentum(model)
    })

    law('so it is of robots: a ball strikes a limp floating robot, and that another one', () => {
      checkLimpRobots(model, impulsive)
    })

    law('no impact gains energy, with restitution up to 1 and friction', () => {
      checkEncounters(model, impulsive ? 1e-3 : 1e-4, 1, 1)
    })

    law('a rod that strikes the ground with its end gains no energy, wherever friction turns its slip', () => {
      for (const e of [0, 0.5, 1]) for (const mu of [0, 0.2, 0.5, 1]) checkRods(model, impulsive, plain, e, mu)
    })

    law(
      'without restitution the end of a rod that strikes the ground stops dead where friction can hold it',
      impulsive && (() => checkHeldRods(model)),
    )

    law('contact pulls nothing together: what parts is not held back', () => {
      checkParting(model)
    })
  })
}

const ball = (mass: number) => sphere(0.1, mass, weightless)

/** How a world is stepped: model, step, integrator. */
type Stepping = Pick<Scene, 'model' | 'dt' | 'integrator' | 'options'>

/** @param tolerance of speeds, over that of the approach, at a restitution */
function checkHeadOn(
  stepping: (e: number, speed: number) => Stepping,
  impulsive: boolean,
  tolerance: (e: number) => number,
): void {
  for (const [m1, m2, v1, v2] of [
    [2, 5, 1, -0.5],
    [1, 100, 0, -2],
    [3, 3, 1, 0],
  ]) {
    for (const e of impulsive ? [0, 0.5, 0.9, 1] : [0.5, 0.9, 1]) {
      const robots = [
        { robot: ball(m1), q: [-0.105, 0, 0, ...upright], v: [0, 0, 0, v1, 0, 0] },
        { robot: ball(m2), q: [0.1, 0, 0, ...upright], v: [0, 0, 0, v2, 0, 0] },
      ]
      const physical = { restitution: e, allowedPenetration: impulsive ? 1e-3 : 1e-4 }
      const world = makeWorld({ ...stepping(e, v1 - v2), robots, fixtures: [], physical })
      run(world, 0.04)
      const mean = m1 * v1 + m2 * v2
      const most = tolerance(e) * (v1 - v2)
      expect(Math.abs(velocityW(world.robots[0])[0] - (mean - m2 * e * (v1 - v2)) / (m1 + m2))).toBeLessThan(most)
      expect(Math.abs(velocityW(world.robots[1])[0] - (mean + m1 * e * (v1 - v2)) / (m1 + m2))).toBeLessThan(most)
    }
  }
}

function checkArm(stepping: (e: number) => Stepping, impulsive: boolean): void {
  const q = [0.3, -0.9, 1.1]
  const robot = threeLinks()
  const { nv } = robot.model
  const data = createData(robot.model)
  kinematics(robot.model, { q: Float64Array.from(q), v: new Float64Array(nv), t: new Float64Array(1) }, data)
  crba(robot.model, data)
  const tip = tipOf(q)
  const L = new Float64Array(nv * nv)
  factorize(robot.model, data.M, L)
  const J = new Float64Array(3 * nv)
  pointJacobian(robot.model, data, 3, Float64Array.of(tip[0] + 0.05, tip[1], tip[2]), J)
  const column = J.slice(0, nv) // velocity along x of the point where the ball strikes
  solve(robot.model, L, column)
  const inverse = column.reduce((sum, x, k) => sum + x * J[k], 0)
  for (const [mass, e] of impulsive
    ? [
        [0.5, 0],
        [2, 0.7],
        [2, 1],
      ]
    : [
        [0.5, 1],
        [2, 1],
      ]) {
    const world = makeWorld({
      ...stepping(e),
      dt: impulsive ? 1e-5 : 2e-6,
      robots: [
        { robot, q },
        {
          robot: sphere(0.05, mass, weightless),
          q: [tip[0] + 0.1 + 1e-9, tip[1], tip[2], ...upright],
          v: [0, 0, 0, -1, 0, 0],
        },
      ],
      fixtures: [],
      physical: { friction: 0, restitution: e, stiffness: impulsive ? undefined : 1e7 },
    })
    for (let struck = false, parts = false; !parts; ) {
      world.step()
      const acts = world.contacts.count > 0 && world.contacts.impulse.some((p) => p > 0)
      parts = impulsive ? acts : struck && !acts
      struck ||= acts
    }
    const p = (1 + e) / (inverse + 1 / mass)
    const tolerance = impulsive ? 1e-3 : 1e-2 // what the arm turns by during it: of springs, up to 5e-3 rad
    expect(Math.abs(velocityW(world.robots[1])[0] - (p / mass - 1))).toBeLessThan(tolerance)
    const fastest = p * Math.max(...column.map(Math.abs))
    for (let k = 0; k < nv; k++) expect(Math.abs(world.state.v[k] + p * column[k])).toBeLessThan(tolerance * fastest)
  }
}

export function checkLimpRobots(model: string, impulsive: boolean): void {
  // A step so short that what the limbs' motion makes of momentum within it, of first order, is below rounding.
  const random = createRandom(23)
  for (let trial = 0; trial < 4; trial++) {
    const world = strikeLimpRobots(model, random, impulsive ? 1e-12 : 1e-6, -1e-9)
    const momentum = momentumMeter(world)
    const start = momentum()
    let impulse = 0
    run(world, world.dt, () => {
      for (let i = 0; i < world.contacts.count; i++) impulse += world.contacts.impulse[3 * i]
    })
    expect(impulse).toBeGreaterThan(impulsive ? 0.1 : 0)
    expect(largest(momentum(), start)).toBeLessThan(1e-10 * 20)
  }
  // and over the whole of it, at the order of the integrator
  const drift = [2e-4, 1e-4].map((dt) => {
    const world = strikeLimpRobots(model, createRandom(24), dt, 1e-3)
    const momentum = momentumMeter(world)
    const start = momentum()
    run(world, 0.1)
    return largest(momentum(), start)
  })
  expect(drift[0]).toBeLessThan(0.01)
  // of rigid models the few steps with a contact in reach make all of it
  expect(drift[1]).toBeLessThan(Math.max(0.7 * drift[0], 1e-3))
}

function checkParting(model: string): void {
  for (const gap of [1e-4, 0, -1e-5, -5e-4]) {
    for (const speed of [1e-3, 0.1, 2]) {
      const bodies = [ball(2), box([0.2, 0.3, 0.4], 3, weightless)]
      const world = makeWorld({
        robots: bodies.map((robot, i) => ({
          robot,
          q: [i === 0 ? 0 : 0.2 + gap, 0, 0, ...upright],
          v: [0, 0, 0, i === 0 ? 0 : speed, 0, 0],
        })),
        model,
        fixtures: [],
        physical: { restitution: 0.5 },
      })
      let parting = speed
      run(world, 0.05, () => {
        checkForces(world)
        const now = velocityW(world.robots[1])[0] - velocityW(world.robots[0])[0]
        expect(now).toBeGreaterThanOrEqual(parting * (1 - 1e-12))
        parting = now
      })
      if (gap >= 0) expect(parting).toBe(speed)
    }
  }
}

/** A rod of 1 kg and 2 m, of which one end can touch. @param others inertia about its axis and about the vertical [kg m²] */
function endOfRod(others: Vector = [1e-2, 0, 1 / 3]): Robot {
  const J = 1 / 3
  return makeRobot(
    'rod',
    [body('rod', free('free'), solid(1, [others[0], J, others[2]]))],
    [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [1, 0, 0] }],
    weightless,
  )
}

/**
 * What stops the slip and the approach, K p = -u, lies in the cone: slip is a tenth of the approach, and |K_tn| / K_tt at most 0.75 at
 * these angles. The sign of K_tn decides which way friction goes once the slip has stopped.
 */
function checkHeldRods(model: string): void {
  for (const angle of [20, 40, 60, 75]) {
    // the second turns less easily about the vertical, so that of both tangents the one in its plane is moved more
    for (const rod of [endOfRod(), endOfRod([10, 0, 10])]) {
      for (const slip of [-0.1, 0.1]) {
        const half = (angle * degree) / 2
        const turn = [0, Math.sin(half), 0, Math.cos(half)]
        const world = makeWorld({
          model,
          dt: 1e-6,
          physical: { friction: 1.5, restitution: 0 },
          robot: rod,
          q: [0, 0, Math.sin(2 * half) - 1e-9, ...turn],
          v: [0, 0, 0, ...unrotate(turn, 0, [slip, 0, -1])],
        })
        run(world, 1e-6)
        const [vx, , vz] = velocityW(world)
        const spin = world.state.v[1]
        // 2e-4 of the approach is left by constraints that are soft by 1e-5
        expect(Math.abs(vx - spin * Math.sin(2 * half)), `${angle}°, ${slip}`).toBeLessThan(1e-3)
        expect(Math.abs(vz - spin * Math.cos(2 * half)), `${angle}°, ${slip}`).toBeLessThan(1e-3)
      }
    }
  }
}

/** Rods at many angles, speeds of slip and of turning, end first, on the ground. */
function checkRods(
  model: string,
  impulsive: boolean,
  plain: (speed: number) => ContactModelOptions,
  restitution: number,
  friction: number,
): void {
  const rod = endOfRod()
  for (const angle of impulsive || full ? [20, 40, 60, 75] : [40, 75]) {
    for (const slip of impulsive && full ? [-2, -1, -0.5, -0.2, 0.2, 0.5, 1, 2] : [-0.5, 0.5]) {
      for (const spin of impulsive ? [-1, 0, 1, 3] : [0]) {
        const half = (angle * degree) / 2
        const turn = [0, Math.sin(half), 0, Math.cos(half)]
        const world = makeWorld({
          model,
          // one step for impulses; springs as stiff as can be, through the whole of it, explicit
          ...(impulsive
            ? { dt: 1e-6, physical: { friction, restitution } }
            : {
                dt: 2e-6,
                integrator: 'rk4' as const,
                options: { ...plain(1), stickSpeed: 1e-2 },
                physical: { friction, restitution, stiffness: 1e6 },
              }),
          robot: rod,
          q: [0, 0, Math.sin(2 * half) - 1e-9, ...turn],
          v: [0, spin, 0, ...unrotate(turn, 0, [slip, 0, -1])],
        })
        const energy = energyMeter(world)
        const start = energy()
        run(world, impulsive ? 1e-6 : 6e-3)
        // impulses: to rounding, compliance and the entry aside; springs: what is left of an elastic rebound is of first order
        expect(energy() / start - 1, `e ${restitution}, mu ${friction}, ${angle}°, ${slip}, ${spin}`).toBeLessThan(
          impulsive ? 1e-6 : 1e-3,
        )
      }
    }
  }
}

/**
 * Three links in the x-z plane on a fixed base, with a ball of 5 cm at the tip; bodies 1 to 3.
 *
 * @param turned angle from the world's axes to the tip at which it is to be a cube along these, in place of the ball
 */
function threeLinks() {
  const link = (parent: number): BodyDefinition =>
    body(
      `link ${parent}`,
      hinge(`joint ${parent}`, parent, [0, 1, 0], [parent === 0 ? 0 : 0.3, 0, 0]),
      solid(1.5 - 0.3 * parent, [0.01, 0.02, 0.02], [0.15, 0, 0]),
    )
  const tip = { body: 3, shape: { type: 'sphere', radius: 0.05 }, p: [0.3, 0, 0] } as const
  return makeRobot('arm', [link(0), link(1), link(2)], [tip], weightless)
}

function tipOf(q: readonly number[]): Vector {
  let [angle, x, z] = [0, 0, 0]
  for (const turn of q) {
    angle += turn
    x += 0.3 * Math.cos(angle)
    z -= 0.3 * Math.sin(angle)
  }
  return [x, 0, z]
}

/** Linear, then angular momentum about the world's origin of a free body whose inertia is the same about every axis. */
function momentaOf({ robot, state }: World['robots'][number]): Float64Array {
  const [mass, inertia] = [robot.model.I[1][0], robot.model.I[1][4]]
  const { q, v } = state
  const linear = velocityW({ state }).map((x) => mass * x)
  const spin = rotate(q, 3, [v[0], v[1], v[2]]).map((x) => inertia * x)
  const out = Float64Array.from([...linear, ...spin])
  const P = [out[0], out[1], out[2]]
  for (let d = 0; d < 3; d++) out[3 + d] += q[(d + 1) % 3] * P[(d + 2) % 3] - q[(d + 2) % 3] * P[(d + 1) % 3]
  return out
}

function addImpulse(sum: Float64Array, P: Vector, at: Vector, sign: number): void {
  for (let d = 0; d < 3; d++) {
    sum[d] += sign * P[d]
    sum[3 + d] += sign * (at[(d + 1) % 3] * P[(d + 2) % 3] - at[(d + 2) % 3] * P[(d + 1) % 3])
  }
}

/** Cubes and balls, which fly at each other and spin. */
function gathering(
  model: string,
  random: Random,
  { dt, options, ...physical }: { dt: number; friction: number; restitution: number; options: ContactModelOptions },
): World {
  const robots = [
    [-0.2, 0, 0],
    [0.2, 0.02, 0],
    [0, 0.25, 0.05],
    [0.03, -0.24, -0.02],
  ].map((at, i): WorldRobot => {
    const mass = 1 + i
    const robot = i % 2 === 0 ? box([0.16, 0.16, 0.16], mass, weightless) : sphere(0.1, mass, weightless)
    const spin = at.map(() => random.between(-4, 4))
    const linear = at.map((x) => -6 * x + random.between(-0.1, 0.1))
    return { robot, q: [...at, ...upright], v: [...spin, ...linear] }
  })
  return makeWorld({ robots, model, options, dt, fixtures: [], physical })
}

/** Holds what each of four bodies gains against what contacts report, step by step. */
export function checkReactions(model: string, options: ContactModelOptions = {}): void {
  const random = createRandom(21)
  for (let trial = 0; trial < 6; trial++) {
    const world = gathering(model, random, { restitution: 0.2 * trial, friction: 0.5, dt: 1e-3, options })
    const given = world.robots.map(() => new Float64Array(6))
    let before = world.robots.map(momentaOf)
    let touched = 0
    run(world, 0.4, () => {
      const { count, bodyA, bodyB, point } = world.contacts
      for (const sum of given) sum.fill(0)
      for (let i = 0; i < count; i++) {
        const P = impulseOn(world.contacts, i)
        const at = [point[3 * i], point[3 * i + 1], point[3 * i + 2]] as const
        addImpulse(given[bodyB[i] - 1], P, at, 1)
        addImpulse(given[bodyA[i] - 1], P, at, -1)
        if (P[0] !== 0) touched++
      }
      const after = world.robots.map(momentaOf)
      after.forEach((momentum, body) => {
        // about the world's origin; the cubes' inertia is the same about every axis, so that turning changes none of it
        for (let d = 0; d < 6; d++) {
          const off = Math.abs(momentum[d] - before[body][d] - given[body][d])
          if (!(off < 1e-11)) expect(off).toBeLessThan(1e-11)
        }
      })
      before = after
      checkForces(world)
    })
    expect(touched).toBeGreaterThan(3)
  }
}

/** Holds the momentum of four bodies that meet against that of their start. */
export function checkMomentum(model: string, options: ContactModelOptions = {}): void {
  const random = createRandom(22)
  for (let trial = 0; trial < 6; trial++) {
    const world = gathering(model, random, { restitution: 0.2 * trial, friction: 0.7, dt: trial % 2 ? 1e-3 : 5e-3, options })
    const momentum = momentumMeter(world)
    const start = momentum()
    run(world, 1)
    expect(largest(momentum(), start)).toBeLessThan(1e-10 * 10)
  }
}

/** Bodies of all shapes that strike each other, with restitution and friction up to these. */
function checkEncounters(model: string, dt: number, restitution: number, friction: number): void {
  const random = createRandom(25)
  const trials = full ? 400 : 16
  let hits = 0
  for (let trial = 0; trial < trials; trial++) {
    const world = encounter(model, random, dt, {
      restitution: random.between(0, restitution),
      friction: random.between(0, friction),
    })
    const energy = energyMeter(world)
    const start = energy()
    let [before, gained, impulse] = [start, 0, 0]
    run(world, 0.25, ({ contacts: { count, impulse: given } }) => {
      checkForces(world)
      const now = energy()
      let pushed = 0
      for (let i = 0; i < count; i++) pushed += given[3 * i]
      // free flight of what tumbles changes its energy at first order of the step, and is none of contact's doing
      if (pushed > 0) gained += now - before
      before = now
      impulse += pushed
    })
    expect(gained / start).toBeLessThan(1e-3)
    if (impulse > 0) hits++
  }
  expect(hits).toBeGreaterThan(0.75 * trials)
}

/** Two boxes, capsules or cylinders, turned at random, one of which flies at the other. */
function encounter(model: string, random: Random, dt: number, physical: { restitution: number; friction: number }): World {
  const shapes = [
    { type: 'box', size: [0.2, 0.1, 0.3] },
    { type: 'capsule', radius: 0.05, length: 0.3 },
    { type: 'cylinder', radius: 0.1, length: 0.1 },
    { type: 'box', size: [0.4, 0.04, 0.04] },
  ] as const
  const robots = [0, 1].map((i): WorldRobot => {
    const turn = randomQuaternion(random)
    const q = [0.4 * i, random.between(-0.05, 0.05), random.between(-0.05, 0.05), ...turn]
    const robot = freeBody({ shape: shapes[random.index(4)], mass: random.between(0.5, 3), gravity: weightless })
    return { robot, q, v: [0, 0, 0, ...unrotate(q, 3, [-2 * i, 0, 0])] }
  })
  return makeWorld({ robots, model, dt, fixtures: [], physical })
}

/**
 * A limp four-legged robot at rest; a ball that flies at one of its feet from behind, and its like, which flies at it from the
 * front with all four feet ahead; both `gap` away.
 */
function strikeLimpRobots(model: string, random: Random, dt: number, gap: number): World {
  const robot = quadruped(weightless)
  const joints = Array.from({ length: 8 }, () => random.between(-0.6, 0.6))
  const foot = [
    0.2 - 0.2 * Math.sin(joints[0]) - 0.2 * Math.sin(joints[0] + joints[1]),
    0.12,
    -0.2 * Math.cos(joints[0]) - 0.2 * Math.cos(joints[0] + joints[1]),
  ]
  const still = new Array(8).fill(0)
  const robots: WorldRobot[] = [
    { robot, q: [0, 0, 0, ...upright, ...joints], v: [0, 0, 0, 0, 0, 0, ...still] },
    { robot, q: [0.04 + gap, 0, 0, ...upright, ...joints], v: [0, 0, 0, -1, 0.3, 0.2, ...still] },
    { robot: sphere(0.05, 2, weightless), q: [foot[0] - 0.07 - gap, foot[1], foot[2], ...upright], v: [0, 0, 0, 2, 0.5, 0] },
  ]
  return makeWorld({ robots, model, dt, fixtures: [], physical: { friction: 0.6, restitution: 0.4 } })
}

const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.max(...Array.from(a, (x, k) => Math.abs(x - b[k])))
