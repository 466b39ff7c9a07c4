import { readFile } from 'node:fs/promises'
import { dynamicsAt, parseStateFile } from '../dynamicsAt.ts'
import { loadRobotBySource } from '../setup.ts'
import { significant } from '../verdict.ts'
import { UsageError } from './errors.ts'
import { type BaseFlags, baseOf } from './inspect.ts'
import { paintFor, table } from './terminal.ts'

export interface DynamicsFlags extends BaseFlags {
  readonly state?: string
  readonly link?: readonly string[]
  readonly passive?: boolean
}

/** `featherbed dynamics`. */
export async function dynamics(source: string, flags: DynamicsFlags): Promise<void> {
  const robot = await loadRobotBySource(source, baseOf(flags))
  const state = flags.state === undefined ? {} : parseStateFile(await readState(flags.state), flags.state)
  const result = dynamicsAt(robot, state, flags.link ?? [], flags.passive)
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(result)}\n`)
    return
  }
  const { bold, dim } = paintFor(process.stdout)
  const { velocityNames, massMatrix, bias, gravityTerm, inverseDynamics, forwardDynamics, jacobians } = result
  const number = (x: number) => ({ text: significant(Math.abs(x) < 1e-12 ? 0 : x, 6) })
  const columns = ['\nvelocity', 'diagonal\nof M', '\nbias', '\ngravity', 'inverse\ndynamics', 'forward\ndynamics'].map(
    (title, i) => ({
      title,
      align: i === 0 ? ('left' as const) : ('right' as const),
    }),
  )
  const rows = velocityNames.map((name, i) => [
    { text: name },
    ...[massMatrix[i][i], bias[i], gravityTerm[i], inverseDynamics[i], forwardDynamics[i]].map(number),
  ])
  const out = [
    bold(robot.name),
    dim(`At ${flags.state ?? 'the zero state'}. The base in world axes, angular then linear; SI units. --json has all of M.`),
    '',
    table(columns, rows),
  ]
  for (const [link, J] of Object.entries(jacobians)) {
    const head = ['', 'wx', 'wy', 'wz', 'vx', 'vy', 'vz'].map((title, i) => ({
      title,
      align: i === 0 ? ('left' as const) : ('right' as const),
    }))
    out.push(
      '',
      bold(`Jacobian of ${link}`),
      table(
        head,
        velocityNames.map((name, k) => [{ text: name }, ...J.map((row) => number(row[k]))]),
      ),
    )
  }
  process.stdout.write(`${out.join('\n')}\n`)
}

async function readState(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `--state ${file}: cannot be read (${(error as NodeJS.ErrnoException).code}); give the path of a JSON file`,
    )
  }
}
