import type { ActuatorDescription, JointDescription } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Compiler } from './options.ts'
import { readRange } from './ranges.ts'

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
  const { kp, kv, dampratio, timeconst, area, diameter, bias, ki, imax, slewmax, posrange, ...out } = attributes
  const [gain = '1', , g2 = '0'] = numbersOf(out.gainprm)
  const [b0 = '0', b1 = '0', b2 = '0'] = numbersOf(out.biasprm)
  const negative = (text: string) => (/^-/.test(text) ? text.slice(1) : Number(text) === 0 ? '0' : `-${text}`)
  const damping = dampratio ?? (kv === undefined ? b2 : negative(kv))
  const own: Attributes = { ...out }
  switch (tag) {
    case 'motor':
      return Object.assign(own, { gaintype: 'fixed', gainprm: '1', biastype: 'none', biasprm: '0', dyntype: 'none' })
    case 'position':
    case 'intvelocity': {
      const stiffness = kp ?? gain
      Object.assign(own, {
        gaintype: 'fixed',
        gainprm: stiffness,
        biastype: 'affine',
        biasprm: `0 ${negative(stiffness)} ${damping}`,
      })
      if (tag === 'intvelocity') Object.assign(own, { dyntype: 'integrator', actlimited: 'auto' })
      else if (timeconst !== undefined)
        Object.assign(own, { dyntype: Number(timeconst) > 0 ? 'filterexact' : 'none', dynprm: timeconst })
      return own
    }
    case 'velocity': {
      const slope = kv ?? gain
      return Object.assign(own, {
        gaintype: 'fixed',
        gainprm: slope,
        biastype: 'affine',
        biasprm: `0 0 ${negative(slope)}`,
        dyntype: 'none',
      })
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
      const piston = diameter === undefined ? (area ?? gain) : String((Math.PI / 4) * Number(diameter) ** 2)
      return Object.assign(own, {
        ...{ gaintype: 'fixed', gainprm: piston, biastype: 'affine', biasprm: bias ?? out.biasprm ?? '0' },
        ...{ dyntype: 'filter', dynprm: timeconst ?? '1' },
      })
    }
    case 'muscle':
      return Object.assign(own, { gaintype: 'muscle', biastype: 'muscle', dyntype: 'muscle' })
    default:
      return own
  }
}

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

/**
 * @param element with the attributes of its class, in those of `<general>`
 * @param input   index of its first input in `ctrl`
 */
export function readActuator(
  reader: Reader,
  element: XmlElement,
  place: XmlElement,
  what: string,
  joint: JointDescription,
  name: string,
  input: number,
  { autolimits, off, actuatorsOff }: Compiler,
): ActuatorDescription | undefined {
  const { attributes } = element
  const list = (key: string, otherwise: readonly number[]) =>
    attributes[key] === undefined ? otherwise : (reader.numbers(element, key, undefined, what) ?? otherwise)
  const least0 = (key: string) => Math.max(0, reader.optional(element, key, what, 0) ?? 0)
  const { gaintype = 'fixed', biastype = 'none', dyntype = 'none' } = attributes
  const known = /^(fixed|affine|pid)$/.test(gaintype) && /^(none|affine)$/.test(biastype)
  const isPid = gaintype === 'pid'
  const isDynamics = (text: string): text is ActuatorDescription['dynamics'] =>
    /^(none|integrator|filter|filterexact)$/.test(text)
  const dynamics = isPid ? 'none' : dyntype
  if (!known || !isDynamics(dynamics) || attributes.delay !== undefined) {
    const message = `an actuator of gaintype ${gaintype}, biastype ${biastype}, dyntype ${dyntype}${attributes.delay ? ', with a delay' : ''}.`
    reader.findings.repair('mjcf-unsupported', place, what, message, 'Passed by.')
    return undefined
  }
  const free = [-Infinity, Infinity] as const
  const range = (key: string) => readRange(reader, element, place, what, key, autolimits) ?? free
  const [windup = 0, slew = 0] = dyntype === 'pid' ? list('dynprm', []) : []
  const inputs = inputsOf(element)
  // ranges of speeds and feed-forward have no word that they hold
  const ranges = inputs.map((key) =>
    key === 'pos' ? range('ctrl') : (readRange(reader, element, place, what, key, true) ?? free),
  )
  const three = ([a = 0, b = 0, c = 0]: readonly number[]) => [a, b, c] as const
  const gain = three(list('gainprm', [1]))
  const bias = three(list('biasprm', [0]))
  const [gear = 1] = list('gear', [1])
  const isServo = isPid || (gaintype === 'fixed' && biastype === 'affine' && gain[0] === -bias[1])
  const inherited = isServo ? inheritedRange(reader.optional(element, 'inheritrange', what, 0) ?? 0, joint) : undefined
  const integrates = dyntype === 'integrator'
  if (isPid && inherited && inputs[0] === 'pos') ranges[0] = inherited
  const isOff = off.has('actuation') || actuatorsOff.has(reader.optional(element, 'group', what, 0) ?? 0)
  return {
    name,
    joint: joint.name,
    input,
    gear,
    gain: gaintype === 'affine' && !isOff ? gain : [isPid || isOff ? 0 : gain[0], 0, 0],
    ...(isPid &&
      !isOff && {
        pid: {
          inputs,
          ranges: off.has('clampctrl') ? inputs.map(() => free) : ranges,
          integral: dyntype === 'pid' ? gain[0] : 0,
          windup,
          slew,
        },
      }),
    ...(attributes.actearly === 'true' && { early: true as const }),
    ...(joint.effortRange && { jointForce: joint.effortRange }),
    bias: biastype === 'none' || isOff ? [0, 0, 0] : bias,
    dynamics,
    timeConstant: list('dynprm', [1])[0] ?? 1,
    control: off.has('clampctrl') ? free : (!integrates && inherited) || range('ctrl'),
    force: range('force'),
    activation: (integrates && inherited) || range('act'),
    armature: least0('armature'),
    damping: least0('damping'),
    place,
  }
}

/** The joint's range about its middle, as many times as wide; undefined without one. */
function inheritedRange(factor: number, { lower, upper }: JointDescription): readonly [number, number] | undefined {
  if (!(factor > 0) || !Number.isFinite(upper - lower)) return undefined
  const [middle, half] = [(lower + upper) / 2, ((upper - lower) / 2) * factor]
  return [middle - half, middle + half]
}

/** The largest effort at the joint that an actuator may give, infinite where nothing bounds it. */
export function largestForce({ gear, gain, bias, control, force, dynamics, pid }: ActuatorDescription): number {
  const most = ([low, high]: readonly [number, number]) => Math.max(Math.abs(low), Math.abs(high))
  const isMotor = !pid && bias.every((x) => x === 0) && gain[1] === 0 && gain[2] === 0 && dynamics === 'none'
  if (gear === 0 || (isMotor && gain[0] === 0)) return 0
  const own = isMotor ? Math.min(Math.abs(gain[0]) * most(control), most(force)) : most(force)
  return Math.abs(gear) * own
}
