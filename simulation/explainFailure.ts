import { ContactDetector, ContactSet, type PhysicalInputs } from '../contact/index.ts'
import {
  crba,
  createData,
  createState,
  directionRow,
  factorize,
  JointType,
  kinematics,
  type Model,
  solveLTransposed,
  velocities,
  type WorkLimitError,
} from '../dynamics/index.ts'
import { EnergyError, SimulationError, StepBudgetError } from './simulationError.ts'
import type { World } from './world.ts'

/** Rotation per step beyond which configuration-dependent inertias are not resolved [rad]. */
const LARGEST_TURN = 0.2
/** Step times frequency beyond which explicit integration of a contact spring is unreliable. */
const LARGEST_STEP_TIMES_FREQUENCY = 1

/**
 * The error that ends a world whose state is not finite, or grew until an algorithm failed with `cause`: the number, the time, and the
 * likely reason.
 */
export function explainFailure(world: World, cause?: unknown): SimulationError {
  const { model, state, dt, wholeStep, stepCount: step } = world
  const found = firstNonFinite(model, state.q, state.v)
  const { name, joint } = found ?? fastest(model, state.v)
  const what = found ? `${name} is not finite` : `motion grew until the step could not be computed, fastest ${name},`
  // the algorithm's own error is a symptom, and comes last
  const symptom = found || cause === undefined ? '' : ` (The step ended in: ${cause instanceof Error ? cause.message : cause})`
  const message =
    `${model.name} under ${world.contactModel.name}: ${what} in step ${step} (t = ${(step * wholeStep).toPrecision(6)} s, ` +
    `dt = ${dt} s). ${likelyCause(world)}${symptom}`
  return new SimulationError(message, step, step * wholeStep, joint, cause)
}

/** The error that ends a world whose step exceeded its budget. */
export function explainBudget(world: World, cause: WorkLimitError): StepBudgetError {
  const { dt, wholeStep, stepCount: step } = world
  const { limit, spent, place, contacts, rows } = cause
  const problem = rows > 0 ? ` on ${contacts} contacts, ${rows} rows` : contacts > 0 ? ` on ${contacts} contacts` : ''
  const message =
    `${nameOf(world)} under ${world.contactModel.name}: step ${step} (t = ${(step * wholeStep).toPrecision(6)} s, dt = ${dt} s) took more ` +
    `than its budget of ${scientific(limit)} multiply-adds: ${scientific(spent)} were spent, at last in ${place}${problem}. Likely cause: far more contacts than the model is made for, ` +
    'or bodies that start in one another. Move them apart, limit maxPointsPerPair, take another model, or raise stepBudget (about 1e9 a second).'
  return new StepBudgetError(message, step, step * wholeStep, cause)
}

/**
 * The error that ends a world with too much unaccounted energy.
 *
 * @param step     the step in which it exceeded the limit
 * @param invented unaccounted energy, and the energy available to the run [J]
 */
export function explainEnergy(world: World, step: number, invented: number, spent: number): EnergyError {
  const { dt, wholeStep } = world
  const message =
    `${nameOf(world)} under ${world.contactModel.name}: ${gained(invented, spent)} by the end of step ${step} ` +
    `(t = ${((step + 1) * wholeStep).toPrecision(6)} s, dt = ${dt} s). ${causeOfGain(world)}`
  return new EnergyError(message, step, step * wholeStep, invented, spent)
}

function causeOfGain(world: World): string {
  const { model, state, tau, dt, contacts, contactModel } = world
  let fastest = -1
  for (let i = 0; i < model.nv; i++)
    if (isAngular(model, i) && (fastest < 0 || Math.abs(state.v[i]) > Math.abs(state.v[fastest]))) fastest = i
  const turn = fastest < 0 ? 0 : Math.abs(state.v[fastest]) * dt
  const frequency = contactModel.level === 'force' ? stiffestContactFrequency(world) : 0
  const isStiff = typeof frequency === 'string' || dt * frequency > LARGEST_STEP_TIMES_FREQUENCY
  if (turn > LARGEST_TURN && !isStiff) {
    const isPushed = tau.some((effort) => effort !== 0)
    return (
      `Likely cause: ${isPushed ? 'efforts or controller gains too large for this step' : 'a body that turns faster than the step resolves'} ` +
      `(${largestEffort(world)}): joint "${model.jointName[model.bodyOfV[fastest]]}" turns by ${turn.toPrecision(3)} rad a step, within which inertias change. ` +
      `Take dt below ${((dt * LARGEST_TURN) / turn).toPrecision(2)} s, or look for what spins it up: efforts, or a mass far below its neighbours'.`
    )
  }
  if (contacts.count === 0 || isStiff) return likelyCause(world)
  return 'Likely cause: contact, in a step too long for this contact model. Take a smaller dt, less restitution, or a model that featherbed compare shows to keep energy.'
}

/** Whether velocity i is an angular one. */
function isAngular({ jointType, bodyOfV, vStart }: Model, i: number): boolean {
  const body = bodyOfV[i]
  const k = i - vStart[body]
  switch (jointType[body]) {
    case JointType.prismatic:
      return false
    case JointType.floating:
      return k < 3
    case JointType.planar:
      return k === 2
    default:
      return true
  }
}

/** Description of unaccounted energy in events and errors. */
export const gained = (invented: number, spent: number) =>
  `${invented.toPrecision(3)} J came from nothing, ${(invented / spent).toPrecision(2)} times what the run had to spend,`

/** Name of the robot, or of the first robot and the number of others. */
function nameOf({ robots }: World): string {
  const others = robots.length - 1
  return others === 0 ? robots[0].name : `${robots[0].name} and ${others} other${others > 1 ? 's' : ''}`
}

/** Number in the usual notation: 5e9. */
const scientific = (x: number) => Number(x.toPrecision(3)).toExponential().replace('+', '')

function fastest({ nv, bodyOfV, jointName, bodyName }: Model, v: Float64Array) {
  let k = 0
  for (let i = 1; i < nv; i++) if (Math.abs(v[i]) > Math.abs(v[k])) k = i
  return {
    name: `v[${k}] = ${v[k].toPrecision(3)} of joint "${jointName[bodyOfV[k]]}" (link "${bodyName[bodyOfV[k]]}")`,
    joint: jointName[bodyOfV[k]],
  }
}

function firstNonFinite({ nb, qStart, vStart, jointName, bodyName }: Model, q: Float64Array, v: Float64Array) {
  for (let i = 1; i < nb; i++) {
    for (let k = vStart[i]; k < vStart[i + 1]; k++)
      if (!Number.isFinite(v[k]))
        return { name: `v[${k}] = ${v[k]} of joint "${jointName[i]}" (link "${bodyName[i]}")`, joint: jointName[i] }
    for (let k = qStart[i]; k < qStart[i + 1]; k++)
      if (!Number.isFinite(q[k]))
        return { name: `q[${k}] = ${q[k]} of joint "${jointName[i]}" (link "${bodyName[i]}")`, joint: jointName[i] }
  }
  return undefined
}

function likelyCause(world: World): string {
  const { contactModel, dt, tau } = world
  const effort = largestEffort(world)
  const frequency = stiffestContactFrequency(world)
  if (typeof frequency === 'string')
    return `Likely cause: the robot's own masses, for at home it cannot be moved either (${frequency}). See what featherbed inspect says of them.`
  const stepTimesFrequency = dt * frequency
  if (contactModel.level === 'force' && stepTimesFrequency > LARGEST_STEP_TIMES_FREQUENCY) {
    const remedy = (dt * LARGEST_STEP_TIMES_FREQUENCY) / stepTimesFrequency
    return (
      `Likely cause: the step is too large for the contact stiffness: omega dt = ${stepTimesFrequency.toPrecision(3)}. ` +
      `Take dt below ${remedy.toPrecision(2)} s, a larger allowedPenetration, or a velocity-level model; ${effort}.`
    )
  }
  if (tau.every((effort) => effort === 0)) {
    return (
      `Likely cause: a body that turns faster than the step resolves, omega dt above 1: no effort was commanded, and contact has ` +
      `omega dt = ${stepTimesFrequency.toPrecision(3)}. Take a smaller dt, or look for what spins it up: a start velocity, a mass far below its neighbours'.`
    )
  }
  return `Likely cause: controller gains too large for this step (${effort}; contact has omega dt = ${stepTimesFrequency.toPrecision(3)}).`
}

function largestEffort({ model, tau }: World): string {
  let largest = 0
  for (let i = 1; i < model.nv; i++) if (Math.abs(tau[i]) > Math.abs(tau[largest])) largest = i
  return `the largest effort was ${tau[largest].toPrecision(3)} at joint "${model.jointName[model.bodyOfV[largest]]}"`
}

/**
 * Largest sqrt(k / m) [rad/s] over the contacts of the home pose: 1 / m = n J M^-1 J' n the inverse effective mass at the contact point, k
 * the stiffness of a pair. 0 without contacts at home; or the reason why it is unknown.
 */
function stiffestContactFrequency({ robot, model, shapes, fixtures, physical }: World): number | string {
  const state = createState(model)
  state.q.set(robot.home)
  const data = createData(model)
  kinematics(model, state, data)
  crba(model, data)
  try {
    factorize(model, data.M, data.L)
  } catch (error) {
    return (error as Error).message
  }
  velocities(model, state, data)
  const contacts = new ContactSet()
  const detector = new ContactDetector(model, shapes, fixtures, physical)
  detector.detect(data, Float64Array.of(1e-3), contacts, new Float64Array(detector.memorySize))

  const stiffness = stiffnessOf(physical, robot.massUsed, Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]))
  const row = new Float64Array(model.nv)
  let largest = 0
  for (let c = 0; c < contacts.count; c++) {
    row.fill(0)
    directionRow(model, data, contacts.bodyB[c], contacts.point, 3 * c, contacts.normal, 3 * c, 1, row, 0)
    solveLTransposed(model, data.L, row) // M = L' L, so J M^-1 J' = |L'^-1 J'|^2
    let inverseMass = 0
    for (let i = 0; i < row.length; i++) inverseMass += row[i] * row[i]
    largest = Math.max(largest, Math.sqrt(stiffness * inverseMass))
  }
  return largest
}

const stiffnessOf = ({ stiffness, allowedPenetration }: PhysicalInputs, mass: number, gravity: number) =>
  stiffness ?? (mass * gravity) / allowedPenetration
