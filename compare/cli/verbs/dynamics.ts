import { type DynamicsAt, dynamicsAt, parseStateFile } from '../../inspect/dynamicsAt.ts'
import { eigenvalues } from '../../inspect/eigenvalues.ts'
import { ruleOf } from '../../inspect/mimicRule.ts'
import { significant } from '../../measure/numbers.ts'
import { readInput } from '../input.ts'
import { io } from '../io.ts'
import { openRobot, robotFlags } from '../openRobot.ts'
import { type Column, left, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  ...robotFlags,
  '--state <file>': 'a JSON file with q, v, a and tau (default: all zero)',
  '--link <name>': { meaning: "add this link's Jacobian; may be repeated", isRepeated: true },
  '--passive': "add the joints' damping and dry friction",
  '--emit': 'print what is compiled for the robot: inverse dynamics, inertia, forward dynamics and the parts of a step',
} as const
type DynamicsFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed dynamics humanoid --state state.json --link head --json\n\n' +
    'state.json: {"q": {"base": [x, y, z, qx, qy, qz, qw], JOINT: number}, "v": {"base": [wx, wy, wz, vx, vy, vz], JOINT: number},\n' +
    '"a": as v, for inverse dynamics, "tau": as v, for forward dynamics}. Missing entries are zero, or the identity.\n\n' +
    'The base is given by the velocity of its origin in world axes, angular then linear, by the forces dual to that, and by\n' +
    'the plain time derivatives of it. A floating joint inside the tree is given likewise in the axes of the joint on its\n' +
    'parent; a planar joint by [x, y, angle] and their rates; a spherical one by [qx, qy, qz, qw] and an angular velocity\n' +
    'in the axes of the joint. A joint that follows another (mimic) has no entry. See docs/dynamics.md.',
  flags,
  run: dynamics,
}

async function dynamics(source: string, xacroArguments: readonly string[], flags: DynamicsFlags): Promise<void> {
  const { robot } = openRobot(source, xacroArguments, flags)
  if (flags.emit) {
    const { evaluationNames, programText, stepNames } = await import('../../../dynamics/compile/index.ts')
    io.stdout.write(programText(robot.model, [...evaluationNames, ...stepNames]))
    return
  }
  const state =
    flags.state === undefined
      ? {}
      : parseStateFile(readInput(flags.state, { flag: '--state', remedy: 'give the path of a JSON file' }), flags.state)
  const result = dynamicsAt(robot, state, flags.link ?? [], flags.passive)
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(result)}\n`)
    return
  }
  const { bold, dim } = paintFor(io.stdout)
  const { velocityNames, jacobians } = result
  const where =
    flags.state === undefined ? `At zero and at rest${robot.floating ? ', the base at the origin' : ''}` : `At ${flags.state}`
  const out = [
    bold(robot.name),
    dim(
      `${where}; ${flags.passive ? 'joint damping and friction act' : 'without joint damping and friction (--passive)'}. SI units.`,
    ),
    dim(
      'Inverse dynamics is at the accelerations "a" of the state file, forward dynamics at its forces "tau": zero if it has none.',
    ),
    dim('--help says what the numbers of the base and of free joints are; --json has all of M.'),
    ...robot.mimics.map((mimic) => dim(`Not among the coordinates: ${ruleOf(mimic)}.`)),
    '',
    ...(velocityNames.length === 0
      ? ['Nothing moves: it has no coordinates.']
      : [termsTable(result), '', massMatrixLine(result)]),
  ]
  for (const [link, J] of Object.entries(jacobians)) {
    out.push('', `${bold(`Jacobian of ${link}`)} ${dim('at its origin, in world axes')}`)
    if (velocityNames.length > 0) out.push(jacobianTable(velocityNames, J))
  }
  io.stdout.write(`${out.join('\n')}\n`)
}

const number = (x: number) => ({ text: significant(Math.abs(x) < 1e-12 ? 0 : x, 6) })

function columns(titles: readonly string[]): Column[] {
  return titles.map((title, i) => (i === 0 ? left(title) : right(title)))
}

function termsTable({ velocityNames, massMatrix, bias, gravityTerm, inverseDynamics, forwardDynamics }: DynamicsAt): string {
  return table(
    columns(['\nvelocity', 'diagonal\nof M', '\nbias', '\ngravity', 'inverse\ndynamics', 'forward\ndynamics']),
    velocityNames.map((name, i) => [
      { text: name },
      ...[massMatrix[i][i], bias[i], gravityTerm[i], inverseDynamics[i], forwardDynamics[i]].map(number),
    ]),
  )
}

function jacobianTable(velocityNames: readonly string[], J: readonly (readonly number[])[]): string {
  return table(
    columns(['', 'wx', 'wy', 'wz', 'vx', 'vy', 'vz']),
    velocityNames.map((name, k) => [{ text: name }, ...J.map((row) => number(row[k]))]),
  )
}

/** How near M is to singular: forces of the largest of these ratios lose so much in accuracy when turned into accelerations. */
function massMatrixLine({ massMatrix }: DynamicsAt): string {
  const values = eigenvalues(massMatrix)
  const [least, most] = [values[0], values[values.length - 1]]
  return `M is ${massMatrix.length} by ${massMatrix.length}, with eigenvalues from ${significant(least, 4)} to ${significant(most, 4)}: condition number ${significant(most / least, 3)}.`
}
