/** What is shown of feature contacts: counts, cuts, and the lines of constraints. */
import { expect, test } from 'vitest'
import {
  constraintKind,
  constraintLinks,
  contactRole,
  FeatureContactSet,
  featureKind,
  featureMoment,
} from '../../../contact/index.ts'

const dt = 0.01

/**
 * Six contacts on a line, x = 0 to 5: a unilateral constraint on the first; an inter-contact one whose members are contacts 1 and 2
 * together, 3, and 4, which may not push; a cross-contact one of 3 and 4. The last contact is in none. Contact 0 and 3 push.
 */
function made(): FeatureContactSet {
  const set = new FeatureContactSet()
  set.count = 6
  for (let i = 0; i < set.count; i++) {
    set.point[3 * i] = i
    set.normal[3 * i + 2] = 1
    set.gap[i] = 0.001 * i
    set.kind[i] = i % 2 === 0 ? featureKind.faceVertex : featureKind.edgeEdge
    set.role[i] = contactRole.passedBy
  }
  for (const i of [0, 3]) {
    set.role[i] = contactRole.active
    set.impulse[3 * i] = 0.2 * (i + 1)
  }
  set.role[5] = contactRole.idle
  const { constraints } = set
  constraints.addUnilateral(0)
  constraints.begin(constraintKind.inter)
  const members: [boolean, number[]][] = [
    [true, [1, 2]],
    [true, [3]],
    [false, [4]],
  ]
  for (const [mayPush, contacts] of members) {
    constraints.addDisjunct(mayPush)
    for (const i of contacts) constraints.addContact(i)
  }
  constraints.begin(constraintKind.cross)
  for (const i of [3, 4]) {
    constraints.addDisjunct(false)
    constraints.addContact(i)
  }
  return set
}

test('counts are of all contacts, constraints and members', () => {
  expect(featureMoment(made(), dt).counts).toEqual({
    contacts: 6,
    active: 2,
    pushing: 2,
    unilateral: 1,
    inter: 1,
    cross: 1,
    disjuncts: 6,
    activeDisjuncts: 3, // contact 3 is of two constraints
  })
})

test('it is plain data that no later step changes, with forces as means over the step', () => {
  const set = made()
  const moment = featureMoment(set, dt)
  const before = structuredClone(moment)
  set.point.fill(9)
  set.role.fill(0)
  set.constraints.clear()
  expect(moment).toEqual(before)
  expect(Array.from(moment.force)).toEqual([20, 0, 0, 80, 0, 0])
  expect(Array.from(moment.constraints.contact)).toEqual([0, 1, 2, 3, 4, 3, 4])
  expect(Array.from(moment.constraints.pushing)).toEqual([1, 2, 0])
})

test('where contacts are too many to be shown, constraints lose them and counts do not', () => {
  const { count, point, counts, constraints } = featureMoment(made(), dt, 3)
  expect([count, point.length]).toEqual([3, 9])
  expect(counts).toEqual(featureMoment(made(), dt).counts)
  expect(Array.from(constraints.kind)).toEqual([constraintKind.unilateral, constraintKind.inter])
  expect(Array.from(constraints.contact)).toEqual([0, 1, 2])
  expect(Array.from(constraints.disjunctStart)).toEqual([0, 1, 2])
  expect(Array.from(constraints.pushing)).toEqual([1, 1])
})

test('lines go from the middle of a constraint to those of its members, and on to contacts; a contact by itself has none', () => {
  const links = constraintLinks(featureMoment(made(), dt)).map(({ kind, isActive, from, to }) => [kind, isActive, from[0], to[0]])
  const { inter, cross } = constraintKind
  // members of the inter-contact constraint are at x = 1.5, 3 and 4, and its middle is their mean
  const middle = (1.5 + 3 + 4) / 3
  const expected = [
    [inter, false, middle, 1.5],
    [inter, false, 1.5, 1],
    [inter, false, 1.5, 2],
    [inter, true, middle, 3],
    [inter, false, middle, 4],
    [cross, true, 3.5, 3],
    [cross, false, 3.5, 4],
  ] as const
  expect(links.map(([kind, isActive]) => [kind, isActive])).toEqual(expected.map(([kind, isActive]) => [kind, isActive]))
  // sums of three thirds are rounded
  links.forEach(([, , from, to], k) => {
    expect(from).toBeCloseTo(expected[k][2], 12)
    expect(to).toBeCloseTo(expected[k][3], 12)
  })
})
