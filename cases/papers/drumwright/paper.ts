/**
 * E. Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation, IEEE TVCG 14(1), 2008: statements on its
 * experiments, and open points. Equation and figure numbers are the paper's.
 */

import type { Choice } from '../page.ts'

/** Gains of section IV-A for the unit cube [N/m, N s/m, N/m]. */
export const statedGains = {
  penalty: { kp: 5000, kv: 2500, ki: 100 },
  'penalty-deepest': { kp: 6000, kv: 3000, ki: 200 },
  steiner: { kp: 5000, kv: 2500, ki: 100, points: 'steiner' },
} as const

/** Section III-C: kp = 100 (m1 + m2), and so on, "all" of the examples [1/s², 1/s, 1/s²]. */
export const gainsPerMass = { kp: 100, kv: 50, ki: 2 } as const

/** Forgetting factor: "0.8 < lambda < 0.9"; the middle. */
export const lambda = 0.85

/** Of the block experiments, both by fourth-order Runge-Kutta [s]. */
export const timeStep = 1e-3

/** Of the cube, figure 12: "10 kg, and gravity is 9.8". The gains of IV-A ask for 50 kg by the rule of III-C. */
export const cube = { size: 1, mass: 10, massOfRule: 50, gravity: 9.8 } as const

/** Mean penetrations of figure 11 [m]. */
export const meanPenetration = { lcp: 1.5e-4, penalty: 5.9e-3, 'penalty-deepest': 9.0e-2 } as const

/** Section IV-D: seconds for 2,500 iterations, by LCP and by the penalty method. */
export const robotTimes = {
  diffdrive: { lcp: 76.7, penalty: 31.0 },
  humanoid: { lcp: 566.9, penalty: 81.4 },
} as const

export const robotIterations = 2500

/** Data that the paper does not state, or states twice, with the choice made here. */
export const choicesFor = (bodies: number): readonly Choice[] => [
  {
    what: 'The mass of the cube: 10 kg by figure 12, 50 kg by the gains of section IV-A and the rule kp = 100 (m1 + m2).',
    choice: 'Both are run and judged. The plane counts as massless.',
  },
  {
    what: 'Gravity is 9.8 m/s² and the weight 98.1 N, which is 9.81 m/s².',
    choice: '9.8 m/s² for the cube, 9.81 m/s² for piles and robots.',
  },
  {
    what: 'The depth at which the block starts, its restitution and the friction of the plane.',
    choice: 'The lowest corner starts 0.15 m deep at rest, the orientation is uniformly random; restitution 0, friction 0.8.',
  },
  {
    what: 'The area of a triangle below which faces are not divided further.',
    choice:
      'The square of a body’s largest extent over 64, under `points: steiner`; without it corners and crossings of edges bear.',
  },
  { what: 'lambda is between 0.8 and 0.9.', choice: '0.85.' },
  {
    what: 'Whether the integral and the points are renewed at every stage of a Runge-Kutta step.',
    choice: 'The integral once a step, contacts at every stage.',
  },
  {
    what: 'Which "generic iterative method" solves the LCP (Murty 1988 gives several), and how its drift penalty acts.',
    choice:
      'For the block Newton’s method, as `lcp` has it, which has the same answers; for the robots Murty’s least-index pivoting. The spring and damper of the deepest point get the gains of the physical inputs, and act after the LCP is solved: before it, the LCP would only supply less.',
  },
  {
    what: 'Sizes, number and friction of the objects in the pile.',
    choice: `${bodies} ${bodies === 1 ? 'body' : 'bodies'}: boxes, cylinders and spheres of 0.1 to 0.3 m, masses uniform from 0 to 100 kg (1 kg at least), friction 0.5.`,
  },
  {
    what: 'Which stacks, and what the rule of the masses is beside the ground.',
    choice:
      'Cubes of 1 m and 10 kg, up to 1 cm askew, let go where they touch; the ground counts as massless; static friction by springs across the normal, which the paper has too. Where 50 (m1 + m2) would leave the range in which explicit steps of 1 ms are stable, kv is 50 times the reduced mass.',
  },
  {
    what: 'What friction the LCP of the robots had.',
    choice: 'Normal forces alone, for which the paper’s symmetric positive definite matrix holds; with friction beside it.',
  },
  {
    what: 'The two robots, their controllers, step and processor.',
    choice:
      'Our diffdrive and humanoid under their controllers, 1 ms, one detection and one update a step in both methods (semi-implicit), both methods in one process on this machine: ratios are compared, not seconds.',
  },
]
