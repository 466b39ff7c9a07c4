import type { ActuatorDescription, JointDescription, MuscleDescription } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Compiler } from './options.ts'
import { readRange } from './ranges.ts'
import type { Transmission } from './transmissions.ts'

type Attributes = Record<string, string>

const numbersOf = (text: string | undefined) =>
  (text ?? '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')

/**
 * Attributes of an actuator in those of `<general>`, which all share: what the shortcuts set, and what the class of the element has where
 * they state nothing. In MuJoCo too a class of `<position kp>` makes a servo of a `<general>`, and none of a `<motor>`.
 */
export function asGeneral(tag: string, attributes: Readonly<Attributes>): Attributes {
  const { kp, kv, dampratio, timeconst, area, diameter, bias, ki, imax, slewmax, posrange, gain: ofAdhesion, ...out } = attributes
  const [gain = '1', , g2 = '0'] = numbersOf(out.gainprm)
  const [b0 = '0', b1 = '0', b2 = '0'] = numbersOf(out.biasprm)
  const negative = (text: string) => (/^-/.test(text) ? text.slice(1) : Number(text) === 0 ? '0' : `-${text}`)
  const damping = dampratio ?? (kv === undefined ? b2 : negative(kv))
  const own: Attributes = { ...out }
  switch (tag) {
    case 'adhesion':
      return Object.assign(asGeneral('motor', out), { gainprm: ofAdhesion ?? gain, ctrllimited: 'true' })
    case 'motor':
      return Object.assign(own, { gaintype: 'fixed', gainprm: '1', biastype: 'none', biasprm: '0', dyntype: 'none' })
    case 'position':
    case 'intvelocity': {
      const stiffness = kp ?? gain
      const biasprm = `0 ${negative(stiffness)} ${damping}`
      Object.assign(own, { gaintype: 'fixed', gainprm: stiffness, biastype: 'affine', biasprm })
      if (tag === 'intvelocity') Object.assign(own, { dyntype: 'integrator', actlimited: 'auto' })
      else if (timeconst !== undefined)
        Object.assign(own, { dyntype: Number(timeconst) > 0 ? 'filterexact' : 'none', dynprm: timeconst })
      return own
    }
    case 'velocity': {
      const slope = kv ?? gain
      const biasprm = `0 0 ${negative(slope)}`
      return Object.assign(own, { gaintype: 'fixed', gainprm: slope, biastype: 'affine', biasprm, dyntype: 'none' })
    }
    case 'damper': {
      return Object.assign(own, {
        ...{ gaintype: 'affine', gainprm: `0 0 ${kv === undefined ? g2 : negative(kv)}`, biastype: 'none', biasprm: '0' },
        ...{ dyntype: 'none', ctrllimited: 'true' },
      })
    }
    case 'pid': {
      const ofClass = (list: string | undefined) => (out.dyntype === 'pid' ? numbersOf(list) : [])
      const [integral = ki ?? '0'] = ki === undefined ? ofClass(out.gainprm) : []
      const [windup = '0', slew = '0'] = ofClass(out.dynprm)
      const hasState = Number(integral) !== 0 || Number(slewmax ?? slew) !== 0
      return Object.assign(own, {
        ...{ gaintype: 'pid', gainprm: integral, biastype: 'affine', dyntype: hasState ? 'pid' : 'none' },
        ...{
          biasprm: `${b0} ${kp === undefined ? b1 : negative(kp)} ${damping}`,
          dynprm: `${imax ?? windup} ${slewmax ?? slew}`,
        },
        ...(posrange !== undefined && { ctrlrange: posrange }),
      })
    }
    case 'cylinder': {
      const piston = diameter === undefined ? (area ?? gain) : String((Math.PI / 4) * Number(diameter) * Number(diameter))
      return Object.assign(own, {
        ...{ gaintype: 'fixed', gainprm: piston, biastype: 'affine', biasprm: bias ?? out.biasprm ?? '0' },
        ...{ dyntype: 'filter', dynprm: timeconst ?? '1' },
      })
    }
    case 'muscle':
      return asMuscle({ ...own, ...(timeconst !== undefined && { timeconst }) })
    case 'orientation':
      return Object.assign(own, {
        ...{ gaintype: 'so3', gainprm: kp ?? '1', biastype: 'so3', dyntype: 'none' },
        biasprm: `0 ${negative(kp ?? '1')} ${dampratio ?? (kv === undefined ? '0' : negative(kv))}`,
      })
    default:
      return own
  }
}

/** Parameters of a `<muscle>`: of a class's list of `<general>`, what it does not state. */
function asMuscle({ timeconst, tausmooth, range, force, scale, lmin, lmax, vmax, fpmax, fvmax, ...out }: Attributes): Attributes {
  const isMuscle = out.gaintype === 'muscle'
  const [low, high, ...rest] = isMuscle ? numbersOf(out.gainprm) : []
  const stated = [force, scale, lmin, lmax, vmax, fpmax, fvmax]
  const others = stated.map((own, k) => own ?? rest[k] ?? muscleDefaults[k])
  const [activation = '0.01', deactivation = '0.04', smooth = '0'] = out.dyntype === 'muscle' ? numbersOf(out.dynprm) : []
  const parameters = [range ?? `${low ?? '0.75'} ${high ?? '1.05'}`, ...others].join(' ')
  return Object.assign(out, {
    ...{ gaintype: 'muscle', biastype: 'muscle', dyntype: 'muscle', gainprm: parameters, biasprm: parameters },
    dynprm: `${timeconst ?? `${activation} ${deactivation}`} ${tausmooth ?? smooth}`,
  })
}

/** Force, scale, and lmin to fvmax. */
const muscleDefaults = ['-1', '200', '0.5', '1.6', '1.5', '1.3', '1.2']

/** Inputs of an actuator in `ctrl`; '' for one without a name of its own. */
export function inputsOf({ name, attributes }: XmlElement): readonly string[] {
  const { input, gaintype } = attributes
  if (name === 'orientation') return input === 'quat' ? ['w', 'x', 'y', 'z'] : ['x', 'y', 'z']
  if (name === 'dcmotor') return input === 'none' ? [] : numbersOf(input ?? 'voltage')
  return gaintype === 'pid' ? numbersOf(input ?? 'pos vel') : ['']
}

/** Numbers of an actuator in `act`; NaN where they are not known. */
export function statesOf({ name, attributes }: XmlElement): number {
  const { dyntype = 'none', gainprm, dynprm, actdim } = attributes
  if (name === 'dcmotor' || name === 'plugin') return Number.NaN
  if (dyntype !== 'pid') return dyntype === 'none' ? 0 : Math.max(1, Number(actdim ?? 1))
  return [numbersOf(gainprm)[0], numbersOf(dynprm)[1]].filter((x) => Number(x ?? 0) !== 0).length
}

/** Where an actuator is read: the element with the attributes of its class in those of `<general>`, its place, name, and first input. */
interface Read {
  readonly reader: Reader
  readonly element: XmlElement
  readonly place: XmlElement
  readonly what: string
  readonly name: string
  readonly input: number
  readonly compiler: Compiler
}

const free = [-Infinity, Infinity] as const

/** @returns undefined after a finding that names what has no counterpart */
export function readActuator(read: Read, transmission: Transmission): ActuatorDescription | undefined {
  const { reader, element, place, what, name, input, compiler } = read
  const { off, actuatorsOff } = compiler
  const { attributes } = element
  const joint = 'joint' in transmission ? transmission.joint : undefined
  const least0 = (key: string) => Math.max(0, reader.optional(element, key, what, 0) ?? 0)
  if (!isKnown(attributes)) {
    const { gaintype = 'fixed', biastype = 'none', dyntype = 'none', delay } = attributes
    const message = `an actuator of gaintype ${gaintype}, biastype ${biastype}, dyntype ${dyntype}${delay ? ', with a delay' : ''}.`
    reader.findings.repair('mjcf-unsupported', place, what, message, 'Passed by.')
    return undefined
  }
  const [gear = 1] = listOf(read, 'gear', [1])
  const isOff = off.has('actuation') || actuatorsOff.has(reader.optional(element, 'group', what, 0) ?? 0)
  const parts = 'lengths' in transmission ? transmission.lengths : undefined
  const hasGearInParts = parts?.flat().some(({ type }) => type === 'axis' || type === 'wrench' || type === 'offset')
  return {
    name,
    joint: joint?.name ?? '',
    ...(parts && { lengths: parts }),
    ...('lengths' in transmission && transmission.attracts !== undefined && { attracts: transmission.attracts }),
    input,
    gear: hasGearInParts ? 1 : gear,
    ...lawOf(read, isOff, joint),
    ...(attributes.gaintype === 'so3' && { orientation: orientationOf(read, transmission, isOff) }),
    ...(attributes.actearly === 'true' && { early: true as const }),
    ...(joint?.effortRange && { jointForce: joint.effortRange }),
    force: attributes.gaintype === 'so3' ? free : rangeOf(read, 'force'),
    armature: least0('armature'),
    damping: least0('damping'),
    place,
  }
}

const isKnown = ({ gaintype = 'fixed', biastype = 'none', dyntype = 'none', delay }: Readonly<Attributes>) =>
  /^(fixed|affine|pid|muscle|so3)$/.test(gaintype) &&
  /^(none|affine|muscle|so3)$/.test(biastype) &&
  (gaintype === 'pid' || /^(none|integrator|filter|filterexact|muscle)$/.test(dyntype)) &&
  !(gaintype === 'so3' && dyntype !== 'none') &&
  delay === undefined

const listOf = ({ reader, element, what }: Read, key: string, otherwise: readonly number[]) =>
  element.attributes[key] === undefined ? otherwise : (reader.numbers(element, key, undefined, what) ?? otherwise)

const rangeOf = ({ reader, element, place, what, compiler }: Read, key: string) =>
  readRange(reader, element, place, what, key, compiler.autolimits) ?? free

type Law = Pick<ActuatorDescription, 'gain' | 'bias' | 'pid' | 'muscle' | 'dynamics' | 'timeConstant' | 'control' | 'activation'>

/** Gain, bias, dynamics and ranges. */
function lawOf(read: Read, isOff: boolean, joint: JointDescription | undefined): Law {
  const { reader, element, place, what, compiler } = read
  const { gaintype = 'fixed', biastype = 'none', dyntype = 'none' } = element.attributes
  const isPid = gaintype === 'pid'
  const [windup = 0, slew = 0] = dyntype === 'pid' ? listOf(read, 'dynprm', []) : []
  const inputs = inputsOf(element)
  // ranges of speeds and feed-forward have no word that they hold
  const ranges = inputs.map((key) =>
    key === 'pos' ? rangeOf(read, 'ctrl') : (readRange(reader, element, place, what, key, true) ?? free),
  )
  const three = ([a = 0, b = 0, c = 0]: readonly number[]) => [a, b, c] as const
  const gain = three(listOf(read, 'gainprm', [1]))
  const bias = three(listOf(read, 'biasprm', [0]))
  const isServo = isPid || (gaintype === 'fixed' && biastype === 'affine' && gain[0] === -bias[1])
  const inherited = isServo && joint ? inheritedRange(reader.optional(element, 'inheritrange', what, 0) ?? 0, joint) : undefined
  const integrates = dyntype === 'integrator'
  if (isPid && inherited && inputs[0] === 'pos') ranges[0] = inherited
  const isFixed = gaintype === 'fixed' || gaintype === 'affine'
  const isClamped = !compiler.off.has('clampctrl')
  return {
    gain: isOff || !isFixed ? [0, 0, 0] : gaintype === 'affine' ? gain : [gain[0], 0, 0],
    ...(isPid &&
      !isOff && {
        pid: {
          inputs,
          ranges: isClamped ? ranges : inputs.map(() => free),
          integral: dyntype === 'pid' ? gain[0] : 0,
          windup,
          slew,
        },
      }),
    ...((gaintype === 'muscle' || biastype === 'muscle' || dyntype === 'muscle') && !isOff && { muscle: muscleOf(read) }),
    bias: biastype !== 'affine' || isOff ? [0, 0, 0] : bias,
    dynamics: isPid ? 'none' : (dyntype as ActuatorDescription['dynamics']),
    timeConstant: listOf(read, 'dynprm', [1])[0] ?? 1,
    control: isClamped ? (!integrates && inherited) || rangeOf(read, 'ctrl') : free,
    activation: (integrates && inherited) || rangeOf(read, 'act'),
  }
}

function muscleOf(read: Read): MuscleDescription {
  const { gaintype, biastype, lengthrange } = read.element.attributes
  const list = listOf(read, gaintype === 'muscle' ? 'gainprm' : 'biasprm', [])
  const filled = ['0.75', '1.05', ...muscleDefaults].map((otherwise, k) => list[k] ?? Number(otherwise))
  const [low, high, force, scale, shortest, longest, speed, passive, lengthening] = filled
  const [activation = 0.01, deactivation = 0.04, smooth = 0] = listOf(read, 'dynprm', [])
  const lengths = lengthrange === undefined ? [] : listOf(read, 'lengthrange', [])
  return {
    isActive: gaintype === 'muscle',
    isPassive: biastype === 'muscle',
    range: [low, high],
    ...{ force, scale, shortest, longest, speed, passive, lengthening },
    ...(lengths.length === 2 && lengths[0] < lengths[1] && { lengthRange: [lengths[0], lengths[1]] as const }),
    timeConstants: [activation, deactivation, smooth],
  }
}

function orientationOf(read: Read, transmission: Transmission, isOff: boolean): ActuatorDescription['orientation'] {
  const [stiffness = 1] = listOf(read, 'gainprm', [1])
  const [, , damping = 0] = listOf(read, 'biasprm', [])
  return {
    stiffness: isOff ? 0 : stiffness,
    damping: isOff ? 0 : damping,
    most: rangeOf(read, 'force')[1],
    isQuaternion: read.element.attributes.input === 'quat',
    inSite: 'lengths' in transmission && transmission.inSite === true,
  }
}

/** The joint's range about its middle, as many times as wide; undefined without one. */
function inheritedRange(factor: number, { lower, upper }: JointDescription): readonly [number, number] | undefined {
  if (!(factor > 0) || !Number.isFinite(upper - lower)) return undefined
  const [middle, half] = [(lower + upper) / 2, ((upper - lower) / 2) * factor]
  return [middle - half, middle + half]
}

/** The largest effort at the joint that an actuator may give, infinite where nothing bounds it. */
export function largestForce({ gear, gain, bias, control, force, dynamics, pid, muscle }: ActuatorDescription): number {
  const most = ([low, high]: readonly [number, number]) => Math.max(Math.abs(low), Math.abs(high))
  const isMotor = !pid && !muscle && bias.every((x) => x === 0) && gain[1] === 0 && gain[2] === 0 && dynamics === 'none'
  if (gear === 0 || (isMotor && gain[0] === 0)) return 0
  const own = isMotor ? Math.min(Math.abs(gain[0]) * most(control), most(force)) : most(force)
  return Math.abs(gear) * own
}
