/** A process that is asked by frames over two named pipes; a question waits for its answer, as a step of an engine needs it. */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UnsupportedScene } from '../engine.ts'

/*
 * A frame is two unsigned integers of four bytes, little-endian, and a body: what is asked (or how it went), and how many bytes follow.
 * Bodies are numbers of eight bytes, or JSON.
 */
const HEAD = 8
/** How an answer went: numbers, JSON, or a sentence. */
const [NUMBERS, JSON_TEXT, FAILED, UNSUPPORTED] = [0, 1, 2, 3]

/** Processor time after which a process is ended by the system [s]. */
const PATIENCE = 3600
/** Bytes of what a process printed last that an error quotes. */
const LAST_WORDS = 2000

export interface ProcessOptions {
  /** Program and arguments; the paths of the two pipes are added. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** In place of an hour of processor time [s]. */
  readonly patience?: number
}

/** An engine's process ended, or answered what is no answer. */
export class EngineProcessError extends Error {
  override name = 'EngineProcessError'
}

export class FramedProcess {
  /** Whether it ended, or gave an answer that is none: it cannot be asked again. */
  isOver = false
  private readonly folder = mkdtempSync(join(tmpdir(), 'featherbed-engine-'))
  private readonly ask: number
  private readonly answer: number
  private readonly name: string
  private readonly patience: number
  private readonly head = Buffer.alloc(HEAD)
  private readonly stop = () => this.end()
  private readonly kill: () => void

  /** @param name as errors have it */
  constructor(name: string, { command, env, patience = PATIENCE }: ProcessOptions) {
    this.name = name
    this.patience = patience
    const pipes = ['ask', 'answer'].map((pipe) => join(this.folder, pipe))
    if (spawnSync('mkfifo', pipes).status !== 0)
      throw new EngineProcessError(`${name} needs named pipes, which this system lacks`)
    const words = openSync(join(this.folder, 'words'), 'w')
    // the system counts its processor time; it may ask for as much again for its next scene
    const child = spawn('/bin/sh', ['-c', 'ulimit -S -t "$0"; exec "$@"', String(patience), ...command, ...pipes], {
      stdio: ['ignore', words, words],
      cwd: this.folder,
      env: { ...process.env, ...env },
    })
    closeSync(words)
    child.unref()
    this.kill = () => child.kill('SIGKILL')
    process.once('exit', this.stop)
    // opened for both, neither waits for the other end; once it has answered, its end is the end of the pipe
    this.ask = openSync(pipes[0], constants.O_RDWR)
    const first = openSync(pipes[1], constants.O_RDWR | constants.O_NONBLOCK)
    try {
      this.awaitHello(first, child)
      this.answer = openSync(pipes[1], constants.O_RDONLY)
    } catch (error) {
      this.end()
      throw error
    } finally {
      closeSync(first)
    }
  }

  /** Its answer in JSON. @throws UnsupportedScene, EngineProcessError */
  tell<T>(kind: number, value: unknown): T {
    const body = Buffer.from(JSON.stringify(value))
    this.send(kind, body)
    const { how, bytes } = this.receive()
    if (how !== JSON_TEXT) this.wrong(`answered numbers where JSON is due`)
    return JSON.parse(bytes.toString()) as T
  }

  /** Asks by numbers, and has numbers written into `out`, as many as it holds. @throws UnsupportedScene, EngineProcessError */
  exchange(kind: number, numbers: Float64Array, out: Float64Array): void {
    this.send(kind, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength))
    const { how, bytes } = this.receive()
    if (how !== NUMBERS || bytes.length !== out.byteLength)
      this.wrong(`answered ${bytes.length} bytes where ${out.length} numbers are due`)
    Buffer.from(out.buffer, out.byteOffset, out.byteLength).set(bytes)
  }

  end(): void {
    this.isOver = true
    process.off('exit', this.stop)
    this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private send(kind: number, body: Buffer): void {
    if (this.isOver) throw new EngineProcessError(`${this.name} has ended`)
    const { head } = this
    head.writeUInt32LE(kind, 0)
    head.writeUInt32LE(body.length, 4)
    for (const bytes of [head, body]) for (let at = 0; at < bytes.length; ) at += writeSync(this.ask, bytes, at)
  }

  private receive(): { how: number; bytes: Buffer } {
    const { head } = this
    this.fill(head)
    const how = head.readUInt32LE(0)
    if (how > UNSUPPORTED) this.wrong('answered what is no frame')
    const bytes = Buffer.alloc(head.readUInt32LE(4))
    this.fill(bytes)
    if (how === UNSUPPORTED) throw new UnsupportedScene(bytes.toString())
    if (how === FAILED) throw new EngineProcessError(`${this.name}: ${bytes.toString()}`)
    return { how, bytes }
  }

  private fill(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.answer, bytes, at, bytes.length - at, null)
      if (count === 0) this.wrong('ended without an answer', `it may have used up its ${this.patience} s of processor time`)
      at += count
    }
  }

  /** Waits for the two bytes that it says first, for as long as it lives. */
  private awaitHello(pipe: number, { pid }: { readonly pid?: number }): void {
    const bytes = Buffer.alloc(2)
    for (let at = 0; at < 2; ) {
      try {
        at += readSync(pipe, bytes, at, 2 - at, null)
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN') throw error
        if (pid === undefined || isGone(pid)) this.wrong('did not start')
        Atomics.wait(sleeping, 0, 0, 2)
      }
    }
  }

  /** @param guess where it left no words */
  private wrong(how: string, guess = ''): never {
    const words = readFileSync(join(this.folder, 'words'), 'utf8').slice(-LAST_WORDS).trim().split('\n').at(-1)
    this.end()
    const why = words || guess
    throw new EngineProcessError(`${this.name} ${how}${why ? `: ${why}` : ''}`)
  }
}

const sleeping = new Int32Array(new SharedArrayBuffer(4))

/** Whether a child process has ended; a zombie counts as ended. */
function isGone(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''))
  } catch {
    try {
      process.kill(pid, 0)
      return process.platform === 'linux'
    } catch {
      return true
    }
  }
}
