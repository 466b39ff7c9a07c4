import { describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../dynamics/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/*
 * Contacts of geoms as MuJoCo finds them in the same file: normal, depth, place and friction. Pairs that MuJoCo meets by closed forms
 * agree to rounding; a cylinder or a mesh on a bounded shape goes through its iterative search, which ends at 1e-6.
 */

interface Kind {
  /** Of the fixed geom and of the one that moves, at the origins of their bodies. */
  readonly fixed: string
  readonly moving: string
  /** Height of the moving one's origin, for a turn; less what it is to penetrate. */
  readonly place: (random: Random) => { p: readonly [number, number, number]; q?: readonly number[] }
  /** Whether all contact points are MuJoCo's, not only the deepest. */
  readonly points?: boolean
  /** Of depths [m]; default 1e-9. Ten times that for normals and, by default, places. */
  readonly tolerance?: number
  readonly pointTolerance?: number
}

const depth = 1e-3

const turned = (random: Random): number[] => {
  const q = [0, 0, 0, 0].map(() => random.between(-1, 1))
  const size = Math.hypot(...q)
  return q.map((x) => x / size)
}
/** A rotation about z alone, so that faces lie flat. */
const spun = (random: Random): number[] => {
  const angle = random.between(0, 1.4)
  return [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)]
}
/** R v, of a quaternion w x y z. */
function rotate([w, x, y, z]: readonly number[], [a, b, c]: readonly number[]): [number, number, number] {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)]
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx]
}
/** At the height at which the lowest of some points, less a radius, is `depth` below z = 0. */
const above = (q: readonly number[], points: readonly (readonly number[])[], radius = 0) => ({
  p: [0.02, -0.03, radius - depth - Math.min(...points.map((point) => rotate(q, point)[2]))] as [number, number, number],
  q,
})
const corners = (x: number, y: number, z: number) => [-x, x].flatMap((a) => [-y, y].flatMap((b) => [-z, z].map((c) => [a, b, c])))
/** In a random direction from the origin, at a distance. */
const around = (random: Random, distance: number, q?: number[]) => {
  const n = [0, 0, 0].map(() => random.between(-1, 1))
  const size = Math.hypot(...n)
  return { p: n.map((x) => (x / size) * distance) as [number, number, number], ...(q && { q }) }
}

const plane = '<geom type="plane" size="1 1 1" friction="0.6"/>'
const tetrahedron = [0.2, 0.1, 0.3, -0.2, 0.1, 0.1, 0, -0.3, -0.1, 0.1, 0.1, -0.4]
const meshPoints = [0, 3, 6, 9].map((k) => tetrahedron.slice(k, k + 3))

const kinds: Readonly<Record<string, Kind>> = {
  'a sphere on a plane': {
    fixed: plane,
    moving: '<geom type="sphere" size="0.2" friction="0.3"/>',
    place: (random) => above(turned(random), [[0, 0, 0]], 0.2),
    points: true,
  },
  'a capsule on a plane': {
    fixed: plane,
    moving: '<geom type="capsule" size="0.1 0.3" friction="0.9"/>',
    place: (random) => {
      const ends = [
        [0, 0, 0.3],
        [0, 0, -0.3],
      ]
      return above(turned(random), ends, 0.1)
    },
    points: true,
  },
  'a box that lies on a plane': {
    fixed: plane,
    moving: '<geom type="box" size="0.1 0.2 0.3"/>',
    place: (random) => above(spun(random), corners(0.1, 0.2, 0.3)),
    points: true,
  },
  'a box on its corner': {
    fixed: plane,
    moving: '<geom type="box" size="0.1 0.2 0.3" friction="1.2"/>',
    place: (random) => above(turned(random), corners(0.1, 0.2, 0.3)),
    points: true,
  },
  'a mesh on a plane': {
    fixed: plane,
    moving: '<geom type="mesh" mesh="tetrahedron" friction="0.2"/>',
    place: (random) => above(turned(random), meshPoints),
    points: true,
    // MuJoCo keeps the vertices of meshes in single precision
    tolerance: 1e-7,
  },
  'a cylinder on a plane': {
    fixed: plane,
    moving: '<geom type="cylinder" size="0.1 0.2" friction="0.7"/>',
    place: (random) => {
      const q = turned(random)
      const [x, y] = rotate([q[0], -q[1], -q[2], -q[3]], [0, 0, -1])
      const size = Math.hypot(x, y)
      const rim = [-0.2, 0.2].map((z) => [(0.1 * x) / size, (0.1 * y) / size, z])
      return above(q, rim)
    },
  },
  'two spheres': {
    fixed: '<geom type="sphere" size="0.3" friction="0.4"/>',
    moving: '<geom type="sphere" size="0.2" friction="0.5"/>',
    place: (random) => around(random, 0.5 - depth),
    points: true,
  },
  'a sphere beside a capsule': {
    fixed: '<geom type="capsule" size="0.1 0.5"/>',
    moving: '<geom type="sphere" size="0.2"/>',
    place: (random) => {
      const angle = random.between(0, 6)
      const reach = 0.3 - depth
      return { p: [reach * Math.cos(angle), reach * Math.sin(angle), random.between(-0.4, 0.4)] }
    },
    points: true,
  },
  'a sphere on a box': {
    fixed: '<geom type="box" size="0.5 0.4 0.3" friction="0.1"/>',
    moving: '<geom type="sphere" size="0.2" friction="0.05"/>',
    place: (random) => ({ p: [random.between(-0.4, 0.4), random.between(-0.3, 0.3), 0.5 - depth] }),
    points: true,
  },
  'a sphere on the corner of a box': {
    fixed: '<geom type="box" size="0.5 0.4 0.3"/>',
    moving: '<geom type="sphere" size="0.2"/>',
    place: (random) => {
      const { p } = around(random, 0.2 - depth)
      return { p: [0.5 + Math.abs(p[0]), 0.4 + Math.abs(p[1]), 0.3 + Math.abs(p[2])] }
    },
    points: true,
  },
  'a sphere beside a cylinder': {
    fixed: '<geom type="cylinder" size="0.3 0.5"/>',
    moving: '<geom type="sphere" size="0.2"/>',
    place: (random) => {
      const angle = random.between(0, 6)
      const reach = 0.5 - depth
      return { p: [reach * Math.cos(angle), reach * Math.sin(angle), random.between(-0.4, 0.4)] }
    },
    points: true,
  },
  'two capsules that cross': {
    fixed: '<geom type="capsule" size="0.1 0.5"/>',
    moving: '<geom type="capsule" size="0.05 0.4"/>',
    place: (random) => {
      const angle = random.between(0.5, 1.5)
      return { p: [0.15 - depth, 0, random.between(-0.1, 0.1)], q: [Math.cos(angle / 2), Math.sin(angle / 2), 0, 0] }
    },
    points: true,
  },
  'a box that lies on a box': {
    fixed: '<geom type="box" size="0.5 0.5 0.5"/>',
    moving: '<geom type="box" size="0.2 0.1 0.3"/>',
    place: (random) => ({ p: [random.between(-0.1, 0.1), random.between(-0.1, 0.1), 0.8 - depth], q: spun(random) }),
    points: true,
  },
  'a cylinder whose rim stands on a box': {
    fixed: '<geom type="box" size="0.5 0.5 0.5"/>',
    moving: '<geom type="cylinder" size="0.1 0.2"/>',
    place: (random) => {
      const angle = random.between(0.3, 1.2)
      const height = 0.2 * Math.cos(angle) + 0.1 * Math.sin(angle)
      return { p: [0, random.between(-0.1, 0.1), 0.5 + height - depth], q: [Math.cos(angle / 2), Math.sin(angle / 2), 0, 0] }
    },
    tolerance: 2e-6,
    // on a rim of radius r a point that is off by x is off in depth by x² / 2 r alone
    pointTolerance: 1e-3,
  },
}

interface Contact {
  readonly normal: readonly number[]
  readonly point: readonly number[]
  readonly gap: number
  readonly mu: number
}

const text = ({ fixed, moving }: Kind) => `<mujoco model="pair"><option gravity="0 0 0"/>
  <asset><mesh name="tetrahedron" vertex="${tetrahedron.join(' ')}" inertia="exact"/></asset>
  <worldbody>${fixed}<body name="moving"><freejoint/>${moving}</body></worldbody></mujoco>`

function ours(kind: Kind, q: readonly number[]): Contact[] {
  const robot = loadRobot(text(kind), { file: 'pair.xml', ground: false })
  const world = new World({
    robot,
    fixtures: robot.surroundings,
    contactModel: 'penalty',
    dt: 1e-3,
    q,
  })
  world.step()
  const { count, normal, point, gap, mu } = world.contacts
  return Array.from({ length: count }, (_, i) => ({
    normal: [...normal.slice(3 * i, 3 * i + 3)],
    point: [...point.slice(3 * i, 3 * i + 3)],
    gap: gap[i],
    mu: mu[i],
  })).filter((contact) => contact.gap < 0)
}

const distance = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((x, k) => x - b[k]))
const deepest = (contacts: readonly Contact[]) => contacts.reduce((a, b) => (b.gap < a.gap ? b : a))

describe('contacts are where MuJoCo finds them:', () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(name, async () => {
      const { tolerance = 1e-9, pointTolerance = 10 * tolerance } = kind
      const { mj, model: mjModel } = await mjcfModelOf(text(kind))
      const data = new mj.MjData(mjModel)
      const random = createRandom(3)
      for (let n = 0; n < 20; n++) {
        const { p, q = [1, 0, 0, 0] } = kind.place(random)
        data.qpos.set([...p, ...q])
        mj.mj_forward(mjModel, data)
        const theirs: Contact[] = []
        for (let i = 0; i < data.ncon; i++) {
          const contact = data.contact.get(i)!
          // from the first geom to the second; ours points into what moves
          const sign = mjModel.geom_bodyid[contact.geom[0]] === 0 ? 1 : -1
          const normal = [0, 1, 2].map((k) => sign * contact.frame[k])
          if (contact.dist < 0) theirs.push({ normal, point: [...contact.pos], gap: contact.dist, mu: contact.friction[0] })
          contact.delete()
        }
        const mine = ours(kind, [...p, q[1], q[2], q[3], q[0]])
        expect(theirs.length).toBeGreaterThan(0)
        expect(mine.length).toBeGreaterThan(0)
        const [a, b] = [deepest(mine), deepest(theirs)]
        expect(Math.abs(a.gap - b.gap)).toBeLessThan(tolerance)
        for (const contact of mine) {
          expect(distance(contact.normal, b.normal)).toBeLessThan(10 * tolerance)
          expect(contact.mu).toBeCloseTo(b.mu, 12)
        }
        const pairs = kind.points ? theirs : [b]
        for (const one of pairs) {
          const near = mine.reduce((best, other) =>
            distance(other.point, one.point) < distance(best.point, one.point) ? other : best,
          )
          expect(distance(near.point, one.point)).toBeLessThan(pointTolerance)
          expect(Math.abs(near.gap - one.gap)).toBeLessThan(tolerance)
        }
      }
      data.delete()
      mjModel.delete()
    })
  }
})
