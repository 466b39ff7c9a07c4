/** How many known outcomes each model meets: of the scenes of docs/phenomena.md at each of their steps. `npm run docs` writes this file. */
const met: Readonly<Record<string, number>> = {
  ncp: 153,
  lcp: 152,
  lotstedt: 148,
  'stewart-trinkle': 148,
  convex: 148,
  peg: 145,
  'anitescu-potra': 142,
  lnc: 128,
  penalty: 107,
  'hunt-crossley': 95,
  drake: 86,
  'penalty-deepest': 85,
  mujoco: 76,
}

/** How many there are. */
export const OUTCOMES = 177

/** 0 of a model that was not tried. */
export const outcomesMet = (model: string): number => met[model] ?? 0
