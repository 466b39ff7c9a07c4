import { didYouMean } from '../../dynamics/index.ts'

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

/** The registered contact model of a name. @throws RangeError for an unknown name, with the nearest one */
export function contactModelNamed(name: string): ContactModelName {
  if ((contactModelNames as readonly string[]).includes(name)) return name as ContactModelName
  throw new RangeError(
    `there is no contact model "${name}"; choose one of ${contactModelNames.join(', ')}${didYouMean(name, contactModelNames)}`,
  )
}
