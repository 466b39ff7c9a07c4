/** Runs as a page plays them: what is recorded, what it takes, what is lost. */
import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compare } from '../../compare/judge/compare.ts'
import {
  decodeFrames,
  decodeSeries,
  encodeFrames,
  encodeSeries,
  type ReplayFrames,
  SERIES,
  sceneOf,
  seriesOf,
} from '../../compare/recording/replay/index.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { dataAt, stateOf } from '../dynamics/at.ts'

const scenario = await checkScenario({ robots: ['diffdrive'], models: ['penalty', 'stewart-trinkle'], dt: [2e-3], duration: 0.4 })
const { plots, results } = await compare(scenario, { threads: 0 })
const [{ replay, series, tracking }] = plots
const frames = replay?.frames as ReplayFrames
const scene = sceneOf(replay?.scene as string)
const { nq } = scene.robot.model

describe('frames', () => {
  test('begin at the start, end with the run, and carry the weight at rest', () => {
    const n = frames.t.length
    expect(frames.t[0]).toBe(0)
    expect(frames.t[n - 1]).toBeCloseTo(0.4, 12)
    expect(frames.q).toHaveLength(n * nq)
    let up = 0
    for (let c = frames.first[n - 1]; c < frames.first[n]; c++) up += frames.contacts[6 * c + 5]
    // all but at rest: the figure eight begins slowly
    expect(up / (9.81 * results.robots[0].mass)).toBeCloseTo(1, 1)
  })

  test('come back from their bytes to a 65,536th of each range, times in single precision', () => {
    const back = decodeFrames(encodeFrames(frames))
    expect(back.first).toEqual(frames.first)
    const n = frames.t.length
    for (let c = 0; c < nq; c++) {
      const column = (all: ReplayFrames) => Array.from({ length: n }, (_, i) => all.q[i * nq + c])
      const known = column(frames)
      const step = (Math.max(...known) - Math.min(...known)) / 65_535
      // half a step, and the range's ends in single precision
      column(back).forEach((x, i) => {
        expect(Math.abs(x - known[i])).toBeLessThanOrEqual(0.51 * step + 1e-7 * Math.abs(known[i]) + 1e-12)
      })
    }
    back.t.forEach((t, i) => {
      expect(Math.abs(t - frames.t[i])).toBeLessThan(1e-7)
    })
  })

  test('without contacts and of one moment come back too', () => {
    const one: ReplayFrames = {
      t: Float64Array.of(0),
      q: Float64Array.of(1, -2),
      first: Int32Array.of(0, 0),
      contacts: new Float64Array(0),
    }
    expect(decodeFrames(encodeFrames(one))).toEqual(one)
  })

  test('that are cut off are refused', () => {
    expect(() => decodeFrames(encodeFrames(frames).subarray(0, 100))).toThrow(RangeError)
  })

  test('of a hundred runs fit into two megabytes', () => {
    expect(deflateRawSync(encodeFrames(frames)).length).toBeLessThan(20_000)
  })
})

describe('the scene', () => {
  test('places every shape where the world does', () => {
    const { model } = scene.robot
    const data = dataAt(model, stateOf(model, frames.q.subarray(0, nq)))
    expect([...data.p_WB[1]]).toEqual([...frames.q.subarray(0, 3)])
    expect(scene.robot.shapes.length).toBeGreaterThan(0)
    for (const { R, p } of scene.robot.shapes) {
      expect(R).toBeInstanceOf(Float64Array)
      expect(p).toBeInstanceOf(Float64Array)
    }
    expect(scene.ground).toBe(0)
  })

  test('is the same text for every model', () => {
    expect(plots[1].replay?.scene).toBe(replay?.scene)
  })
})

describe('series', () => {
  test('keep the peak of the penetration, to three digits', () => {
    const back = decodeSeries(encodeSeries(seriesOf(series, tracking, 0.4)))
    expect(back.penetration).toHaveLength(SERIES)
    const peak = Math.max(...back.penetration.filter((y) => !Number.isNaN(y)))
    const known = Math.max(...(series?.penetration ?? []))
    expect(Math.abs(peak / known - 1)).toBeLessThan(2 ** -8)
  })

  test('end where a run broke off', () => {
    const cut = { t: [0, 0.1], penetration: [0, 1e-3], energy: [0, 0], kinetic: [0, 0], force: [Number.NaN, 5] }
    const { penetration, force } = seriesOf(cut, null, 1)
    expect(penetration.findLastIndex((y) => !Number.isNaN(y))).toBe(Math.ceil(0.1 * (SERIES - 1)))
    expect(force[0]).toBeNaN()
  })
})
