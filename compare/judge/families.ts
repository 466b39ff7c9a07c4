/** Which contact models share their idea of contact, and so their errors. */
import type { ContactModelName } from '../../contact/index.ts'

/**
 * `complementarity`: rigid, forces or impulses solved for at once under Signorini's and Coulomb's conditions. `convex`: rigid, the same
 * with friction relaxed to a convex problem. `springs`: forces of penetration, one contact by itself. `compliant`: springs and their
 * friction solved for at once as a convex problem.
 */
export type Family = 'complementarity' | 'convex' | 'springs' | 'compliant'

const families = {
  'penalty-deepest': 'springs',
  penalty: 'springs',
  'hunt-crossley': 'springs',
  lcp: 'complementarity',
  lotstedt: 'complementarity',
  'stewart-trinkle': 'complementarity',
  'anitescu-potra': 'complementarity',
  convex: 'convex',
  ncp: 'complementarity',
  mujoco: 'compliant',
  drake: 'compliant',
  lnc: 'complementarity',
  peg: 'complementarity',
} satisfies Record<ContactModelName, Family>

/** A model that is in no registry has a family of its own name. */
export const familyOf = (model: string): string => (Object.hasOwn(families, model) ? families[model as ContactModelName] : model)

/** Rigid or compliant surfaces: two models have to differ in this for their agreement to mean anything. */
export type Kind = 'rigid' | 'compliant'

export const kindOf = (model: string): Kind => (['springs', 'compliant'].includes(familyOf(model)) ? 'compliant' : 'rigid')
