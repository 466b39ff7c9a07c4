/** How many known outcomes each model meets: of the scenes of docs/phenomena.md at each of their steps. `npm run docs` writes this file. */
const met: Readonly<Record<string, number>> = {
  ncp: 155,
  lcp: 154,
  convex: 151,
  lotstedt: 150,
  'stewart-trinkle': 150,
  peg: 148,
  'anitescu-potra': 144,
  lnc: 130,
  penalty: 111,
  'hunt-crossley': 101,
  drake: 91,
  'penalty-deepest': 90,
  mujoco: 77,
}

/** How many there are. */
export const OUTCOMES = 177

/** 0 of a model that was not tried. */
export const outcomesMet = (model: string): number => met[model] ?? 0
