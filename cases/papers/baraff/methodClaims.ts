/** Results of the methods that others have superseded, and of the claims of sections 4 and 7.1 on robots. */
import type { Claim } from '../page.ts'
import { judged, worst } from './claims.ts'
import { heuristicOnBox, heuristics, iterations, leastProduct, programs } from './methods.ts'
import { frictionlessOn, impactOn, painleveOnLeg, restOn, robotStiffnesses, robotsTried } from './robots.ts'
import { short } from './scene.ts'

/** Sections 4.1.2 and 7.2. */
export function methodClaims(): Claim[] {
  const { problems, solved, product, apart } = programs(20)
  const squeezed = leastProduct({
    A: [
      [1, -1],
      [-1, 1],
    ],
    b: [-1, -1],
  })
  const program: Claim = {
    where: 'Equation 8 (Kilmister and Reeve, Ingleton, Cottle, Lötstedt)',
    claim: 'forces as a quadratic program, least f · a of f ≥ 0 and a = A f + b ≥ 0, are those of the complementarity problem',
    paper: 'equation 8 as an attempt to minimise f · a',
    found: `${solved} of ${problems} random bodies on 1 to 8 contacts: f · a ≤ ${short(product)} of |b| times the largest force, accelerations within ${short(apart)} of those of equation 8, and of Gauss’s principle, the accelerations nearest to the free ones with J a ≥ 0. A = (1 −1; −1 1), b = (−1, −1): ${squeezed === undefined ? 'no forces' : 'forces'}`,
    judgement: judged(solved === problems && product < 1e-12 && apart < 1e-10 && squeezed === undefined),
    why: 'Programs by their conditions of Karush, Kuhn and Tucker, with Lemke’s algorithm; a test has another program’s beside them. The program fails where b is not in the range of A, and nothing satisfies f ≥ 0, a ≥ 0.',
  }
  const sizes = [1, 2, 4, 6]
  const rows = sizes.map((n) => heuristics(n, 200))
  const total = rows.reduce((sum, row) => sum + row.problems, 0)
  const done = rows.reduce((sum, row) => sum + row.solved, 0)
  const [box, most] = [heuristicOnBox(), rows[rows.length - 1]]
  const heuristic: Claim = {
    where: 'Section 4.1.2 (Featherstone)',
    claim: 'a heuristic improves on trying all sets of contacts, where the configuration is statically determinate',
    paper: 'requires that the normal forces be unique',
    found: `${done} of ${total} random bodies on ${sizes.join(', ')} contacts, forces within ${short(worst(rows.map((row) => row.apart)))} of those of equation 8; on ${most.contacts} contacts by ${short(most.systems)} systems of equations, in place of up to ${2 ** most.contacts}. ${rows.reduce((sum, row) => sum + row.cycles, 0)} go in circles. A box on four corners: ${box.end === 'singular' ? 'singular at the first' : box.end}`,
    judgement: judged(
      done > 0.98 * total && worst(rows.map((row) => row.apart)) < 1e-9 && most.systems < 8 && box.end === 'singular',
    ),
    why: 'Contacts that pull are let go, and those that accelerate inwards taken on, all at once; the survey does not print his rule. Judged by 98 %, since nothing keeps such exchanges from going round.',
  }
  const counts = [1, 2, 4].map((n) => iterations(n, 150))
  const [one, ...several] = counts
  const iteration: Claim = {
    where: 'Section 7.2 (Baraff 1991)',
    claim: 'static friction by quadratic programs in turn, each with friction bounded by the normal forces of the one before',
    paper: 'not guaranteed to return a solution',
    found: `planar bodies at rest on ${counts.map(({ contacts, settled, problems: of, passes }) => `${contacts} ${contacts === 1 ? 'contact' : 'contacts'}: ${settled} of ${of} settle, in ${short(passes)} programs`).join('; ')}. Of the others ${several.map(({ contacts, missed, first }) => `${missed} have forces all the same on ${contacts}${first === undefined ? '' : ` (the first is number ${first + 1})`}`).join(', ')}, by Lemke’s algorithm on Coulomb’s conditions`,
    judgement: judged(one.settled === one.problems && several.some(({ missed }) => missed > 0)),
    why: 'What settles meets equations 8, 18 and 19 with |f_x| ≤ mu f_N to 1e-9. The survey has no more of the method than a sentence; the programs are Lötstedt’s. The model lotstedt takes one of them a step.',
  }
  return [program, heuristic, iteration]
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
    judgement: judged(legs.length > 0 && legs.every(({ below, above }) => below === 'one answer' && above === 'inconsistent')),
    why: 'One foot on a plate, the others on nothing, joints free, the whole robot slides at 1 m/s in the worst direction; W of the robot’s M and J. Robots whose feet touch with several points have no such foot.',
  }
  return [unique, propagation, limit, paradox]
}
