/** How many known outcomes each model meets: of the scenes of docs/phenomena.md at each of their steps. `npm run docs` writes this file. */
const met: Readonly<Record<string, number>> = {
  ncp: 137,
  lcp: 136,
  lotstedt: 132,
  'stewart-trinkle': 132,
  convex: 132,
  peg: 129,
  'anitescu-potra': 126,
  lnc: 112,
  penalty: 98,
  'hunt-crossley': 87,
  drake: 78,
  'penalty-deepest': 77,
  mujoco: 68,
}

/** How many there are. */
export const OUTCOMES = 161

/** 0 of a model that was not tried. */
export const outcomesMet = (model: string): number => met[model] ?? 0
