import { expect } from 'vitest'
import {
  type BodyDefinition,
  biasForces,
  crba,
  createData,
  factorize,
  kinematics,
  pointJacobian,
  pointJacobianDotTimesV,
  solve,
  velocities,
} from '../../../dynamics/index.ts'
import { body, hinge, slide, solid } from '../../dynamics/bodies.ts'
import { type Suite, steps } from './law.ts'
import { g, makeRobot, makeWorld, run, type ShapeOn, slope, support } from './scenes.ts'

/** Stops and dry friction of joints, which contact models treat as they treat contacts. */
export function jointLaws({ model, rigid, section, law }: Suite): void {
  section('joints', () => {
    law('a pendulum that falls onto its stop comes to rest there, and presses by its weight', () => {
      const [mass, length, stop] = [2, 0.5, -0.3]
      const arm = body('arm', hinge('hinge', 0, [0, -1, 0]), solid(mass, [0.01, 0.01, 0.01], [length, 0, 0]), {
        lower: stop,
        upper: 2,
      })
      for (const dt of steps) {
        const world = makeWorld({ robot: makeRobot('pendulum', [arm], []), model, dt, q: [0.8] })
        let lowest = 1
        run(world, 3, () => {
          lowest = Math.min(lowest, world.state.q[0])
        })
        expect(Math.abs(world.state.q[0] - stop)).toBeLessThan(1e-6)
        expect(Math.abs(world.state.v[0])).toBeLessThan(1e-6)
        expect(stop - lowest).toBeLessThan(1e-6)
      }
    })

    law('an arm that is pressed on a table by its joints presses f = -(J M⁻¹ (tau - c) + Jdot v) / (J M⁻¹ Jᵀ)', () => {
      const [length, radius] = [0.5, 0.02]
      const link = (parent: number): BodyDefinition =>
        body(
          `link ${parent}`,
          hinge(`joint ${parent}`, parent, [0, 1, 0], parent === 0 ? [0, 0, 0.6] : [length, 0, 0]),
          solid(2, [0.04, 0.04, 0.04], [length / 2, 0, 0]),
        )
      const robot = makeRobot('arm', [link(0), link(1)], [{ body: 2, shape: { type: 'sphere', radius }, p: [length, 0, 0] }])
      // shoulder 0.6 above the table, both links down by `a` and then by `b`
      const a = 0.3
      const b = Math.asin((0.6 - radius) / length - Math.sin(a)) - a
      const { nv } = robot.model
      const data = createData(robot.model)
      const world = makeWorld({
        robot,
        model,
        dt: 1e-4,
        physical: { friction: 0, allowedPenetration: 1e-6 },
        q: [a, b],
        push: (tau) => tau.set([12, 4]),
      })
      const c = new Float64Array(nv)
      const J = new Float64Array(3 * nv)
      const Jdot = new Float64Array(3)
      const L = new Float64Array(nv * nv)
      let [touching, slid] = [0, 0]
      let before = { q: world.state.q.slice(), v: world.state.v.slice(), t: new Float64Array(1) }
      run(world, 0.1, ({ state, contacts, dt, tau }, step) => {
        const { q, v } = before
        if (step > 500 && contacts.count > 0) {
          kinematics(robot.model, before, data)
          velocities(robot.model, before, data)
          biasForces(robot.model, before, data, c)
          crba(robot.model, data)
          factorize(robot.model, data.M, L)
          const point = contacts.point.slice(0, 3)
          pointJacobian(robot.model, data, 2, point, J)
          // the normal stands still while the sphere turns: it is its centre that keeps its height
          const center = Float64Array.of(point[0], point[1], point[2])
          center[2] = 0.6 - length * (Math.sin(q[0]) + Math.sin(q[0] + q[1]))
          pointJacobianDotTimesV(robot.model, before, data, 2, center, Jdot)
          const row = J.slice(2 * nv)
          const column = row.slice()
          solve(robot.model, L, column)
          const free = column.reduce((sum, x, k) => sum + x * (tau[k] - c[k]), 0)
          const inverse = column.reduce((sum, x, k) => sum + x * row[k], 0)
          const expected = -(free + Jdot[2]) / inverse
          // falls from 27 to 12 N as it slides away; of first order in the step, over which it moves on
          expect(Math.abs(contacts.impulse[0] / dt - expected)).toBeLessThan(0.02)
          touching++
          slid = Math.abs(v[0])
        }
        before = { q: state.q.slice(), v: state.v.slice(), t: state.t.slice() }
      })
      expect(touching).toBeGreaterThan(450)
      expect(slid).toBeGreaterThan(0.05) // so that Jdot v counts
    })

    law('dry joint friction holds a load below it and takes its share of one above, damping the rest', () => {
      const inertia = 0.05
      const wheel = body('wheel', hinge('axle', 0, [0, 0, 1]), solid(1, [inertia, inertia, inertia]), {
        friction: 0.4,
        damping: 0.1,
      })
      for (const dt of steps) {
        for (const torque of [0.39, 0.5]) {
          const world = makeWorld({
            robot: makeRobot('wheel', [wheel], []),
            model,
            dt,
            push: (tau) => tau.set([torque]),
          })
          run(world, 0.5)
          // I w' = tau - f - d w
          const expected = ((torque - 0.4) / 0.1) * (1 - Math.exp((-0.1 * world.state.t[0]) / inertia))
          if (torque < 0.4) expect(Math.abs(world.state.q[0])).toBeLessThan(1e-9)
          else expect(Math.abs(world.state.v[0] - expected)).toBeLessThan(0.02 * expected) // first order in dt d / I
        }
      }
    })

    const [mass, damping, rest] = [2, 3, 0.2]
    const onSpring = (stiffness: number, shapes: ShapeOn[] = []) => {
      const block = body('block', slide('rail', 0, [0, 0, -1]), solid(mass, [1, 1, 1]), {
        damping,
        stiffness,
        springReference: rest,
      })
      return makeRobot('block', [block], shapes)
    }

    law('a block on a spring takes the steps of implicit Euler, and the stiffest spring brings it to rest in one', () => {
      for (const dt of steps) {
        for (const stiffness of [50, 1e5, 1e12]) {
          const world = makeWorld({ robot: onSpring(stiffness), model, dt, q: [0.5] })
          let [q, v] = [0.5, 0]
          for (let n = 0; n < 100; n++) {
            // m (v' - v) / h = m g - d v' - k (q' - rest), q' = q + h v'
            v = (mass * v + dt * (mass * g - stiffness * (q - rest))) / (mass + dt * damping + dt * dt * stiffness)
            q += dt * v
            world.step()
            // rounding of M, c and of k (q - rest) over the step
            expect(Math.abs(world.state.q[0] - q)).toBeLessThan(1e-12)
            expect(Math.abs(world.state.v[0] - v)).toBeLessThan(1e-12 / dt)
            if (stiffness === 1e12) expect(Math.abs(world.state.q[0] - rest)).toBeLessThan(1e-4)
          }
        }
      }
    })

    const oscillation = () => {
      const stiffness = 200
      const decay = damping / (2 * mass)
      const omega = Math.sqrt(stiffness / mass - decay * decay)
      const middle = rest + (mass * g) / stiffness
      const swing = 0.5 - middle
      const exact = (t: number) =>
        middle + Math.exp(-decay * t) * swing * (Math.cos(omega * t) + (decay / omega) * Math.sin(omega * t))
      const error = (dt: number) => {
        const world = makeWorld({ robot: onSpring(stiffness), model, dt, q: [0.5], integrator: 'rk4' })
        run(world, 1)
        return Math.abs(world.state.q[0] - exact(1))
      }
      expect(Math.abs(Math.log2(error(1e-2) / error(5e-3)) - 4)).toBeLessThan(0.2)
      expect(error(5e-3)).toBeLessThan(1e-7)
    }
    if (!rigid) law('under RK4 a block on a spring follows its damped oscillation to order 4', oscillation)

    law('a spring presses a foot on the ground by its weight and k (rest - q), however stiff', () => {
      const foot: ShapeOn = { body: 1, shape: { type: 'sphere', radius: 0.05 } }
      for (const dt of steps) {
        for (const stiffness of [50, 1e5]) {
          // rest lies 0.2 below, the ground 0.1 below the ball
          const ground = { ...slope(0), p: Float64Array.of(0, 0, -0.15) }
          const load = mass * g + stiffness * 0.1
          const world = makeWorld({
            robot: onSpring(stiffness, [foot]),
            model,
            dt,
            fixtures: [ground],
            q: [0.1],
            physical: { stiffness: load / 1e-5 },
          })
          run(world, 2)
          const sunk = world.state.q[0] - 0.1
          // what contacts gain in depth the spring loses
          expect(Math.abs(support(world).force / (load - stiffness * sunk) - 1)).toBeLessThan(1e-6)
          expect(Math.abs(sunk)).toBeLessThan(1e-4) // softness of the contact, 10 µm of a linear spring
        }
      }
    })
  })
}
