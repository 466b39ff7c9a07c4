import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { median } from '../../compare/measure/statistics.ts'
import { hullOf } from '../../contact/geometry/index.ts'
import { createRandom, sincos } from '../../dynamics/index.ts'
import { clock } from '../clock.ts'
import { type Row, rowOf } from '../measure.ts'

/*
 * Convex hulls of seventeen scanned meshes beside qhull, all in one sample: bumpy bodies as 200 scan lines of 250 points in single precision, with
 * noise from 1e-6 to 1e-2 of their size, so that from nearly all of their points to 2 % of them are corners of the hull. Processor time of
 * either. Ours also merges coplanar triangles into faces and lists the edges. Needs scipy: in the environment of `npm run corpus`, or python3's.
 */
const lines = 200
const pointsOfLine = 250
const meshes = 17
const samples = 5

function scan(k: number): Float64Array {
  const random = createRandom(k)
  const size = [0, 1, 2].map(() => random.between(0.02, 0.2))
  const noise = 10 ** (-6 + k / 4)
  const bumps = Array.from({ length: 6 }, () => [...[0, 1, 2].map(() => random.between(-4, 4)), random.between(0, 0.08)])
  const points = new Float64Array(3 * lines * pointsOfLine)
  const angles = new Float64Array(2)
  const sc = new Float64Array(4)
  const wave = new Float64Array(2)
  for (let i = 0; i < lines * pointsOfLine; i++) {
    angles[0] = (Math.PI * (Math.floor(i / pointsOfLine) + 0.5)) / lines
    angles[1] = (2 * Math.PI * (i % pointsOfLine)) / pointsOfLine
    sincos(sc, angles, 0)
    const [sinTheta, cosTheta] = sc
    sincos(sc, angles, 1)
    const direction = [sinTheta * sc[1], sinTheta * sc[0], cosTheta]
    let radius = 1 + noise * random.between(-1, 1)
    for (const [x, y, z, height] of k % 3 === 0 ? [] : bumps) {
      angles[0] = x * direction[0] + y * direction[1] + z * direction[2]
      sincos(wave, angles, 0)
      radius += height * wave[0]
    }
    for (let j = 0; j < 3; j++) points[3 * i + j] = Math.fround(size[j] * radius * direction[j])
  }
  return points
}

const peer = `
import sys, time, numpy
from scipy.spatial import ConvexHull
clouds = numpy.frombuffer(sys.stdin.buffer.read()).reshape(${meshes}, -1, 3)
for _ in range(${samples}):
    start = time.process_time()
    for cloud in clouds: ConvexHull(cloud)
    print(1e6 * (time.process_time() - start))
`

/** @throws Error if there is no scipy */
export function hullRow(): Row {
  const clouds = Array.from({ length: meshes }, (_, k) => scan(k))
  const ours = Array.from({ length: samples }, () => {
    const start = clock()
    for (const cloud of clouds) hullOf(cloud, cloud.length)
    return clock() - start
  })
  const own = fileURLToPath(new URL('../../results/corpus/venv/bin/python', import.meta.url))
  const input = Buffer.concat(clouds.map((cloud) => new Uint8Array(cloud.buffer)))
  const { stdout, stderr, status } = spawnSync(existsSync(own) ? own : 'python3', ['-c', peer], { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`hulls: scipy did not answer; npm run corpus -- urdf brings it: ${stderr}`)
  const theirs = stdout.trim().split('\n').map(Number)
  return rowOf(`hulls of ${meshes} scans`, median(ours), 'scipy (qhull)', median(theirs))
}
