import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { main } from './command.ts'

/** Redis or Valkey, where one is installed. */
export const redisServer = ['redis-server', 'valkey-server'].find((name) => {
  try {
    return execFileSync(name, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0
  } catch {
    return false
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** A server on a free port of this machine that writes down every change before it answers, so that it may be killed at any time. */
export class OwnRedis {
  readonly url: string
  private readonly words: string[]
  private process: ChildProcess

  private constructor(port: number, folder: string) {
    this.url = `redis://127.0.0.1:${port}`
    this.words = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
    ]
    this.process = this.spawn()
  }

  static async start(folder: string): Promise<OwnRedis> {
    const own = new OwnRedis(await freePort(), folder)
    await own.answers()
    return own
  }

  private spawn(): ChildProcess {
    return spawn(redisServer as string, this.words, { stdio: 'ignore' })
  }

  private async answers(): Promise<void> {
    const redis = new Redis(this.url, { maxRetriesPerRequest: null })
    redis.on('error', () => {})
    while ((await redis.ping().catch(() => '')) !== 'PONG') await sleep(20)
    redis.disconnect()
  }

  /** Kills it, and starts it again from what it wrote down. */
  async killAndRestart(): Promise<void> {
    await this.kill()
    this.process = this.spawn()
    await this.answers()
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return
    this.process.kill('SIGKILL')
    await once(this.process, 'exit')
  }
}

/** A worker as a process of its own. */
export class OwnWorker {
  private process: ChildProcess
  private readonly words: readonly string[]

  constructor(url: string, threads: number) {
    this.words = [main, 'worker', '--redis', url, '--threads', String(threads), '--quiet']
    this.process = this.spawn()
  }

  get pid(): number {
    return this.process.pid as number
  }

  private spawn(): ChildProcess {
    return spawn(process.execPath, this.words, { stdio: 'ignore' })
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return
    this.process.kill('SIGKILL')
    await once(this.process, 'exit')
  }

  async killAndRestart(): Promise<void> {
    await this.kill()
    this.process = this.spawn()
  }

  /** Asks it to end; it finishes its chunk. */
  async stop(): Promise<number | null> {
    this.process.kill('SIGTERM')
    const [code] = (await once(this.process, 'exit')) as [number | null]
    return code
  }
}
