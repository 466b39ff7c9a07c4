import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import type { World } from '../../../simulation/index.ts'
import type { Suite } from './law.ts'
import { floating, g, makeRobot, makeWorld, rotate, run } from './scenes.ts'

/** Bodies that turn about an edge or a point of theirs: the rocking block, the top, and Painlevé's rod. */
export function rockingLaws({ model, rigid, plain, painleve = 'takes off', section, law }: Suite): void {
  section('rocking', () => {
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
