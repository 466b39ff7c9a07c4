import type { ActuatorDescription, JointDescription } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Compiler } from './options.ts'

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
  const { kp, kv, dampratio, timeconst, area, diameter, bias, ...out } = attributes
  const [gain = '1', , g2 = '0'] = numbersOf(out.gainprm)
  const [, , b2 = '0'] = numbersOf(out.biasprm)
  const negative = (text: string) => (/^-/.test(text) ? text.slice(1) : Number(text) === 0 ? '0' : `-${text}`)
  const damping = dampratio ?? (kv === undefined ? b2 : negative(kv))
  const own: Attributes = Object.assign(Object.create(null), out)
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
      if (tag === 'intvelocity') Object.assign(own, { dyntype: 'integrator', actlimited: 'true' })
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

/** @param element with the attributes of its class, in those of `<general>` */
export function readActuator(
  reader: Reader,
  element: XmlElement,
  place: XmlElement,
  what: string,
  joint: JointDescription,
  number: number,
  { autolimits, off, actuatorsOff }: Compiler,
): ActuatorDescription | undefined {
  const { attributes } = element
  const list = (key: string, otherwise: readonly number[]) =>
    attributes[key] === undefined ? otherwise : (reader.numbers(element, key, undefined, what) ?? otherwise)
  const least0 = (key: string) => Math.max(0, reader.optional(element, key, what, 0) ?? 0)
  const { gaintype = 'fixed', biastype = 'none', dyntype = 'none' } = attributes
  const known = /^(fixed|affine)$/.test(gaintype) && /^(none|affine)$/.test(biastype)
  const isDynamics = (text: string): text is ActuatorDescription['dynamics'] =>
    /^(none|integrator|filter|filterexact)$/.test(text)
  if (!known || !isDynamics(dyntype) || attributes.delay !== undefined) {
    const message = `an actuator of gaintype ${gaintype}, biastype ${biastype}, dyntype ${dyntype}${attributes.delay ? ', with a delay' : ''}.`
    reader.findings.repair('mjcf-unsupported', place, what, message, 'Passed by.')
    return undefined
  }
  const range = (key: string): readonly [number, number] => {
    const own = list(`${key}range`, [])
    // 0 0 is no range
    if (own.length !== 2 || own.every((x) => x === 0)) return [-Infinity, Infinity]
    const holds = attributes[`${key}limited`] === 'true' || (attributes[`${key}limited`] !== 'false' && autolimits)
    return holds ? [own[0], own[1]] : [-Infinity, Infinity]
  }
  const three = ([a = 0, b = 0, c = 0]: readonly number[]) => [a, b, c] as const
  const gain = three(list('gainprm', [1]))
  const bias = three(list('biasprm', [0]))
  const [gear = 1] = list('gear', [1])
  const isServo = gaintype === 'fixed' && biastype === 'affine' && gain[0] === -bias[1]
  const inherited = isServo ? inheritedRange(reader.optional(element, 'inheritrange', what, 0) ?? 0, joint) : undefined
  const integrates = dyntype === 'integrator'
  const isOff = off.has('actuation') || actuatorsOff.has(reader.optional(element, 'group', what, 0) ?? 0)
  return {
    name: attributes.name ?? `actuator${number + 1}`,
    joint: joint.name,
    gear,
    gain: isOff ? [0, 0, 0] : gaintype === 'fixed' ? [gain[0], 0, 0] : gain,
    bias: isOff || biastype === 'none' ? [0, 0, 0] : bias,
    dynamics: dyntype,
    timeConstant: list('dynprm', [1])[0] ?? 1,
    control: off.has('clampctrl') ? [-Infinity, Infinity] : (!integrates && inherited) || range('ctrl'),
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
export function largestForce({ gear, gain, bias, control, force, dynamics }: ActuatorDescription): number {
  const most = ([low, high]: readonly [number, number]) => Math.max(Math.abs(low), Math.abs(high))
  const isMotor = bias.every((x) => x === 0) && gain[1] === 0 && gain[2] === 0 && dynamics === 'none'
  if (isMotor && gain[0] === 0) return 0
  const own = isMotor ? Math.min(Math.abs(gain[0]) * most(control), most(force)) : most(force)
  return Math.abs(gear) * own
}
