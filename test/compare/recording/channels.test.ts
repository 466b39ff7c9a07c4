import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openRecording } from '../../../compare/recording/files.ts'
import { type Controller, createControllerLoop } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { Recorder, World } from '../../../simulation/index.ts'
import { parseCsv, readIndexed } from './reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-channels-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const robot = loadOwnRobot('diffdrive')

/** Writes a third of the time at each tick, every second step; into the other channel nothing. */
const writer: Controller = {
  rate: 500,
  log: ['third', 'silent'],
  init: () => ({}),
  update({ t, log, robot: { joints } }) {
    log.third = t / 3
    return new Float64Array(joints.length)
  },
}

function record(name: string) {
  const world = new World({ robot, contactModel: 'ncp', dt: 1e-3, controller: createControllerLoop(writer, robot) })
  const recording = openRecording(join(folder, name), world)
  const recorder = new Recorder(world)
  for (let i = 0; i < 10; i++) {
    world.step()
    recording.record()
    recorder.record()
  }
  recording.close()
  return { recording, recorder }
}

/** After step i + 1 stands what the tick before steps 0, 2, 4... wrote. */
const written = Array.from({ length: 10 }, (_, i) => (i - (i % 2)) * 1e-3)

test('channels are columns of the table, held between ticks, empty where nothing was written', () => {
  const { recording, recorder } = record('table')
  const [header, ...rows] = parseCsv(readFileSync(recording.files[0], 'utf8'))
  expect(header.slice(-2)).toEqual(['log.third', 'log.silent'])
  for (const [i, row] of rows.entries()) {
    expect(Number(row.at(-2))).toBeCloseTo(written[i] / 3, 12)
    expect(Number(row.at(-2))).toBe(recorder.frame(i).log[0])
    expect(row.at(-1)).toBe('')
  }
})

test('channels are messages of MCAP, by name, without those into which nothing was written', async () => {
  const { recording, recorder } = record('run.mcap')
  const messages = (await readIndexed(recording.files[0])).messages.filter(({ topic }) => topic === '/channels')
  expect(messages.map(({ json }) => json.values)).toEqual(written.map((_, i) => ({ third: recorder.frame(i).log[0] })))
  expect(messages[9].schema).toBe('featherbed.Channels')
})
