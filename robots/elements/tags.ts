import { closest } from '../../dynamics/index.ts'
import type { Tags } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import type { XmlElement } from '../xml.ts'
import { once } from './once.ts'
import { quote, shorten } from './spelling.ts'

/** Vocabulary entry of an element. */
export interface Word {
  /** Elements in it that are read. */
  readonly children?: readonly string[]
  /** Elements in it on which no motion depends: for visuals, sensors, other programs and their solvers. Kept with all that is in them. */
  readonly idle?: readonly string[]
  /** Elements in it that change the motion elsewhere and do not act here, with a sentence each; a text `0` or `false` means that they do not. */
  readonly told?: Readonly<Record<string, string>>
  /** Elements in it that are read and do not act as they say, with the code of the finding that says so. */
  readonly reported?: Readonly<Record<string, string>>
  /** Attributes that are read. */
  readonly attributes?: readonly string[]
  /** Attributes on which no motion depends; kept without use. */
  readonly carried?: readonly string[]
  /** Attributes that change the motion elsewhere and do not act here. */
  readonly toldAttributes?: Readonly<Record<string, ToldAttribute>>
}

/** The finding about an attribute that does not act. */
export interface ToldAttribute {
  /** Its value, of which each number counts, that says nothing. */
  readonly neutral: string
  /** `change`: the robot moves otherwise than elsewhere; `info`: elsewhere it belongs to the simulation, which is stated in another place here. */
  readonly as: 'change' | 'warning' | 'info'
  readonly code: string
  /** A sentence after the attribute and its value. */
  readonly message: string
  readonly remedy: string
}

/**
 * The vocabulary of a file format. An element that its parent's entry lists has its bare name as key; any other
 * its parent's name and its own, `gazebo/mu1`, here as in the account.
 */
export type Vocabulary = ReadonlyMap<string, Word>

export const namesIn = (text: string) => text.split(' ').filter((name) => name !== '')

/**
 * Entries of a vocabulary, a line an element: its name, attributes that are read, those carried, elements that are read, idle ones, and those that
 * have no counterpart here:
 *
 *     NAME: ATTRIBUTES | CARRIED | ELEMENTS | IDLE | WITHOUT COUNTERPART
 *       told ELEMENT: SENTENCE
 *       reported ELEMENT: CODE
 */
export function entriesOf(table: string): [string, Word][] {
  const entries: [string, { told: Record<string, string>; reported: Record<string, string> } & Word][] = []
  for (const line of table.trim().split('\n')) {
    const [, name, text] = /^(.+?):(?= |$) ?(.*)$/.exec(line) as RegExpExecArray
    const [, list, element] = /^ {2}(told|reported) (.+)$/.exec(name) ?? []
    if (list === undefined) {
      const [attributes, carried, children = [], idle, without = []] = text.split('|').map(namesIn)
      const told = Object.fromEntries(without.map((one) => [one, 'it has no counterpart here.']))
      entries.push([name, { attributes, carried, children, idle, told, reported: {} }])
    } else entries[entries.length - 1][1][list as 'told' | 'reported'][element] = text
  }
  // where nothing is listed anything may stand
  return entries.map(([name, word]) => [name, listedIn(word)?.length === 0 ? { ...word, children: undefined } : word])
}

/** All elements that an entry lists. */
export function listedIn({ children, idle = [], told = {}, reported = {} }: Word): readonly string[] | undefined {
  return children && [...children, ...idle, ...Object.keys(told), ...Object.keys(reported)]
}

/**
 * Account of the use of each element of a file, so that none is ignored silently: elements that no reader marks as used
 * or carried are ignored.
 */
export class Account {
  private readonly used = new Set<XmlElement>()
  private readonly carried = new Set<XmlElement>()
  private readonly guessed = new Set<XmlElement>()
  private readonly meant = new Map<string, string | undefined>()

  use(element: XmlElement): void {
    this.used.add(element)
  }

  carry(element: XmlElement): void {
    this.carried.add(element)
  }

  /** Notes that for a missing attribute a present one has been suggested, so that it is not reported twice. */
  guess(element: XmlElement): void {
    this.guessed.add(element)
  }

  isUsed(element: XmlElement): boolean {
    return this.used.has(element)
  }

  /** Whether it is used or carried. */
  isKept(element: XmlElement): boolean {
    return this.used.has(element) || this.carried.has(element)
  }

  /** The known name that one may mean, compared once for each place; of the first names alone, a file may have any number. */
  private nearest(place: string, name: string, known: readonly string[]): string | undefined {
    return once(this.meant, `${place} ${name}`, () => (this.meant.size < mostGuesses ? closest(name, known) : undefined))
  }

  /** Carries an element and all that is in it. */
  carryTree(element: XmlElement): void {
    const stack = [element]
    for (let top = stack.pop(); top; top = stack.pop()) {
      this.carried.add(top)
      for (const child of top.children) stack.push(child)
    }
  }

  /** Carries an element that its parent's entry lists as idle or told. @returns whether it does */
  private keep({ element, parent, owner }: Visit, word: Word | undefined, findings: Findings, unsupported: string): boolean {
    const { name, children, text } = element
    // names such as __proto__ are properties of any object
    const told = word?.told && Object.hasOwn(word.told, name) ? word.told[name] : undefined
    if (told === undefined && !word?.idle?.includes(name)) return false
    this.carryTree(element)
    if (told === undefined || (children.length === 0 && /^(0|false)$/i.test(text))) return true
    const what = `<${name}${named(element)}>`
    const inside = parent && owner !== '' ? ` in <${parent.name}>${owner}` : ''
    findings.repair(unsupported, element, `${what}${inside}`, told, 'Left out.')
    return true
  }

  /**
   * The account, in order of appearance. An element that is used in one place and carried in another is in both lists;
   * one ignored in one place only, where it has no meaning, is not in the list of ignored ones. Attributes are listed
   * as `parent/element@attribute`.
   *
   * Adds a finding for each element and attribute whose name is unknown but close to one that is known, a repair for each element that
   * would act (`told`), and one for all attributes that share a finding (`toldAttributes`).
   *
   * @param unsupported code of the repairs of elements
   * @param filled      an element with the attributes that its class gives it
   */
  settle(
    root: XmlElement,
    vocabulary: Vocabulary,
    findings: Findings,
    unsupported = 'unsupported',
    filled = (element: XmlElement) => element,
  ): Tags {
    const [told, lost] = [new Map<ToldAttribute, ToldPlace>(), new Map<string, Visit[]>()]
    const [used, carried, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()]
    const stack: Visit[] = [{ element: root, label: root.name, parent: undefined, parentLabel: '', owner: '', isLost: false }]
    for (let visit = stack.pop(); visit; visit = stack.pop()) {
      const { element, label, owner, isLost } = visit
      const word = vocabulary.get(label)
      if (!this.isKept(element) && this.keep(visit, vocabulary.get(visit.parentLabel), findings, unsupported)) {
        if (visit.parent && !this.used.has(visit.parent)) carried.add(visit.parentLabel)
      }
      const kept = this.isKept(element)
      if (this.used.has(element)) used.add(label)
      else if (kept) carried.add(label)
      else {
        ignored.add(label)
        this.checkElement(visit, vocabulary, findings)
        if (parts.has(element.name) && visit.parent && !isLost) once(lost, label, (): Visit[] => []).push(visit)
      }
      if (word?.attributes) this.checkAttributes(visit, word, carried, ignored, this.guessed.has(element) ? undefined : findings)
      // what a class says is said where it counts
      if (word?.toldAttributes && this.used.has(element) && visit.parent?.name !== 'default')
        collectTold(told, visit, filled(element), word.toldAttributes)
      const { name } = element.attributes
      const inner = name !== undefined && visit.parent === root ? ` of ${element.name} ${quote(name)}` : owner
      for (let k = element.children.length - 1; k >= 0; k--) {
        const child = element.children[k]
        const childLabel = labelOf(child, label, root, vocabulary)
        // those with a prefix belong to another program, with all in them
        const within = isLost || (!kept && (parts.has(element.name) || element.name.includes(':')))
        stack.push({ element: child, label: childLabel, parent: element, parentLabel: label, owner: inner, isLost: within })
      }
    }
    for (const [{ as, code, message, remedy }, { place, what, statements, count }] of told) {
      const more = count === 1 ? '' : ` So with ${count - 1} more.`
      findings[as === 'change' ? 'repair' : as](code, place, what, `${statements.join(', ')}: ${message}${more}`, remedy)
    }
    for (const { length, 0: first } of lost.values()) {
      const more = length === 1 ? '' : ` So with ${length - 1} more.`
      const what = `<${first.element.name}${named(first.element)}> in <${first.parent?.name}>${first.owner}`
      findings.repair(
        'element-lost',
        first.element,
        what,
        `none is read in this place.${more}`,
        'Left out, with all in it; move it.',
      )
    }
    return {
      used: [...used],
      carried: [...carried],
      ignored: [...ignored].filter((label) => !used.has(label) && !carried.has(label)),
    }
  }

  private checkElement({ element, parent, parentLabel, owner }: Visit, vocabulary: Vocabulary, findings: Findings): void {
    if (!parent) return
    const word = vocabulary.get(parentLabel)
    const known = word && listedIn(word)
    if (!known || known.includes(element.name)) return
    const meant = this.nearest(parentLabel, element.name, known)
    if (meant === undefined) return
    findings.repair(
      'element-misspelt',
      element,
      `<${element.name}> in <${parent.name}>${owner}`,
      `this element is unknown; <${meant}> may be meant.`,
      'Passed by; correct the name.',
    )
  }

  private checkAttributes(
    { element, parent, owner, label: place }: Visit,
    word: Word,
    carried: Set<string>,
    ignored: Set<string>,
    findings: Findings | undefined,
  ): void {
    const { attributes: known = [], carried: idle = [], toldAttributes = {} } = word
    const kept = [...idle, ...Object.keys(toldAttributes)]
    for (const name in element.attributes) {
      if (known.includes(name) || name === 'xmlns' || name.startsWith('xmlns:')) continue
      const label = `${parent ? `${parent.name}/` : ''}${element.name}@${name}`
      if (kept.includes(name)) {
        carried.add(label)
        continue
      }
      ignored.add(label)
      const meant = this.nearest(`${place} @`, name, known)
      if (meant === undefined || !findings) continue
      const what = `<${element.name}>${owner}`
      if (meant in element.attributes) {
        findings.warning('attribute-misspelt', element, what, `${name} is unknown, beside ${meant}.`, 'Passed by; remove it.')
      } else {
        findings.repair(
          'attribute-misspelt',
          element,
          what,
          `${name} is unknown; ${meant} may be meant.`,
          'Passed by; correct the name.',
        )
      }
    }
  }
}

interface Visit {
  readonly element: XmlElement
  readonly label: string
  readonly parent: XmlElement | undefined
  readonly parentLabel: string
  /** Such as ` of link "hip"`. */
  readonly owner: string
  /** Whether it is in a part that is left out. */
  readonly isLost: boolean
}

/** Elements of a robot, each of which is read, or is the subject of a finding. */
const parts: ReadonlySet<string> = new Set('world model include link joint body geom collision replicate'.split(' '))
/** Names of one file that are compared with all that are known there. */
const mostGuesses = 10_000

const named = ({ attributes: { name } }: XmlElement) => (name === undefined ? '' : ` name=${quote(name)}`)

function labelOf({ name }: XmlElement, parentLabel: string, root: XmlElement, vocabulary: Vocabulary): string {
  if (parentLabel === root.name || name.startsWith('drake:')) return name
  const word = vocabulary.get(parentLabel)
  if (word && listedIn(word)?.includes(name)) {
    const own = `${lastOf(parentLabel)}/${name}`
    return vocabulary.has(own) ? own : name
  }
  return `${lastOf(parentLabel)}/${name}`
}

function lastOf(label: string): string {
  return label.slice(label.lastIndexOf('/') + 1)
}

/** The first element that states attributes of one finding, with their values, and the number of elements. */
interface ToldPlace {
  readonly place: XmlElement
  readonly what: string
  readonly statements: string[]
  last: XmlElement
  count: number
}

/** Longest value that may say nothing. */
const mostNeutral = 200

const isSame = (word: string, neutral: string) => word === neutral || (neutral !== '' && Number(word) === Number(neutral))

function collectTold(
  found: Map<ToldAttribute, ToldPlace>,
  { element, owner }: Visit,
  { attributes }: XmlElement,
  told: Readonly<Record<string, ToldAttribute>>,
): void {
  for (const [name, attribute] of Object.entries(told)) {
    const value = Object.hasOwn(attributes, name) ? attributes[name].trim() : ''
    if (value === '' || (value.length < mostNeutral && value.split(/\s+/).every((word) => isSame(word, attribute.neutral))))
      continue
    const statement = `${name} ${shorten(value)}`
    const known = found.get(attribute)
    if (!known) {
      const what = `<${element.name}${named(element)}>${owner}`
      found.set(attribute, { place: element, what, statements: [statement], last: element, count: 1 })
    } else if (known.place === element) known.statements.push(statement)
    else if (known.last !== element) {
      known.last = element
      known.count++
    }
  }
}
