import { closest } from '../../dynamics/index.ts'
import type { Tags } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import type { XmlElement } from '../xml.ts'
import { quote } from './spelling.ts'

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
  /** Attributes that other programs read; kept without use. */
  readonly carried?: readonly string[]
}

/**
 * The vocabulary of a file format. An element that its parent's entry lists has its bare name as key; any other
 * its parent's name and its own, `gazebo/mu1`, here as in the account.
 */
export type Vocabulary = ReadonlyMap<string, Word>

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
    const { name, attributes, children, text } = element
    // names such as __proto__ are properties of any object
    const told = word?.told && Object.hasOwn(word.told, name) ? word.told[name] : undefined
    if (told === undefined && !word?.idle?.includes(name)) return false
    this.carryTree(element)
    if (told === undefined || (children.length === 0 && /^(0|false)$/i.test(text))) return true
    const what = attributes.name === undefined ? `<${name}>` : `<${name} name=${quote(attributes.name)}>`
    const inside = parent && owner !== '' ? ` in <${parent.name}>${owner}` : ''
    findings.repair(unsupported, element, `${what}${inside}`, told, 'Left out.')
    return true
  }

  /**
   * The account, in order of appearance. An element that is used in one place and carried in another is in both lists;
   * one ignored in one place only, where it has no meaning, is not in the list of ignored ones. Attributes are listed
   * as `parent/element@attribute`.
   *
   * Adds a finding for each element and attribute whose name is unknown but close to one that is known, and a repair for each
   * element that would act (`told`).
   *
   * @param unsupported code of these repairs
   */
  settle(root: XmlElement, vocabulary: Vocabulary, findings: Findings, unsupported = 'unsupported'): Tags {
    const used = new Set<string>()
    const carried = new Set<string>()
    const ignored = new Set<string>()
    const stack: Visit[] = [{ element: root, label: root.name, parent: undefined, parentLabel: '', owner: '' }]
    for (let visit = stack.pop(); visit; visit = stack.pop()) {
      const { element, label, owner } = visit
      const word = vocabulary.get(label)
      if (!this.isKept(element) && this.keep(visit, vocabulary.get(visit.parentLabel), findings, unsupported)) {
        if (visit.parent && !this.used.has(visit.parent)) carried.add(visit.parentLabel)
      }
      const kept = this.isKept(element)
      if (this.used.has(element)) used.add(label)
      else if (kept) carried.add(label)
      else {
        ignored.add(label)
        checkElement(visit, vocabulary, findings)
      }
      if (word?.attributes) checkAttributes(visit, word, carried, ignored, this.guessed.has(element) ? undefined : findings)
      const named = element.attributes.name
      const inner = named !== undefined && visit.parent === root ? ` of ${element.name} ${quote(named)}` : owner
      for (let k = element.children.length - 1; k >= 0; k--) {
        const child = element.children[k]
        const childLabel = labelOf(child, label, root, vocabulary)
        stack.push({ element: child, label: childLabel, parent: element, parentLabel: label, owner: inner })
      }
    }
    return {
      used: [...used],
      carried: [...carried],
      ignored: [...ignored].filter((label) => !used.has(label) && !carried.has(label)),
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
}

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

function checkElement({ element, parent, parentLabel, owner }: Visit, vocabulary: Vocabulary, findings: Findings): void {
  if (!parent) return
  const word = vocabulary.get(parentLabel)
  const known = word && listedIn(word)
  if (!known || known.includes(element.name)) return
  const meant = closest(element.name, known)
  if (meant === undefined) return
  findings.repair(
    'element-misspelt',
    element,
    `<${element.name}> in <${parent.name}>${owner}`,
    `this element is unknown; <${meant}> may be meant.`,
    'Passed by; correct the name.',
  )
}

function checkAttributes(
  { element, parent, owner }: Visit,
  word: Word,
  carried: Set<string>,
  ignored: Set<string>,
  findings: Findings | undefined,
): void {
  const { attributes: known = [], carried: kept = [] } = word
  for (const name in element.attributes) {
    if (known.includes(name) || name === 'xmlns' || name.startsWith('xmlns:')) continue
    const label = `${parent ? `${parent.name}/` : ''}${element.name}@${name}`
    if (kept.includes(name)) {
      carried.add(label)
      continue
    }
    ignored.add(label)
    const meant = closest(name, known)
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
