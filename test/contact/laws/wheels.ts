import { expect } from 'vitest'
import { type BodyDefinition, createData, kinematics, pointVelocity, velocities } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import type { World } from '../../../simulation/index.ts'
import { body, hinge, solid } from '../../dynamics/bodies.ts'
import { type Suite, steps, stickSpeed } from './law.ts'
import { floating, g, makeRobot, makeWorld, run, sinkOf, support, unrotate, velocityW } from './scenes.ts'

/** Laws of carts on two driven wheels and a caster. */
export function wheelLaws({ model, rigid, section, law }: Suite): void {
  section('wheels', () => {
    law('a two-wheeled cart at constant wheel speeds drives its circle and its wheels do not slip', () => {
      const world = onItsCircle(model, 1e-3)
      const [right, left] = [4, 3]
      const speed = (radius * (right + left)) / 2
      const turning = (radius * (right - left)) / track
      const circle = speed / turning
      const period = (2 * Math.PI) / turning
      let slip = 0
      let off = 0
      const last = world.state.q.slice()
      run(world, period, (_, step) => {
        const { q, t } = world.state
        const x = circle * Math.sin(turning * t[0])
        const y = circle * (1 - Math.cos(turning * t[0]))
        off = Math.max(off, Math.hypot(q[0] - x, q[1] - y))
        if (step > 100 && step % 50 === 0) slip = Math.max(slip, wheelSlip(world, last))
        last.set(q)
      })
      expect(off).toBeLessThan(0.01 * circle)
      expect(slip).toBeLessThan(rigid ? 1e-6 : stickSpeed)
    })

    law('the diffdrive robot turns as if its wheels stood between the inner and the outer edge of their treads', () => {
      // A tread that turns on the spot scrubs, forwards at one edge and backwards at the other. Along a line of contact the
      // place without slip is where friction's moments balance, w² / (2 b) off the middle; on two points, at either edge.
      const robot = loadOwnRobot('diffdrive')
      const [right, left] = [4, 3]
      const [r, b, w] = [0.1, 0.36, 0.04]
      const indexOf = (name: string) => robot.joints.find((joint) => joint.name === name)?.vIndex ?? Number.NaN
      const [atLeft, atRight] = [indexOf('left_wheel_joint'), indexOf('right_wheel_joint')]
      const v = new Float64Array(robot.model.nv)
      v[2] = (r * (right - left)) / b
      v[3] = (r * (right + left)) / 2
      v[atLeft] = left
      v[atRight] = right
      const world = makeWorld({
        robot,
        model,
        physical: { allowedPenetration: 1e-5 }, // the rolling radius is short by half the depth
        v,
        push(tau, _t, _q, now) {
          tau[atLeft] = 2 * (left - now[atLeft])
          tau[atRight] = 2 * (right - now[atRight])
        },
      })
      run(world, 0.5)
      let [yaw, way, turnedLeft, turnedRight] = [0, 0, 0, 0]
      run(world, 3, () => {
        yaw += world.state.v[2] * world.dt
        way += world.state.v[3] * world.dt
        turnedLeft += world.state.v[atLeft] * world.dt
        turnedRight += world.state.v[atRight] * world.dt
      })
      const track = (r * (turnedRight - turnedLeft)) / yaw
      // 0.1 % of the difference of two speeds of which the springs' sinks and slips take up to 1e-4
      expect(track).toBeGreaterThan((b - w) * 0.999)
      expect(track).toBeLessThan((b + w) * 1.001)
      // the middle of the axle goes at the mean of the wheels' speeds; rocking treads lose 2e-3 of it
      expect(Math.abs(way / ((r * (turnedRight + turnedLeft)) / 2) - 1)).toBeLessThan(rigid ? 1e-6 : 3e-3)
    })

    law('a wheel that stands on a tread presses equally with both edges of it', () => {
      expect(Math.abs(Math.log(edgeRatio(model)))).toBeLessThan(1e-3)
    })

    law(
      'torque on both wheels accelerates a cart at (2 tau / r - mu N of the caster) / (M + 2 J / r²); beyond their mu N it is mu N / M',
      () => {
        const torque = 1
        for (const dt of steps) {
          for (const [mu, drag] of [
            [0.8, 0],
            [0.8, 0.1],
            [0.15, 0],
          ]) {
            const world = makeWorld({
              robot: cart(drag),
              model,
              dt,
              physical: { friction: mu, allowedPenetration: 1e-5 },
              q: [0, 0, radius - sinkOf(model) / 200, 0, 0, 0, 1, 0, 0],
              push: (tau) => tau.set([torque, torque], 6),
            })
            const early = velocityW(run(world, 0.2))[0]
            const late = velocityW(run(world, 0.3))[0]
            const a = (late - early) / 0.3
            // a dragging caster takes drag N, where N has a part that grows with the acceleration
            const N = (mass * g * setback) / wheelbase
            const more = (mass * radius + (2 * axial) / radius) / wheelbase
            const rolling = ((2 * torque) / radius - drag * N) / (mass + (2 * axial) / (radius * radius) + drag * more)
            // the wheels' load: moments about their contacts, in which the centre of mass is as high as the axle
            const spinning = (mu * (mass * g - (mass * g * setback + 2 * torque) / wheelbase)) / mass
            const expected = mu > 0.5 ? rolling : spinning
            expect(Math.abs(a / expected - 1)).toBeLessThan(rigid ? 1e-5 : 1e-3) // the sinks differ: a tilt of 1e-4
            const slip = radius * world.state.v[6] - late
            if (mu > 0.5) expect(Math.abs(slip)).toBeLessThan(rigid ? 1e-6 : stickSpeed + 1e-4 * late)
            else expect(slip).toBeGreaterThan(0.1)
          }
        }
      },
    )

    law('the caster carries M g x / L, and under acceleration M a h / L and 2 J a / (r L) more', () => {
      for (const torque of [0, 0.5, -0.2]) {
        const world = makeWorld({
          robot: cart(),
          model,
          physical: { allowedPenetration: 1e-5 },
          q: [0, 0, radius - sinkOf(model) / 200, 0, 0, 0, 1, 0, 0],
          push: (tau) => tau.set([torque, torque], 6),
        })
        run(world, 0.3)
        const { count, mu, impulse } = world.contacts
        let caster = 0
        for (let i = 0; i < count; i++) if (mu[i] === 0) caster += impulse[3 * i] / world.dt
        const a = (2 * torque) / radius / (mass + (2 * axial) / (radius * radius))
        const expected = (mass * g * setback + mass * a * radius + (2 * axial * a) / radius) / wheelbase
        expect(Math.abs(caster / expected - 1)).toBeLessThan(rigid ? 1e-5 : 1e-3)
        expect(Math.abs(support(world).force / (mass * g) - 1)).toBeLessThan(1e-5)
      }
    })
  })
}

const [radius, track] = [0.11, 0.34]
/** What the cart weighs with its wheels, and each wheel's inertia about its axle [kg, kg m²]. */
const [mass, axial] = [5.67 + 2 * 1.5, 0.009]
/** From the axle back to the caster, and to the centre of mass, which is as high as the axle [m]. */
const [wheelbase, setback] = [0.2, (5.67 * 0.05) / mass]

/**
 * A cart of the size of Moby's differential-drive robot: wheels of radius 0.11 m, 0.34 m apart, here spheres, so that they
 * touch at a point, and a caster behind that is smooth unless it is to drag.
 */
export function cart(drag = 0): Robot {
  const wheel = (side: number): BodyDefinition =>
    body(`wheel ${side}`, hinge(`axle ${side}`, 1, [0, 1, 0], [0, (side * track) / 2, 0]), solid(1.5, [0.005, axial, 0.005]))
  const chassis: BodyDefinition = {
    ...floating,
    mass: 5.67,
    centerOfMass: [-0.05, 0, 0],
    inertia: [0.05, 0.1, 0.13, 0, 0, 0],
  }
  return makeRobot(
    'cart',
    [chassis, wheel(-1), wheel(1)],
    [
      { body: 2, shape: { type: 'sphere', radius } },
      { body: 3, shape: { type: 'sphere', radius } },
      { body: 1, shape: { type: 'sphere', radius: 0.04 }, p: [-wheelbase, 0, -0.07], friction: drag },
    ],
  )
}

/** The cart at 4 and 3 rad/s, held there by a speed controller. */
export function onItsCircle(model: string, dt: number, allowedPenetration = 1e-4): World {
  const speed = radius * 3.5
  const turning = radius / track
  // on its circle the centre of mass, 5 cm behind the axle, accelerates by turning² along x and turning · speed along y
  const forward = 5.67 * 0.05 * turning * turning
  const yaw = -5.67 * 0.05 * turning * speed
  return makeWorld({
    robot: cart(),
    model,
    dt,
    physical: { allowedPenetration }, // the rolling radius is short by half the depth
    q: [0, 0, radius, 0, 0, 0, 1, 0, 0],
    v: [0, 0, turning, speed, 0, 0, 4, 3],
    push(tau, _t, _q, v) {
      tau[6] = 0.5 * (4 - v[6]) + radius * (0.5 * forward + yaw / track)
      tau[7] = 0.5 * (3 - v[7]) + radius * (0.5 * forward - yaw / track)
    },
  })
}

/**
 * Largest tangential speed at the wheels' contacts with the velocity at the end of the step: at the points and in the pose of
 * its start, where the no-slip condition is imposed (a step later the wheels' axes have turned by turning · dt).
 *
 * @param start q at the start of the step
 */
function wheelSlip(world: World, start: Float64Array): number {
  const { contacts, model, state } = world
  const before = { q: start, v: state.v.slice(), t: state.t }
  const linear = unrotate(start, 3, velocityW(world))
  before.v.set(linear, 3)
  const data = createData(model)
  kinematics(model, before, data)
  velocities(model, before, data)
  const point = new Float64Array(3)
  const u = new Float64Array(3)
  let worst = 0
  for (let i = 0; i < contacts.count; i++) {
    if (contacts.mu[i] === 0) continue
    for (let d = 0; d < 3; d++) point[d] = contacts.point[3 * i + d]
    pointVelocity(data, contacts.bodyB[i], point, u)
    worst = Math.max(worst, Math.hypot(u[0], u[1]))
  }
  return worst
}

/** Load of the inner edges of the diffdrive robot's treads over that of the outer ones, where it stands. */
export function edgeRatio(model: string): number {
  const world = makeWorld({ robot: loadOwnRobot('diffdrive'), model })
  run(world, 1)
  const { contacts, state } = world
  const { count, bodyB, point, impulse } = contacts
  const loads = [0, 0]
  for (let i = 0; i < count; i++) {
    const y = Math.abs(point[3 * i + 1] - state.q[1])
    if (bodyB[i] > 1) loads[y < 0.18 ? 0 : 1] += impulse[3 * i]
  }
  return loads[0] / loads[1]
}
