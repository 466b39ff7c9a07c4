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
  let left = maxIncludes
  let characters = xmlLimits.maxLength
  let elements = xmlLimits.maxElements
  const included = (element: XmlElement, stack: readonly string[]): readonly XmlElement[] => {
    if (--elements < 0)
      throw robotError('xml-limit', element, `<${element.name}>`, 'too many elements with all includes.', 'Split the file.')
    if (stack.length > 1) for (const key in element.attributes) characters -= element.attributes[key].length
    if (characters < 0)
      throw robotError('xml-limit', element, `<${element.name}>`, 'too many characters with all includes.', 'Split the file.')
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
    if (stack.includes(path) || stack.length > maxIncludeDepth || --left < 0) {
      const message = `files include each other without end: ${chainOf([...stack, path])}.`
      throw robotError('include-loop', element, what, message, 'Remove one of the includes.')
    }
    return files.tree(path).children.flatMap((child) => included(child, [...stack, path]))
  }
  const expanded = (element: XmlElement, stack: readonly string[]): XmlElement => {
    const children = element.children.flatMap((child) => included(child, stack))
    return { ...element, children }
  }
  return expanded(root, [file])
}

/** Elements whose defaults are one: a `<motor>` has those of `<general>`. */
const actuators: ReadonlySet<string> = new Set([
  'general',
  'motor',
  'position',
  'velocity',
  'intvelocity',
  'damper',
  'cylinder',
  'pid',
])
const keyOf = (tag: string) => (actuators.has(tag) ? 'actuator' : tag)

type Attributes = Readonly<Record<string, string>>

/** Lists of which an element may state the first numbers alone: the others are those of its class. */
const lists = ['friction', 'solref', 'solimp'] as const

function withDefaults(stated: Attributes, given: Attributes | undefined): Record<string, string> {
  const attributes: Record<string, string> = Object.assign(Object.create(null), given, stated)
  for (const key of lists) {
    const [own, others] = [stated[key], given?.[key]].map((text) => text?.trim().split(/\s+/))
    if (own && others && own.length < others.length) attributes[key] = [...own, ...others.slice(own.length)].join(' ')
  }
  return attributes
}

/** Attributes that the classes of `<default>` give to elements that do not state them. */
export class Defaults {
  private readonly classes = new Map<string, Map<string, Attributes>>()
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
    const name = element.attributes.class ?? childclass ?? 'main'
    const known = this.classes.get(name)
    if (!known) {
      const what = `<${element.name}>`
      this.reader.findings.error('class-unknown', element, what, `there is no class ${quote(name)}.`, 'Define it in <default>.')
      return element
    }
    const given = known.get(key)
    if (key === 'actuator') return { ...element, attributes: asGeneral(element.name, { ...given, ...element.attributes }) }
    if (!given) return element
    const attributes = withDefaults(element.attributes, given)
    // an orientation in one form replaces that in another; quat is replaced by any of them, wherever it is stated
    const turns = ['axisangle', 'euler', 'xyaxes', 'zaxis']
    if (turns.some((key) => key in element.attributes)) {
      for (const key of turns) if (!(key in element.attributes)) delete attributes[key]
    }
    return { ...element, attributes }
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
    this.classes.set(isRoot ? 'main' : name, own)
    for (const child of section.children) {
      if (child.name === 'default') continue
      account.use(child)
      const key = keyOf(child.name)
      const stated = withDefaults(child.attributes, own.get(key))
      own.set(key, key === 'actuator' ? asGeneral(child.name, stated) : stated)
    }
    for (const child of section.children) if (child.name === 'default') this.take(child, name, own)
  }
}
