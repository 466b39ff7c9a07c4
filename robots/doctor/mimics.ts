import { compose, poseOfOrigin, poseToOrigin, rotationAbout } from '../compile/pose.ts'
import type { JointDescription, MimicDescription, OriginDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'

/** Largest multiplier and offset of a gear. */
const mostMultiplier = 1e6
/** Names in a message that lists them. */
const mostNames = 8

/**
 * Makes every `<mimic>` refer to the end of its chain, which is a joint of one coordinate and follows none itself, and
 * removes invalid ones. The rules are in the table of `examine`.
 */
export function examineMimics(joints: readonly JointDescription[], findings: Findings): JointDescription[] {
  const stated = new Map(joints.map((joint) => [joint.name, joint]))
  const kept = joints.map((joint) => withoutUselessMimic(joint, stated, findings))
  const byName = new Map(kept.map((joint) => [joint.name, joint]))
  const resolved = kept.map((joint) => (joint.mimic ? followed(joint, joint.mimic, byName, findings) : joint))
  return narrowLimits(resolved, findings)
}

const isSimple = ({ type }: JointDescription) => type === 'revolute' || type === 'continuous' || type === 'prismatic'

function freed({ mimic: _, ...joint }: JointDescription): JointDescription {
  return joint
}

/** Removes invalid mimics: of an unknown joint, in a cycle, to or from a joint of several coordinates. */
function withoutUselessMimic(
  joint: JointDescription,
  joints: ReadonlyMap<string, JointDescription>,
  findings: Findings,
): JointDescription {
  const { name, type, mimic } = joint
  if (!mimic) return joint
  const what = `<mimic> of joint ${quote(name)}`
  if (type === 'fixed') {
    findings.info('mimic-fixed', mimic.place, what, 'the joint is fixed and follows nothing.', 'Ignored; remove the <mimic>.')
    return freed(joint)
  }
  const free = (code: string, message: string, remedy: string) => {
    findings.repair(code, mimic.place, what, message, `The joint moves freely; ${remedy}`)
    return freed(joint)
  }
  if (!isSimple(joint)) {
    return free('mimic-type', `a ${type} joint has several coordinates and cannot follow one.`, 'remove the <mimic>.')
  }
  const master = joints.get(mimic.joint)
  if (!master)
    return free('mimic-unknown', `there is no joint ${quote(mimic.joint)}.`, 'correct the name of the joint to follow.')
  if (master.type !== 'fixed' && !isSimple(master)) {
    const message = `${quote(mimic.joint)} is a ${master.type} joint, whose several coordinates one joint cannot follow.`
    return free('mimic-type', message, 'follow a revolute, continuous or prismatic joint.')
  }
  const circle = circleOf(joint, joints)
  if (circle) {
    const message =
      circle.length === 1
        ? 'the joint follows itself.'
        : `the joints ${circle.slice(0, mostNames).map(quote).join(' -> ')}${circle.length > mostNames ? ' -> ...' : ''} follow each other.`
    return free('mimic-cycle', message, 'let one joint of them follow none.')
  }
  return joint
}

/** The joints of a cycle of mimics that a joint is part of, itself first. A joint that only leads into one is not in it. */
function circleOf({ name }: JointDescription, joints: ReadonlyMap<string, JointDescription>): string[] | undefined {
  const way = [name]
  for (let next = joints.get(name)?.mimic?.joint; next !== undefined && way.length <= joints.size; ) {
    if (next === name) return way
    way.push(next)
    next = joints.get(next)?.mimic?.joint
  }
  return undefined
}

/** q = m1 (m2 q'' + o2) + o1 along the chain. Where the end does not move, or a multiplier is 0, the joint is fixed. */
function followed(
  joint: JointDescription,
  mimic: MimicDescription,
  byName: ReadonlyMap<string, JointDescription>,
  findings: Findings,
): JointDescription {
  let { joint: end, multiplier, offset } = mimic
  for (let next = byName.get(end)?.mimic; next; next = byName.get(end)?.mimic) {
    offset += multiplier * next.offset
    multiplier *= next.multiplier
    end = next.joint
  }
  const what = `<mimic> of joint ${quote(joint.name)}`
  const master = byName.get(end)!
  if (!(Math.abs(multiplier) <= mostMultiplier && Math.abs(offset) <= mostMultiplier)) {
    const message = `it follows ${quote(end)} with multiplier ${multiplier} and offset ${offset}; at most ${mostMultiplier} is done.`
    findings.repair('mimic-range', mimic.place, what, message, 'The joint moves freely; check the digits.')
    return freed(joint)
  }
  if (master.type === 'fixed') {
    const position = `Fixed at ${offset}${offset === 0 ? '' : ', its offset'}; `
    findings.repair('mimic-master-fixed', mimic.place, what, `${quote(end)} is fixed.`, `${position}make it a fixed joint.`)
    return fixedAt(joint, offset)
  }
  if (multiplier === 0) {
    findings.repair('mimic-multiplier', mimic.place, what, 'its multiplier is 0.', `Fixed at ${offset}; make it a fixed joint.`)
    return fixedAt(joint, offset)
  }
  return { ...joint, mimic: { ...mimic, joint: end, multiplier, offset } }
}

function fixedAt(joint: JointDescription, position: number): JointDescription {
  const origin: OriginDescription =
    position === 0 ? joint.origin : poseToOrigin(compose(poseOfOrigin(joint.origin), moved(joint, position)))
  return {
    ...freed(joint),
    type: 'fixed',
    origin,
    axis: [1, 0, 0],
    lower: -Infinity,
    upper: Infinity,
    effort: Infinity,
    velocity: Infinity,
    damping: 0,
    friction: 0,
    armature: 0,
  }
}

function moved({ type, axis }: JointDescription, position: number) {
  const R = rotationAbout(axis, type === 'prismatic' ? 0 : position)
  return { R, p: Float64Array.from(axis, (x) => (type === 'prismatic' ? position * x : 0)) }
}

/**
 * The limits of a joint's coordinate by its own and those of its followers: their ranges (limit - offset) / multiplier and speeds
 * speed / |multiplier|; and, where the joint itself has no motor (its effort is 0 or not stated), the efforts of theirs, the sum of
 * |multiplier| effort.
 */
export function sharedLimits(
  master: JointDescription,
  followers: readonly JointDescription[],
): Pick<JointDescription, 'lower' | 'upper' | 'effort' | 'velocity'> {
  let { lower, upper, effort, velocity } = master
  let ofFollowers = 0
  for (const follower of followers) {
    const range = impliedLimits(follower)
    const ratio = Math.abs(follower.mimic!.multiplier)
    lower = Math.max(lower, range.lower)
    upper = Math.min(upper, range.upper)
    velocity = Math.min(velocity, follower.velocity / ratio)
    if (follower.effort < Infinity) ofFollowers += ratio * follower.effort
  }
  if (ofFollowers > 0 && (effort === 0 || effort === Infinity)) effort = ofFollowers
  return { lower, upper, effort, velocity }
}

/** The limits of the joint followed that a follower's limits imply. */
function impliedLimits({ mimic, lower, upper }: JointDescription): { lower: number; upper: number } {
  const { multiplier, offset } = mimic!
  const a = (lower - offset) / multiplier
  const b = (upper - offset) / multiplier
  return multiplier > 0 ? { lower: a, upper: b } : { lower: b, upper: a }
}

/** Reports followers that narrow the range of the joint followed, and removes the limits of those that would leave none. */
function narrowLimits(joints: readonly JointDescription[], findings: Findings): JointDescription[] {
  const ranges = new Map(joints.map(({ name, lower, upper }) => [name, { lower, upper }]))
  const narrowed = joints.map((joint) => {
    if (!joint.mimic) return joint
    const range = ranges.get(joint.mimic.joint)!
    const implied = impliedLimits(joint)
    const lower = Math.max(range.lower, implied.lower)
    const upper = Math.min(range.upper, implied.upper)
    const what = `<mimic> of joint ${quote(joint.name)}`
    const stated = `its range ${joint.lower} to ${joint.upper}`
    const whole = range.upper - range.lower
    // tolerance for rounding of printed digits
    const slack = 1e-6 * Math.max(1, whole < Infinity ? whole : 1)
    // limits stated with the wrong sign leave a single point of the range of the joint followed
    if (lower > upper || (upper - lower <= slack && whole > slack)) {
      findings.repair(
        'mimic-limits-apart',
        joint.mimic.place,
        what,
        `${stated} leaves no way to ${quote(joint.mimic.joint)}, which it follows and which moves from ${range.lower} to ${range.upper}.`,
        'Its limits are left out; correct them, or the signs of multiplier and offset.',
      )
      return { ...joint, lower: -Infinity, upper: Infinity }
    }
    if (lower > range.lower + slack || upper < range.upper - slack) {
      findings.repair(
        'mimic-limits',
        joint.mimic.place,
        what,
        `${stated} leaves ${quote(joint.mimic.joint)}, which it follows, ${lower} to ${upper} of ${range.lower} to ${range.upper}.`,
        'The narrower range is used; state it for both joints.',
      )
    }
    ranges.set(joint.mimic.joint, { lower, upper })
    return joint
  })
  return narrowed.map((joint) => (joint.mimic ? joint : { ...joint, ...ranges.get(joint.name) }))
}
