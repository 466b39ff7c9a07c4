import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import type { Suite } from './law.ts'
import { energyMeter, g, makeWorld, sphere } from './scenes.ts'

interface Way {
  readonly dt: number
  readonly integrator: 'rk4' | 'semi-implicit-euler'
  readonly options: ContactModelOptions
  readonly springs: boolean
}

/** Bounces: heights, times, energy, and the end of them. */
export function impactLaws({ model, rigid, impulsive, plain, section, law }: Suite): void {
  /** As the model does by itself, if by impulses; and by its springs alone, explicit, in hundreds of steps an impact. */
  const ways = (speed: number): Way[] => {
    const springs: Way = { dt: 2e-5, integrator: 'rk4', options: plain(speed), springs: true }
    const impulses: Way = { dt: 1e-3, integrator: rigid ? 'semi-implicit-euler' : 'rk4', options: {}, springs: false }
    if (rigid) return [impulses]
    return impulsive ? [impulses, springs] : [springs]
  }

  section('impact', () => {
    law('an elastic ball neither gains nor loses 1 % of its energy in 100 bounces', () => {
      for (const { integrator, options, springs, dt } of ways(0.6)) {
        const [height, radius] = [springs ? 0.02 : 0.5, 0.05]
        const world = makeWorld({
          robot: sphere(radius, 2),
          model,
          dt: springs ? 2e-4 : dt,
          physical: { restitution: 1 },
          integrator,
          options,
          q: [0, 0, radius + height, 0, 0, 0, 1],
        })
        const energy = energyMeter(world)
        const ground = 2 * g * radius
        const start = energy() - ground
        let bounces = 0
        let before = 0
        let least = start
        let most = start
        while (bounces < 100 && world.state.t[0] < 100) {
          world.step()
          const speed = world.state.v[5]
          if (before < 0 && speed >= 0) bounces++
          before = speed
          if (world.state.q[2] < radius) continue
          least = Math.min(least, energy() - ground)
          most = Math.max(most, energy() - ground)
        }
        expect(bounces).toBe(100)
        // impulses: what it turns round early or late is no drift, g h / v of the speed either way; compliance takes 4e-5 a
        // bounce. Springs: the steps of touching and leaving are of first order in a bend of the force, and cancel on average
        expect(Math.abs(least / start - 1)).toBeLessThan(0.01)
        expect(Math.abs(most / start - 1)).toBeLessThan(0.01)
      }
    })

    if (!rigid && impulsive)
      law(
        'where impulses turn it round at the start of a semi-implicit step, it loses g h of its speed a bounce, and never gains',
        () => {
          const [height, radius, dt] = [0.5, 0.05, 1e-3]
          const world = makeWorld({
            robot: sphere(radius, 2),
            model,
            dt,
            physical: { restitution: 1 },
            q: [0, 0, radius + height, 0, 0, 0, 1],
          })
          // up at v - g h, v - 2 g h, ... it is back a step earlier than it left
          const speeds: number[] = []
          for (let before = 0; speeds.length < 50; before = world.state.v[5]) {
            world.step()
            if (before < 0 && world.state.v[5] >= 0) speeds.push(world.state.v[5])
          }
          const lost = (speeds[0] - speeds[49]) / 49
          expect(Math.abs(lost / (g * dt) - 1)).toBeLessThan(0.05)
        },
      )
  })
}
