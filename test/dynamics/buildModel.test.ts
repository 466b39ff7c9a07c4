import { describe, expect, test } from 'vitest'
import {
  type BodyDefinition,
  buildModel,
  createData,
  createState,
  JointType,
  kinematics,
  lastVelocity,
} from '../../dynamics/index.ts'

const link: BodyDefinition = {
  name: 'link',
  jointName: 'hinge',
  parent: 0,
  jointType: JointType.revolute,
  axis: [0, 0, 1],
  mass: 1,
  inertia: [1, 1, 1, 0, 0, 0],
}

describe('buildModel', () => {
  test('numbers the positions and velocities of a mixed tree', () => {
    const model = buildModel('mixed', [
      { ...link, jointType: JointType.floating },
      { ...link, parent: 1 },
      { ...link, parent: 2, jointType: JointType.fixed },
      { ...link, parent: 3, jointType: JointType.prismatic },
      { ...link, parent: 1 },
      { ...link, parent: 0, jointType: JointType.fixed },
      { ...link, parent: 6 },
    ])
    expect(model.nb).toBe(8)
    expect(model.nq).toBe(11)
    expect(model.nv).toBe(10)
    expect([...model.qStart]).toEqual([0, 0, 7, 8, 8, 9, 10, 10, 11])
    expect([...model.vStart]).toEqual([0, 0, 6, 7, 7, 8, 9, 9, 10])
    expect([...model.bodyOfV]).toEqual([1, 1, 1, 1, 1, 1, 2, 4, 5, 7])
    // the fixed body 3 is passed over; body 7 hangs on a body that is fixed to the world
    expect([...model.vParent]).toEqual([-1, 0, 1, 2, 3, 4, 5, 6, 5, -1])
    expect(lastVelocity(model, 3)).toBe(6)
    expect(lastVelocity(model, 6)).toBe(-1)
    expect(model.I.reduce((mass, [m]) => mass + m, 0)).toBe(7)
  })

  test('defaults: no limits, no friction, earthly gravity', () => {
    const model = buildModel('one', [link])
    expect(model.lower[0]).toBe(Number.NEGATIVE_INFINITY)
    expect(model.upper[0]).toBe(Number.POSITIVE_INFINITY)
    expect(model.effortLimit[0]).toBe(Number.POSITIVE_INFINITY)
    expect([model.damping[0], model.friction[0], model.armature[0]]).toEqual([0, 0, 0])
    expect([...model.gravity]).toEqual([0, 0, 0, 0, 0, -9.81])
  })

  test('moves the inertia to the origin by Steiner', () => {
    const model = buildModel('one', [{ ...link, mass: 2, centerOfMass: [1, 2, 3], inertia: [4, 5, 6, 0.1, 0.2, 0.3] }])
    expect([...model.I[1]]).toEqual([2, 2, 4, 6, 4 + 26, 5 + 20, 6 + 10, 0.1 - 4, 0.2 - 6, 0.3 - 12])
  })

  test('places a turned joint where it stands', () => {
    // joint at [1, 2, 3], its x axis along the parent's y: columns of `rotation` are the joint's axes in the parent
    const model = buildModel('one', [
      { ...link, jointType: JointType.prismatic, axis: [1, 0, 0], position: [1, 2, 3], rotation: [0, -1, 0, 1, 0, 0, 0, 0, 1] },
    ])
    const state = createState(model)
    const data = createData(model)
    state.q[0] = 0.5
    kinematics(model, state, data)
    expect([...data.p_WB[1]]).toEqual([1, 2.5, 3])
    expect([...data.R_WB[1]]).toEqual([0, -1, 0, 1, 0, 0, 0, 0, 1])
  })

  const wrong: [string, Partial<BodyDefinition>, RegExp][] = [
    ['a parent that comes later', { parent: 1 }, /body 1 "link" \(joint "hinge"\): parent is 1; expected .* 0/],
    ['a parent that is no whole number', { parent: 0.5 }, /parent is 0.5/],
    ['an unknown joint type', { jointType: 9 as JointType }, /joint type is 9/],
    ['a missing axis', { axis: undefined }, /revolute joint needs an axis/],
    ['an axis of length 2', { axis: [0, 0, 2] }, /axis \[0,0,2\] has length 2; expected 1/],
    ['an axis with NaN', { axis: [0, 0, Number.NaN] }, /axis\[2\] is NaN/],
    ['a negative mass', { mass: -1 }, /mass is -1; expected 0 or more/],
    ['an infinite mass', { mass: Number.POSITIVE_INFINITY }, /mass is Infinity/],
    ['an inertia with five entries', { inertia: [1, 1, 1, 0, 0] as never }, /inertia has 5 entries; expected 6/],
    ['a reflection', { rotation: [1, 0, 0, 0, 1, 0, 0, 0, -1] }, /rotation is no rotation.*determinant -1/],
    ['a scaled rotation', { rotation: [2, 0, 0, 0, 2, 0, 0, 0, 2] }, /rotation is no rotation/],
    ['a position with infinity', { position: [0, Number.NEGATIVE_INFINITY, 0] }, /position\[1\] is -Infinity/],
    ['limits the wrong way round', { lower: 1, upper: -1 }, /lower limit 1 .* upper limit -1/],
    ['negative damping', { damping: -0.1 }, /damping is -0.1/],
    ['a limit that is NaN', { effortLimit: Number.NaN }, /effortLimit is NaN/],
    ['armature on a floating joint', { jointType: JointType.floating, armature: 1 }, /armature is 1; a floating joint/],
    ['limits on a floating joint', { jointType: JointType.floating, lower: -1 }, /floating joint, which has none/],
  ]
  for (const [what, change, message] of wrong) {
    test(`refuses ${what}`, () => {
      expect(() => buildModel('wrong', [{ ...link, ...change }])).toThrow(message)
      expect(() => buildModel('wrong', [{ ...link, ...change }])).toThrow(RangeError)
    })
  }

  test('refuses a gravity that is not finite', () => {
    expect(() => buildModel('wrong', [link], [0, 0, Number.NaN])).toThrow(/gravity\[2\] is NaN/)
  })
})
