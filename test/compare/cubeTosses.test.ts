import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sceneFiles } from '../../cases/phenomena.ts'
import { parseScene } from '../../cases/scene.ts'
import { rotationOfQuaternion } from '../../dynamics/index.ts'
import { rpyOfQuaternion } from '../../robots/compile/pose.ts'

/** [1/s] */
const RATE = 148

/** A toss as it was filmed. */
interface Toss {
  readonly toss: number
  readonly samples: readonly (readonly number[])[]
}

/** The scene's parameters for one toss: the start, and place, orientation and time at rest. */
function caseOf({ toss, samples }: Toss) {
  const [first, last] = [samples[0], samples[samples.length - 1]]
  const [start, end] = [rotationOf(first), rotationOf(last)]
  const [qx, qy, qz, qw] = first.slice(3, 7)
  const omega = first.slice(10, 13)
  // how far each of the cube's axes points up
  const up = [...end.slice(6, 9)]
  const axis = up.reduce((most, part, i) => (Math.abs(part) > Math.abs(up[most]) ? i : most), 0)
  return {
    toss,
    at: first.slice(0, 3).map(rounded),
    turn: rpyOfQuaternion([qx, qy, qz, qw]).map(rounded),
    v: first.slice(7, 10).map(rounded),
    w: [0, 3, 6].map((row) => rounded(start[row] * omega[0] + start[row + 1] * omega[1] + start[row + 2] * omega[2])),
    T: rounded((samples.length - 1) / RATE),
    x: rounded(last[0]),
    y: rounded(last[1]),
    face: ['-sin(cube.pitch)', 'cos(cube.pitch)*sin(cube.roll)', 'cos(cube.pitch)*cos(cube.roll)'][axis],
    sign: Math.sign(up[axis]),
  }
}

const rounded = (x: number) => Number(x.toPrecision(5))

function rotationOf(sample: readonly number[]): Float64Array {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, Float64Array.from(sample.slice(3, 7)), 0)
  return R
}

/** @param path of tosses.jsonl, or of its folder */
function tossesIn(path: string): Toss[] {
  const file = statSync(path).isDirectory() ? join(path, 'tosses.jsonl') : path
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Toss)
}

const path = process.env.FEATHERBED_TOSSES
if (path === undefined)
  console.log('not run: the twelve tosses of cube-tosses against the film; set FEATHERBED_TOSSES to its folder')

describe('a toss as a case', () => {
  test('has its angular velocity in world axes, and the axis that ends up', () => {
    const half = Math.SQRT1_2
    // turned by 90 degrees about z, then at rest by 90 degrees about x: its y points up
    const samples = [
      [1, 2, 3, 0, 0, half, half, 4, 5, 6, 7, 8, 9],
      [1.1, 2.1, 0.05, half, 0, 0, half, 0, 0, 0, 0, 0, 0],
    ]
    expect(caseOf({ toss: 2, samples })).toEqual({
      toss: 2,
      at: [1, 2, 3],
      turn: [0, 0, 1.5708],
      v: [4, 5, 6],
      w: [-8, 7, 9],
      T: 0.0067568,
      x: 1.1,
      y: 2.1,
      face: 'cos(cube.pitch)*sin(cube.roll)',
      sign: 1,
    })
  })

  test.runIf(path !== undefined)('is what the scene has of every 24th', async () => {
    const [{ file, source }] = sceneFiles(['cube-tosses'])
    const { cases } = await parseScene(source, file)
    const all = tossesIn(path as string).map(caseOf)
    expect(all).toHaveLength(285)
    expect(cases.map(({ values }) => values)).toEqual(all.filter((_, i) => i % 24 === 0))
  })
})
