import { aba, createData, createState, kinematics } from '../../../dynamics/index.ts'
import { inspectRobot, type LoadOptions, loadRobot, type Robot, RobotError } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'

/** Longest finding that anyone would read. */
const longestFinding = 3000

/**
 * Loads a text, inspects what comes of it, and has it fall.
 *
 * @param simulated whether it also takes a step in a world
 * @returns `Robot`, or `RobotError`
 * @throws if anything else comes of it: another error, a number that is none, findings without words
 */
export function loadAndMove(text: string, options: LoadOptions, simulated = false): string {
  const robot = loadedOr(text, options)
  if (robot instanceof RobotError) {
    checkFindings(robot.diagnostics)
    if (!robot.diagnostics.some(({ severity }) => severity === 'error')) throw new Error('refused without an error')
    return 'RobotError'
  }
  checkFindings(robot.diagnostics)
  const { mass, massUsed, centerOfMass } = inspectRobot(robot)
  checkFinite('inspection', [mass, massUsed, ...centerOfMass])
  checkFinite('home', robot.home)
  for (const pose of robot.poses) checkFinite(`pose ${pose.name}`, pose.q)
  fall(robot)
  if (simulated) step(robot)
  return 'Robot'
}

function loadedOr(text: string, options: LoadOptions): Robot | RobotError {
  try {
    return loadRobot(text, options)
  } catch (error) {
    if (error instanceof RobotError) return error
    throw error
  }
}

function checkFindings(findings: RobotError['diagnostics']): void {
  for (const { code, element, message, remedy } of findings) {
    const length = element.length + message.length + remedy.length
    if (length > longestFinding) throw new Error(`a finding ${code} of ${length} characters: ${message.slice(0, 100)}`)
  }
}

/** What aba and the factorisation of M document. */
const singular = /meets the inertia (?!NaN)|not positive definite: pivot (?!NaN)/

function fall({ model, home }: Robot): void {
  const state = createState(model)
  state.q.set(home)
  const data = createData(model)
  kinematics(model, state, data)
  const a = new Float64Array(model.nv)
  try {
    aba(model, state, new Float64Array(model.nv), data, a)
  } catch (error) {
    if (error instanceof Error && singular.test(error.message)) return
    throw error
  }
  checkFinite('acceleration', a)
}

/** What a world documents that it throws. */
const typed: readonly string[] = ['RangeError', 'GeometryError', 'SimulationError']

function step(robot: Robot): void {
  try {
    const world = new World({ robot, contactModel: 'penalty', dt: 1e-3 })
    world.step()
    checkFinite('q', world.state.q)
  } catch (error) {
    if (!(error instanceof Error) || !(typed.includes(error.name) || singular.test(error.message))) throw error
  }
}

function checkFinite(what: string, numbers: ArrayLike<number>): void {
  for (let k = 0; k < numbers.length; k++) if (!Number.isFinite(numbers[k])) throw new Error(`${what}[${k}] is ${numbers[k]}`)
}
