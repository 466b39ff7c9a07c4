import { expect } from 'vitest'
import { boxPolyhedron, meshOfPolyhedron, type PlacedShape, refineMesh } from '../../../contact/geometry/index.ts'
import { degree, type Suite } from './law.ts'
import {
  box,
  dot,
  downhill,
  fixedBox,
  floor,
  g,
  identity,
  makeWorld,
  onSlope,
  run,
  slope,
  slopeNormal,
  slopeRotation,
  sphere,
  support,
  upright,
  velocityW,
} from './scenes.ts'

/** Ground of every kind: what lies on it moves as on a plane. */
export function groundLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('grounds', () => {
    law('a block slides down a ramp, a mesh and a height field as down a plane, at g (sin - mu cos)', () => {
      const [angle, mu] = [20 * degree, 0.2]
      for (const ground of inclines(angle)) {
        const world = makeWorld({
          robot: box([0.2, 0.2, 0.05]),
          model,
          fixtures: [ground],
          physical: { friction: mu, allowedPenetration: 1e-5 },
          q: onSlope(0.025, angle),
        })
        const early = dot(velocityW(run(world, 0.2)), downhill(angle))
        const late = dot(velocityW(run(world, 0.3)), downhill(angle))
        const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
        // springs tilt the box a little under friction's moment, and edges of triangles that it passes tap it
        expect(Math.abs((late - early) / 0.3 / expected - 1), ground.name).toBeLessThan(rigid ? 1e-4 : 5e-3)
        expect(Math.abs(world.state.q[1]), ground.name).toBeLessThan(1e-4)
        expect(Math.abs(dot(world.state.q, slopeNormal(angle)) - 0.025), ground.name).toBeLessThan(1e-4)
      }
    })

    law('a block stays on each of them if tan <= mu, and they carry it', () => {
      const [angle, mu] = [20 * degree, 0.5]
      for (const ground of inclines(angle)) {
        const world = makeWorld({
          robot: box([0.2, 0.2, 0.05]),
          model,
          fixtures: [ground],
          physical: { friction: mu, allowedPenetration: 1e-5 },
          q: onSlope(0.025, angle),
        })
        run(world, 1)
        const at = world.state.q.slice(0, 3)
        run(world, 1)
        const crept = Math.hypot(...[0, 1, 2].map((d) => world.state.q[d] - at[d]))
        expect(crept, ground.name).toBeLessThan(rigid ? 1e-6 : 1.05e-4)
        expect(Math.abs(support(world).force / (10 * g * Math.cos(angle)) - 1), ground.name).toBeLessThan(1e-4)
      }
    })

    law('a ball that rolls off a step falls by its height, at g t² / 2, and rolls on below', () => {
      const [height, radius, speed] = [0.2, 0.05, 1]
      const world = makeWorld({
        robot: sphere(radius, 2),
        model,
        fixtures: [floor, fixedBox('step', [-1, 0, height / 2], [2, 2, height])],
        physical: { friction: 0, allowedPenetration: 1e-4 },
        q: [-0.1, 0, height + radius - deepest / 10, ...upright],
        v: [0, 0, 0, speed, 0, 0],
      })
      let lands = 0
      run(world, 0.6, ({ state, contacts }) => {
        for (let i = 0; i < contacts.count; i++) {
          if (lands === 0 && contacts.point[3 * i + 2] < 0.1 && contacts.impulse[3 * i] > 0) lands = state.t[0]
        }
      })
      // it tips over the edge: r φ'' = g sin φ from a start at `speed`, with g r < speed², so it leaves at once and falls freely
      expect(speed * speed).toBeGreaterThan(g * radius)
      const expected = 0.1 / speed + Math.sqrt((2 * height) / g)
      expect(Math.abs(lands - expected)).toBeLessThan(5e-3) // steps of 1 ms, the sink, and what looking ahead hears of early
      expect(Math.abs(world.state.q[2] - radius)).toBeLessThan(5e-4)
      expect(Math.abs(velocityW(world)[0] - speed)).toBeLessThan(rigid ? 1e-6 : 1e-4) // springs push it off the edge a little
    })
  })
}

/** The slope at this angle as a plane, a box, a mesh of many triangles, and a height field. */
export function inclines(angle: number): PlacedShape[] {
  const n = slopeNormal(angle)
  const lying = { body: 0, R: slopeRotation(angle), p: Float64Array.from(n, (x) => -0.25 * x) }
  const slab = meshOfPolyhedron(boxPolyhedron([6, 4, 0.5]))
  const [rows, columns, spacing] = [15, 41, 0.15]
  const heights = Float64Array.from({ length: rows * columns }, (_, k) => {
    const x = spacing * ((k % columns) - (columns - 1) / 2)
    return -Math.tan(angle) * x
  })
  return [
    slope(angle),
    { ...lying, name: 'ramp', shape: { type: 'box', size: [6, 4, 0.5] } },
    { ...lying, name: 'mesh', shape: { type: 'mesh', mesh: refineMesh(slab, 0.3) } },
    {
      name: 'height field',
      body: 0,
      R: identity,
      p: new Float64Array(3),
      shape: { type: 'heightfield', rows, columns, spacing: [spacing, spacing], heights },
    },
  ]
}

/** Two planes that meet in the x axis, each at `beta` from the vertical. */
export function groove(beta: number): PlacedShape[] {
  return [-1, 1].map(
    (side): PlacedShape => ({
      name: `wall ${side}`,
      body: 0,
      shape: { type: 'halfspace', normal: [0, side * Math.cos(beta), Math.sin(beta)], offset: 0 },
      R: identity,
      p: new Float64Array(3),
    }),
  )
}
