import type { ActuatorDescription, SensorDescription, TendonDescription, Triple } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Bodies, Seat } from './bodies.ts'
import { placed } from './tendons.ts'

/** By what a sensor is attached to, the tags that are measured; a frame is named by `objtype` and `objname`. */
const targets = {
  joint: 'jointpos jointvel jointlimitpos jointlimitvel jointactuatorfrc',
  ball: 'ballquat ballangvel',
  tendon: 'tendonpos tendonvel',
  actuator: 'actuatorpos actuatorvel actuatorfrc',
  frame: 'framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc insidesite',
  site: 'accelerometer gyro velocimeter magnetometer force torque touch rangefinder',
  body: 'subtreecom subtreelinvel subtreeangmom',
  contact: 'contact',
  none: 'e_potential e_kinetic clock',
} as const

type Target = keyof typeof targets

export const sensorTargets: ReadonlyMap<string, Target> = new Map(
  Object.entries(targets).flatMap(([target, tags]) => tags.split(' ').map((tag) => [tag, target as Target] as const)),
)

/** Tags that are not measured. */
export const unmeasured: ReadonlySet<string> = new Set(
  'camprojection distance normal fromto tactile jointlimitfrc tendonlimitfrc tendonlimitpos tendonlimitvel tendonactuatorfrc user plugin'.split(
    ' ',
  ),
)

/** What sensors refer to. */
interface Measured {
  readonly root: XmlElement
  readonly bodies: Bodies
  readonly tendons: ReadonlyMap<string, TendonDescription>
  readonly actuators: readonly ActuatorDescription[]
  readonly magnetic: Triple
  /** Whether bodies are closed to loops, whose forces sensors of force leave out. */
  readonly hasLoops: boolean
}

/** Reads `<sensor>`. One that cannot be measured is a warning, for no motion depends on it. */
export function readSensors(reader: Reader, measured: Measured): SensorDescription[] {
  const sensors: SensorDescription[] = []
  const names = new Set<string>()
  const sections = measured.root.children.filter(({ name }) => name === 'sensor')
  for (const section of sections) reader.account.use(section)
  for (const [k, place] of sections.flatMap(({ children }) => children).entries()) {
    const target = sensorTargets.get(place.name)
    const name = place.attributes.name ?? `sensor${k + 1}`
    const what = `<${place.name} name=${quote(name)}> in <sensor>`
    const own = target && readSensor(reader, place, what, target, measured)
    if (target) reader.account.use(place)
    else if (unmeasured.has(place.name)) {
      reader.account.carryTree(place)
      reader.findings.warning('sensor', place, what, 'such a sensor has no counterpart here.', missing)
    }
    if (names.has(name))
      reader.findings.error('sensor-twice', place, what, `there is a sensor ${quote(name)} already.`, 'Rename one of the two.')
    else if (own) {
      names.add(name)
      sensors.push({ name, ...own })
    }
  }
  return sensors
}

const tendonLength = (tendon: TendonDescription | undefined) => tendon && { length: tendon.parts }

const missing = 'It is left out; controllers and recordings do not have it.'

function readSensor(
  reader: Reader,
  place: XmlElement,
  what: string,
  target: Target,
  { root, bodies, tendons, actuators, magnetic, hasLoops }: Measured,
): Omit<SensorDescription, 'name'> | undefined {
  const { attributes, name: type } = place
  const warn = (message: string, remedy = missing) => reader.findings.warning('sensor', place, what, message, remedy)
  const least0 = (key: string) => {
    const value = reader.optional(place, key, what, 0) ?? 0
    if (value < 0) reader.findings.error('sensor', place, what, `${key} ${value} is negative.`, 'Let it be 0 or more.')
    return value
  }
  /** What an attribute names; a warning where the file has it and it does not act here, else an error. */
  const named = <T>(key: string, found: (name: string) => T | undefined, kind = key, section = ''): T | undefined => {
    const name = reader.required(place, key, what)
    const own = name === undefined ? undefined : found(name)
    if (name === undefined || own !== undefined) return own
    const declared = root.children.filter((element) => element.name === section).flatMap(({ children }) => children)
    if (declared.some((element) => element.attributes.name === name)) warn(`${kind} ${quote(name)} has no counterpart here.`)
    else reader.findings.error('name-unknown', place, what, `${key}: there is no ${kind} ${quote(name)}.`, 'Correct the name.')
    return undefined
  }
  const seat = (key: string, kind: string) => {
    const own = named(key, (name) => bodies.seats.get(`${kind} ${name}`), kind)
    if (own?.moves) warn(own.moves)
    return own?.moves ? undefined : own
  }
  const zoneOf = ({ shape }: Seat) => {
    if (!shape) warn('a zone of this shape is not measured.')
    return shape && { zone: shape }
  }
  const attached = (): Partial<SensorDescription> | undefined => {
    switch (target) {
      case 'none':
        return {}
      case 'ball':
      case 'joint': {
        const wanted = target === 'ball' ? 'spherical' : 'revolute or prismatic'
        const isOne = (name: string) => bodies.joints.find((one) => one.name === name && wanted.includes(one.type))
        const joint = named('joint', isOne, `${wanted} joint`)
        if (joint?.compensates && type === 'jointactuatorfrc')
          warn('the weight that its motor holds is not in it.', 'The rest is.')
        return joint && { joints: [[joint.name, 1]] }
      }
      case 'tendon':
        return named('tendon', (name) => tendonLength(tendons.get(name)), 'tendon', 'tendon')
      case 'actuator': {
        const actuator = named('actuator', (name) => actuators.find((one) => one.name === name), 'actuator', 'actuator')
        if (actuator?.orientation) warn('it measures three numbers of an orientation.')
        return actuator && !actuator.orientation ? { actuator: actuator.name } : undefined
      }
      case 'body': {
        const body = seat('body', 'xbody')
        return body && { object: placed(body) }
      }
      case 'contact': {
        if ((attributes.data ?? 'found') !== 'found' || Number(attributes.num ?? 1) !== 1 || attributes.site !== undefined) {
          warn('of contacts their number is measured here, and no more.')
          return undefined
        }
        const stated = ['geom', 'body', 'subtree'].flatMap((kind) => [`${kind}1`, `${kind}2`]).filter((key) => key in attributes)
        const sides = stated.flatMap((key) => {
          const kind = key.slice(0, -1)
          const own = seat(key, kind === 'geom' ? kind : 'xbody')
          return own ? [{ link: own.link, ...(kind === 'geom' && { geom: attributes[key] }), isTree: kind === 'subtree' }] : []
        })
        return sides.length === stated.length ? { sides } : undefined
      }
      case 'site': {
        if (type === 'rangefinder' && (attributes.camera !== undefined || (attributes.data ?? 'dist') !== 'dist')) {
          warn('a ray from a site gives its length here, and no more.')
          return undefined
        }
        const site = seat('site', 'site')
        const zone = site && type === 'touch' ? zoneOf(site) : {}
        return site && zone && { object: placed(site), ...zone, ...(type === 'magnetometer' && { field: magnetic }) }
      }
      case 'frame': {
        const object = seat('objname', attributes.objtype ?? 'object')
        const isInside = type === 'insidesite'
        const isRelative = isInside || (attributes.refname !== undefined && !type.endsWith('acc'))
        const reference = isRelative
          ? seat(isInside ? 'site' : 'refname', isInside ? 'site' : (attributes.reftype ?? 'reference'))
          : undefined
        const zone = isInside && reference ? zoneOf(reference) : {}
        if (!object || !zone || (isRelative && !reference)) return undefined
        return { object: placed(object), ...(reference && { reference: placed(reference) }), ...zone }
      }
    }
  }
  const own = attached()
  if (!own) return undefined
  for (const key of ['delay', 'interval'])
    if (attributes[key] !== undefined)
      warn(`its ${key} does not act.`, 'It is read at each tick; a scenario gives rates and delays.')
  if ((type === 'force' || type === 'torque') && hasLoops) warn('forces of closed loops are not in it.', 'The rest is.')
  return { type, ...own, noise: least0('noise'), cutoff: least0('cutoff'), place }
}
