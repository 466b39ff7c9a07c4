/*
 * FEATHERBED_TOSSES=tosses.jsonl node --import ./scripts/typescript.mjs test/fit/flights.run.ts
 *
 * What the flights of filmed tosses say before any law of contact (docs/tosses.md): the place p of the film's centre is that of the centre of
 * mass less R c, so p = a + b t + g t²/2 - R(t) c with a and b of each toss, and g and c of all: linear least squares.
 */
import { readFileSync } from 'node:fs'
import { loadMathjs } from '../../compare/scenario/index.ts'
import { rotationOfQuaternion } from '../../dynamics/index.ts'

/** [1/s]; half a side in the film [m]; a corner this near to the table may touch [m]; frames left out after the hand has let go. */
const RATE = 148
const HALF = 0.0513
const NEAR = 0.005
const RELEASE = 2

const rows: number[][] = []
const places: number[] = []
const resting: number[] = []
for (const line of readFileSync(process.env.FEATHERBED_TOSSES as string, 'utf8')
  .trim()
  .split('\n')) {
  const { samples } = JSON.parse(line) as { samples: number[][] }
  const turns = samples.map((sample) => {
    const R = new Float64Array(9)
    rotationOfQuaternion(R, Float64Array.from(sample.slice(3, 7)), 0)
    return R
  })
  resting.push((samples.at(-1) as number[])[2])
  const low = (i: number) => samples[i][2] - HALF * (Math.abs(turns[i][6]) + Math.abs(turns[i][7]) + Math.abs(turns[i][8]))
  const end = samples.findIndex((_, i) => low(i) <= NEAR)
  if (end < RELEASE + 6) continue
  for (let axis = 0; axis < 3; axis++) {
    const own: number[][] = []
    for (let i = RELEASE; i < end; i++) {
      const R = turns[i]
      const g = [0, 1, 2].map((k) => (k === axis ? 0.5 * (i / RATE) ** 2 : 0))
      own.push([-R[3 * axis], -R[3 * axis + 1], -R[3 * axis + 2], ...g, samples[i][axis]])
    }
    // a and b of the toss: what is left of each column besides a straight line
    const times = own.map((_, i) => i - (own.length - 1) / 2)
    const square = times.reduce((sum, t) => sum + t * t, 0)
    for (let column = 0; column < 7; column++) {
      const middle = own.reduce((sum, row) => sum + row[column], 0) / own.length
      const slope = own.reduce((sum, row, i) => sum + row[column] * times[i], 0) / square
      for (const [i, row] of own.entries()) row[column] -= middle + slope * times[i]
    }
    for (const row of own) {
      rows.push(row.slice(0, 6))
      places.push(row[6])
    }
  }
}
const { inv } = await loadMathjs()
const normal = rows[0].map((_, i) => rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)))
const right = rows[0].map((_, i) => rows.reduce((sum, row, k) => sum + row[i] * places[k], 0))
const inverse = inv(normal) as number[][]
const x = inverse.map((row) => row.reduce((sum, a, j) => sum + a * right[j], 0))
const rest = rows.reduce((sum, row, k) => sum + (places[k] - row.reduce((s, a, i) => s + a * x[i], 0)) ** 2, 0) / rows.length
const shown = x.map((value, i) => {
  const [scale, unit] = i < 3 ? [1e3, 'mm'] : [1, 'm/s²']
  return `${(scale * value).toFixed(3)} ± ${(scale * Math.sqrt(inverse[i][i] * rest)).toFixed(3)} ${unit}`
})
console.log(`centre of mass in the cube's axes: ${shown.slice(0, 3).join(', ')}`)
console.log(`acceleration: ${shown.slice(3).join(', ')}`)
console.log(
  `rest of a coordinate: ${(1e3 * Math.sqrt(rest)).toFixed(3)} mm; height at rest, median: ${(1e3 * resting.sort((a, b) => a - b)[resting.length >> 1]).toFixed(2)} mm`,
)
