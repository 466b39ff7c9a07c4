import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openRecording } from '../../../compare/recording/files.ts'
import { contactModelNames } from '../../../contact/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { Recorder, World } from '../../../simulation/index.ts'
import { parseCsv } from './reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-csv-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const model = contactModelNames[0]

function record(world: World, path: string, steps: number) {
  const recording = openRecording(path, world)
  const recorder = new Recorder(world)
  recording.record()
  recorder.record()
  for (let i = 0; i < steps; i++) {
    world.step()
    recording.record()
    recorder.record()
  }
  return { recording, recorder, end: recording.close() }
}

const read = (path: string) => parseCsv(readFileSync(path, 'utf8'))

test('every number of every step reads back to the same bits; the header names it with its unit', () => {
  const world = new World({ robot: loadOwnRobot('diffdrive'), contactModel: model, dt: 1e-3 })
  const { recorder, recording } = record(world, join(folder, 'run'), 230)
  expect(recording.files.map((path) => path.slice(folder.length))).toEqual([
    '/run/state.csv',
    '/run/contacts.csv',
    '/run/recording.json',
  ])
  const [header, ...rows] = read(recording.files[0])
  expect(rows).toHaveLength(231)
  const { nq, nv } = world.model
  expect(header.slice(0, 9)).toEqual([
    't_s',
    'q.base/x_m',
    'q.base/y_m',
    'q.base/z_m',
    'q.base/qx',
    'q.base/qy',
    'q.base/qz',
    'q.base/qw',
    header[8],
  ])
  expect(header[8]).toMatch(/^q\..*_rad$/)
  expect(header.slice(1 + nq, 7 + nq)).toEqual(
    ['wx_rad/s', 'wy_rad/s', 'wz_rad/s', 'vx_m/s', 'vy_m/s', 'vz_m/s'].map((n) => `v.base/${n}`),
  )
  expect(header.filter((name) => name.startsWith('tau.') && /_Nm?$/.test(name))).toHaveLength(nv)
  expect(header.slice(-7)).toEqual([
    'kineticEnergy_J',
    'potentialEnergy_J',
    'solverIterations',
    'solverFailures',
    'solverFallbacks',
    'solverResidualMax',
    'step',
  ])
  for (const [i, row] of rows.entries()) {
    const { t, q, v, tau, energy, solver, step } = recorder.frame(i)
    const expected = [...t, ...q, ...v, ...tau, ...energy, ...solver, step]
    expect(row.map(Number).every((x, k) => Object.is(x, expected[k])) && row.length === expected.length).toBe(true)
  }

  const [contactHeader, ...contactRows] = read(recording.files[1])
  let next = 0
  for (let i = 0; i <= 230; i++) {
    const { contacts, t, step } = recorder.frame(i)
    for (let c = 0; c < contacts.count; c++) {
      const row = Object.fromEntries(contactRows[next++].map((cell, k) => [contactHeader[k], cell]))
      expect([Number(row.t_s), Number(row.step), Number(row.detectedAt_s)]).toEqual([t[0], step, (step - 1) * world.dt])
      expect([row.linkA, row.shapeA]).toEqual(['world', 'ground'])
      expect(Number(row.gap_m)).toBe(contacts.gap[c])
      for (const [k, axis] of ['X', 'Y', 'Z'].entries()) {
        expect(Object.is(Number(row[`force${axis}_N`]), contacts.force[3 * c + k])).toBe(true)
        expect(Object.is(Number(row[`impulse${axis}_Ns`]), contacts.impulse[3 * c + k])).toBe(true)
        expect(Object.is(Number(row[`point${axis}_m`]), contacts.point[3 * c + k])).toBe(true)
      }
    }
  }
  expect(contactRows).toHaveLength(next)
  expect(next).toBeGreaterThan(100)
})

test('the tables of the recorder in memory are those on the disk', () => {
  const world = new World({ robot: loadOwnRobot('diffdrive'), contactModel: model, dt: 1e-3 })
  const { recorder, recording } = record(world, join(folder, 'walk.csv'), 40)
  expect(recording.files.map((path) => path.slice(folder.length))).toEqual(['/walk.csv', '/walk.contacts.csv', '/walk.json'])
  expect(readFileSync(recording.files[0], 'utf8')).toBe(recorder.toCSV())
  expect(readFileSync(recording.files[1], 'utf8')).toBe(recorder.contactsCSV())
})

test('names with commas and quotes stay one cell, and columns of several robots begin with theirs', () => {
  const brick = createFreeBody({ name: 'brick', shape: { type: 'box', size: [1, 1, 1] }, mass: 1, position: [0, 0, 0.4999] })
  const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 1 }, mass: 1, position: [5, 0, 1] })
  const world = new World({ robots: [{ name: 'a, "b"', robot: brick }, { robot: ball }], contactModel: model, dt: 1e-3 })
  const { recording } = record(world, `${folder}/odd.names/`, 3)
  const [header, row] = read(recording.files[0])
  expect(header[1]).toBe('q.a, "b"/base/x_m')
  expect(header[8]).toBe('q.ball/base/x_m')
  expect(row).toHaveLength(header.length)
  expect(read(recording.files[1])[1]).toContain('a, "b"/brick')
})

test('the facts say that a run is unfinished until it has ended, then how', () => {
  const path = join(folder, 'facts')
  const world = new World({ robot: loadOwnRobot('diffdrive'), contactModel: model, dt: 1e-3 })
  const recording = openRecording(path, world, { info: { command: 'again', scenario: { name: 's.yaml', text: 'a: 1' } } })
  const facts = () => JSON.parse(readFileSync(join(path, 'recording.json'), 'utf8'))
  expect(facts()).toMatchObject({
    contactModel: model,
    dt_s: 1e-3,
    command: 'again',
    files: { 's.yaml': 'a: 1' },
    end: { status: 'unfinished' },
  })
  recording.record()
  recording.close()
  expect(facts().end).toEqual({ status: 'ok', failure: '', frames: 1, steps: 0, t_s: 0, hash: world.hash() })
  expect(existsSync(join(path, 'state.csv'))).toBe(true)
})
