/*
 * node --import ./scripts/typescript.mjs bench/distanceFields.ts
 *
 * What distance fields cost: processor time and memory for building, cells, largest error at 20,000 random points as a
 * fraction of the bound there, and the time of a query beside that of the exact distance, at points within a twentieth of
 * the extent from the surface. FEATHERBED_ROBOTS names a folder of real robots, of which two meshes are taken.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ConvexShape,
  closedMesh,
  type DistanceField,
  distanceFieldOf,
  fieldBytes,
  fieldDistance,
  meshDistance,
  meshOfPolyhedron,
  meshTreeOf,
  polyhedralVersion,
  type TriangleMesh,
} from '../contact/index.ts'
import { createRandom } from '../dynamics/index.ts'
import { loadOwnRobot } from '../robots/files.ts'
import { readMesh } from '../robots/meshes/index.ts'

const polyhedral = (shape: ConvexShape) => meshOfPolyhedron(polyhedralVersion(shape, { sides: 32 }))

function subjects(): [string, TriangleMesh][] {
  const list: [string, TriangleMesh][] = [
    ['box 0.4 x 0.3 x 0.2 m', polyhedral({ type: 'box', size: [0.4, 0.3, 0.2] })],
    ['cylinder 0.1 x 0.3 m, 32 sides', polyhedral({ type: 'cylinder', radius: 0.1, length: 0.3 })],
    ['sphere 0.1 m, 1,280 triangles', meshOfPolyhedron(polyhedralVersion({ type: 'sphere', radius: 0.1 }, { sides: 64 }))],
  ]
  const seen = new Set<string>()
  for (const { name, shape } of loadOwnRobot('humanoid').shapes) {
    if (shape.type === 'halfspace' || shape.type === 'heightfield' || shape.type === 'mesh') continue
    if ((shape.type === 'sphere' && shape.radius === 0) || seen.has(shape.type)) continue
    seen.add(shape.type)
    list.push([`humanoid, ${name}: ${shape.type}`, polyhedral(shape)])
  }
  const folder = process.env.FEATHERBED_ROBOTS
  if (folder === undefined) console.error('real robots are not timed: set FEATHERBED_ROBOTS to their folder')
  else {
    for (const file of [
      'panda/franka_description/meshes/collision/link0.stl',
      'r1/r1_description/meshes/left_knee_collision.STL',
      'r1/r1_description/meshes/torso_collision.stl',
    ]) {
      const { points, triangles } = readMesh(readFileSync(join(folder, file)), file)
      list.push([file.replace(/^(\w+)\/.*\/(\w+)\.\w+$/, '$1, $2'), closedMesh(points, triangles)])
    }
  }
  return list
}

function nearSurface({ tree }: DistanceField, count: number): Float64Array[] {
  const random = createRandom(1)
  const { vertices, triangles } = tree.mesh
  return Array.from({ length: count }, () => {
    const t = 3 * random.index(triangles.length / 3)
    const [u, v] = [random.next(), random.next()].sort()
    return Float64Array.from([0, 1, 2], (k) => {
      const [a, b, c] = [0, 1, 2].map((i) => vertices[3 * triangles[t + i] + k])
      return a * u + b * (v - u) + c * (1 - v) + 0.1 * tree.halfExtent * random.between(-1, 1)
    })
  })
}

/** Mean over the points, after a first round [ns]. */
function timed(points: readonly Float64Array[], query: (x: Float64Array) => void): number {
  for (const x of points) query(x)
  const start = process.cpuUsage()
  for (const x of points) query(x)
  return (1e3 * process.cpuUsage(start).user) / points.length
}

const exact = new Float64Array(7)
const found = new Float64Array(1)
const feature = new Int32Array(2)

console.log('| surface | triangles | tolerance | build [ms] | cells | kB | error / bound | query [ns] | exact [ns] |')
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
const list = subjects()
// the first field of a process is built before the compiler has had its turn
distanceFieldOf({ ...list[2][1] })
for (const [name, mesh] of list) {
  for (const tolerance of [1e-3, 1e-4]) {
    meshTreeOf(mesh)
    const start = process.cpuUsage()
    const field = distanceFieldOf(mesh, { tolerance })
    const build = process.cpuUsage(start).user / 1e3
    const points = nearSurface(field, 20_000)
    let worst = 0
    for (const x of points) {
      meshDistance(field.tree, x, exact, feature)
      fieldDistance(field, x, found)
      const bound = Math.max(field.tolerance, field.slope * Math.abs(exact[0]))
      worst = Math.max(worst, Math.abs(found[0] - exact[0]) / bound)
    }
    const queries = [
      timed(points, (x) => fieldDistance(field, x, found)),
      timed(points, (x) => meshDistance(field.tree, x, exact, feature)),
    ]
    const cells = (field.cells.length / 2).toLocaleString('en')
    const triangles = (mesh.triangles.length / 3).toLocaleString('en')
    const kilobytes = Math.round(fieldBytes(field) / 1024).toLocaleString('en')
    const numbers = [build.toFixed(0), cells, kilobytes, worst.toFixed(2), ...queries.map((ns) => ns.toFixed(0))]
    console.log(`| ${[name, triangles, tolerance, ...numbers].join(' | ')} |`)
  }
}
