import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/**
 * Rotor inertia reflected to each joint: the rotor's own times the square of the reduction [kg m^2, kg]. The reduction is
 * `drake:gear_ratio`, else `mechanicalReduction`, else 1; several transmissions of one joint add up. A transmission that
 * couples joints is carried: only one with as many actuators as joints, taken in order, has a rotor for each.
 */
export function readTransmissions(
  reader: Reader,
  elements: readonly XmlElement[],
  joints: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const armatures = new Map<string, number>()
  for (const element of elements) {
    const what = `<transmission name=${quote(element.attributes.name ?? '')}>`
    carryTransmission(reader, element)
    const jointElements = element.children.filter((child) => child.name === 'joint')
    const actuators = element.children.filter((child) => child.name === 'actuator')
    for (const joint of jointElements) {
      const name = reader.attribute(joint, 'name', `<joint> of ${what}`)
      if (name === undefined || joints.has(name)) continue
      const message = `there is no joint ${quote(name)}.`
      reader.findings.warning('transmission-joint', joint, `<joint> of ${what}`, message, 'Passed by; correct the name.')
    }
    if (jointElements.length !== actuators.length) {
      if (actuators.some((actuator) => rotorOf(actuator))) {
        const message = `${jointElements.length} joints and ${actuators.length} actuators: whose rotor is whose is open.`
        reader.findings.repair('transmission-coupled', element, what, message, 'Its rotor inertia is passed by.')
      }
      continue
    }
    const outer = element.children.find((child) => child.name === 'mechanicalReduction')
    for (let k = 0; k < actuators.length; k++) {
      const armature = readArmature(reader, element, jointElements[k], actuators[k], outer, what)
      const name = jointElements[k].attributes.name
      if (armature !== undefined && name !== undefined && joints.has(name)) {
        armatures.set(name, (armatures.get(name) ?? 0) + armature)
      }
    }
  }
  return armatures
}

const carried: ReadonlySet<string> = new Set([
  ...['joint', 'actuator', 'type', 'robotNamespace', 'hardwareInterface', 'mechanicalReduction', 'offset', 'role'],
])

function carryTransmission({ account }: Reader, element: XmlElement): void {
  account.carry(element)
  for (const child of element.children) {
    if (!carried.has(child.name)) continue
    account.carry(child)
    for (const inner of child.children) if (carried.has(inner.name)) account.carry(inner)
  }
}

function rotorOf(actuator: XmlElement): XmlElement | undefined {
  return actuator.children.find((child) => child.name === 'drake:rotor_inertia')
}

function readArmature(
  reader: Reader,
  transmission: XmlElement,
  joint: XmlElement,
  actuator: XmlElement,
  outer: XmlElement | undefined,
  what: string,
): number | undefined {
  const { account } = reader
  const rotor = reader.only(actuator, 'drake:rotor_inertia', `<actuator> of ${what}`)
  const gear = reader.only(actuator, 'drake:gear_ratio', `<actuator> of ${what}`)
  const plain = [...actuator.children, ...joint.children].find((child) => child.name === 'mechanicalReduction') ?? outer
  const reduction = gear ?? plain
  if (!rotor) {
    if (gear) account.carry(gear)
    noteReduction(reader, plain, what)
    return undefined
  }
  const whatRotor = `<${rotor.name}> of ${what}`
  const inertia = reader.number(rotor, 'value', whatRotor)
  const ratio = reduction ? reader.value(reduction, `<${reduction.name}> of ${what}`) : 1
  for (const element of [rotor, reduction, actuator, joint, transmission]) if (element) account.use(element)
  if (inertia === undefined || ratio === undefined) return undefined
  if (inertia < 0) {
    const message = `a rotor inertia of ${inertia} kg m^2 is negative.`
    reader.findings.repair('rotor-inertia-negative', rotor, whatRotor, message, 'Taken as 0.')
    return 0
  }
  return inertia * ratio * ratio
}

/** A reduction alone changes nothing: efforts and speeds are those of the joint. */
function noteReduction(reader: Reader, element: XmlElement | undefined, what: string): void {
  if (!element) return
  const value = reader.value(element, `<${element.name}> of ${what}`, 'warning')
  if (value === undefined || Math.abs(value) === 1) return
  const remedy = 'Carried; efforts are those at the joint, and a rotor inertia would come as <drake:rotor_inertia value="..."/>.'
  reader.note(
    'reduction-alone',
    element,
    `<${element.name}> of ${what}`,
    `a reduction of ${value} without a rotor inertia.`,
    remedy,
  )
}
