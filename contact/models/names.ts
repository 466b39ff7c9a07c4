/** Contact models by their names, in the order of every list. Apart from the registry: a menu needs no solver. */
export const contactModelNames = [
  'penalty-deepest',
  'penalty',
  'hunt-crossley',
  'lcp',
  'lotstedt',
  'stewart-trinkle',
  'anitescu-potra',
  'convex',
  'ncp',
  'mujoco',
  'drake',
  'lnc',
  'peg',
] as const

export type ContactModelName = (typeof contactModelNames)[number]
