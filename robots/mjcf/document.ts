import { Meter } from '../../dynamics/index.ts'
import { robotError } from '../diagnostics.ts'
import { quote, type Reader } from '../elements/index.ts'
import { chainOf, Includes } from '../files/includes.ts'
import type { Resolver } from '../files/resolve.ts'
import { type XmlElement, xmlLimits } from '../xml.ts'
import { asGeneral } from './actuators.ts'

/** Includes inside includes, and files in all. */
const maxIncludeDepth = 20
const maxIncludes = 1000

/**
 * The tree of a file with its `<include>`s replaced by the included elements.
 *
 * @throws RobotError for a file that does not exist, is no XML, or includes itself
 */
export function withIncludes(root: XmlElement, file: string, resolver?: Resolver): XmlElement {
  const files = new Includes(resolver)
  const limits = { includes: maxIncludes, characters: xmlLimits.maxLength, elements: xmlLimits.maxElements }
  const meter = new Meter(limits, (kind, most) => new RangeError(`more than ${most} ${kind}`))
  const included = (element: XmlElement, stack: readonly string[]): readonly XmlElement[] => {
    const refusal = (kind: string, most: number) =>
      robotError('xml-limit', element, `<${element.name}>`, `more than ${most} ${kind} with all includes.`, 'Split the file.')
    meter.ask('elements', 1, refusal)
    if (stack.length > 1) for (const key in element.attributes) meter.ask('characters', element.attributes[key].length, refusal)
    if (element.name !== 'include') return [expanded(element, stack)]
    const name = element.attributes.file ?? ''
    const what = `<include file=${quote(name)}>`
    // from the folder of the main file, else from that of the including one
    const path = files.find(name, [file, element.file])?.path
    if (path === undefined) {
      throw robotError(
        'include-missing',
        element,
        what,
        'the file was not found.',
        files.remedyFor(name, [file, element.file], 'Put it there; paths start from the folder of the main file.'),
      )
    }
    const endless = () => {
      const message = `files include each other without end: ${chainOf([...stack, path])}.`
      return robotError('include-loop', element, what, message, 'Remove one of the includes.')
    }
    if (stack.includes(path) || stack.length > maxIncludeDepth) throw endless()
    meter.ask('includes', 1, endless)
    return files.tree(path).children.flatMap((child) => included(child, [...stack, path]))
  }
  const expanded = (element: XmlElement, stack: readonly string[]): XmlElement => {
    const children = element.children.flatMap((child) => included(child, stack))
    return { ...element, children }
  }
  return expanded(root, [file])
}

/** Elements whose defaults are one: a `<motor>` has the ranges and the gear of `<general>`. */
const actuators: ReadonlySet<string> = new Set([
  ...'general motor position velocity intvelocity damper cylinder pid muscle orientation adhesion'.split(' '),
])
const keyOf = (tag: string) => (actuators.has(tag) ? 'actuator' : tag)

/** Attributes of `<general>` that say what it does. */
const parameters: ReadonlySet<string> = new Set('gaintype gainprm biastype biasprm dyntype dynprm inheritrange'.split(' '))

type Attributes = Readonly<Record<string, string>>

/** Lists of which an element may state the first numbers alone: the others are those of its class. */
const lists: readonly string[] = 'friction solref solimp solreflimit solimplimit solreffriction solimpfriction surfacevel'.split(
  ' ',
)

function withDefaults(stated: Attributes, given: Attributes | undefined): Record<string, string> {
  const attributes: Record<string, string> = { ...given, ...stated }
  for (const key of lists) {
    if (stated[key] === undefined || given?.[key] === undefined) continue
    const [own, others] = [stated[key], given[key]].map((text) => text.trim().split(/\s+/))
    if (own.length < others.length) attributes[key] = [...own, ...others.slice(own.length)].join(' ')
  }
  return attributes
}

/** Attributes that the classes of `<default>` give to elements that do not state them. */
export class Defaults {
  private readonly classes = new Map<string, Map<string, Attributes>>()
  private readonly known = new Map<XmlElement, XmlElement>()
  /** Of each class, the one around it, and the element that its defaults of actuators are written with. */
  private readonly origins = new Map<string, { readonly parent?: string; actuator?: string }>([['main', {}]])
  private readonly reader: Reader

  constructor(reader: Reader, sections: readonly XmlElement[]) {
    this.reader = reader
    this.classes.set('main', new Map())
    for (const section of sections) this.take(section, 'main', this.classes.get('main')!)
  }

  /**
   * The element with the attributes that it states and those of its class, else of the innermost `childclass` around it.
   *
   * @param key of the defaults: of all equalities and of all tendons they are one
   */
  filled(element: XmlElement, childclass: string | undefined, key = keyOf(element.name)): XmlElement {
    const filled = this.withClass(element, childclass, key)
    this.known.set(element, filled)
    return filled
  }

  /** As it was filled last; itself if it never was. */
  lastFilled(element: XmlElement): XmlElement {
    return this.known.get(element) ?? element
  }

  private withClass(element: XmlElement, childclass: string | undefined, key: string): XmlElement {
    const name = element.attributes.class ?? childclass ?? 'main'
    const known = this.classes.get(name)
    if (!known) {
      const what = `<${element.name}>`
      this.reader.findings.error('class-unknown', element, what, `there is no class ${quote(name)}.`, 'Define it in <default>.')
      return element
    }
    const given = known.get(key)
    if (key === 'actuator') return { ...element, attributes: this.actuator(element, name, given) }
    if (!given) return element
    this.reader.ask('attributes', Object.keys(given).length, element, `<${element.name}>`)
    const attributes = withDefaults(element.attributes, given)
    // an orientation in one form replaces that in another; quat is replaced by any of them, wherever it is stated
    const turns = ['axisangle', 'euler', 'xyaxes', 'zaxis']
    if (turns.some((key) => key in element.attributes)) {
      for (const key of turns) if (!(key in element.attributes)) delete attributes[key]
    }
    return { ...element, attributes }
  }

  /**
   * Gains, bias and dynamics come from the nearest class around whose defaults are written with the same element or with `<general>`; all
   * else, such as the gear, from the class itself. So it is from MuJoCo 3.16 on; before, a `<velocity>` had the gain of a `<position>`.
   */
  private actuator(element: XmlElement, className: string, given: Attributes = {}): Attributes {
    const { name: tag, attributes: own } = element
    const attributes: Record<string, string> = {}
    this.reader.ask('attributes', Object.keys(given).length, element, `<${tag}>`)
    for (const key in given) if (!parameters.has(key)) attributes[key] = given[key]
    let at: string | undefined = className
    const isWritten = (actuator?: string) =>
      actuator === tag || actuator === 'general' || (actuator !== undefined && tag === 'general')
    while (at !== undefined && !isWritten(this.origins.get(at)?.actuator)) at = this.origins.get(at)?.parent
    const source = at === undefined ? undefined : this.classes.get(at)?.get('actuator')
    for (const key of parameters) if (source?.[key] !== undefined) attributes[key] = source[key]
    // of a range and a share of the joint's, the one stated last counts
    if (own.ctrlrange !== undefined || own.actrange !== undefined) delete attributes.inheritrange
    if (own.inheritrange !== undefined) for (const key of ['ctrlrange', 'actrange']) delete attributes[key]
    return asGeneral(tag, Object.assign(attributes, own))
  }

  private take(section: XmlElement, parentName: string, inherited: ReadonlyMap<string, Attributes>): void {
    const { account, findings } = this.reader
    account.use(section)
    const name = section.attributes.class ?? parentName
    const isRoot = inherited === this.classes.get('main') && (name === 'main' || section.attributes.class === undefined)
    const own = isRoot ? this.classes.get('main')! : new Map(inherited)
    if (section.attributes.class !== undefined && name !== 'main' && this.classes.has(name)) {
      findings.error(
        'class-twice',
        section,
        `<default class=${quote(name)}>`,
        'there is a class of this name already.',
        'Rename one.',
      )
    }
    const known = isRoot ? 'main' : name
    this.classes.set(known, own)
    // one that is there already, inside itself too, has its origin
    if (!this.origins.has(known)) this.origins.set(known, { parent: parentName })
    for (const child of section.children) {
      if (child.name === 'default') continue
      account.use(child)
      const key = keyOf(child.name)
      if (key === 'actuator') {
        own.set(key, this.actuator(child, known, own.get(key)))
        this.origins.get(known)!.actuator = child.name
      } else own.set(key, withDefaults(child.attributes, own.get(key)))
    }
    for (const child of section.children) if (child.name === 'default') this.take(child, name, own)
  }
}
