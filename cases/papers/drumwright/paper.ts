/**
 * E. Drumwright, A Fast and Stable Penalty Method for Rigid Body Simulation, IEEE TVCG 14(1), 2008: statements on its
 * experiments. Equation and figure numbers are the paper's.
 */

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
