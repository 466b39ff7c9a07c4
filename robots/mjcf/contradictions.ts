import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

type Stated = Readonly<Record<string, string | undefined>>
type Wrong = string | false | undefined
/** Elements as `section/element`, the contradiction in one of them, and its remedy. */
type Rule = readonly [where: RegExp, wrong: (attributes: Stated, element: XmlElement) => Wrong, remedy: string]

const turns = ['quat', 'axisangle', 'euler', 'xyaxes', 'zaxis']
const eachTurn = turns.map((key) => [key])
const flags = ['limited', 'ctrllimited', 'forcelimited', 'actlimited', 'actuatorfrclimited', 'active', 'mocap']
const wholes = ['contype', 'conaffinity', 'condim', 'group', 'priority', 'count', 'nrow', 'ncol']
const isNegative = (text: string) => Number.parseFloat(text) < 0
const isSmall = (text: string) =>
  !text
    .trim()
    .split(/\s+/)
    .every((x) => Number(x) > 0)
const isFraction = (text: string) => Number.isFinite(Number(text)) && !Number.isInteger(Number(text))

/** The first of these attributes that is wrong. */
function first(attributes: Stated, keys: readonly string[], isWrong: (text: string) => boolean): Wrong {
  const key = keys.find((name) => attributes[name] !== undefined && isWrong(attributes[name]))
  return key && `${key}=${quote(attributes[key]!)}.`
}

/** Of these groups of attributes one at most may be stated. */
function exclusive(attributes: Stated, groups: readonly (readonly string[])[]): Wrong {
  let found: string | undefined
  for (const group of groups) {
    const key = group.find((name) => attributes[name] !== undefined)
    if (key !== undefined && found !== undefined) return `${found} and ${key} exclude each other.`
    found ??= key
  }
  return false
}

function twice(list: readonly string[]): Wrong {
  const seen = new Set<string>()
  const one = list.find((name) => seen.size === seen.add(name).size)
  return one !== undefined && `it has ${quote(one)} twice.`
}

/** Kinds of the joints of a body, those in its frames too. */
const jointsOf = ({ children }: XmlElement): string[] =>
  children.flatMap((child) => {
    if (child.name === 'frame') return jointsOf(child)
    return child.name === 'freejoint' ? 'free' : child.name === 'joint' ? (child.attributes.type ?? 'hinge') : []
  })

function jointsOfBody(_: Stated, element: XmlElement): Wrong {
  const kinds = jointsOf(element)
  if (kinds.reduce((sum, kind) => sum + (kind === 'free' ? 6 : kind === 'ball' ? 3 : 1), 0) > 6)
    return 'its joints have more than 6 coordinates.'
  const turning = kinds.filter((kind) => kind !== 'slide')
  return turning.slice(0, -1).includes('ball') && 'a rotation follows a ball joint.'
}

function closure({ body1, body2, anchor, site1, joint1, joint2 }: Stated, { name }: XmlElement): Wrong {
  if (name === 'connect' && site1 === undefined && anchor === undefined) return 'it has no anchor.'
  if (joint1 !== undefined && joint1 === joint2) return `it ties joint ${quote(joint1)} to itself.`
  return /connect|weld/.test(name) && body1 !== undefined && body1 === (body2 ?? 'world') && `it ties ${quote(body1)} to itself.`
}

const rules: readonly Rule[] = [
  [/./, (a) => exclusive(a, eachTurn), 'State one of them.'],
  [/./, (a) => first(a, flags, (text) => !/^(true|false|auto)$/.test(text)), 'It is true, false or auto.'],
  [/./, (a) => first(a, wholes, isFraction), 'State a whole number.'],
  [
    /^default/,
    (_, { children }) => children.some((one) => one.name === 'default' && !one.attributes.class) && 'a class in it has no name.',
    'State its class.',
  ],
  [/^default/, (_, e) => twice(e.children.flatMap(({ name }) => (name === 'default' ? [] : name))), 'Leave one.'],
  [/^worldbody\/geom$/, (a) => first(a, ['mass', 'density'], isNegative), 'State 0 or more.'],
  [
    /^worldbody\/geom$/,
    ({ fromto, type = '' }) => fromto !== undefined && /^(sphere|plane|hfield|mesh)$/.test(type) && `fromto of a ${type}.`,
    'State pos and size.',
  ],
  [/^worldbody\/$/, (_, e) => jointsOf(e).length > 0 && 'the world has joints.', 'Put them in a <body>.'],
  [/^worldbody\/$/, (_, e) => e.children.some(({ name }) => name === 'inertial') && 'the world has inertia.', 'Leave it out.'],
  [/\/body$/, jointsOfBody, 'Leave some out, or put them on bodies between.'],
  [/\/body$/, (_, e) => twice(e.children.flatMap(({ name }) => (name === 'inertial' ? name : []))), 'Leave one.'],
  [/\/inertial$/, ({ pos }) => pos === undefined && 'it has no pos.', 'State where the centre of mass is.'],
  [/\/inertial$/, (a) => exclusive(a, [['fullinertia'], ['diaginertia', ...turns]]), 'State one of them.'],
  [/^asset\/hfield$/, (a) => first(a, ['size'], isSmall), 'State four numbers, above 0.'],
  [/^tendon\/fixed$/, (_, { children }) => children.length === 0 && 'it has no joints.', 'Name some.'],
  [/^tendon\/fixed$/, (_, e) => twice(e.children.flatMap((one) => one.attributes.joint ?? [])), 'Add up the coefficients.'],
  [/\/(position|intvelocity)$/, (a) => first(a, ['kv', 'dampratio', 'timeconst'], isNegative), 'State 0 or more.'],
  [/\/(position|intvelocity)$/, (a) => exclusive(a, [['kv'], ['dampratio']]), 'State one of them.'],
  [/\/damper$/, (a) => first(a, ['kv', 'ctrlrange'], isNegative), 'State 0 or more.'],
  [
    /^equality\//,
    (a) =>
      exclusive(a, [
        ['site1', 'site2'],
        ['body1', 'body2', 'anchor'],
      ]),
    'State two sites, or bodies and where.',
  ],
  [/^equality\/./, closure, 'Name two, and where they touch.'],
]

/** Sections whose elements have names of one kind; in the tree and the assets each element has its own. */
const oneKind = ['actuator', 'equality', 'tendon', 'sensor']

/**
 * What MuJoCo refuses in a file because it contradicts itself, as far as the readers of its parts do not see it. Unknown elements and
 * attributes, which MuJoCo refuses too, are only named.
 *
 * @param root with its includes
 */
export function findContradictions(reader: Reader, root: XmlElement): void {
  const first = new Map<string, XmlElement>()
  const ofPath = new Map<string, readonly Rule[]>()
  const classes = new Set(['main'])
  const refuse = (place: XmlElement, message: string, remedy: string) => {
    const name = place.attributes.name === undefined ? '' : ` name=${quote(place.attributes.name)}`
    reader.findings.error('mjcf-contradiction', place, `<${place.name}${name}>`, message, remedy)
  }
  const collect = ({ name, attributes, children }: XmlElement) => {
    if (name === 'default' && attributes.class !== undefined) classes.add(attributes.class)
    for (const child of children) if (child.name === 'default') collect(child)
  }
  const visit = (element: XmlElement, section: string) => {
    const isInside = element.name !== section
    const { name, childclass } = element.attributes
    const kind = oneKind.includes(section) ? section : element.name.replace('freejoint', 'joint')
    // the reader of bodies names those that are there twice
    if (name && isInside && section !== 'default' && kind !== 'body') {
      const other = first.get(`${kind} ${name}`)
      if (other) refuse(element, `there is one of this name at line ${other.line}.`, 'Rename one of them.')
      first.set(`${kind} ${name}`, other ?? element)
    }
    if (childclass !== undefined && !classes.has(childclass))
      refuse(element, `there is no class ${quote(childclass)}.`, 'Define it in <default>.')
    const path = `${section}/${isInside ? element.name : ''}`
    const own = ofPath.get(path) ?? rules.filter(([where]) => where.test(path))
    ofPath.set(path, own)
    for (const [, wrong, remedy] of own) {
      const message = wrong(element.attributes, element)
      if (message) refuse(element, message, remedy)
    }
    for (const child of element.children) visit(child, section)
  }
  collect(root)
  for (const section of root.children) visit(section, section.name)
}
