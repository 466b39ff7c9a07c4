import type { XmlElement } from '../xml.ts'
import { literalValue } from './expression/literals.ts'
import { Names, type Value } from './expression/values.ts'
import { AlreadyReported, ExpressionError } from './failures.ts'
import { placeOf } from './report.ts'

/** Elements that a property or a macro's parameter holds. */
export interface Block {
  readonly element: XmlElement
  /** Whether its content is inserted, rather than the element itself. */
  readonly contentOnly: boolean
}

interface Property {
  state: 'ready' | 'lazy' | 'busy' | 'failed'
  value: Value
  /** Where it is defined. */
  readonly element: XmlElement
}

/** Evaluates a property's text at its first use. Reports errors and throws AlreadyReported. */
export type EvaluateProperty = (text: string, scope: Scope, element: XmlElement) => Value

/** Shared by all scopes of an expansion. */
export interface Surroundings {
  readonly evaluateProperty: EvaluateProperty
  readonly globals: Globals
}

export type ScopeKind = 'top' | 'macro' | 'namespace'

/**
 * The properties and macros of a file, of a macro's body, or of an include with `ns`. Other names are looked up at the
 * call of the macro (dynamic scope), and so on outwards; at last among the names known without a file.
 */
export class Scope {
  readonly kind: ScopeKind
  readonly parent: Scope | undefined
  readonly macros = new Map<string, XmlElement>()
  private readonly properties = new Map<string, Property>()
  private readonly blocks = new Map<string, Block>()
  private readonly namespaces = new Map<string, Scope>()
  readonly evaluateProperty: EvaluateProperty
  readonly globals: Globals

  constructor(kind: ScopeKind, outer: Scope | Surroundings) {
    this.kind = kind
    this.parent = outer instanceof Scope ? outer : undefined
    this.evaluateProperty = outer.evaluateProperty
    this.globals = outer.globals
  }

  // Properties

  /** @throws AlreadyReported if its text cannot be evaluated, ExpressionError if it needs itself */
  lookup(name: string): Value | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const property = scope.properties.get(name)
      if (property) return scope.valueOf(name, property)
    }
    return this.globals.known.get(name) ?? this.globals.further.get(name)
  }

  /** Whether a name is defined, so that a property's default is not used. */
  has(name: string): boolean {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) if (scope.properties.has(name)) return true
    return this.globals.known.has(name)
  }

  *names(): Iterable<string> {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) yield* scope.properties.keys()
    yield* this.globals.known.keys()
    yield* this.globals.further.keys()
  }

  /** A text that reads as a number or a boolean is one. Any other is evaluated at its first use if `lazy`. */
  set(name: string, written: Value, element: XmlElement, lazy: boolean): void {
    const value = literalValue(written)
    this.properties.set(name, { state: lazy && typeof value === 'string' ? 'lazy' : 'ready', value, element })
  }

  /** Notes that a property exists but has no value, which has been reported. */
  fail(name: string, element: XmlElement): void {
    this.properties.set(name, { state: 'failed', value: null, element })
  }

  /** Removes a property here and in all enclosing scopes. */
  remove(name: string): void {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      scope.properties.delete(name)
      scope.blocks.delete(`*${name}`)
      scope.blocks.delete(`**${name}`)
    }
  }

  /** The scope of the file. */
  top(): Scope {
    let scope: Scope = this
    while (scope.parent) scope = scope.parent
    return scope
  }

  /** The scope that `scope="parent"` means; undefined at the top. */
  outer(): Scope | undefined {
    let scope = this.parent
    if (this.kind !== 'namespace') while (scope?.kind === 'namespace') scope = scope.parent
    return scope
  }

  private valueOf(name: string, property: Property): Value {
    switch (property.state) {
      case 'ready':
        return property.value
      case 'failed':
        throw new AlreadyReported()
      case 'busy':
        throw new ExpressionError(
          `the property "${name}" (${placeOf(property.element)}) needs its own value.`,
          'Write lazy_eval="false" to compute it at once from the value that the name had before.',
        )
      case 'lazy':
        property.state = 'busy'
        try {
          property.value = literalValue(this.evaluateProperty(String(property.value), this, property.element))
          property.state = 'ready'
        } catch (error) {
          property.state = 'failed'
          throw error
        }
        return property.value
    }
  }

  // Blocks

  setBlock(name: string, block: Block): void {
    this.blocks.set((block.contentOnly ? '**' : '*') + name, block)
  }

  block(name: string): Block | undefined {
    for (const key of [`**${name}`, `*${name}`]) {
      for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
        const block = scope.blocks.get(key)
        if (block) return block
      }
    }
    return undefined
  }

  blockNames(): Iterable<string> {
    const names: string[] = []
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      for (const key of scope.blocks.keys()) names.push(key.replace(/^\*+/, ''))
    }
    return names
  }

  // Macros

  /** A namespace with properties as `name.property` and macros as `name.macro`. */
  addNamespace(name: string, element: XmlElement): Scope {
    const inner = new Scope('namespace', this)
    this.namespaces.set(name, inner)
    const names = new Names(
      name,
      (member) => inner.lookup(member),
      () => inner.properties.keys(),
    )
    this.set(name, names, element, false)
    return inner
  }

  /** A macro by its name, behind namespaces and dots; with its scope. */
  findMacro(fullName: string): { macro: XmlElement; scope: Scope } | undefined {
    const path = fullName.split('.')
    const name = path.pop()!
    let scope: Scope = this
    for (const step of path) {
      const next = scope.nearest((candidate) => candidate.namespaces.get(step))
      if (!next) return undefined
      scope = next
    }
    const macro = scope.nearest((candidate) => candidate.macros.get(name))
    return macro && { macro, scope }
  }

  macroNames(): Iterable<string> {
    const names: string[] = []
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      names.push(...scope.macros.keys())
      for (const [space, inner] of scope.namespaces) for (const name of inner.macros.keys()) names.push(`${space}.${name}`)
    }
    return names
  }

  private nearest<T>(find: (scope: Scope) => T | undefined): T | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const found = find(scope)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Predefined names; properties of a file override those in `further`. */
export interface Globals {
  readonly known: ReadonlyMap<string, Value>
  readonly further: ReadonlyMap<string, Value>
}
