/** A process that is asked by frames: what becomes of one that ends, answers nonsense, or computes without end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UnsupportedScene } from '../../engines/engine.ts'
import { EngineProcessError, FramedProcess } from '../../engines/python/framedProcess.ts'
import { temporaryFolder } from '../compare/command.ts'

const folder = temporaryFolder()
/** The other end, in JavaScript: `answers` is the body of a function of what is asked. */
function stand(name: string, answers: string, patience?: number): FramedProcess {
  const file = join(folder.path, `${name}.mjs`)
  writeFileSync(
    file,
    `import { openSync, readSync, writeSync } from 'node:fs'
     const [ask, answer] = [openSync(process.argv.at(-2), 'r'), openSync(process.argv.at(-1), 'w')]
     const read = (length) => { const bytes = Buffer.alloc(length); for (let at = 0; at < length; ) { const n = readSync(ask, bytes, at, length - at, null); if (n === 0) process.exit(); at += n } return bytes }
     const frame = (how, body) => { const head = Buffer.alloc(8); head.writeUInt32LE(how, 0); head.writeUInt32LE(body.length, 4); writeSync(answer, Buffer.concat([head, body])) }
     writeSync(answer, 'ok')
     for (;;) { const head = read(8); const body = read(head.readUInt32LE(4)); ${answers} }`,
  )
  return new FramedProcess('an engine', { command: [process.execPath, file], patience })
}

describe('a process that is asked by frames', () => {
  test('answers numbers by numbers and JSON by JSON, as often as it is asked', () => {
    const engine = stand('echo', 'frame(head.readUInt32LE(0), body)')
    const out = new Float64Array(3)
    for (let k = 0; k < 50; k++) {
      engine.exchange(0, Float64Array.of(k, -0, 1e300), out)
      expect([...out]).toEqual([k, -0, 1e300])
    }
    expect(engine.tell(1, { text: 'größer' })).toEqual({ text: 'größer' })
    engine.end()
    expect(() => engine.exchange(0, out, out)).toThrow(EngineProcessError)
  })

  test('says in its words what it cannot express, and goes on', () => {
    const engine = stand('refuses', "frame(3, Buffer.from('loops'))")
    for (let k = 0; k < 2; k++) expect(() => engine.tell(0, {})).toThrow(new UnsupportedScene('loops'))
    expect(engine.isOver).toBe(false)
    engine.end()
  })

  test.each([
    ['ends', "process.stderr.write('a reason\\n'); process.exit(3)", /^an engine ended without an answer: a reason$/],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", /ended without an answer/],
    ['answers too few numbers', 'frame(0, Buffer.alloc(8))', /answered 8 bytes where 3 numbers are due/],
    ['answers text where numbers are due', "frame(1, Buffer.from('{}'))", /answered 2 bytes where 3 numbers are due/],
    ['answers no frame', "writeSync(answer, Buffer.from('x'.repeat(64)))", /answered what is no frame/],
    ['raises an error', "frame(2, Buffer.from('ValueError: x'))", /^an engine: ValueError: x$/],
  ])('that %s is an error with a cause, and takes nothing with it', (name, answers, words) => {
    const engine = stand(name.replaceAll(' ', '-'), answers)
    expect(() => engine.exchange(0, new Float64Array(2), new Float64Array(3))).toThrow(words)
    engine.end()
  })

  test('that computes without end is ended by its processor time', () => {
    const engine = stand('busy', 'for (;;);', 1)
    expect(() => engine.exchange(0, new Float64Array(2), new Float64Array(3))).toThrow(
      /it may have used up its 1 s of processor time/,
    )
    expect(engine.isOver).toBe(true)
  })

  test('that does not start is an error too', () => {
    expect(() => new FramedProcess('an engine', { command: [join(folder.path, 'nothing')] })).toThrow(/an engine did not start/)
  })
})
