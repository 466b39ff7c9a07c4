import { expect } from 'vitest'
import { cos } from '../../../dynamics/index.ts'
import { degree, type Suite, steps, stickSpeed } from './law.ts'
import {
  blockOnGround,
  blockOnSlope,
  box,
  dot,
  downhill,
  floating,
  g,
  identity,
  largestDuring,
  makeRobot,
  makeWorld,
  onSixJoints,
  onSlope,
  pushAt,
  run,
  type ShapeOn,
  slider,
  slope,
  support,
  tilted,
  type Vector,
  velocityW,
} from './scenes.ts'

/** Coulomb friction of blocks: when they slide, how fast, which way, and where they stop. */
export function slidingLaws({ frictions, pyramid, model, rigid, deepest, section, law }: Suite): void {
  section('sliding', () => {
    law('a block on a slope starts to slide at atan(mu), and slides at g (sin - mu cos)', () => {
      const mu = 0.5
      for (const dt of steps) {
        for (const heading of [0, 20 * degree, 45 * degree, 80 * degree]) {
          for (const k of [-2, -1, 1, 2]) {
            const angle = Math.atan(mu) + 0.1 * k * degree
            const world = blockOnSlope(angle, { model, dt, heading, sink: deepest, physical: { friction: mu } })
            const down = downhill(angle, heading)
            const early = dot(run(world, 0.3).state.v, down)
            const late = dot(run(world, 0.3).state.v, down)
            if (k < 0) {
              // rigid: the compliance of tangents lets it creep at 1e-6 g dt; regularised: at stickSpeed tan / mu
              if (rigid) expect(Math.abs(late)).toBeLessThan(2e-6 * g * dt)
              else expect(Math.abs(late / ((stickSpeed * Math.tan(angle)) / mu) - 1)).toBeLessThan(1e-6)
            } else {
              // constant acceleration is integrated exactly; what remains is the sink still settling at the larger step
              const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
              expect(Math.abs((late - early) / 0.3 - expected)).toBeLessThan(2e-5)
            }
            // it goes straight down, whatever the tangents; 1e-7 from the compliance across
            expect(Math.hypot(...world.state.v.map((x, d) => x - late * down[d]))).toBeLessThan(1e-6)
          }
        }
      }
    })

    for (const friction of frictions ?? []) {
      law(`friction: ${friction} holds a block below atan(mu) without creep, and lets it slide at g (sin - mu cos) above`, () => {
        const mu = 0.5
        for (const k of [-2, 2]) {
          const angle = Math.atan(mu) + 0.1 * k * degree
          const world = blockOnSlope(angle, { model, options: { friction }, sink: deepest, physical: { friction: mu } })
          const early = dot(run(world, 0.5).state.v, downhill(angle))
          const late = dot(run(world, 0.5).state.v, downhill(angle))
          if (k < 0) expect(Math.abs(late)).toBeLessThan(1e-7)
          // what springs or rows gave up before it set off is not made good, so only the acceleration is told
          else expect(Math.abs((late - early) / 0.5 - g * (Math.sin(angle) - mu * Math.cos(angle)))).toBeLessThan(1e-4)
        }
      })
    }

    law('a free box slides down like a block that cannot turn', () => {
      const mu = 0.3
      const angle = 25 * degree
      for (const dt of steps) {
        const world = makeWorld({
          robot: box([0.2, 0.2, 0.05]),
          model,
          dt,
          fixtures: [slope(angle)],
          physical: { friction: mu },
          q: onSlope(0.025 - deepest * Math.cos(angle), angle),
        })
        const early = dot(velocityW(run(world, 0.3)), downhill(angle))
        const late = dot(velocityW(run(world, 0.3)), downhill(angle))
        const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
        // springs tilt the box a little under friction's moment, by depth over width
        expect(Math.abs((late - early) / 0.3 - expected)).toBeLessThan(rigid ? 1e-4 : 5e-3 * expected)
      }
    })

    law('thrown uphill it stops after v0² / (2 g (sin + mu cos)), and stays if tan <= mu', () => {
      const v0 = 2
      const angle = 15 * degree
      for (const dt of steps) {
        for (const mu of [0.3, 0.2]) {
          const v = downhill(angle).map((x) => -v0 * x)
          const world = blockOnSlope(angle, { model, dt, sink: deepest, physical: { friction: mu }, v })
          const start = dot(world.state.q, downhill(angle))
          const highest = largestDuring(world, 1.2, ({ state }) => start - dot(state.q, downhill(angle)))
          const expected = (v0 * v0) / (2 * g * (Math.sin(angle) + mu * Math.cos(angle)))
          expect(Math.abs(highest - expected)).toBeLessThan(v0 * dt) // one step of the first-order update
          const back = dot(world.state.v, downhill(angle))
          if (mu > Math.tan(angle)) expect(Math.abs(back)).toBeLessThan(stickSpeed)
          else expect(back).toBeGreaterThan(0.1)
        }
      }
    })

    law('at 15 degrees a block slides at 0.17008 m/s² with mu 0.25, at 1.11765 with 0.15, and rests with 0.30', () => {
      for (const [mu, expected] of [
        [0.25, 0.17008],
        [0.15, 1.11765],
        [0.3, 0],
      ]) {
        const world = blockOnSlope(15 * degree, { model, sink: deepest, physical: { friction: mu } })
        const down = downhill(15 * degree)
        const early = dot(run(world, 0.3).state.v, down)
        const late = dot(run(world, 0.3).state.v, down)
        expect(Math.abs((late - early) / 0.3 - expected)).toBeLessThan(6e-6) // the printed figures' last digit
      }
    })

    law('a block slides straight down a slope that falls in any direction, in steps of 5 degrees', () => {
      const mu = 0.3
      const angle = 25 * degree
      const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
      for (let k = 0; k < 18; k++) {
        const heading = 5 * k * degree
        const world = blockOnSlope(angle, { model, dt: 2e-3, heading, sink: deepest, physical: { friction: mu } })
        const down = downhill(angle, heading)
        const along = dot(run(world, 0.3).state.v, down)
        // the sink settles in the first steps: 1e-4 of the speed
        expect(Math.abs(along / 0.3 / expected - 1)).toBeLessThan(rigid ? 1e-5 : 1e-3)
        expect(Math.hypot(...world.state.v.map((x, d) => x - along * down[d]))).toBeLessThan(1e-6)
      }
    })

    law('it lies still 0.1 degree below atan(mu) and slides 0.1 degree above, whichever of these ways the slope falls', () => {
      // cones, and pyramids whose first side turns with the slip: with fixed tangents a pyramid of 4 sides would hold up to
      // atan(mu cos(pi / 4)) only where the slope falls between two of them
      const mu = 0.5
      for (const sides of pyramid ?? [0]) {
        for (let k = 0; k < 18; k++) {
          const heading = 5 * k * degree
          for (const over of [-0.1, 0.1]) {
            const angle = Math.atan(mu) + over * degree
            const scene = { model, dt: 2e-3, heading, sink: deepest, physical: { friction: mu } }
            const world = blockOnSlope(angle, { ...scene, options: sides === 0 ? {} : { sides } })
            const early = dot(run(world, 0.1).state.v, downhill(angle, heading))
            const late = dot(run(world, 0.1).state.v, downhill(angle, heading))
            if (over < 0) expect(Math.abs(late)).toBeLessThan(rigid ? 2e-6 * g * 2e-3 : 1.001 * stickSpeed)
            else {
              // 0.0192 m/s², of 4.4 that almost cancel; springs' sinks settle meanwhile
              const a = g * (Math.sin(angle) - mu * Math.cos(angle))
              expect(Math.abs((late - early) / 0.1 / a - 1)).toBeLessThan(rigid ? 1e-2 : 3e-2)
            }
          }
        }
      }
    })

    law('a sliding block stays on the ground: neither up nor down by more than it was at rest', () => {
      const [mu, v0] = [0.5, 2]
      for (const dt of steps) {
        const scene = { model, dt, physical: { friction: mu }, q: [0, 0, 0.05 - deepest, 0, 0, 0, 1] }
        const still = makeWorld({ ...scene, robot: box([0.4, 0.4, 0.1]) })
        const world = makeWorld({ ...scene, robot: box([0.4, 0.4, 0.1]), v: [0, 0, 0, v0, 0, 0] })
        run(still, 0.2)
        run(world, 0.2)
        expect(velocityW(world)[0]).toBeGreaterThan(0.9) // still at it
        // friction's moment tilts it: on springs by a twentieth of their depth at most
        expect(Math.abs(world.state.q[2] - still.state.q[2])).toBeLessThan(rigid ? 1e-9 + 1e-5 * g * dt * dt : 0.05 * deepest)
      }
    })

    law('friction F moves the load on a box from its upper to its lower edge: N / 2 ± F c / (2 a)', () => {
      const [a, c, angle] = [0.1, 0.05, 20 * degree]
      for (const mu of [0.5, 0.2]) {
        const world = makeWorld({
          robot: box([2 * a, 0.3, 2 * c]),
          model,
          fixtures: [slope(angle)],
          // springs shorten the lever c by half their depth, and tilt the box: 1e-4 of it at this depth
          physical: { friction: mu, allowedPenetration: 1e-5 },
          q: onSlope(c - (deepest / 100) * Math.cos(angle), angle),
        })
        run(world, 0.5)
        const { count, point, impulse } = world.contacts
        const N = 10 * g * Math.cos(angle)
        const F = Math.min(10 * g * Math.sin(angle), mu * N)
        const edges = [0, 0]
        const middle = dot(world.state.q, downhill(angle))
        for (let i = 0; i < count; i++) {
          const at = dot(point.subarray(3 * i, 3 * i + 3), downhill(angle))
          edges[at > middle ? 0 : 1] += impulse[3 * i] / world.dt
        }
        const tolerance = rigid ? 1e-6 : 1e-3
        expect(Math.abs(edges[0] - (N / 2 + (F * c) / (2 * a))) / N).toBeLessThan(tolerance)
        expect(Math.abs(edges[1] - (N / 2 - (F * c) / (2 * a))) / N).toBeLessThan(tolerance)
      }
    })

    law('a body slides on an explicit joint of six freedoms as a free one does', () => {
      const angle = 15 * degree
      for (const dt of steps) {
        const free = box([0.2, 0.3, 0.1], 10, tilted(angle))
        const inertia: Vector = [(10 / 12) * 0.1, (10 / 12) * 0.05, (10 / 12) * 0.13]
        const scene = { model, dt, physical: { friction: 0.25, allowedPenetration: 1e-5 } }
        const z = 0.05 - deepest / 100
        const first = makeWorld({ ...scene, robot: free, q: [0, 0, z, 0, 0, 0, 1] })
        const other = makeWorld({ ...scene, robot: onSixJoints(free, [0, 0, 0], inertia), q: [0, 0, z, 0, 0, 0] })
        run(first, 1)
        run(other, 1)
        const [x, y] = velocityW(first)
        expect(Math.abs(x - other.state.v[0])).toBeLessThan(1e-6)
        expect(Math.abs(y - other.state.v[1])).toBeLessThan(1e-6)
        for (let d = 0; d < 3; d++) expect(Math.abs(first.state.q[d] - other.state.q[d])).toBeLessThan(1e-6)
        expect(Math.abs(support(first).force - support(other).force)).toBeLessThan(1e-5 * 10 * g)
      }
    })

    law('a force at an angle moves a block along itself at (|f| - mu m g) / m', () => {
      // the case of Horak and Trinkle (2019), in which a box of friction bends the path, and a fixed diamond more so
      const [mass, mu, fx, fy] = [0.2, 0.3, -1, 0.8]
      for (const dt of steps) {
        const world = makeWorld({
          robot: slider([0.1, 0.1, 0.1], mass),
          model,
          dt,
          physical: { friction: mu },
          q: [0, 0, 0.05 - deepest],
          push: (tau) => tau.set([fx, fy]),
        })
        const [x, y] = run(world, 0.5).state.v
        // printed to 1e-4; until the springs' integral has filled they carry a little less or more than the weight
        expect(Math.hypot(x - -1.351, y - 1.0808)).toBeLessThan(rigid ? 1.2e-4 : 5e-4)
      }
    })

    law('so it does on an explicit joint of six freedoms', () => {
      const [mass, mu, fx, fy] = [0.2, 0.3, -1, 0.8]
      const free = box([0.1, 0.1, 0.02], mass)
      const inertia: Vector = [free.model.I[1][4], free.model.I[1][5], free.model.I[1][6]]
      const scene = { model, physical: { friction: mu, allowedPenetration: 1e-5 } }
      const z = 0.01 - deepest / 100
      const first = makeWorld({
        ...scene,
        robot: free,
        q: [0, 0, z, 0, 0, 0, 1],
        push: (tau, _t, q) => pushAt(tau, q, [fx, fy, 0], [0, 0, -0.01]),
      })
      const other = makeWorld({
        ...scene,
        robot: onSixJoints(free, [0, 0, 0], inertia),
        q: [0, 0, z, 0, 0, 0],
        push(tau, _t, q) {
          tau[0] = fx
          tau[1] = fy
          // the same moment of a force at the height of the ground, on axes that have hardly turned
          tau[3] = 0.01 * fy
          tau[5] = -0.01 * fx * cos(q[3])
        },
      })
      const [x, y] = velocityW(run(first, 0.5))
      run(other, 0.5)
      expect(Math.hypot(x - other.state.v[0], y - other.state.v[1])).toBeLessThan(1e-6)
      expect(Math.hypot(x - -1.351, y - 1.0808)).toBeLessThan(rigid ? 1.2e-4 : 5e-3)
    })

    law('friction holds a pull up to mu N; a pyramid up to its own side, and by an O(h) creep from there to mu N', () => {
      const [mass, mu, dt] = [2, 0.5, 1e-3]
      // three times as heavy along x: pulled at 45 degrees it would set off at atan(1 / 3), where the pyramid has a corner
      const robot = slider([0.1, 0.1, 0.1], mass, identity, [2 * mass, 0])
      const off = Math.PI / 4 - Math.atan(1 / 3)
      const speedAfter = (share: number, sides: number) => {
        const pull = (share * mu * mass * g) / Math.SQRT2
        const world = makeWorld({
          robot,
          model,
          dt,
          options: sides === 0 ? {} : { sides },
          physical: { friction: mu },
          q: [0, 0, 0.05 - deepest],
          push: (tau) => tau.set([pull, pull]),
        })
        const { v } = run(world, 0.3).state
        return Math.hypot(v[0], v[1])
      }
      for (const sides of pyramid ?? [0]) {
        // chord between the two corners on either side of the pull
        const half = Math.PI / sides
        const strength = sides === 0 ? 1 : Math.cos(half) / Math.cos((off % (2 * half)) - half)
        expect(speedAfter(0.99 * strength, sides)).toBeLessThan(rigid ? 2e-6 * g * dt : stickSpeed)
        if (sides > 0) {
          // it sets off, whereupon the corner turns towards the pull and holds: a part of one step's free acceleration
          const creep = speedAfter(0.5 * (1 + strength), sides)
          expect(creep).toBeGreaterThan(2e-5 * g * dt)
          expect(creep).toBeLessThan(mu * g * dt)
        }
        // 1 % too much gives 1 % of mu g / 3 at least; a tenth of that in 0.3 s rules out creep
        expect(speedAfter(1.01, sides)).toBeGreaterThan(0.3 * 0.001 * mu * g)
      }
    })

    law('a sliding block stops after v0² / (2 mu g)', () => {
      const mu = 0.3
      const v0 = 2
      for (const dt of steps) {
        const world = blockOnGround({
          model,
          dt,
          physical: { friction: mu },
          sink: deepest,
          v: [0.6 * v0, 0.8 * v0, 0],
        })
        let moving = 0
        run(world, 1, () => {
          if (Math.hypot(world.state.v[0], world.state.v[1]) > stickSpeed) moving++
        })
        expect(Math.abs(moving - v0 / (mu * g * dt))).toBeLessThanOrEqual(1) // and does so in v0 / (mu g h) steps
        const distance = Math.hypot(world.state.q[0], world.state.q[1])
        expect(Math.abs(distance - (v0 * v0) / (2 * mu * g))).toBeLessThan(v0 * dt)
        expect(Math.abs(world.state.q[1] * 0.6 - world.state.q[0] * 0.8)).toBeLessThan(1e-6) // in a straight line
        // what compliance gives way by, where positions are corrected apart from velocities: up to 1e-6 g h
        expect(Math.hypot(...world.state.v)).toBeLessThan(1e-7)
      }
    })

    law('a plate that slides and spins goes as far, and turns as far, as friction at its four corners takes it', () => {
      expect(plateErrors(model, 1e-3).worst).toBeLessThan(5e-3) // half a step's lag of 0.4 s, twice over
    })

    law('a ring that spins on its points slows down at mu g / R and stays where it is', () => {
      const [radius, mass, mu, spin] = [0.2, 3, 0.25, 20]
      const J = mass * radius * radius
      const points = Array.from({ length: 6 }, (_, k): ShapeOn => {
        const at = (k * Math.PI) / 3
        return { body: 1, shape: { type: 'sphere', radius: 0 }, p: [radius * Math.cos(at), radius * Math.sin(at), 0] }
      })
      const ring = makeRobot('ring', [{ ...floating, mass, inertia: [J / 2, J / 2, J, 0, 0, 0] }], points)
      for (const dt of steps) {
        const world = makeWorld({
          robot: ring,
          model,
          dt,
          physical: { friction: mu, allowedPenetration: 1e-5 },
          q: [0, 0, -deepest / 600, 0, 0, 0, 1],
          v: [0, 0, spin, 0, 0, 0],
        })
        const early = run(world, 0.3).state.v[2]
        const late = run(world, 0.6).state.v[2]
        // the points go round within a step, along which friction keeps its direction: (spin h)² / 6 of it at most
        expect(Math.abs((early - late) / 0.6 / ((mu * g) / radius) - 1)).toBeLessThan(1e-5 + (spin * dt) ** 2 / 6)
        run(world, 1)
        expect(Math.abs(world.state.v[2])).toBeLessThan(1e-6)
        expect(Math.hypot(world.state.q[0], world.state.q[1])).toBeLessThan(1e-6)
      }
    })
  })
}

/** Half the side of the plate [m], friction, speed [m/s] and spin [rad/s]. */
const [half, mu, speed, spin] = [0.1, 0.4, 1.5, 5]

/**
 * Where a flat square plate comes to rest, friction at its four corners alone, each under a quarter of the weight, by steps of 2 µs: x, y [m], yaw [rad].
 * A thing of its own: it knows no contact, no mass matrix and no solver.
 */
function restOfPlate(): number[] {
  const h = 2e-6
  const square = (2 * half * half) / 3 // inertia over mass
  let [x, y, yaw, vx, vy, w] = [0, 0, 0, speed, 0, spin]
  while (Math.hypot(vx, vy) + half * Math.abs(w) > 2e-5) {
    const [c, s] = [Math.cos(yaw), Math.sin(yaw)]
    let [ax, ay, turn] = [0, 0, 0]
    for (const [i, j] of [1, -1].flatMap((i) => [1, -1].map((j) => [i, j]))) {
      const [rx, ry] = [half * (c * i - s * j), half * (s * i + c * j)]
      const [ux, uy] = [vx - w * ry, vy + w * rx]
      const k = (-mu * g) / 4 / Math.hypot(ux, uy)
      ax += k * ux
      ay += k * uy
      turn += (k * (rx * uy - ry * ux)) / square
    }
    vx += h * ax
    vy += h * ay
    w += h * turn
    x += h * vx
    y += h * vy
    yaw += h * w
  }
  return [x, y, yaw]
}

/** By how much a model's plate misses that: of the way, of the yaw, the larger of both; and how high it went [m]. */
export function plateErrors(model: string, dt: number) {
  const [x, y, yaw] = restOfPlate()
  const world = makeWorld({
    robot: box([2 * half, 2 * half, 0.002]),
    model,
    dt,
    physical: { friction: mu },
    q: [0, 0, 0.001, 0, 0, 0, 1],
    v: [0, 0, spin, speed, 0, 0],
  })
  const lift = largestDuring(world, 1.2, ({ state }) => state.q[2] - 0.001)
  const { q } = world.state
  const way = Math.hypot(q[0] - x, q[1] - y) / x
  const turn = (2 * Math.atan2(q[5], q[6])) / yaw - 1
  return { way, turn, worst: Math.max(way, Math.abs(turn)), lift }
}
