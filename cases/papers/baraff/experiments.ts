import type { Claim, Figure } from '../page.ts'
import { judged, range, worst } from './claims.ts'
import {
  conditionsOf,
  freedomOf,
  laggedConfigurations,
  rough,
  type StaticCounts,
  type Sticking,
  staticConfigurations,
  sticking,
  tippedLimit,
} from './friction.ts'
import { answersOf, boxProblem, bricksOf, bricksProblem, randomProblems, robotProblem, spread } from './frictionless.ts'
import { impactClaims } from './impactClaims.ts'
import { type Agreement, armImpact } from './impacts.ts'
import { methodClaims, robotClaims } from './methodClaims.ts'
import { fittedOrder } from './numerics.ts'
import {
  type Branch,
  branches,
  criticalFriction,
  firstSteps,
  kindOf,
  type Start,
  springImpulse,
  starts,
  stoppingImpulse,
  tipProblem,
  underLotstedt,
} from './painleve.ts'
import {
  between,
  exactPath,
  held,
  orderOf,
  releaseAngle,
  released,
  type Slide,
  slides,
  slideTime,
  struck,
  surface,
} from './particle.ts'
import { contactTime, equalityError, flightTime, inequalityError, largestStep, stiffnesses } from './penalty.ts'
import { g, isRigid, models, short } from './scene.ts'
import { solverClaims } from './solverClaims.ts'
import { allModels, enclosure, expectedThrough, firstContacts, type Shots, shots, steps } from './timeOfContact.ts'

/** Everything at once; `--json` prints it beside the claims. */
export interface BaraffReproduction {
  readonly claims: readonly Claim[]
  readonly figures: readonly Figure[]
  /** Of each model: the slide off the sphere at three steps. */
  readonly slides: readonly (readonly Slide[])[]
  readonly sticking: readonly Sticking[]
  /** Of each model: one answer, inconsistent, indeterminate, and that by coordinates of the middle. */
  readonly branches: readonly (readonly Branch[])[]
  readonly impacts: readonly Agreement[]
  readonly shots: readonly Shots[]
  readonly configurations: readonly StaticCounts[]
}

const sumOf = (list: readonly Shots[], what: 'through' | 'shots') => list.reduce((sum, one) => sum + one[what], 0)

type Part = Pick<BaraffReproduction, 'claims' | 'figures'>

const rigid = models.filter(isRigid)

/** All that D. Baraff, Non-penetrating Rigid Body Simulation, Eurographics '93 State of the Art Reports, says that can be tried. The same numbers at every call. */
export function reproduceBaraff(progress?: (what: string, fraction: number) => void): BaraffReproduction {
  let done = 0
  const part = <T>(what: string, run: () => T): T => {
    progress?.(what, done++ / 11)
    return run()
  }
  const path = part('the particle on a surface', particlePart)
  const forces = part('frictionless forces', frictionlessPart)
  const springs = part('the penalty method', penaltyPart)
  const friction = part('friction', frictionPart)
  const paradox = part('Painlevé’s rod', painlevePart)
  const statics = part('static friction', staticPart)
  const impacts = part('impacts', impactClaims)
  const collisions = part('time of contact', timePart)
  const methods = part('superseded methods', () => ({ claims: methodClaims(), figures: [] }))
  const solvers = part('solvers', () => ({ claims: solverClaims(), figures: [] }))
  const robots = part('robots', () => ({ claims: robotClaims(), figures: [] }))
  const parts = [collisions, path, forces, springs, friction, impacts, paradox, statics, methods, solvers, robots]
  return {
    claims: parts.flatMap(({ claims }) => claims),
    figures: parts.flatMap(({ figures }) => figures),
    slides: path.slides,
    sticking: friction.sticking,
    branches: paradox.branches,
    impacts: impacts.impacts,
    shots: collisions.shots,
    configurations: statics.configurations,
  }
}

/** Sections 2.1 and 4.1. */
function particlePart(): Part & { slides: Slide[][] } {
  const all = slides()
  const { moments } = exactPath(atRest, slideTime)
  const negative = exactPath(atRest, slideTime, true).moments
  const thin = (t: readonly number[], y: readonly number[]) => {
    const every = Math.ceil(t.length / 300)
    return { x: t.filter((_, k) => k % every === 0), y: y.filter((_, k) => k % every === 0) }
  }
  const curve = (name: string, t: readonly number[], y: readonly number[]) => ({ name, ...thin(t, y) })
  const of = (model: string) => all[models.indexOf(model as (typeof models)[number])].at(-1) as Slide
  const times = moments.map(({ t }) => t)
  const forcesOf = (list: readonly { readonly force: number }[]) => list.map(({ force }) => force)
  return {
    slides: all,
    claims: [...slideClaims(all), ...heldClaims(), ...arrivalClaims()],
    figures: [
      {
        id: '2',
        title: `Figures 2 and 4: normal force on a particle that slides off a sphere of ${surface} m`,
        x: 'time [s]',
        y: 'f_N [N]',
        logarithmic: false,
        curves: [
          curve('lcp', of('lcp').t, of('lcp').force),
          curve('drake', of('drake').t, of('drake').force),
          { ...curve('C ≥ 0, exact', times, forcesOf(moments)), dashed: true },
          { ...curve('C = 0, exact', times, forcesOf(negative)), dashed: true },
        ],
      },
    ],
  }
}

/** Of the particle, let go at rest near the top: where it is and how it moves. */
const atRest = [Math.sin(releaseAngle), 0, Math.cos(releaseAngle), 0, 0, 0]

function slideClaims(all: readonly (readonly Slide[])[]): Claim[] {
  const fine = all.map((list) => list[list.length - 1])
  const { left } = exactPath(atRest, slideTime)
  if (left === undefined) throw new Error('the exact path never leaves the sphere')
  const exactAngle = Math.acos(left.y[2])
  const closedForm = Math.acos((2 / 3) * Math.cos(releaseAngle))
  const orders = all.map(orderOf)
  const slide: Claim = {
    where: 'Equations 1, 3 to 5',
    claim: `a particle let go at rest ${releaseAngle} rad from the top of a sphere slides, leaves it and flies on, under all thirteen models`,
    paper: 'x″ = F + f_N ∇C with f_N ≥ 0, a_N ≥ 0, f_N a_N = 0',
    found: `${range(fine.map(({ errorEnd }) => errorEnd))} m from the path of equations 4 and 5 after ${slideTime} s in steps of ${fine[0].dt * 1e3} ms; error of order ${range(orders)} in the step`,
    judgement: judged(Math.min(...orders) > 0.9 && worst(fine.map(({ errorEnd }) => errorEnd)) < 1.5e-3),
    why: `The path is integrated in the experiment by Runge-Kutta; it leaves at cos θ = 2/3 cos θ0 to ${short(Math.abs(exactAngle - closedForm) + 1e-16)} rad. Springs are as stiff as press 0.01 mm deep under the weight. Judged by an order above 0.9, for all.`,
  }
  const travel = fine[0].dt * Math.hypot(left.y[3], left.y[5])
  const angles = (list: readonly Slide[]) => list.map(({ leaves }) => leaves)
  const exactly = fine.filter(({ model }) => isRigid(model) && model !== 'anitescu-potra')
  const others = fine.filter((one) => !exactly.includes(one))
  const release: Claim = {
    where: 'Section 4.1.2, figures 2 and 4',
    claim:
      'a force that may push and not pull lets go where it would have to pull: last push of lcp and the other rigid models but anitescu-potra',
    paper: 'f_N = 0 where a_N > 0',
    found: `at ${Math.min(...angles(exactly)).toFixed(4)} to ${worst(angles(exactly)).toFixed(4)} rad of ${closedForm.toFixed(4)}; the particle goes ${travel.toFixed(4)} rad in a step`,
    judgement: judged(exactly.every(({ leaves }) => Math.abs(leaves - closedForm) < 1.5 * travel)),
    why: `Judged by 1.5 steps. Not so ${others.map(({ model, leaves }) => `${model} (${leaves.toFixed(4)})`).join(', ')}: springs swing about their balance and lift off before; anitescu-potra keeps a gap that has opened from closing.`,
  }
  return [slide, release]
}

/** Held to the sphere, between two surfaces, and under a force that lifts. */
function heldClaims(): Claim[] {
  const hold = models.map((model) => [held(model, 1e-3), held(model, 5e-4)] as const)
  const halves = hold.map(([coarse, half]) => coarse.error / half.error)
  const negative = exactPath(atRest, slideTime, true).moments
  const equality: Claim = {
    where: 'Equation 2',
    claim:
      'held to the sphere, C = 0, the particle stays on it where the inequality lets go: the sphere as a loop to its middle, all models',
    paper: 'equality-constrained; the force may pull (figure 2b)',
    found: `stays on the sphere to ${short(worst(hold.map(([, half]) => half.off)))} m; ${range(hold.map(([, half]) => half.error))} m from the path; errors fall by ${range(halves)} where the step is halved. f_N falls to ${short(Math.min(...negative.map(({ force }) => force)))} N`,
    judgement: judged(Math.min(...halves) > 1.8 && worst(hold.map(([, half]) => half.off)) < 5e-5),
    why: 'Judged by first order, and 0.05 mm off the sphere at 0.5 ms.',
  }
  const both = models.map(between)
  const stiff = both.filter(({ model }) => isRigid(model))
  const pair: Claim = {
    where: 'Section 2.1.3',
    claim: 'C ≥ 0 and −C ≥ 0 together are C = 0: between a floor and a ceiling, pushed against both in turn',
    found: `rigid models ${short(worst(stiff.map(({ off }) => off)))} m off at most; of forces ${short(worst(stiff.map(({ push, pull }) => Math.max(Math.abs(push - g), Math.abs(pull + 30 - g)))))} N. Springs ${short(worst(both.filter(({ model }) => !isRigid(model)).map(({ off }) => off)))} m off`,
    judgement: judged(
      stiff.every(({ off, push, pull }) => off < 1e-8 && Math.abs(push - g) < 1e-5 && Math.abs(pull + 30 - g) < 1e-5),
    ),
    why: 'Judged, for rigid models, by 1e-8 m and 1e-5 N: softness of 5e-6 of a contact’s inertia is theirs, and gives way by less.',
  }
  const loads = [0, 5, g, 15]
  const misses = rigid.map((model) =>
    worst(
      loads.map((F) => {
        const { f, a } = released(model, F)
        return Math.max(Math.abs(f - Math.max(0, g - F)), Math.abs(a - Math.max(0, F - g)))
      }),
    ),
  )
  const onePoint: Claim = {
    where: 'Equation 5',
    claim: 'f_N and a_N of one contact under an upward force of 0, 5, 9.81 and 15 N on 1 kg, rigid models',
    paper: 'the one solution of f ≥ 0, c f + d ≥ 0, f (c f + d) = 0',
    found: `f_N = max(0, m g − F) and a_N = max(0, F / m − g), within ${short(worst(misses))} N and m/s²`,
    judgement: judged(worst(misses) < 1e-4),
    why: 'Judged by 1e-4: the softness of rigid models, 5e-6 of the weight.',
  }
  return [equality, pair, onePoint]
}

function arrivalClaims(): Claim[] {
  const ratios = [0, 0.5, 1]
  const impulsive = models.filter((model) => !['hunt-crossley', 'mujoco', 'drake'].includes(model))
  const hits = impulsive.map((model) => worst(ratios.map((e) => struck(model, e))))
  const collision: Claim = {
    where: 'Section 4.1.1',
    claim: 'on arrival an impulse along the normal changes the velocity at once: e of 0, 0.5 and 1, oblique',
    paper: 'Newton’s law of restitution; one equation in one unknown',
    found: `velocity after within ${short(worst(hits))} m/s of v − (1 + e) (n · v) n, for ${impulsive.length} models`,
    judgement: judged(worst(hits) < 1e-5),
    why: 'Judged by 1e-5 m/s at 1 m/s. hunt-crossley, mujoco and drake have no impulses: their springs take time over an impact.',
  }
  const arms = ratios.map((e) => armImpact(e, impulsive))
  const armMiss = worst(arms.flatMap(({ expected, found }) => found.map((p) => Math.abs(p / expected - 1))))
  const articulated: Claim = {
    where: 'Section 4.1.1',
    claim: 'an arm of two links strikes the ground: n + 1 linear equations for n = 4 joint impulses and the contact’s',
    paper: 'a special case of solving equality constrained dynamics',
    found: `normal impulse ${arms.map(({ expected }) => short(expected)).join(', ')} N s at e of 0, 0.5, 1 by five equations over six velocities; models, which know joint angles alone, within ${short(armMiss)} of it`,
    judgement: judged(armMiss < 1e-5),
    why: 'The five equations are written out in the experiment. Judged by 1e-5, softness.',
  }
  return [collision, articulated]
}

/** Section 4.1, equations 6 to 8, and figure 3. */
function frictionlessPart(): Part {
  const problems = randomProblems(30)
  const { least, asymmetry, motions } = problems
  const matrix: Claim = {
    where: 'Equation 6',
    claim: 'a_N = A f_N + b with A symmetric and positive semidefinite',
    found: `least eigenvalue ${short(least)} of the largest, asymmetry ${short(asymmetry)}, over ${problems.problems} bodies on 1 to 10 random contacts`,
    judgement: judged(least > -1e-14 && asymmetry < 1e-14),
    why: 'Rounding. Eigenvalues by Jacobi’s rotations in the experiment.',
  }
  const several = [
    { what: 'box on 4 corners', problem: boxProblem(4) },
    { what: 'box on 8 contacts', problem: boxProblem(8) },
    { what: 'diffdrive', problem: robotProblem('diffdrive') },
    { what: 'humanoid', problem: robotProblem('humanoid') },
  ].map(({ what, problem }) => {
    const answers = answersOf(problem)
    return { what, contacts: problem.b.length, solved: answers.filter((one) => one.solved).length, ...spread(problem, answers) }
  })
  const unique: Claim = {
    where: 'Equation 8',
    claim:
      'forces need not be unique, accelerations are: a box on the floor and against a wall too, and two robots on theirs, by every solver',
    paper: 'A singular',
    found: `${several.map(({ what, contacts, solved, forces, accelerations }) => `${what} (${contacts} contacts): ${solved} solvers differ by ${short(100 * forces)} % of the largest force, by ${short(accelerations)} of the largest acceleration`).join('; ')}. Of ${problems.problems} random problems forces differ in ${problems.several}, accelerations by ${short(motions)} at most`,
    judgement: judged(
      several.every(({ forces, accelerations }) => forces > 0.1 && accelerations < 1e-6) &&
        problems.several > 0 &&
        motions < 1e-6,
    ),
    why: 'Judged by 1e-6: the iterative solvers stop at 1e-8.',
  }
  const problem = bricksProblem()
  const truth = answersOf(problem).find(({ solver }) => solver === 'enumeration')
  if (truth === undefined) throw new Error('there is no solver "enumeration"')
  const opens = (a: readonly number[]) => a.flatMap((value, i) => (value > 1e-2 ? [i + 1] : [])).join(', ')
  const stack = (['lcp', 'stewart-trinkle'] as const).map((model) => ({ model, ...bricksOf(model) }))
  const load = worst(truth.f)
  const miss = worst(stack.flatMap(({ force }) => force.map((f, i) => Math.abs(f - truth.f[i]) / load)))
  const bricksClaim: Claim = {
    where: 'Figure 3',
    claim: 'overbalanced bricks, ten contacts: which of them break follows from all together',
    paper: 'drawn, without sizes',
    found: `of five bricks, each farther out, contact ${opens(truth.a)} opens, under ${stack.map(({ model, opening }) => `${model} ${opens(opening)}`).join(', under ')}; forces within ${short(miss)} of the largest`,
    judgement: judged(stack.every(({ opening }) => opens(opening) === opens(truth.a)) && miss < 1e-4),
    why: `Sizes of our own. The truth is that of all ${2 ** 10} sets of active contacts, of planar bricks written out in the experiment; contacts are counted from the ground, left before right. Not the top brick tips, but the four upper ones as one.`,
  }
  return { claims: [matrix, ...existenceOfForces(problems), unique, bricksClaim], figures: [] }
}

/** Equation 8 as printed, and as it holds. */
function existenceOfForces(problems: ReturnType<typeof randomProblems>): Claim[] {
  const exists: Claim = {
    where: 'Equation 8',
    claim: 'a solution exists where b is in the range of A, as in every frictionless configuration at rest',
    paper: '“always has at least one solution”',
    found: `${problems.problems - problems.unsolved} of ${problems.problems} random bodies at rest solved`,
    judgement: judged(problems.unsolved === 0),
    why: 'At rest b = J a0 = J M⁻¹ (M a0), and J M⁻¹ᐟ² has the range of A = J M⁻¹ Jᵀ. With b = A c the form fᵀ A f / 2 + bᵀ f = |f + c|²_A / 2 − |c|²_A / 2 is bounded below, so that it has a least value over f ≥ 0 (Frank and Wolfe), whose conditions are equation 8.',
  }
  const A = [
    [1, -1],
    [-1, 1],
  ]
  const stuck = answersOf({ A, b: [-1, -1], J: [[1], [-1]], M: [[1]], free: [0] })
  const notAlways: Claim = {
    where: 'Equation 8',
    claim: 'as printed: because A is positive semidefinite a solution always exists, of b no more being said',
    paper: '“As a result, equation (8) always has at least one solution”',
    found: `A = (1 −1; −1 1), b = (−1, −1): ${stuck.filter(({ solved }) => solved).length} of ${stuck.length} solvers find one, for a_1 + a_2 = −2 whatever f is`,
    judgement: 'not reproduced',
    why: 'b has a term of velocity besides J a0: a particle that moves through the widest place of a gap of its own width is squeezed from both sides, and no acceleration saves it. The printed conclusion needs b in the range of A, which has the row above.',
  }
  return [exists, notAlways]
}

/** Section 4.2. */
function penaltyPart(): Part {
  const ks = [...stiffnesses]
  const equality = ks.map(equalityError)
  const [bare, damped] = [0, 1].map((damping) => ks.map((k) => inequalityError(k, damping)))
  const order = (values: readonly number[]) => fittedOrder(ks, values)
  const one = (x: number) => Math.abs(x + 1) < 0.05
  const limit: Claim = {
    where: 'Equation 11 (Rubin and Ungar)',
    claim: 'as k grows without limit the path of the penalty method tends to that of the constraint, C = 0',
    found: `largest distance in ${slideTime} s ${short(equality[0])} m at k = ${short(ks[0])} N/m, ${short(equality[ks.length - 1])} m at ${ks[ks.length - 1].toExponential(0)}: order ${short(order(equality))} in k`,
    judgement: judged(one(order(equality))),
    why: 'Equation 11 integrated in the experiment, pulling as it pushes, by Runge-Kutta in steps of 0.15 / ω. Judged by order −1 to 0.05.',
  }
  const contact = order(bare.map((x) => x.contact))
  const inContact: Claim = {
    where: 'Section 4.2',
    claim: 'the same for the inequality over an interval in which no contact breaks or forms',
    found: `penalty-deepest, no damper, ${contactTime} s of sliding: order ${short(contact)} in k; critically damped ${short(order(damped.map((x) => x.contact)))}`,
    judgement: judged(one(contact) && one(order(damped.map((x) => x.contact)))),
    why: 'Judged by order −1 to 0.05.',
  }
  const flight = [bare, damped].map((list) => order(list.map((x) => x.flight)))
  const broken: Claim = {
    where: 'Section 4.2',
    claim: 'past a contact that breaks that is not proven: penalty forces that are set to zero there',
    paper: 'not proven to give the correct behaviour',
    found: `${flightTime} s, 0.2 s after it broke: still converges, without damper by order ${short(flight[0])} only, critically damped by ${short(flight[1])}`,
    judgement: judged(contact < -0.95 && flight[0] > -0.75),
    why: 'Without a damper the particle leaves with what speed its swing has there, which falls as 1/√k and hangs on where in its swing it is. So the reservation is needed: 1/k does not hold past the break.',
  }
  const explicit = ks.map((k) => largestStep(k, 'rk4'))
  const implicit = ks.map((k) => largestStep(k))
  const bound = explicit.map((dt, i) => dt * Math.sqrt(ks[i]))
  const stiff: Claim = {
    where: 'Section 4.2',
    claim: 'a large k makes the equation stiff: the largest step at which a resting particle stays, and so the cost',
    paper: 'expensive and difficult to solve',
    found: `Runge-Kutta: ${short(explicit[0])} s at k = ${short(ks[0])} N/m to ${short(explicit[ks.length - 1])} s at ${ks[ks.length - 1].toExponential(0)}, order ${short(fittedOrder(ks, explicit))} in k, ω h = ${range(bound)}. The model’s own implicit step: ${implicit.every((dt) => dt === Infinity) ? 'any step' : 'a limit too'} up to ω h = 100`,
    judgement: judged(bound.every((x) => Math.abs(x / Math.sqrt(8) - 1) < 0.02)),
    why: 'The limit of the method is ω h = √8, so that steps a second grow as √k. Judged by that to 2 %. What the survey says is of explicit methods; stiff ones were known and are not mentioned.',
  }
  const line = (name: string, y: readonly number[], dashed = false) => ({ name, x: ks, y, dashed })
  return {
    claims: [limit, inContact, broken, stiff],
    figures: [
      {
        id: '11',
        title: 'Section 4.2: error of the penalty method against k',
        x: 'k [N/m]',
        y: 'distance from the exact path [m]',
        logarithmic: true,
        logarithmicX: true,
        curves: [
          line('C = 0', equality),
          line(
            'in contact, no damper',
            bare.map((x) => x.contact),
          ),
          line(
            'after the break, no damper',
            bare.map((x) => x.flight),
          ),
          line(
            'after the break, damped',
            damped.map((x) => x.flight),
          ),
          line(
            '1 / k',
            ks.map((k) => (equality[0] * ks[0]) / k),
            true,
          ),
        ],
      },
      {
        id: 'stiffness',
        title: 'Section 4.2: the largest step that stays, Runge-Kutta',
        x: 'k [N/m]',
        y: 'step [s]',
        logarithmic: true,
        logarithmicX: true,
        curves: [
          line('found', explicit),
          line(
            '√8 / ω',
            ks.map((k) => Math.sqrt(8 / k)),
            true,
          ),
        ],
      },
    ],
  }
}

/** Section 5.1. */
function roughClaim(sticks: readonly Sticking[]): Claim {
  const constraint = sticks.filter(({ model }) => isRigid(model))
  const holds = constraint.filter(
    ({ breaks, breaksTipped, slides: coefficient, crept, speed }) =>
      Math.abs(breaks - rough.muStatic) < 0.02 &&
      breaksTipped > tippedLimit &&
      breaksTipped < rough.muStatic + 0.02 &&
      Math.abs(coefficient - rough.mu) < 5e-3 &&
      crept < 1e-4 &&
      Math.abs(speed - (1 + 0.5 * (0.5 - rough.mu) * g)) < 0.01,
  )
  const soft = sticks.filter(({ model }) => !isRigid(model))
  return {
    where: 'Section 5.1',
    claim: `static friction (${rough.muStatic}) above dynamic (${rough.mu}), in the ${constraint.length} constraint-based models`,
    paper: 'typically static is larger; for a given instant it is known which applies',
    found: `a box on which a load grows at its foot breaks away at ${range(constraint.map(({ breaks }) => breaks))} of its weight and slides with ${range(constraint.map((s) => s.slides))}; with the load at half its height at ${range(constraint.map((s) => s.breaksTipped))}. Under a load of 0.5, between both, it stays at rest if at rest (${short(worst(constraint.map(({ crept }) => crept)))} m in 0.5 s) and speeds up if it slides, from 1 to ${range(constraint.map(({ speed }) => speed))} m/s`,
    judgement: judged(holds.length === constraint.length),
    why: `The branch between both is that of the slip at the start of the step. A load at half the height takes normal force from the rear points, which let go at ${short(tippedLimit)}, each by itself: how rigid points share friction is open, and the survey has no rule for it. Judged by 0.02 (1 cm/s have to be gained), 0.005, 0.1 mm and 0.01 m/s. Springs: ${soft.map(({ model, breaks, slides: coefficient }) => `${model} breaks at ${short(breaks)}, slides with ${short(coefficient)}`).join('; ')}.`,
  }
}

/** Section 5. */
function frictionPart(): Part & { sticking: Sticking[] } {
  const [own, baraff] = [conditionsOf(), conditionsOf({ solver: 'baraff' })]
  const dynamic: Claim = {
    where: 'Equations 14 to 17',
    claim: 'dynamic friction of lcp has the size mu f_N and is against the slip: a box that slides, turns and stops',
    found: `over ${own.dynamic} contacts that slip, off by ${short(own.offDirection)} of mu f_N at most; |f_t| above mu f_N by ${short(own.over)} at most`,
    judgement: judged(own.offDirection < 0.01 && own.over < 1e-9 && own.dynamic > 500),
    why: `Against the slip of the start of a step, which turns by 0.002 rad over it. Judged by 1 %, of contacts that slip at the end too. Under solver: baraff ${baraff.offCount} of ${baraff.dynamic} are off by more: where slip is about to stop, friction is found against the slip of the end.`,
  }
  const fixed: Claim = {
    where: 'Equations 18 and 19',
    claim:
      'static friction of lcp either holds, a_t = 0, or is at its limit and opposes: the box at rest under a growing push off its middle',
    found: `${own.staysStatic} contacts hold with |f_t| ≤ mu f_N; of ${own.breaksAway} that begin to slip, |f_t| is short of mu f_N by ${short(Math.max(0, own.lack))} and f_t · a_t / (|f_t| |a_t|) is ${short(own.cosine)} at most`,
    judgement: judged(own.breaksAway > 0 && own.staysStatic > 100 && own.lack < 1e-9 && own.cosine <= 0),
    why: 'Newton’s method, by default, takes friction against the slip that follows, which is one of the answers that equation 19 has.',
  }
  const pulls = [1.1, 1.5, 2, 3, 5]
  const free = pulls.map(freedomOf)
  const off = worst(free.map(({ angle }, i) => Math.abs(angle - Math.acos(1 / pulls[i]))))
  const oblique: Claim = {
    where: 'Equation 19',
    claim: 'where slip begins the direction of friction need not be opposite to the acceleration',
    found: `a particle pulled with twice what friction holds: every direction within ${short((free[2].angle * 180) / Math.PI)}° of the opposite of the pull is an answer, accelerations of ${short(free[2].straight)} to ${short(free[2].widest)} mu g. In the pushed box solver: baraff ends with f_t · a_t / (|f_t| |a_t|) = ${short(baraff.cosine)} at a contact, newton with ${short(own.cosine)}`,
    judgement: judged(off < 2e-3 && baraff.cosine > -0.9),
    why: 'Closed form: cos of the angle is at least mu f_N / F. So equation 19 leaves a whole cone of motions even of one particle: static friction is indeterminate there, and the model’s branch, straight against, is one of them.',
  }
  const sticks = models.map(sticking)
  return {
    sticking: sticks,
    claims: [dynamic, fixed, oblique, roughClaim(sticks)],
    figures: [
      {
        id: '19',
        title: 'Equation 19: how far friction may be from opposite, of a particle that is pulled',
        x: 'pull over mu f_N',
        y: 'angle [°]',
        logarithmic: false,
        curves: [
          { name: 'widest that meets equation 19', x: pulls, y: free.map(({ angle }) => (angle * 180) / Math.PI) },
          { name: 'arccos(mu f_N / F)', x: pulls, y: pulls.map((F) => (Math.acos(1 / F) * 180) / Math.PI), dashed: true },
        ],
      },
    ],
  }
}

/** Section 7.1. */
function painlevePart(): Part & { branches: Branch[][] } {
  const all = branches()
  const [normal] = stoppingImpulse(starts.inconsistent)
  const ks = [1e5, 1e6, 1e7, 1e8, 1e9]
  const springs = ks.map(springImpulse)
  const angles = Array.from({ length: 61 }, (_, k) => 15 + k)
  return {
    branches: all,
    claims: [...existenceClaims(), ...branchClaims(all, normal), laggedClaim()],
    figures: [
      {
        id: 'painleve',
        title: 'Section 7.1: friction from which on a rod that slides has no force, or two',
        x: 'angle to the ground [°]',
        y: 'critical friction',
        logarithmic: false,
        curves: [
          {
            name: '(1 + 3 cos² θ) / (3 sin θ cos θ), least 4/3',
            x: angles,
            y: angles.map((a) => criticalFriction((a * Math.PI) / 180)),
          },
        ],
      },
      {
        id: 'wedge',
        title: 'Section 7.1: impulse of springs on the inconsistent rod against k',
        x: 'k [N/m]',
        y: 'normal impulse until it stands [N s]',
        logarithmic: false,
        logarithmicX: true,
        curves: [
          { name: 'penalty-deepest, no damper', x: ks, y: springs },
          { name: 'the impulse that stops the tip', x: ks, y: ks.map(() => normal), dashed: true },
        ],
      },
    ],
  }
}

function existenceClaims(): Claim[] {
  const kinds = (Object.keys(starts) as (keyof typeof starts)[]).map((kind) => [kind, kindOf(starts[kind])] as const)
  const rodWords = (start: Start) => {
    const { A, b, answers } = tipProblem(start)
    const forces = answers.length === 0 ? 'no force' : `f = ${answers.map(short).join(' and ')} N`
    return `mu ${start.mu}${start.turning > 0 ? `, turning at ${start.turning} rad/s` : ''}: ${forces} (A = ${short(A)} /kg, b = ${short(b)} m/s²)`
  }
  const exist: Claim = {
    where: 'Section 7.1',
    claim:
      'with dynamic friction there may be no solution, and there may be several with different accelerations: one contact, Painlevé’s rod',
    paper: 'inconsistency and indeterminacy',
    found: `rod at 60°, critical friction ${short(criticalFriction(Math.PI / 3))}: ${kinds.map(([kind]) => rodWords(starts[kind])).join('; ')}`,
    judgement: judged(kinds.every(([kind, found]) => kind === found)),
    why: 'A and b in closed form, and both signs of f tried.',
  }
  const grid = firstSteps()
  const named: Claim = {
    where: 'Section 7.1',
    claim: 'the first step of lcp names every rod right, over angle, friction, turning and the point that coordinates are of',
    found: `${grid.map(({ kind, named: n, rods }) => `${n} of ${rods} with ${kind === 'one answer' ? kind : `an ${kind} configuration`}`).join(', ')}, and no later step names one`,
    judgement: judged(grid.every(({ named: n, rods, later }) => n === rods && rods > 20 && later === 0)),
    why: 'Signs of A and b in closed form; left out where either is nearer to zero than 0.02.',
  }
  return [exist, named]
}

/** @param normal the impulse that stops the tip of the inconsistent rod along the normal [N s] */
function branchClaims(all: readonly (readonly Branch[])[], normal: number): Claim[] {
  const took = (index: number, what: Branch['branch']) =>
    all.filter((list) => list[index].branch === what).map(([{ model }]) => model)
  const stops = all.map((list) => list[1]).filter(({ branch }) => branch === 'stops dead')
  const solved = stops.filter(({ model }) => isRigid(model))
  const rest = all.map((list) => list[1]).filter(({ branch }) => branch !== 'stops dead')
  const inconsistent: Claim = {
    where: 'Section 7.1',
    claim: 'an inconsistent configuration has a motion all the same if forces may be impulses: what each model makes of it',
    paper: 'a reinterpretation [3]',
    found: `${stops.length} of ${all.length} models stop the tip dead; rigid ones by ${range(solved.map(({ impulse }) => impulse))} N s, the limit being ${short(normal)}${rest.map(({ model, impulse }) => `; ${model} slides on, ${short(impulse)} N s in 10 ms`).join('')}`,
    judgement: judged(
      rigid.every((model) => solved.some((one) => one.model === model && Math.abs(one.impulse / normal - 1) < 0.05)) &&
        all.every((list) => list[1].failures === 0),
    ),
    why: 'The impulse that stops the tip along the ground and along the normal is two equations. Judged by the rigid models, to 5 %.',
  }
  const branchWords = (index: number) =>
    (['takes off', 'stops dead', 'slides'] as const).flatMap((what) => {
      const list = took(index, what)
      return list.length === 0 ? [] : [`${what}: ${list.length === models.length ? 'all' : list.join(', ')}`]
    })
  const indeterminate: Claim = {
    where: 'Section 7.1',
    claim: 'an indeterminate configuration: which branch each model takes',
    paper: 'an arbitrary choice among several possible motions [3]',
    found: `${rodMotions(normal)}. By coordinates of the tip ${branchWords(2).join('; ')}. By those of the middle ${branchWords(3).join('; ')}`,
    judgement: judged(
      tipProblem(starts.indeterminate).answers.length === 2 && new Set(all.map((list) => list[2].branch)).size === 3,
    ),
    why: 'Judged by two forces in closed form, and each of the three motions being taken by some model. That a model takes one is a property of its step, no choice: by either point as coordinates it is the same. What chooses is in the row below.',
  }
  return [inconsistent, indeterminate]
}

/** The motions of the indeterminate rod, of forces and of an impulse. */
function rodMotions(normal: number): string {
  const { A, b, answers } = tipProblem(starts.indeterminate)
  const motions = answers.map((f) =>
    f === 0 ? `f = 0, takes off at ${short(b)} m/s²` : `f = ${short(f)} N, slides at ${short(A * f + b)} m/s²`,
  )
  return `motions: ${[...motions, `an impulse of ${short(normal)} N s, stops dead`].join('; ')}`
}

function laggedClaim(): Claim {
  const lagged = (['one answer', 'inconsistent', 'indeterminate'] as const).map(underLotstedt)
  const random = (['interval', 'disc'] as const).flatMap((bound) => [1, 2, 4, 8].map((n) => laggedConfigurations(bound, n, 200)))
  const total = random.reduce((sum, { problems }) => sum + problems, 0)
  return {
    where: 'Section 7.1 (Lötstedt)',
    claim: 'his friction law has neither inconsistency nor indeterminacy, and its problem is convex',
    found: `${random.reduce((sum, { solved: n }) => sum + n, 0)} of ${total} random configurations of 1 to 8 contacts solved, half of them with his intervals, half with the disc of lotstedt; accelerations by two methods within ${short(worst(random.map(({ apart: x }) => x)))}. On the three rods ${lagged.reduce((sum, { unsolved }) => sum + unsolved, 0)} steps without an answer; the inconsistent one stands after ${lagged[1].steps} steps of 1 ms, under ${short(lagged[1].load)} times its weight`,
    judgement: judged(
      random.every(({ problems, solved: n, apart: x }) => n === problems && x < 1e-6) &&
        lagged.every(({ unsolved }) => unsolved === 0),
    ),
    why: 'Friction is bounded by the load of the step before, along each of two tangents, in the model by a disc. The price is that it lags: it is not Coulomb’s law while the load changes.',
  }
}

/** Section 7.2. */
function staticPart(): Part & { configurations: StaticCounts[] } {
  const configurations = [staticConfigurations(1, 10_000), ...[2, 4, 8].map((n) => staticConfigurations(n, 1000))]
  const [one, ...several] = configurations
  const onePoint: Claim = {
    where: 'Section 7.2',
    claim: 'every configuration with static friction at one point is consistent',
    paper: 'proven in [4]',
    found: `${one.solved} of ${one.problems} random ones solved`,
    judgement: judged(one.solved === one.problems),
    why: 'Each answer is checked in the experiment against equations 8, 14, 18 and 19, to 1e-6.',
  }
  const more: Claim = {
    where: 'Section 7.2',
    claim: 'configurations with static friction at several points are consistent',
    paper: 'speculated; no inconsistent one has been found',
    found: several.map(({ contacts, problems, solved }) => `${contacts} contacts: ${solved} of ${problems} solved`).join('; '),
    judgement: judged(several.every(({ solved, problems }) => solved === problems)),
    why: 'No inconsistent one was found here either, of one body on points with normals in all directions. For friction against the slip that follows, pyramids in place of cones, existence is a theorem since (Anitescu and Potra 1997: the problem is copositive, and no motion is feasible at rest). No single method finds all: Newton’s misses a few in a thousand, Baraff’s own pivoting (SIGGRAPH 1994) most of those wedged by eight (table below).',
  }
  return { configurations, claims: [onePoint, more], figures: [] }
}

/** @param passed of the shots in `continuous`, how many pass without ccd */
function continuumClaim(all: readonly Shots[], continuous: readonly Shots[], passed: number): Claim {
  const caught = all.filter(({ ccd }) => ccd)
  const held = all.filter(({ ccd, through }) => !ccd && through === 0)
  return {
    where: 'Section 3.1',
    claim:
      'methods of the continuum view miss none: the same bullet and pane with ccd, a sphere that goes straight at a fixed box',
    paper: '“used over suitably short intervals to guarantee that collisions between objects are not missed”',
    found: `${sumOf(caught, 'through')} of ${sumOf(caught, 'shots')} get through at 1 ms under ${caught.length} models, ${held.length} of which stop all without it; of ${sumOf(continuous, 'shots')} at ${continuous.length} steps ${sumOf(continuous, 'through')} under penalty, of which ${passed} pass without`,
    judgement: judged([...caught, ...continuous].every(({ through }) => through === 0) && passed > 0),
    why: 'The step ends where the pair first touches. One pair and straight paths, no proof for others: what ccd does for shapes that turn is in the next row, on a known path.',
  }
}

/** Sections 2.2.1 and 3. */
function timePart(): Part & { shots: Shots[] } {
  const dt = 1e-3
  const all = allModels(dt, 10)
  const without = all.filter(({ ccd }) => !ccd)
  const missing = without.filter(({ through }) => through > 0)
  const discrete = steps.map((step) => shots('penalty', step, false, 50))
  const continuous = steps.map((step) => shots('penalty', step, true, 50))
  const expected = steps.map(expectedThrough)
  const off = worst(discrete.map(({ through }, i) => Math.abs(through / 50 - expected[i])))
  const bulletClaim: Claim = {
    where: 'Section 3.2',
    claim: 'detection at sampled times may miss collisions between them: a bullet, and a pane of 4 mm',
    found: `penalty: through in ${discrete.map(({ through, dt: step }) => `${2 * through} % at ${short(step * 1e3)} ms`).join(', ')}. At 1 ms through under ${missing.map(({ model }) => model).join(', ')}; not under ${without
      .filter(({ through }) => through === 0)
      .map(({ model }) => model)
      .join(', ')}`,
    judgement: judged(off < 0.02 && discrete.every(({ through, told }) => through === told)),
    why: 'Share expected: 1 − (half the pane + the bullet’s radius) over the way of a step; judged by 0.02. Every one that passed was counted. The models that are not passed look ahead by two steps, and stop what would get there.',
  }
  const contacts = firstContacts()
  const first: Claim = {
    where: 'Section 3.1',
    claim: 'first contact on two known paths, a polynomial in time and a turn at constant rate, of a sphere and of a rod',
    paper: 'roots of polynomials (Canny); interval analysis (Von Herzen, Snyder)',
    found: contacts
      .map(({ path, found, expected: at }) => `${path}: ${found.toFixed(9)} s, ${short(at - found)} s before the true time`)
      .join('; '),
    judgement: judged(contacts.every(({ found, expected: at }) => found <= at && at - found < 1e-8)),
    why: 'By conservative advancement with a bound of the speed over what is left of the step, which is such an interval bound; never late, and early by what 1e-9 m take. Not by roots of polynomials, and of two shapes: Canny’s polyhedra against polyhedra are not tried. The particle’s true time is a root found by bisection, the rod’s is closed.',
  }
  const byIntervals: Claim = {
    where: 'Section 3.1',
    claim: 'the first contact by bounds over intervals of time: none comes before',
    paper: 'interval analysis (Von Herzen, Barr and Zatz; Duff; Snyder)',
    found: contacts
      .map(
        ({ path, enclosed: [low, high], expected: at, asked }) =>
          `${path}: within ${short(high - low)} s, ${at >= low - enclosure && at <= high + enclosure ? 'about' : 'not about'} the true time, ${asked} bounds`,
      )
      .join('; '),
    judgement: judged(
      contacts.every(
        ({ enclosed: [low, high], expected: at }) => at >= low - enclosure && at <= high + enclosure && high - low <= enclosure,
      ),
    ),
    why: 'The distance as a function of time, bounded over an interval; halves that the bounds exclude are left out, from the left (Snyder). The motion must be given in closed form, as those methods ask.',
  }
  const line = (name: string, y: readonly number[], dashed = false) => ({ name, x: steps, y, dashed })
  return {
    shots: all,
    claims: [bulletClaim, continuumClaim(all, continuous, sumOf(discrete, 'through')), first, byIntervals],
    figures: [
      {
        id: 'bullet',
        title: 'Section 3.2: share of bullets that pass through a pane',
        x: 'step [s]',
        y: 'share',
        logarithmic: false,
        logarithmicX: true,
        curves: [
          line(
            'penalty',
            discrete.map(({ through }) => through / 50),
          ),
          line('closed form', expected, true),
          line(
            'penalty with ccd',
            continuous.map(({ through }) => through / 50),
          ),
        ],
      },
    ],
  }
}
