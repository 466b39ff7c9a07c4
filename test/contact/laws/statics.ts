import { expect } from 'vitest'
import { type BodyDefinition, createData, gravityForces, kinematics } from '../../../dynamics/index.ts'
import { generalisedImpulse } from '../impacts/scene.ts'
import { type Suite, steps } from './law.ts'
import {
  box,
  fixedBox,
  floating,
  floor,
  g,
  makeRobot,
  makeWorld,
  onSixJoints,
  quadruped,
  run,
  sinkOf,
  sphere,
  support,
  tiltOf,
  type Vector,
} from './scenes.ts'

/** Bodies and robots at rest: what carries them, and that they stay where they are. */
export function staticsLaws({ fineSteps, model, rigid, deepest, section, law }: Suite): void {
  section('statics', () => {
    law('the normal forces carry the weight, and springs sink by weight over stiffness', () => {
      for (const dt of steps) {
        // a box too, whose points share one spring; on one point at a time it rocks
        const bodies = model === 'penalty-deepest' ? [sphere(0.1, 7)] : [sphere(0.1, 7), box([0.3, 0.4, 0.2], 7)]
        for (const robot of bodies) {
          const world = makeWorld({ robot, model, dt, q: [0, 0, 0.1, 0, 0, 0, 1] })
          run(world, 2)
          expect(Math.abs(support(world).force / (7 * g) - 1)).toBeLessThan(1e-9)
          // rigid: compliance lets it in by 1e-5 g dt² / stabilization, 0.2
          const rounding = rigid ? 1.01 * 5e-5 * g * dt * dt + 1e-9 : 1e-9
          expect(Math.abs(0.1 - world.state.q[2] - deepest)).toBeLessThan(rounding)
        }
      }
    })

    law('on an explicit joint of six freedoms a lopsided box rests as a free one does', () => {
      const free = lopsided([0.03, -0.02, 0.01])
      const first = makeWorld({ robot: free, model, q: [0, 0, 0.05 - deepest, 0, 0, 0, 1] })
      const hung = onSixJoints(free, [0.03, -0.02, 0.01], [0.05, 0.05, 0.08])
      const other = makeWorld({ robot: hung, model, q: [0, 0, 0.05 - deepest, 0, 0, 0] })
      const one = support(run(first, 2))
      const two = support(run(other, 2))
      expect(Math.abs(one.force / two.force - 1)).toBeLessThan(1e-6)
      for (let d = 0; d < 2; d++) expect(Math.abs(one.pressure[d] - two.pressure[d])).toBeLessThan(1e-6)
      for (let d = 0; d < 3; d++) expect(Math.abs(first.state.q[d] - other.state.q[d])).toBeLessThan(1e-6)
    })

    law('joint torques of a standing four-legged robot are those of gravity less those of its feet', () => {
      const robot = quadruped()
      const { nv } = robot.model
      for (const friction of [0, 0.8]) {
        const bent = [0.4, -0.8, 0.4, -0.8, 0.4, -0.8, 0.4, -0.8]
        const world = makeWorld({
          robot,
          model,
          physical: { friction },
          q: [0, 0, 0.4 * Math.cos(0.4) + 0.02, 0, 0, 0, 1, ...bent],
          push(tau, _t, q, v) {
            for (let k = 0; k < 8; k++) tau[6 + k] = 200 * (bent[k] - q[7 + k]) - 8 * v[6 + k]
          },
        })
        run(world, 8)
        const data = createData(robot.model)
        const torque = new Float64Array(nv)
        kinematics(robot.model, world.state, data)
        gravityForces(robot.model, world.state, data, torque)
        const pushed = generalisedImpulse(robot.model, world.state, world.contacts)
        for (let k = 0; k < nv; k++) torque[k] -= pushed[k] / world.dt
        const worst = Math.max(...torque.map((x, k) => Math.abs(x - world.tau[k])))
        expect(Math.max(...torque.subarray(6).map(Math.abs))).toBeGreaterThan(0.5) // there is something to hold
        // springs' friction creeps while the legs press against each other, at less than stickSpeed
        // rigid: to rounding, or to the damping of what compliance gives way by, where positions are corrected apart from velocities
        expect(worst).toBeLessThan(rigid ? 1e-7 : friction === 0 ? 1e-8 : 1e-4)
      }
    })

    law('a ladder at a frictionless wall slips when tan < 1 / (2 mu)', () => {
      const [half, mu] = [0.5, 0.5]
      const end = { body: 1, shape: { type: 'sphere', radius: 0 } } as const
      const ladder = makeRobot(
        'ladder',
        [{ ...floating, mass: 10, inertia: [0.15, 0.15 + (10 * half * half) / 3, (10 * half * half) / 3, 0, 0, 0] }],
        [-half, half].flatMap((x) => [-0.2, 0.2].map((y) => ({ ...end, p: [x, y, 0] as const }))),
      )
      for (const share of [0.99, 1.01]) {
        const angle = Math.atan(share / (2 * mu))
        const q = [-half * Math.cos(angle), 0, half * Math.sin(angle), 0, -Math.sin(angle / 2), 0, Math.cos(angle / 2)]
        const world = makeWorld({
          robot: ladder,
          model,
          fixtures: [floor, fixedBox('wall', [0.5, 0, 1], [1, 4, 3], 0)],
          physical: { friction: mu, allowedPenetration: 1e-5 },
          q,
        })
        run(world, 0.5)
        const moved = Math.hypot(...[0, 1, 2].map((d) => world.state.q[d] - q[d]))
        // it stays but for the sink and what it slips until the springs have taken the load
        if (share > 1) expect(moved).toBeLessThan(rigid ? 1e-6 : 1e-4)
        else expect(moved).toBeGreaterThan(1e-3)
      }
    })

    law('a brick hangs over an edge by half its length, and not by 1 % more', () => {
      checkOverhang(model, fineSteps ?? steps, [0.99, 1.01])
    })
  })
}

/** A box of 10 kg whose centre of mass is off its middle. */
function lopsided(centerOfMass: Vector) {
  const body: BodyDefinition = { ...floating, mass: 10, centerOfMass, inertia: [0.05, 0.05, 0.08, 0, 0, 0] }
  return makeRobot('lopsided box', [body], [{ body: 1, shape: { type: 'box', size: [0.2, 0.2, 0.1] } }])
}

/** Lays a brick over an edge by these shares of half its length. */
export function checkOverhang(model: string, steps: readonly number[], shares: readonly number[]): void {
  const [length, height] = [0.2, 0.05]
  for (const dt of steps) {
    for (const share of shares) {
      const world = makeWorld({
        robot: box([length, 0.1, height]),
        model,
        dt,
        fixtures: [fixedBox('table', [-0.5, 0, -0.1], [1, 1, 0.2])],
        // springs tilt the brick by their depth over what is left to stand on, 2 % of its half
        physical: { allowedPenetration: 1e-6 },
        q: [(share - 1) * 0.5 * length, 0, 0.5 * height - sinkOf(model) / 1000, 0, 0, 0, 1],
      })
      run(world, 1)
      if (share > 1) expect(tiltOf(world)).toBeGreaterThan(0.05)
      else expect(tiltOf(world)).toBeLessThan(1e-3)
    }
  }
}
