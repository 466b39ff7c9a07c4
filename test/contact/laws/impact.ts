import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import type { Suite } from './law.ts'
import { energyMeter, g, makeWorld, run, sphere, velocityW } from './scenes.ts'

interface Way {
  readonly dt: number
  readonly integrator: 'rk4' | 'semi-implicit-euler'
  readonly options: ContactModelOptions
  readonly springs: boolean
}

/** Bounces: heights, times, energy, and the end of them. */
export function impactLaws({ model, rigid, impulsive, plain, restitutionAt, section, law }: Suite): void {
  /** As the model does by itself, if by impulses; and by its springs alone, explicit, in hundreds of steps an impact. */
  const ways = (speed: number): Way[] => {
    const springs: Way = { dt: 2e-5, integrator: 'rk4', options: plain(speed), springs: true }
    const impulses: Way = { dt: 1e-3, integrator: rigid ? 'semi-implicit-euler' : 'rk4', options: {}, springs: false }
    if (rigid) return [impulses]
    return impulsive ? [impulses, springs] : [springs]
  }

  section('impact', () => {
    law('a dropped ball rebounds to H e^2k, and bounces at √(2 H / g) (1 + 2 e + 2 e² + ...)', () => {
      const [height, radius] = [0.5, 0.05]
      const fall = Math.sqrt((2 * height) / g)
      for (const { dt, integrator, options, springs } of ways(g * fall)) {
        for (const [restitution, bounces] of [
          [0.3, 1],
          [0.8, 3],
        ]) {
          // heights and times by the restitution that each impact is to have, its speed being that of the last rebound
          const heights = [height]
          const at = [fall]
          for (let k = 1, speed = g * fall; k <= bounces + 1; k++) {
            speed *= restitutionAt(restitution, g * fall, speed)
            heights.push((speed * speed) / (2 * g))
            at.push(at[k - 1] + (2 * speed) / g)
          }
          const world = makeWorld({
            robot: sphere(radius, 2),
            model,
            dt,
            // springs are so stiff (sink 1e-5 m) that weight hardly matters during it
            physical: { restitution, allowedPenetration: springs ? 1e-5 : 1e-3 },
            integrator,
            options,
            q: [0, 0, radius + height, 0, 0, 0, 1],
          })
          const tops: number[] = []
          const times: number[] = []
          let before = 0
          run(world, at[bounces + 1] - 0.02, () => {
            const speed = world.state.v[5]
            if (before < 0 && speed >= 0) times.push(world.state.t[0])
            if (before > 0 && speed <= 0) tops.push(world.state.q[2] - radius)
            before = speed
          })
          expect(times.length).toBe(bounces + 1)
          for (let k = 0; k < bounces; k++) {
            // impulses: it turns round up to one step too early or late, at the speed of that time, which moves the next bounce
            // as much. Springs: the step in which the damper's force sets in is of first order, omega dt = 2e-2 of the speed, as
            // is the weight's part during the impact
            expect(Math.abs(times[k] - at[k])).toBeLessThan(springs ? 0.01 * at[k] : (2 * k + 1) * 2 * dt)
            expect(Math.abs(tops[k] - heights[k + 1])).toBeLessThan(
              springs ? 0.04 * heights[k + 1] : 1.5 * (k + 1) * g * fall * dt,
            )
          }
        }
      }
    })

    law(
      'without gravity a ball leaves the ground at e of its speed: 0.859, 0.572 and 0.298 of a clipped spring at zeta 0.05, 0.2, 0.5',
      () => {
        const [mass, stiffness] = [2, 2e4]
        for (const { dt, integrator, options, springs } of ways(0.5)) {
          for (const [zeta, e] of [
            [0.05, 0.859],
            [0.2, 0.572],
            [0.5, 0.298],
          ]) {
            const world = makeWorld({
              robot: sphere(0.1, mass, [0, 0, 0]),
              model,
              dt: springs ? 1e-5 : dt,
              physical: springs ? { stiffness, damping: 2 * zeta * Math.sqrt(stiffness * mass) } : { restitution: e },
              integrator,
              options,
              q: [0, 0, 0.105, 0, 0, 0, 1],
              v: [0.3, 0, 0, 0.2, 0, -0.5],
            })
            run(world, 0.05)
            // figures are printed to 1e-3; rigid: compliance takes 1e-5 of the change of speed
            expect(Math.abs(velocityW(world)[2] / 0.5 - e)).toBeLessThan(springs ? 1e-3 : 2e-5)
          }
        }
      },
    )

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

    law('a ball with restitution comes to rest after √(2 H / g) (1 + e) / (1 - e)', () => {
      const [height, radius, restitution] = [0.3, 0.05, 0.5]
      const fall = Math.sqrt((2 * height) / g)
      for (const { dt, integrator, options, springs } of ways(g * fall)) {
        const world = makeWorld({
          robot: sphere(radius, 2),
          model,
          dt,
          physical: { restitution, allowedPenetration: springs ? 1e-5 : 1e-4 },
          integrator,
          options,
          q: [0, 0, radius + height, 0, 0, 0, 1],
        })
        let moving = 0
        run(world, 1, () => {
          if (Math.abs(world.state.v[5]) > 0.02) moving = world.state.t[0]
        })
        const expected = (fall * (1 + restitution)) / (1 - restitution)
        // the bounces below 0.02 m/s would take 2 · 0.02 / g / (1 - e) more
        expect(Math.abs(moving - expected)).toBeLessThan(0.02)
      }
    })

    law('without restitution a ball does not leave the ground again, but for the rebound that springs state', () => {
      const world = makeWorld({ robot: sphere(0.05, 2), model, q: [0, 0, 0.3, 0, 0, 0, 1] })
      let top = -1
      let touched = false
      run(world, 1.5, () => {
        if (world.contacts.count > 0 && world.contacts.impulse[0] > 0) touched = true
        if (touched) top = Math.max(top, world.state.q[2] - 0.05)
      })
      expect(touched).toBe(true)
      // critical damping returns exp(-2) of the speed at most, so exp(-4) of the height
      expect(top).toBeLessThan(rigid ? 1e-6 : 0.25 * Math.exp(-4))
    })
  })
}
