import {
  ContactConstraints,
  constraintKind,
  exactRule,
  inPlane,
  literalRule,
  literalRuleInPlane,
  unilateralRule,
  vertexRule,
} from '../../../contact/index.ts'
import { constrainFeatures } from '../../../contact/peg/features/constraintRules.ts'
import type { FeatureBody } from '../../../contact/peg/features/featureBody.ts'
import {
  FeatureContactSet,
  type FeatureOptions,
  featureKind,
  featureLimits,
} from '../../../contact/peg/features/featureContactSet.ts'
import { featureContacts } from '../../../contact/peg/features/featureContacts.ts'
import { type Listed, listed } from './featureScene.ts'

/** Of the models, and of the paper beside them; the last three on polygons. */
export const rules = {
  exact: exactRule,
  literal: literalRule,
  lnc: vertexRule,
  unilateral: unilateralRule,
  'exact in the plane': inPlane(exactRule),
  'literal in the plane': literalRuleInPlane,
  'lnc in the plane': inPlane(vertexRule),
}
export type RuleName = keyof typeof rules

/** A constraint as an object; its contacts likewise. */
export interface Constraint {
  readonly kind: 'U' | 'I' | 'X'
  readonly members: readonly { readonly pushes: boolean; readonly contacts: readonly Listed[] }[]
}

export function constraintsOf(lists: ContactConstraints, contacts: readonly Listed[], offset = 0): Constraint[] {
  const { disjunctStart, contactStart, contact, pushing } = lists
  return Array.from({ length: lists.count }, (_, g) => ({
    kind: ({ [constraintKind.unilateral]: 'U', [constraintKind.inter]: 'I', [constraintKind.cross]: 'X' } as const)[
      lists.kind[g] as 0 | 1 | 2
    ],
    members: Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, k) => {
      const m = disjunctStart[g] + k
      const own = contact.subarray(contactStart[m], contactStart[m + 1])
      return { pushes: k < pushing[g], contacts: Array.from(own, (i) => contacts[i - offset]) }
    }),
  }))
}

/** Feature contacts of a pair and the constraints of a rule on them. */
export function constrained(a: FeatureBody, b: FeatureBody, rule: RuleName, options: FeatureOptions) {
  const out = new FeatureContactSet()
  const limits = featureLimits({ choice: rules[rule].choice, ...options })
  const lists = new ContactConstraints()
  featureContacts(a, b, limits, out)
  constrainFeatures(a, b, out, rules[rule], limits, 0, lists)
  const contacts = listed(out)
  return { contacts, constraints: constraintsOf(lists, contacts) }
}

/** The least over the constraints of the greatest over their members of the least gap: at least 0 where all are satisfied. */
export function constraintValue(constraints: readonly Constraint[], gap: (contact: Listed) => number): number {
  const values = constraints.map(({ members }) =>
    Math.max(...members.map(({ contacts }) => Math.min(...contacts.map((contact) => gap(contact))))),
  )
  return Math.min(Infinity, ...values)
}

/** `U(v3 f1)`, `I(v0 f2, e1 e4; f0 v3)`: members that may push stand before the semicolon, contacts of one member are joined by +. */
export function named({ kind, members }: Constraint): string {
  const word = ({ kind, a, b }: Listed) => {
    if (kind === featureKind.edgeEdge) return `e${a} e${b}`
    return kind === featureKind.vertexFace ? `v${a} f${b}` : `f${a} v${b}`
  }
  const of = (pushes: boolean) =>
    members
      .filter((member) => member.pushes === pushes)
      .map(({ contacts }) => contacts.map(word).join('+'))
      .join(', ')
  const held = of(false)
  return `${kind}(${of(true)}${held === '' ? '' : `; ${held}`})`
}
