/*
 * What concave solids cost and err, as hulls, convex parts, and solids whose distance is exact or sampled: node --import
 * ./scripts/typescript.mjs bench/contact/concave.ts. Real meshes are those of $FEATHERBED_ROBOTS.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  convexOf,
  hullOf,
  meshDistance,
  meshTreeOf,
  type PlacedShape,
  type Shape,
  sampledDistance,
  sampledFieldOf,
  type TriangleMesh,
} from '../../contact/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { type ConvexCutter, loadRobotFile, rapierCutter } from '../../robots/files.ts'
import { createFreeBody, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { fixedBox, ground } from '../../test/contact/detection/scene.ts'
import { beaker, channel, torus } from '../../test/contact/geometry/meshes.ts'
import { identity } from '../../test/contact/geometry/poses.ts'

const meshes: Record<string, TriangleMesh> = {
  channel,
  ring: torus(0.3, 0.1, 48, 24),
  beaker: beaker(0.1, 0.15, 0.01),
  'beaker within': beaker(0.08, 0.15, 0.01),
}
const real = join(process.env.FEATHERBED_ROBOTS ?? '', 'mjcf/kinova/jaco_hand.xml')
if (existsSync(real)) {
  const finger = loadRobotFile(real, { concave: true }).shapes.find(({ shape }) => shape.type === 'mesh')?.shape
  if (finger?.type === 'mesh') meshes['jaco finger'] = finger.mesh
} else process.stdout.write('FEATHERBED_ROBOTS is not set: no real mesh is measured\n')

/** Points within 2 mm of the surface. */
function nearby({ vertices, triangles }: TriangleMesh, count: number): Float64Array[] {
  const random = createRandom(5)
  return Array.from({ length: count }, () => {
    const t = 3 * Math.floor((random.next() * triangles.length) / 3)
    const weights = [random.next(), random.next(), random.next()]
    const sum = weights[0] + weights[1] + weights[2]
    const on = (k: number) => weights.reduce((x, w, c) => x + (w / sum) * vertices[3 * triangles[t + c] + k], 0)
    return Float64Array.from([0, 1, 2], (k) => on(k) + random.between(-2e-3, 2e-3))
  })
}

/** The quickest of five passes over the points [us a point]. */
function microseconds(points: readonly Float64Array[], ask: (point: Float64Array) => void): number {
  let best = Infinity
  for (let pass = 0; pass < 6; pass++) {
    const start = performance.now()
    for (const point of points) ask(point)
    best = Math.min(best, performance.now() - start)
  }
  return (1e3 * best) / points.length
}

process.stdout.write(
  'mesh | triangles | asked [mm] | cells | MB | built [ms] | errs at most [mm] | on average | normals off by > 0.1 rad | exact / sampled\n',
)
for (const [name, mesh] of Object.entries(meshes)) {
  const tree = meshTreeOf(mesh)
  const points = nearby(mesh, 20_000)
  const [exact, sampled] = [new Float64Array(4), new Float64Array(4)]
  const feature = new Int32Array(2)
  for (const error of [1e-3, 1e-4]) {
    const start = performance.now()
    const field = sampledFieldOf(mesh, error)
    const built = performance.now() - start
    const errors = points.map((point) => {
      meshDistance(tree, point, exact, feature)
      sampledDistance(field, point, sampled)
      const cosine = exact[1] * sampled[1] + exact[2] * sampled[2] + exact[3] * sampled[3]
      return { off: Math.abs(exact[0] - sampled[0]), isTurned: cosine < 1 - 0.005 }
    })
    const most = Math.max(...errors.map(({ off }) => off))
    const mean = errors.reduce((sum, { off }) => sum + off, 0) / errors.length
    const turned = errors.filter(({ isTurned }) => isTurned).length / errors.length
    const ratio =
      microseconds(points, (point) => meshDistance(tree, point, exact, feature)) /
      microseconds(points, (point) => sampledDistance(field, point, sampled))
    const cells = field.children.length
    process.stdout.write(
      `${name} | ${mesh.triangles.length / 3} | ${1e3 * error} | ${cells} | ${((cells * 68) / 1e6).toFixed(1)} | ${built.toFixed(0)} | ` +
        `${(1e3 * most).toFixed(2)} | ${(1e3 * mean).toFixed(3)} | ${(100 * turned).toFixed(1)} % | ${ratio.toFixed(1)}\n`,
    )
  }
}

interface Scene {
  readonly bodies: readonly {
    readonly mesh: string
    readonly position: readonly [number, number, number]
    readonly quaternion?: readonly [number, number, number, number]
  }[]
  readonly fixtures: readonly PlacedShape[]
}
const downwards = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const
const peg: PlacedShape = {
  name: 'peg',
  body: 0,
  shape: { type: 'cylinder', radius: 0.17, length: 0.6 },
  R: identity,
  p: Float64Array.of(0, 0, 0.3),
}
const scenes: Record<string, Scene> = {
  'channel on a rail': {
    bodies: [{ mesh: 'channel', position: [0, 0, 0.305], quaternion: downwards }],
    fixtures: [fixedBox('rail', [0.2, 2, 0.4], [0, 0, 0.2])],
  },
  'ring over a peg': { bodies: [{ mesh: 'ring', position: [0.01, 0, 0.75] }], fixtures: [ground, peg] },
  'beaker in a beaker': {
    bodies: [
      { mesh: 'beaker', position: [0, 0, 0] },
      { mesh: 'beaker within', position: [0, 0, 0.02] },
    ],
    fixtures: [ground],
  },
}
if (meshes['jaco finger'] !== undefined)
  scenes['finger on a block'] = {
    bodies: [{ mesh: 'jaco finger', position: [0, 0, 0.08] }],
    fixtures: [fixedBox('block', [0.5, 0.5, 0.1], [0, 0, 0])],
  }

/** A mesh as one or several shapes of a body of the same mass. */
function bodyOf(
  name: string,
  { mesh, position, quaternion }: Scene['bodies'][number],
  shapesOf: (mesh: TriangleMesh) => readonly Shape[],
): Robot {
  const whole = createFreeBody({
    name,
    shape: { type: 'mesh', mesh: meshes[mesh] },
    mass: 1,
    position,
    quaternion,
    friction: 0.5,
  })
  return { ...whole, shapes: shapesOf(meshes[mesh]).map((shape, k) => ({ ...whole.shapes[0], name: `${name}#${k + 1}`, shape })) }
}

const solid = (mesh: TriangleMesh): Shape => ({ type: 'mesh', mesh })
const cutter: ConvexCutter | undefined = await rapierCutter().catch(() => undefined)
const ways: Record<string, (mesh: TriangleMesh) => readonly Shape[]> = {
  hull: (mesh) => [convexOf(solid(mesh))],
  ...(cutter && {
    parts: (mesh: TriangleMesh) =>
      cutter(mesh.vertices, mesh.triangles).map((points): Shape => ({ type: 'hull', polyhedron: hullOf(points) })),
  }),
  exact: (mesh) => [solid(mesh)],
  'sampled 1 mm': (mesh) => [{ type: 'mesh', mesh, sampled: 1e-3 }],
  'sampled 0.1 mm': (mesh) => [{ type: 'mesh', mesh, sampled: 1e-4 }],
}

process.stdout.write('\nscene | model | as | a step over that of hulls | contacts | ends at z [mm]\n')
for (const [name, { bodies, fixtures }] of Object.entries(scenes)) {
  for (const contactModel of ['ncp', 'penalty'] as const) {
    let ofHulls = 0
    for (const [way, shapesOf] of Object.entries(ways)) {
      const robots = bodies.map((body, i) => ({ name: `body${i}`, robot: bodyOf(`body${i}`, body, shapesOf) }))
      const world = new World({ robots, fixtures, contactModel, dt: 1e-3 })
      let contacts = 0
      const run = (steps: number) => {
        const start = performance.now()
        for (let n = 0; n < steps; n++) {
          world.step()
          contacts += world.contacts.count
        }
        return (performance.now() - start) / steps
      }
      run(600)
      contacts = 0
      const cost = run(600)
      if (way === 'hull') ofHulls = cost
      const z = world.state.q[world.model.nq - 5]
      process.stdout.write(
        `${name} | ${contactModel} | ${way} | ${(cost / ofHulls).toFixed(1)} | ${(contacts / 600).toFixed(0)} | ${(1e3 * z).toFixed(2)}\n`,
      )
    }
  }
}
