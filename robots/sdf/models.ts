import { once, quote, type Reader } from '../elements/index.ts'
import { countOf, type Includes } from '../files/includes.ts'
import { describeUrdf } from '../urdf/index.ts'
import { writeSdf } from '../write/writeSdf.ts'
import { parseXml, type XmlElement } from '../xml.ts'

/** Models inside models, and files included in all. */
const maxNesting = 50
const maxIncludes = 1000
/** The latest version of SDF that this reader was written for. */
const latest = versionOf('1.12')

/**
 * A model or the world, with the models in it, those of included files too. Names in it are found with its prefix in the one
 * space of names of the file.
 */
export interface Scope {
  readonly element: XmlElement
  /** Of its links, joints and frames: `arm::`; empty in the world, that of the scope around it if it is merged into that. */
  readonly prefix: string
  /** Name of its own frame, in the one space of names: `arm`, or `world`. */
  readonly frame: string
  readonly outer: Scope | undefined
  readonly isStatic: boolean
  /** Of the file that it stands in, as `versionOf` has it. */
  readonly version: number
  /** `<pose>` of the model, of its include if that has one. */
  readonly pose: XmlElement | undefined
  /** Frame inside that its pose places; its own without one. */
  readonly placementFrame: string | undefined
  readonly models: readonly Scope[]
}

/** 1.9 is before 1.10: a thousand times the number before the point and that behind it; NaN for what is no version. */
export function versionOf(text: string | undefined): number {
  const [, major, minor = '0'] = /^\s*(\d+)(?:\.(\d+))?\s*$/.exec(text ?? '1.6') ?? []
  return 1000 * Number(major) + Number(minor)
}

/** The scopes of a file: the world and all models in it. */
export class ModelReader {
  private includes = 0
  /** Whether a model that should be included is missing. */
  missing = false
  /** Of the included SDF files. */
  readonly roots = new Set<XmlElement>()
  private readonly reader: Reader
  private readonly files: Includes
  private readonly sizes = new Map<XmlElement, number>()
  /** Models of included URDF files by their paths. */
  private readonly converted = new Map<string, XmlElement | undefined>()

  constructor(reader: Reader, files: Includes) {
    this.reader = reader
    this.files = files
  }

  /** The world of an `<sdf>`, or one that holds its models where it has none. */
  world(root: XmlElement): Scope {
    const { account, findings } = this.reader
    const element = root.children.find(({ name }) => name === 'world') ?? root
    account.use(element)
    let version = versionOf(root.attributes.version)
    if (!(version >= versionOf('1.4') && version < 2000)) {
      const stated = `version=${quote(root.attributes.version ?? '')}.`
      findings.warning('version', root, '<sdf>', stated, 'Read as 1.6.')
      version = versionOf('1.6')
    } else if (version > latest) {
      const stated = `version=${quote(root.attributes.version ?? '')} is later than this reader.`
      findings.warning('version', root, '<sdf>', stated, 'Read as 1.12.')
    }
    const models: Scope[] = []
    const world: Scope = {
      ...{ element, prefix: '', frame: 'world', outer: undefined, isStatic: false, version, models },
      ...{ pose: undefined, placementFrame: undefined },
    }
    this.fill(world, models, 0)
    return world
  }

  /** Adds the models of a scope's element to it. */
  private fill(scope: Scope, models: Scope[], depth: number): void {
    const { account, findings } = this.reader
    // an included file is counted each time, before anything is made of it
    this.reader.ask('elements', this.sizeOf(scope.element), scope.element, `<${scope.element.name}>`)
    for (const child of scope.element.children) {
      if (child.name !== 'model' && child.name !== 'include') continue
      account.use(child)
      if (depth > maxNesting) {
        const message = `models nested more than ${maxNesting} deep.`
        findings.error('include-loop', child, `<${child.name}>`, message, 'Nest fewer.')
        return
      }
      if (child.name === 'model') this.add(scope, models, child, scope.version, depth)
      else this.include(child, scope, models, depth)
    }
  }

  /** Elements in one, without the models in it. */
  private sizeOf(element: XmlElement): number {
    const own = () => element.children.filter(({ name }) => name !== 'model' && name !== 'world')
    return once(this.sizes, element, () => own().reduce((sum, child) => sum + countOf(child), 1))
  }

  private include(include: XmlElement, scope: Scope, models: Scope[], depth: number): void {
    const { account, findings } = this.reader
    const child = (name: string) => include.children.find((inner) => inner.name === name)
    for (const inner of include.children) account.use(inner)
    const uri = child('uri')?.text ?? ''
    const what = `<include> of ${quote(uri)}`
    if (++this.includes > maxIncludes) {
      findings.error('include-loop', include, what, 'models include each other without end.', 'Remove one of the includes.')
      return
    }
    const found = this.find(uri, include.file)
    const model = found && this.modelOf(found, what, include)
    if (!model) {
      this.missing = true
      const remedy = this.files.remedyFor(uri, [include.file], 'Put it there, or name the folder that holds it with --root.')
      findings.repair('include-missing', include, what, 'the model was not found.', `Left out. ${remedy}`)
      return
    }
    this.add(scope, models, model.element, model.version, depth, include)
  }

  /** The file of a model: that of the reference, or the one that the `model.config` of the folder names. */
  private find(uri: string, from: string): string | undefined {
    const bare = uri.replace(/^model:\/\//, '').replace(/\/+$/, '')
    for (const folder of new Set([uri, bare, `models/${bare}`])) {
      if (/\.(sdf|world|xml|urdf)$/i.test(folder)) {
        const file = this.files.find(folder, [from])
        if (file) return file.path
        continue
      }
      const config = this.files.find(`${folder}/model.config`, [from])
      const named = config && newest(this.files.tree(config.path))
      for (const name of named === undefined ? ['model.sdf', 'model.urdf'] : [named]) {
        const file = config ? this.files.find(name, [config.path]) : this.files.find(`${folder}/${name}`, [from])
        if (file) return file.path
      }
    }
    return undefined
  }

  /** The model in a file, a URDF as the SDF of the same meaning. */
  private modelOf(path: string, what: string, include: XmlElement): { element: XmlElement; version: number } | undefined {
    const tree = this.files.tree(path)
    const { findings } = this.reader
    if (tree.name === 'robot') {
      const element = once(this.converted, path, () => {
        const description = describeUrdf(tree, path)
        findings.take(description.diagnostics)
        const { text, lost } = writeSdf(description, { model: true })
        if (lost.length > 0) findings.warning('include-lost', include, what, lost.join(' '), 'Load the URDF by itself for these.')
        return parseXml(text, path).children.find(({ name }) => name === 'model')
      })
      return element && { element, version: latest }
    }
    const element = tree.children.find(({ name }) => name === 'model')
    if (!element) return undefined
    this.roots.add(tree)
    this.reader.account.use(tree)
    const version = versionOf(tree.attributes.version)
    return { element, version: version >= versionOf('1.4') ? version : versionOf('1.6') }
  }

  private add(outer: Scope, models: Scope[], element: XmlElement, version: number, depth: number, include?: XmlElement): void {
    const { account, findings } = this.reader
    const of = (parent: XmlElement | undefined, name: string) => parent?.children.find((child) => child.name === name)
    const name = of(include, 'name')?.text || this.reader.name(element)
    if (name === undefined) return
    for (const child of element.children) if (['pose', 'static', 'self_collide'].includes(child.name)) account.use(child)
    const asked = /^(1|true)$/.test(include?.attributes.merge ?? '')
    const merged = asked && outer.outer !== undefined
    if (asked && !merged)
      findings.warning('include-merge', include!, '<include>', 'there is no model to merge it into.', 'Kept as a model.')
    const full = outer.prefix + name
    const own: Scope[] = []
    const scope: Scope = {
      element,
      prefix: merged ? outer.prefix : `${full}::`,
      frame: merged ? `${outer.prefix}_merged__${name}__model_frame__` : full,
      outer,
      isStatic: outer.isStatic || isTrue(of(include, 'static') ?? of(element, 'static')),
      version,
      pose: of(include, 'pose') ?? of(element, 'pose'),
      placementFrame:
        of(include, 'pose') && include?.attributes.placement_frame
          ? include.attributes.placement_frame
          : element.attributes.placement_frame || undefined,
      models: own,
    }
    models.push(scope)
    this.fill(scope, own, depth + 1)
  }
}

/** The file of the newest version that a `model.config` names. */
function newest(config: XmlElement): string | undefined {
  const files = config.children.filter(({ name }) => name === 'sdf' || name === 'urdf')
  const rank = ({ name, attributes }: XmlElement) => (name === 'urdf' ? 0 : versionOf(attributes.version))
  const usable = files.filter((file) => rank(file) <= latest).sort((a, b) => rank(b) - rank(a))
  return usable[0]?.text || undefined
}

export function isTrue(element: XmlElement | undefined): boolean {
  return /^(1|true)$/i.test(element?.text ?? '')
}
