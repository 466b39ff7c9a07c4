import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import { JointType } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import type { Suite } from './law.ts'
import { box, floating, g, makeRobot, makeWorld, onSixJoints, rotate, run, type Vector } from './scenes.ts'

/** Bodies that turn about an edge or a point of theirs: the rocking block, the top, and Painlevé's rod. */
export function rockingLaws({ model, rigid, plain, painleve = 'takes off', section, law }: Suite): void {
  section('rocking', () => {
    law("a block rocks by Housner's equation, and an impact leaves it 1 - 3/2 sin² alpha of its speed", () => {
      for (const joints of [false, true]) checkRocking(model, joints, rigid ? 2e-3 : 2e-2, rigid ? 5e-3 : 5e-2)
    })

    law('a top on its point precesses at m g l / (J3 omega)', () => {
      const [mass, length, J1, J3, spin, tilt] = [0.5, 0.06, 4e-4, 6e-4, 400, 0.4]
      const top = makeRobot(
        'top',
        [{ name: 'top', jointName: 'free', parent: 0, jointType: JointType.floating, mass, inertia: [J1, J1, J3, 0, 0, 0] }],
        [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [0, 0, -length] }],
      )
      const expected = (mass * g * length) / (J3 * spin)
      const turn = [0, Math.sin(tilt / 2), 0, Math.cos(tilt / 2)]
      // let go with the precession it is to have: about the point, velocity Omega × (centre - point)
      const axis: Vector = [Math.sin(tilt), 0, Math.cos(tilt)]
      const world = makeWorld({
        robot: top,
        model,
        dt: 1e-4,
        physical: { friction: 5, allowedPenetration: 1e-5 },
        q: [length * axis[0], 0, length * axis[2], ...turn],
        v: [-expected * Math.sin(tilt), 0, spin, 0, expected * length * Math.sin(tilt), 0],
      })
      const heading = () => {
        const [x, y] = rotate(world.state.q, 3, [0, 0, 1])
        return Math.atan2(y, x)
      }
      let turned = 0
      let last = heading()
      run(world, 1, () => {
        const now = heading()
        turned += Math.atan2(Math.sin(now - last), Math.cos(now - last))
        last = now
      })
      expect(Math.abs(turned / expected - 1)).toBeLessThan(0.02)
      expect(Math.abs(Math.acos(rotate(world.state.q, 3, [0, 0, 1])[2]) - tilt)).toBeLessThan(0.02)
    })

    law("Painlevé's rod stops dead, by an impact without a collision of the impulse (0.3248, -0.4375)", () => {
      const theta = Math.PI / 3
      if (rigid) {
        for (const dt of [1e-2, 1e-3, 1e-4]) {
          const { world, impulse } = stopRod(model, dt, 1)
          const [normal, tangent] = tipImpulse(theta, g * dt)
          expect(Math.abs(impulse[0] - normal)).toBeLessThan(1e-4)
          expect(Math.abs(impulse[1] - tangent)).toBeLessThan(1e-4)
          expect(Math.hypot(...tipVelocity(world, 1))).toBeLessThan(dt) // the tip has turned on by the end of the step
        }
        return
      }
      // springs: it takes a while of sqrt(m / K), over which the impulse tends to that of the limit
      const miss = [1e5, 1e7, 1e9].map((stiffness) => {
        const dt = 0.02 / Math.sqrt(stiffness)
        const { impulse } = stopRod(model, dt, 100_000, { options: plain(1), stiffness })
        const [normal, tangent] = tipImpulse(theta, 0)
        return Math.hypot(impulse[0] - normal, impulse[1] - tangent)
      })
      expect(miss[2]).toBeLessThan(0.02)
      expect(miss[1]).toBeLessThan(0.5 * miss[0])
      expect(miss[2]).toBeLessThan(0.5 * miss[1])
    })

    law('below its critical friction, 1.3472 at 60 degrees, the rod slides under the one force that there is', () => {
      const theta = Math.PI / 3
      const [sine, cosine] = [Math.sin(theta), Math.cos(theta)]
      const critical = (1 + 3 * cosine * cosine) / (3 * sine * cosine)
      expect(Math.abs(critical - 1.3472)).toBeLessThan(5e-5)
      for (const mu of [0, 0.5, 1.2]) {
        // A f + b = 0, with b = -g: the tip neither rises nor sinks
        const force = g / (1 + 3 * cosine * (cosine - mu * sine))
        const dt = rigid ? 1e-5 : 1e-6
        const start: RodStart = { mu, ...(rigid ? {} : { stiffness: 1e10, damping: undefined, options: plain(1) }) }
        const world = rodOnTip(model, dt, start)
        run(world, rigid ? dt : 4e-4)
        const { impulse, tangent1, tangent2 } = world.contacts
        expect(world.contacts.count).toBe(1)
        // rigid: W of the step's start; springs settle in 20 times their damping over stiffness, while the rod turns by 1e-5
        expect(Math.abs(impulse[0] / dt / force - 1)).toBeLessThan(rigid ? 1e-3 : 1e-2)
        const along = impulse[1] * tangent1[0] + impulse[2] * tangent2[0]
        expect(Math.abs(along / dt / force + mu)).toBeLessThan(rigid ? 1e-3 : 1e-2)
      }
    })

    law('where the rod may either take off or stop dead, since turning lifts its tip by itself, it does one of them', () => {
      // l omega² sine > g beside A < 0: no force at all satisfies the laws of contact, and so does the impact without a collision
      const [theta, omega, mu] = [Math.PI / 3, 4, 1.9]
      const lift = omega * omega * Math.sin(theta) - g
      const dt = rigid ? 1e-4 : 1e-6
      const start: RodStart = { mu, omega, ...(rigid ? {} : { stiffness: 1e8, options: plain(1) }) }
      const world = rodOnTip(model, dt, start)
      let impulse = 0
      run(world, rigid ? dt : 2e-3, ({ contacts }) => {
        for (let i = 0; i < contacts.count; i++) impulse += contacts.impulse[3 * i]
      })
      const [x, z] = tipVelocity(world, 1)
      if (painleve === 'takes off') {
        expect(impulse).toBeLessThan(1e-3)
        const t = world.state.t[0]
        expect(Math.abs(z / (lift * t) - 1)).toBeLessThan(rigid ? 1e-2 : 1e-1)
      } else {
        expect(Math.abs(x)).toBeLessThan(20 * dt) // the tip has turned on, at 4 rad/s and more
        expect(impulse).toBeGreaterThan(0.3)
      }
    })

    law('the figures of the rod are those printed', () => {
      const [normal, tangent] = tipImpulse(Math.PI / 3, 0)
      expect(Math.abs(normal - 0.3248)).toBeLessThan(5e-5)
      expect(Math.abs(tangent - -0.4375)).toBeLessThan(5e-5)
    })
  })
}

/**
 * Releases a block at 0.6 of the angle on which it would fall over, and follows it into its first impact and out of it.
 *
 * @param tolerance relative, of the time until it strikes, and of its speed then
 * @param loss      of the ratio of speeds
 */
export function checkRocking(model: string, joints: boolean, tolerance: number, loss: number): void {
  const [b, c] = [0.06, 0.2]
  const alpha = Math.atan(b / c)
  const p2 = (3 * g) / (4 * Math.hypot(b, c))
  const theta = 0.6 * alpha
  // it leans towards x, on the edge at x = b
  const center = [b - b * Math.cos(theta) + c * Math.sin(theta), 0, b * Math.sin(theta) + c * Math.cos(theta)]
  const free = box([2 * b, 0.4, 2 * c])
  const inertia: Vector = [free.model.I[1][4], free.model.I[1][5], free.model.I[1][6]]
  const world = makeWorld({
    robot: joints ? onSixJoints(free, [0, 0, 0], inertia) : free,
    model,
    dt: 1e-4,
    physical: { friction: 2, allowedPenetration: 1e-5 },
    q: joints ? [...center, 0, 0, theta] : [...center, 0, Math.sin(theta / 2), 0, Math.cos(theta / 2)],
  })
  const rate = () => world.state.v[joints ? 5 : 1]
  // theta'' = -p² sin(alpha - theta): its speed at theta = 0 by energy, the time by the equation itself
  const speed = Math.sqrt(2 * p2 * (Math.cos(alpha - theta) - Math.cos(alpha)))
  const time = timeToStrike(p2, alpha, theta)
  const quarter = Math.acosh(1 / (1 - theta / alpha)) / Math.sqrt(p2)
  expect(Math.abs(time / quarter - 1)).toBeLessThan(0.02) // slender, linearised

  let fastest = 0
  let struck = 0
  let after = 0
  run(world, time + 0.02, () => {
    if (rate() < fastest) {
      fastest = rate()
      struck = world.state.t[0]
    } else after = rate()
  })
  expect(Math.abs(struck / time - 1)).toBeLessThan(tolerance)
  expect(Math.abs(fastest / -speed - 1)).toBeLessThan(tolerance)
  // some milliseconds after it, leaning the other way, it has slowed down: by its weight, so its energy says from what
  const { q } = world.state
  const lean = Math.abs(joints ? q[5] : 2 * Math.asin(q[4]))
  const parted = Math.sqrt(after * after + 2 * p2 * (Math.cos(alpha - lean) - Math.cos(alpha)))
  expect(Math.abs(parted / -fastest - (1 - 1.5 * Math.sin(alpha) ** 2))).toBeLessThan(loss)
}

function timeToStrike(p2: number, alpha: number, start: number): number {
  let [theta, omega, t] = [start, 0, 0]
  const h = 1e-6
  while (theta > 0) {
    omega -= h * p2 * Math.sin(alpha - theta)
    theta += h * omega
    t += h
  }
  return t
}

/** Painlevé's paradox: with mu = 1.9 no force keeps the tip of the rod from sinking. Impulse until the tip stops. */
export function stopRod(model: string, dt: number, steps: number, start: Omit<RodStart, 'mu'> = {}) {
  const world = rodOnTip(model, dt, { mu: 1.9, ...start })
  const impulse = [0, 0]
  for (let k = 0; k < steps; k++) {
    world.step()
    const { count, impulse: given, normal, tangent1, tangent2 } = world.contacts
    for (let i = 0; i < count; i++) {
      impulse[0] += given[3 * i]
      impulse[1] += given[3 * i] * normal[3 * i] + given[3 * i + 1] * tangent1[3 * i] + given[3 * i + 2] * tangent2[3 * i]
    }
    const [x, z] = tipVelocity(world, 1)
    if (x < 1e-3 && z >= 0) break
  }
  return { world, impulse }
}

interface RodStart {
  readonly mu: number
  /** How fast it falls over backwards, its tip going on at 1 m/s [rad/s]. */
  readonly omega?: number
  readonly options?: ContactModelOptions
  /** Of springs [N/m, N s/m]; without dampers unless `damping` is given, undefined for that of the model. */
  readonly stiffness?: number
  readonly damping?: number | undefined
  /** Whether its coordinates are those of the tip, not of the middle: by them a first step knows that turning lifts the tip. */
  readonly atTip?: boolean
}

/** A rod of half-length 1 and mass 1 at 60 degrees to the ground, its tip ahead and sliding at 1 m/s. */
export function rodOnTip(model: string, dt: number, start: RodStart): World {
  const { mu, omega = 0, options, stiffness, atTip = false } = start
  // soft springs of other exponents are fitted to the load that they are to carry
  const springs =
    stiffness === undefined
      ? {}
      : 'damping' in start
        ? { stiffness, allowedPenetration: g / stiffness }
        : { stiffness, damping: 0 }
  const theta = Math.PI / 3
  const rod = makeRobot(
    'rod',
    [{ ...floating, mass: 1, inertia: [1e-2, 1 / 3, 1 / 3, 0, 0, 0], centerOfMass: atTip ? [-1, 0, 0] : [0, 0, 0] }],
    [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: atTip ? [0, 0, 0] : [1, 0, 0] }],
  )
  return makeWorld({
    robot: rod,
    model,
    dt,
    options,
    physical: { friction: mu, ...springs },
    q: [0, 0, atTip ? 0 : Math.sin(theta), 0, Math.sin(theta / 2), 0, Math.cos(theta / 2)],
    // the tip moves at 1 m/s along x; in its own axes; the middle, behind along its x, has omega along z more
    v: [0, omega, 0, Math.cos(theta), 0, Math.sin(theta) + (atTip ? 0 : omega)],
  })
}

/** Velocity along x and z of the point at `reach` along a floating rod. */
export function tipVelocity({ state: { q, v } }: World, reach: number): [number, number] {
  const [x, , z] = rotate(q, 3, [v[3], v[4] + v[2] * reach, v[5] - v[1] * reach])
  return [x, z]
}

/** Normal and tangential impulse that stop a tip of 1 m/s, and let it lift by `fall` [m/s]: two equations, by Cramer's rule. */
function tipImpulse(theta: number, fall: number): [number, number] {
  const [x, z, J] = [Math.cos(theta), -Math.sin(theta), 1 / 3]
  const [a, b, c] = [1 + (x * x) / J, (-x * z) / J, 1 + (z * z) / J]
  const determinant = a * c - b * b
  return [(fall * c + b) / determinant, (-a - b * fall) / determinant]
}
