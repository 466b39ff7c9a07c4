import { compose, identityPose, inversePose, type Pose, type StatedPose } from '../compile/pose.ts'
import { quote } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { type Scope, versionOf } from './models.ts'

interface Node {
  readonly element: XmlElement
  readonly relativeTo: string
  /** Name of the frame that it is attached to; of a link, itself. */
  readonly attachedTo: string | undefined
  /** Has the `<pose>` in it. */
  readonly pose: XmlElement
  /** Of a model whose pose is that of a frame in it: the name of that frame. */
  readonly placed?: string
}

/** What the frames of a file need of its reader. */
export interface FrameReader {
  /** The `<pose>` of an element, not yet resolved. */
  stated(element: XmlElement, what: string): StatedPose | undefined
  refuse(code: string, place: XmlElement, what: string, message: string, remedy: string): void
}

/**
 * The frames of a world: links, joints, frames and models by their names in the one space of names, `arm::hand::palm`. The pose of a
 * link is in the axes of its model, of a joint in those of its child, of a frame in those of the frame it is attached to, of a model
 * in those of the scope around it, unless `relative_to` states another. A `placement_frame` makes the pose of a model that of a frame in it.
 */
export class WorldFrames {
  private readonly nodes = new Map<string, Node>()
  /** Names of links, joints and frames. A file that is included twice has its elements in two scopes. */
  private readonly names = new Map<Scope, Map<XmlElement, string>>()
  /** Poses by the names of a frame around them and of their own. */
  private readonly known = new Map<string, Map<string, StatedPose | undefined>>()
  private readonly links = new Map<string, string | undefined>([['world', 'world']])
  private readonly world: Scope
  private readonly reader: FrameReader
  private spans: Map<string, [number, number]> | undefined

  constructor(world: Scope, reader: FrameReader) {
    this.world = world
    this.reader = reader
    this.add(world)
    // also frames that nothing refers to: a circle, or a name that is not there, is an error of the file
    for (const [name, { element }] of this.nodes) if (element.name === 'frame') this.poseOf(name)
  }

  /** The name of a link, joint or frame of a scope. */
  nameOf(element: XmlElement, scope: Scope): string | undefined {
    return this.names.get(scope)?.get(element)
  }

  /** The name that a text in a scope means. */
  resolve(text: string, scope: Scope): string {
    if (text === '__model__') return scope.frame
    return text === 'world' && !this.nodes.has(`${scope.prefix}world`) ? 'world' : scope.prefix + text
  }

  /** In the axes of the world. */
  poseOf(name: string): Pose | undefined {
    return this.poseWithin(name, 'world')
  }

  /** The pose of one in the axes of another: as stated, where it is stated so. */
  poseIn(frame: string, name: string): StatedPose | undefined {
    if (this.leadsTo(name, frame)) return this.poseWithin(name, frame)
    const [outer, inner] = [this.poseOf(frame), this.poseOf(name)]
    return outer && inner && compose(inversePose(outer), inner)
  }

  /** The link of a name: itself, or the one that a frame or a model is attached to. */
  linkOf(name: string): string | undefined {
    const { links } = this
    const path: string[] = []
    let at: string | undefined = name
    while (at !== undefined && !links.has(at)) {
      links.set(at, undefined) // for a cycle has no link
      path.push(at)
      const next: string | undefined = this.nodes.get(at)?.attachedTo
      if (next === at) links.set(at, at)
      else at = next
    }
    const link = at === undefined ? undefined : links.get(at)
    for (const each of path) links.set(each, link)
    return link
  }

  /** Adds all of a scope. @returns its first link, which its own frame and frames without an attachment have */
  private add(scope: Scope): string | undefined {
    this.names.set(scope, new Map())
    const children = (kind: string) => scope.element.children.filter(({ name }) => name === kind)
    let first: string | undefined
    for (const link of children('link')) {
      const name = this.addLink(scope, link)
      first ??= name
    }
    for (const model of scope.models) {
      const inner = this.addModel(scope, model)
      first ??= inner
    }
    for (const joint of children('joint')) {
      const child = joint.children.find(({ name }) => name === 'child')?.text
      const attached = child ? this.resolve(child, scope) : undefined
      this.put(scope, joint, attached ?? scope.frame, attached)
    }
    for (const frame of children('frame')) {
      const { attached_to: text } = frame.attributes
      const attached = text ? this.resolve(text, scope) : undefined
      this.put(scope, frame, attached ?? scope.frame, attached ?? (scope.outer ? first : 'world'))
    }
    return first
  }

  private addLink(scope: Scope, link: XmlElement): string | undefined {
    if (link.attributes.name !== 'world') return this.put(scope, link, scope.frame, undefined)
    const message = 'this name is reserved for the world, to which joints may lead.'
    const remedy = 'Rename the link, or remove it if it is the world.'
    this.reader.refuse('name-reserved', link, '<link name="world">', message, remedy)
    return undefined
  }

  private addModel(outer: Scope, model: Scope): string | undefined {
    const { element, frame, pose, placementFrame } = model
    const { name = '', canonical_link: canonical } = element.attributes
    if (this.nodes.has(frame)) {
      const message = `${quote(frame)} is there already.`
      this.reader.refuse('repeated-name', element, `<model name=${quote(name)}>`, message, 'Rename one.')
      return undefined
    }
    const inner = this.add(model)
    this.nodes.set(frame, {
      element,
      relativeTo: this.statedIn(outer, pose) ?? outer.frame,
      attachedTo: canonical ? this.resolve(canonical, model) : inner,
      pose: { ...element, children: pose ? [pose] : [] },
      placed: placementFrame === undefined ? undefined : this.resolve(placementFrame, model),
    })
    return inner
  }

  /** @param relativeTo where the pose states none */
  private put(scope: Scope, element: XmlElement, relativeTo: string, attachedTo: string | undefined): string | undefined {
    const { name } = element.attributes
    if (name === undefined || name === '') return undefined
    let full = scope.prefix + name
    const first = this.nodes.get(full)
    if (first) {
      // until 1.6 a joint may have the name of a link, and is then nobody's frame of reference
      if (scope.version < versionOf('1.7') && (element.name === 'joint') !== (first.element.name === 'joint')) full += '_joint'
      else {
        const message = `line ${first.element.line} has a <${first.element.name}> of this name.`
        this.reader.refuse('repeated-name', element, `<${element.name} name=${quote(name)}>`, message, 'Rename one of the two.')
        return undefined
      }
    }
    this.names.get(scope)!.set(element, full)
    const stated = this.statedIn(
      scope,
      element.children.find((child) => child.name === 'pose'),
    )
    const attached = element.name === 'link' ? full : attachedTo
    this.nodes.set(full, { element, relativeTo: stated ?? relativeTo, attachedTo: attached, pose: element })
    return full
  }

  private statedIn(scope: Scope, pose: XmlElement | undefined): string | undefined {
    const text = pose?.attributes.relative_to
    return text === undefined || text === '' ? undefined : this.resolve(text, scope)
  }

  /** Whether the poses of one are followed to the world through the other: by places in a walk through the tree of frames. */
  private leadsTo(name: string, frame: string): boolean {
    const spans = (this.spans ??= this.walk())
    const [inner, outer] = [spans.get(name), spans.get(frame)]
    return name === frame || (inner !== undefined && outer !== undefined && outer[0] < inner[0] && inner[1] <= outer[1])
  }

  /** Of each frame that leads out of the tree, such as to the world: its place in the walk, and the last one behind it. */
  private walk(): Map<string, [number, number]> {
    const on = new Map<string, string[]>()
    for (const [name, { relativeTo }] of this.nodes) {
      const others = on.get(relativeTo)
      if (others) others.push(name)
      else on.set(relativeTo, [name])
    }
    const spans = new Map<string, [number, number]>()
    const open = [...on.keys()].filter((name) => !this.nodes.has(name))
    for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
      const span = spans.get(name)
      if (span) span[1] = spans.size
      else {
        spans.set(name, [spans.size, spans.size])
        for (const next of on.get(name) ?? []) open.push(next)
        continue
      }
      open.pop()
    }
    return spans
  }

  /** The pose in the axes of a frame through which it is followed to the world. */
  private poseWithin(name: string, root: string): StatedPose | undefined {
    let within = this.known.get(root)
    if (!within) {
      within = new Map([[root, identityPose()]])
      this.known.set(root, within)
    }
    // by a walk, for a file may chain thousands
    const path: string[] = []
    const passed = new Set<string>()
    let at = name
    while (!within.has(at)) {
      const node = this.nodes.get(at)
      if (!node || passed.has(at)) {
        this.refuseFrame(
          at,
          path.length > 0 ? this.nodes.get(path[path.length - 1])!.element : this.world.element,
          node !== undefined,
        )
        for (const each of path) within.set(each, undefined)
        return undefined
      }
      path.push(at)
      passed.add(at)
      at = node.relativeTo
    }
    for (const each of path.reverse()) {
      const { element, relativeTo, pose, placed } = this.nodes.get(each)!
      const outer = within.get(relativeTo)
      within.set(each, undefined) // for a placement frame outside of its model
      const own = this.reader.stated(pose, `<${element.name} name=${quote(each)}>`)
      const here = relativeTo === root ? own : outer && own && compose(outer, own)
      const inside = placed === undefined ? undefined : this.poseWithin(placed, each)
      within.set(each, placed === undefined ? here : here && inside && compose(here, inversePose(inside)))
    }
    return within.get(name)
  }

  private refuseFrame(name: string, place: XmlElement, isCircle: boolean): void {
    const what = `<${place.name} name=${quote(place.attributes.name ?? '')}>`
    const message = isCircle ? `frames from ${quote(name)} on lead in a circle.` : `there is no frame ${quote(name)}.`
    this.reader.refuse('frame', place, what, message, 'Correct the name.')
  }
}
