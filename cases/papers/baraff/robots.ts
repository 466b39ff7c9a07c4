/** Sections 4.1, 4.2 and 7.1 on articulated robots: our own, and two that others made, where they are found. */

import { eigenvalues } from '../../../compare/inspect/eigenvalues.ts'
import { crba, createData, createState, dot, kinematics } from '../../../dynamics/index.ts'
import { loadOwnRobot, loadRobotFile, locateRobot } from '../../../robots/files.ts'
import { type Robot, RobotError } from '../../../robots/index.ts'
import { createGround, World } from '../../../simulation/index.ts'
import { type Claim, judged } from '../page.ts'
import { robotProblem, savedOf, spread } from './frictionless.ts'
import { lemke } from './methods.ts'
import { fittedOrder, solveDense } from './numerics.ts'
import { difference, fixture, short } from './scene.ts'

type Tried = ReturnType<typeof robotsTried>['robots'][number]

/** Diffdrive and humanoid; TurtleBot3 and A1, or the quadruped of our own for it, where they are not found. */
export function robotsTried() {
  const robots: { name: string; robot: Robot }[] = (['diffdrive', 'humanoid'] as const).map((name) => ({
    name,
    robot: loadOwnRobot(name),
  }))
  const missing: string[] = []
  for (const name of ['turtlebot3', 'a1']) {
    const path = pathOf(name)
    if (path === undefined) missing.push(name)
    else robots.push({ name, robot: loadRobotFile(path) })
  }
  if (missing.includes('a1')) robots.push({ name: 'quadruped', robot: loadOwnRobot('quadruped') })
  return { robots, missing }
}

function pathOf(name: string): string | undefined {
  try {
    return locateRobot(name)
  } catch (error) {
    if (error instanceof RobotError) return undefined
    throw error
  }
}

/** The same with surfaces of one coefficient, and joints without dry friction, whatever its file states. */
const withFriction = (robot: Robot, friction: number): Robot => ({
  ...robot,
  model: { ...robot.model, friction: new Float64Array(robot.model.nv) },
  shapes: robot.shapes.map((shape) => ({ ...shape, friction, staticFriction: undefined })),
})

/** Of the home pose. */
function massMatrix({ model, home }: Robot): number[][] {
  const [state, data] = [createState(model), createData(model)]
  state.q.set(home)
  kinematics(model, state, data)
  crba(model, data)
  const { nv } = model
  return Array.from({ length: nv }, (_, i) => Array.from({ length: nv }, (_, j) => data.M[nv * Math.max(i, j) + Math.min(i, j)]))
}

/** Equations 6 to 8 of a robot at rest on the ground, without motor efforts. */
export function frictionlessOn({ name, robot }: Tried) {
  const problem = robotProblem(robot)
  const values = eigenvalues(problem.A)
  return { name, least: values[0] / values[values.length - 1], ...spread(problem) }
}

/**
 * A robot comes down on the ground at 1 m/s, without friction or restitution: M (v⁺ - v) = Jᵀ p, 0 <= p ⟂ J v⁺ + gap / h >= 0, over all its
 * joints and those of their stops that they are at, with M and J written out and p by Lemke's algorithm, beside the velocities after the
 * step of `lcp`.
 *
 * @returns largest difference of a velocity, and the largest jump of one of a joint, over the largest of all
 */
export function impactOn({ name, robot }: Tried) {
  const { nv } = robot.model
  const v = Array.from({ length: nv }, (_, k) => (k === 5 ? -1 : 0))
  const world = new World({
    robot: withFriction(robot, 0),
    contactModel: 'lcp',
    dt: 1e-6,
    physical: { friction: 0, restitution: 0 },
    v,
  })
  world.step()
  const { J, gap, dt, rows: stops = [] } = savedOf(world)
  const M = massMatrix(robot)
  const rows = [...J.filter((_, r) => r % 3 === 0), ...stops.map((stop) => stop.J)]
  const open = [...gap.map((x) => Math.max(0, x) / dt), ...stops.map(({ added }) => Math.max(0, added))]
  const Y = rows.map((row) => solveDense(M, row))
  const p = lemke(
    rows.map((row) => Y.map((column) => dot(row, column))),
    rows.map((row, i) => dot(row, v) + open[i]),
  )
  if (p === undefined) throw new Error(`no impulses stop ${name}`)
  const after = v.map((x, k) => x + Y.reduce((sum, column, i) => sum + column[k] * p[i], 0))
  const size = Math.max(...difference(after, v).map(Math.abs))
  return {
    name,
    contacts: gap.length,
    stops: stops.length,
    miss: Math.max(...after.map((x, k) => Math.abs(x - world.state.v[k]))) / size,
    joints: Math.max(0, ...after.slice(6).map(Math.abs)) / size,
  }
}

export const robotStiffnesses = [3e4, 1e5, 3e5, 1e6]

/** How much lower than under `lcp` a robot rests on springs of stiffness k [m], and the order of that in k. */
export function restOn({ name, robot }: Tried) {
  const height = (contactModel: 'lcp' | 'penalty-deepest', k?: number) => {
    const physical = k === undefined ? {} : { stiffness: k }
    const world = new World({ robot, contactModel, dt: 1e-3, physical })
    for (let step = 0; step < 400; step++) world.step()
    return world.state.q[2]
  }
  const rigid = height('lcp')
  const errors = robotStiffnesses.map((k) => Math.abs(height('penalty-deepest', k) - rigid))
  return { name, errors, order: fittedOrder(robotStiffnesses, errors) }
}

/**
 * One foot of a robot in its home pose on a plate, all others on nothing, and the whole robot slides: friction from which on A of that contact is
 * below 0, W_nn / |W_nt|, for the worst direction; and the name that the first step of `lcp` gives it 3 % below and above. Of the feet that touch
 * with one point the one of the least; undefined if there is none.
 */
export function painleveOnLeg({ name, robot }: Tried) {
  const on = (x: number, y: number, mu: number, direction: readonly number[]) => {
    const plate = fixture('plate', { type: 'box', size: [0.03, 0.03, 0.1] }, [x, y, -0.05])
    const v = Array.from({ length: robot.model.nv }, (_, k) => (k === 3 || k === 4 ? direction[k - 3] : 0))
    const world = new World({
      robot: withFriction(robot, mu),
      contactModel: 'lcp',
      dt: 1e-4,
      physical: { friction: mu },
      fixtures: [plate],
      v,
    })
    world.step()
    return world
  }
  const whole = new World({ robot, contactModel: 'lcp', dt: 1e-3, fixtures: [createGround()] })
  whole.step()
  const { contacts } = whole
  let critical = Number.POSITIVE_INFINITY
  let names: string[] = []
  for (let i = 0; i < contacts.count; i++) {
    const [x, y] = [contacts.point[3 * i], contacts.point[3 * i + 1]]
    const world = on(x, y, 0.1, [0, 0])
    if (world.contacts.count !== 1 || world.contacts.gap[0] > 1e-9) continue
    const { M, J } = savedOf(world)
    const Y = solveDense(M, J[0])
    const [nn, n1, n2] = J.map((row) => dot(row, Y))
    const least = nn / Math.hypot(n1, n2)
    if (!(least < critical)) continue
    critical = least
    const { tangent1, tangent2 } = world.contacts
    const direction = [0, 1].map((d) => (n1 * tangent1[d] + n2 * tangent2[d]) / Math.hypot(n1, n2))
    names = [0.97, 1.03].map((share) => {
      const { events } = on(x, y, share * least, direction)
      const found = events.solvers.find(({ solver, solved, failed }) => solver.startsWith('impulse-') && solved + failed > 0)
      const unmet = found?.solved === 0 ? ', no impulse found' : ''
      return found === undefined ? 'one answer' : `${found.solver.slice('impulse-'.length)}${unmet}`
    })
  }
  return critical < Number.POSITIVE_INFINITY ? { name, critical, below: names[0], above: names[1] } : undefined
}

/** Sections 4 and 7.1 on articulated robots. */
export function robotClaims(): Claim[] {
  const { robots, missing } = robotsTried()
  const absent =
    missing.length === 0
      ? ''
      : ` Not found: ${missing.join(', ')}; FEATHERBED_ROBOTS names the folder that holds them${missing.includes('a1') ? ', and the quadruped stands in' : ''}.`
  const forces = robots.map(frictionlessOn)
  const unique: Claim = {
    where: 'Equations 6 and 8, on robots',
    claim: 'A is positive semidefinite, the frictionless problem has a solution, and accelerations do not depend on which',
    found: `${forces.map(({ name, contacts, solved, forces: f, accelerations }) => `${name} (${contacts} contacts): ${solved} solvers, forces differ by ${short(100 * f)} % of the largest, accelerations by ${short(accelerations)}`).join('; ')}. Least eigenvalue ${short(Math.min(...forces.map(({ least }) => least)))} of the largest`,
    judgement: judged(forces.every(({ solved, accelerations, least }) => solved >= 6 && accelerations < 1e-6 && least > -1e-14)),
    why: `Home poses without motor efforts.${absent}`,
  }
  const impacts = robots.map(impactOn)
  const propagation: Claim = {
    where: 'Section 4.1.1, on robots',
    claim: 'an impact goes through all joints at once: a robot that comes down at 1 m/s, without friction or restitution',
    paper: 'a special case of solving equality constrained dynamics',
    found: impacts
      .map(({ name, miss, joints }) => `${name}: joints jump by ${short(joints)} of the largest velocity, within ${short(miss)}`)
      .join('; '),
    judgement: judged(impacts.every(({ miss }) => miss < 1e-4) && impacts.some(({ joints }) => joints > 0.1)),
    why: 'M (v⁺ − v) = Jᵀ p with M and J written out and p by Lemke’s algorithm, joint stops included, beside a step of lcp. Judged by 1e-4, softness.',
  }
  const standing = robots.filter(({ name }) => name === 'diffdrive' || name === 'turtlebot3').map(restOn)
  const limit: Claim = {
    where: 'Section 4.2, on robots',
    claim: 'as k grows the penalty method tends to the constraint: how much lower a robot on wheels rests',
    found: standing
      .map(
        ({ name, errors, order }) =>
          `${name}: ${short(errors[0])} m at k = ${short(robotStiffnesses[0])} N/m, order ${short(order)} in k`,
      )
      .join('; '),
    judgement: judged(standing.every(({ order }) => Math.abs(order + 1) < 0.05)),
    why: 'penalty-deepest beside lcp after 0.4 s. Judged by order −1 to 0.05.',
  }
  const legs = robots.flatMap((one) => painleveOnLeg(one) ?? [])
  const paradox: Claim = {
    where: 'Section 7.1, on robots',
    claim: 'a foot or caster that slides has no force from a friction W_nn / |W_nt| on: Painlevé’s paradox on a robot',
    found: legs
      .map(
        ({ name, critical, below, above }) =>
          `${name}: from ${short(critical)}; lcp at 3 % below ${below}, at 3 % above ${above}`,
      )
      .join('; '),
    judgement: judged(
      legs.length > 0 && legs.every(({ below, above }) => below === 'one answer' && above.startsWith('inconsistent')),
    ),
    why: 'One foot on a plate, the others on nothing, joints free, the whole robot slides at 1 m/s in the worst direction; W of the robot’s M and J. Robots whose feet touch with several points have no such foot.',
  }
  return [unique, propagation, limit, paradox]
}
