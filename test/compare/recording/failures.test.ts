import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { DiskRecording, LogLevel, openRecording, RecordingError } from '../../../compare/recording/files.ts'
import { contactModelNames } from '../../../contact/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { FrameSource, World } from '../../../simulation/index.ts'
import { parseCsv, readIndexed, readStream } from './reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-failures-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const script = fileURLToPath(new URL('dying.run.ts', import.meta.url))
const node = [process.execPath, '--import', join(root, 'scripts/typescript.mjs'), script]

const create = () => new World({ robot: loadOwnRobot('diffdrive'), contactModel: contactModelNames[0], dt: 1e-3 })

function caught(action: () => unknown): RecordingError {
  try {
    action()
  } catch (error) {
    expect(error).toBeInstanceOf(RecordingError)
    return error as RecordingError
  }
  throw new Error('nothing was thrown')
}

describe('what cannot be written is one clear error before the first step', () => {
  writeFileSync(join(folder, 'file'), '')
  mkdirSync(join(folder, 'taken.mcap'))
  mkdirSync(join(folder, 'tables', 'state.csv'), { recursive: true })

  test.each([
    ['a folder that is not there', 'nowhere/run.mcap', 'ENOENT', /folder does not exist \(ENOENT\).*Create the folder/],
    ['a table in a folder that is not there', 'nowhere/run.csv', 'ENOENT', /folder does not exist/],
    ['a folder below one that is not there', 'nowhere/run/', 'ENOENT', /folder does not exist/],
    ['a path below a file', 'file/run.mcap', 'ENOTDIR', /a part of the path is a file/],
    ['a folder below a file', 'file/run', 'ENOTDIR', /a part of the path is a file/],
    ['a table where a folder is', 'tables', 'EISDIR', /it is a folder/],
    ['a folder where a file is', 'file', 'EEXIST', /means a folder, and a file of this name is there.*\.mcap/],
    ['an unknown ending', 'run.bag', '', /ends in ".bag".*\.mcap.*\.csv.*folder/],
  ])('%s', (_, path, code, message) => {
    const error = caught(() => openRecording(join(folder, path), create()))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(join(folder, path))
    expect(error.frames).toBe(0)
  })

  test.each(['mcap', 'csv'])('a full disk (%s)', (ending) => {
    const path = join(folder, `at-once.${ending}`)
    symlinkSync('/dev/full', path) // takes no byte
    const error = caught(() => openRecording(path, create()))
    expect(error).toMatchObject({ code: 'ENOSPC', path, bytes: 0, frames: 0 })
    expect(error.message).toMatch(/the disk is full \(ENOSPC\)\. No frame was written\. Free some space/)
  })

  test('every is a whole number of steps', () => {
    expect(() => openRecording(join(folder, 'x.mcap'), create(), { every: 0.5 })).toThrow(RangeError)
  })
})

describe.each(['mcap', 'csv'])('a disk that fills up under a recording (%s)', (ending) => {
  const path = join(folder, `full.${ending}`)
  // The limit on the size of a file stands in for the disk's: the write that crosses it is cut short, the next one fails.
  const output = execFileSync('bash', ['-c', `ulimit -f 400; exec "$@"`, 'bash', ...node, path, 'full'], {
    cwd: root,
  })
  const error = JSON.parse(output.toString())

  test('is one error that says what happened, how much is there and what to do', () => {
    expect(error).toMatchObject({ name: 'RecordingError', code: 'EFBIG' })
    expect(error.message).toMatch(
      /^\/.*: the recording ended: .*\(EFBIG\)\. The first \d+ frames \(to t = [\d.]+ s, \d+ bytes\).*every n-th step/,
    )
    expect(error.frames).toBeGreaterThan(50)
  })

  test('and all frames that it names are readable', async () => {
    if (ending === 'mcap') {
      const { messages, done } = readStream(readFileSync(path))
      expect(done || statSync(path).size === error.bytes).toBe(true)
      expect(messages.filter(({ topic }) => topic === '/diffdrive/state').map(({ json }) => json.step)).toEqual(
        Array.from({ length: error.frames }, (_, i) => i),
      )
    } else {
      const text = readFileSync(error.path, 'utf8')
      expect(text.endsWith('\r\n')).toBe(true)
      expect(text).toHaveLength(error.bytes)
      const rows = parseCsv(text)
      const steps = new Set(rows.slice(1).map((row) => row[rows[0].indexOf('step')]))
      expect(Math.max(...[...steps].map(Number)) + 1).toBe(error.frames)
    }
  })
})

describe.each(['mcap', 'csv'])('a run that hangs and is killed (%s)', async (ending) => {
  const path = join(folder, `killed.${ending}`)
  const child = spawn(node[0], [...node.slice(1), path, 'endless'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await said(child, 'hanging')
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))

  test('leaves all frames but those since the last full 50', () => {
    const steps =
      ending === 'mcap'
        ? readStream(readFileSync(path)).messages.flatMap(({ topic, json }) => (topic === '/diffdrive/state' ? [json.step] : []))
        : parseCsv(readFileSync(path, 'utf8'))
            .slice(1)
            .map((row) => Number(row.at(-1)))
    expect(steps).toEqual(Array.from({ length: 250 }, (_, i) => i))
  })
})

test('a world that ends in a state that is not finite: the frames up to it are there, with the reason and the status', async () => {
  const world = create()
  const path = join(folder, 'nan.mcap')
  const recording = openRecording(path, world)
  recording.record()
  expect(() => {
    for (let i = 0; i < 100; i++) {
      if (i === 37) world.state.v[3] = Number.NaN
      world.step()
      recording.record()
    }
  }).toThrow()
  expect(recording.close()).toMatchObject({ status: 'failed', frames: 38, steps: 37 })
  const { messages, metadata } = await readIndexed(path)
  expect(messages.filter(({ topic }) => topic === '/diffdrive/state')).toHaveLength(38)
  const log = messages.filter(({ topic }) => topic === '/log')
  expect(log).toHaveLength(1)
  expect(log[0].json).toMatchObject({ level: LogLevel.fatal, message: world.failure?.message })
  expect(metadata.get('featherbed.end')?.get('status')).toBe('failed')
  expect(metadata.get('featherbed.end')?.get('failure')).toBe(world.failure?.message)
})

test('a recording that failed fails at every further call, and closing it is quiet', () => {
  const full = new RecordingError('the disk is full', 'x')
  const writer = {
    files: [],
    bytes: 0,
    write: () => {
      throw full
    },
    log: () => {},
    flush: () => {},
    close: () => {
      throw new Error('closed after it failed')
    },
  }
  const recording = new DiskRecording(new FrameSource(create()), writer, 1)
  for (let i = 0; i < 2; i++) expect(() => recording.record()).toThrow(full)
  expect(() => recording.flush()).toThrow(full)
  expect(recording.close()).toMatchObject({ status: 'ok', steps: 0 })
})

/** Resolves when the child has printed the word. */
function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (data) => {
      text += data
      if (text.includes(word)) resolve()
    })
    child.once('exit', () => reject(new Error(`ended without a word: ${text}`)))
  })
}
