import { compose, identityPose, inversePose, type Pose, type StatedPose } from '../compile/pose.ts'
import { quote } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Scope } from './models.ts'

/** Poses in the axes of the world. Links, joints, frames and models go by their names in the one space of names: `arm::hand::palm`. */
export interface FrameGraph {
  poseOf(name: string): Pose | undefined
  /** The pose of one in the axes of another: as stated, where it is stated so. */
  poseIn(frame: string, name: string): StatedPose | undefined
  /** The link of a name: itself, or the one that a frame or a model is attached to. */
  linkOf(name: string): string | undefined
  /** The name of a link, joint or frame of a scope. A file that is included twice has its elements in two scopes. */
  nameOf(element: XmlElement, scope: Scope): string | undefined
  /** The name that a text in a scope means. */
  resolve(text: string, scope: Scope): string
}

interface Node {
  readonly element: XmlElement
  readonly relativeTo: string
  /** Name of the frame that it is attached to; of a link, itself. */
  readonly attachedTo: string | undefined
  readonly pose: XmlElement
  /** Of a model whose pose is that of a frame in it: the name of that frame. */
  readonly placed?: string
}

/**
 * The frames of a world. A link's pose is in the axes of its model, a joint's in those of its child, a frame's in those of the frame it is
 * attached to, a model's in those of the scope around it, unless `relative_to` states another. A `placement_frame` says that the
 * pose of a model is that of a frame in it.
 *
 * @param stated the `<pose>` of an element, not yet resolved
 */
export function worldFrames(
  world: Scope,
  stated: (element: XmlElement, what: string) => StatedPose | undefined,
  refuse: (code: string, place: XmlElement, what: string, message: string, remedy: string) => void,
): FrameGraph {
  const nodes = new Map<string, Node>()
  const names = new Map<Scope, Map<XmlElement, string>>()

  const resolve = (text: string, scope: Scope): string =>
    text === '__model__' ? scope.frame : text === 'world' && !nodes.has(`${scope.prefix}world`) ? 'world' : scope.prefix + text
  const statedIn = (scope: Scope, pose: XmlElement | undefined) => {
    const text = pose?.attributes.relative_to
    return text === undefined || text === '' ? undefined : resolve(text, scope)
  }
  const poseElement = (element: XmlElement) => element.children.find(({ name }) => name === 'pose')

  const put = (scope: Scope, element: XmlElement, relativeTo: string, attachedTo: string | undefined): string | undefined => {
    const { name } = element.attributes
    if (name === undefined || name === '') return undefined
    let full = scope.prefix + name
    const first = nodes.get(full)
    if (first) {
      // until 1.6 a joint may have the name of a link, and is then nobody's frame of reference
      if (scope.version < 1007 && (element.name === 'joint') !== (first.element.name === 'joint')) full += '_joint'
      else {
        const message = `line ${first.element.line} has a <${first.element.name}> of this name.`
        refuse('repeated-name', element, `<${element.name} name=${quote(name)}>`, message, 'Rename one of the two.')
        return undefined
      }
    }
    names.get(scope)!.set(element, full)
    nodes.set(full, { element, relativeTo, attachedTo: element.name === 'link' ? full : attachedTo, pose: element })
    return full
  }
  /** @returns the first link of the scope, which its own frame and frames without an attachment have */
  const add = (scope: Scope): string | undefined => {
    const { element, prefix, frame } = scope
    const children = (kind: string) => element.children.filter(({ name }) => name === kind)
    names.set(scope, new Map())
    let first: string | undefined
    for (const link of children('link')) {
      if (link.attributes.name === 'world') {
        const message = 'this name is reserved for the world, to which joints may lead.'
        refuse('name-reserved', link, '<link name="world">', message, 'Rename the link, or remove it if it is the world.')
        continue
      }
      const name = put(scope, link, statedIn(scope, poseElement(link)) ?? frame, undefined)
      first ??= name
    }
    for (const model of scope.models) {
      if (nodes.has(model.frame)) {
        const { name = '' } = model.element.attributes
        refuse(
          'repeated-name',
          model.element,
          `<model name=${quote(name)}>`,
          `${quote(model.frame)} is there already.`,
          'Rename one.',
        )
        continue
      }
      const inner = add(model)
      first ??= inner
      const outer = statedIn(scope, model.pose) ?? frame
      const placed = model.placementFrame === undefined ? undefined : resolve(model.placementFrame, model)
      const pose = model.pose ? { ...model.element, children: [model.pose] } : { ...model.element, children: [] }
      const canonical = model.element.attributes.canonical_link
      const attachedTo = canonical ? resolve(canonical, model) : inner
      nodes.set(model.frame, { element: model.element, relativeTo: outer, attachedTo, pose, placed })
    }
    for (const joint of children('joint')) {
      const child = joint.children.find(({ name }) => name === 'child')?.text
      const attachedTo = child ? resolve(child, scope) : undefined
      put(scope, joint, statedIn(scope, poseElement(joint)) ?? attachedTo ?? frame, attachedTo)
    }
    for (const own of children('frame')) {
      const { attached_to: text } = own.attributes
      const attached = text ? resolve(text, scope) : undefined
      put(scope, own, statedIn(scope, poseElement(own)) ?? attached ?? frame, attached ?? (prefix === '' ? 'world' : first))
    }
    return first
  }
  add(world)

  /** Poses of frames in the axes of frames around them, by both names. */
  const known = new Map<string, Map<string, StatedPose | undefined>>()
  const poseWithin = (name: string, root: string): StatedPose | undefined => {
    let within = known.get(root)
    if (!within) {
      within = new Map([[root, identityPose()]])
      known.set(root, within)
    }
    // frames are followed by a walk, for a file may chain thousands
    const path: string[] = []
    const passed = new Set<string>()
    let at = name
    while (!within.has(at)) {
      const node = nodes.get(at)
      if (!node || passed.has(at)) {
        const place = path.length > 0 ? nodes.get(path[path.length - 1])!.element : world.element
        const what = `<${place.name} name=${quote(place.attributes.name ?? '')}>`
        const message = node ? `frames from ${quote(at)} on lead in a circle.` : `there is no frame ${quote(at)}.`
        refuse('frame', place, what, message, 'Correct the name.')
        for (const each of path) within.set(each, undefined)
        return undefined
      }
      path.push(at)
      passed.add(at)
      at = node.relativeTo
    }
    for (const each of path.reverse()) {
      const { element, relativeTo, pose, placed } = nodes.get(each)!
      const outer = within.get(relativeTo)
      within.set(each, undefined) // for a placement frame outside of its model
      const own = stated(pose, `<${element.name} name=${quote(each)}>`)
      const at = relativeTo === root ? own : outer && own && compose(outer, own)
      const inside = placed === undefined ? undefined : poseWithin(placed, each)
      within.set(each, placed === undefined ? at : at && inside && compose(at, inversePose(inside)))
    }
    return within.get(name)
  }
  /** Whether the poses of one are followed to the world through the other. */
  const leadsTo = (name: string, frame: string): boolean => {
    let at: string | undefined = name
    for (let n = 0; at !== undefined && n <= nodes.size; n++) {
      if (at === frame) return true
      at = nodes.get(at)?.relativeTo
    }
    return false
  }
  const poseIn = (frame: string, name: string): StatedPose | undefined => {
    if (leadsTo(name, frame)) return poseWithin(name, frame)
    const [outer, inner] = [poseWithin(frame, 'world'), poseWithin(name, 'world')]
    return outer && inner && compose(inversePose(outer), inner)
  }
  const links = new Map<string, string | undefined>([['world', 'world']])
  const linkOf = (name: string): string | undefined => {
    const path: string[] = []
    let at: string | undefined = name
    while (at !== undefined && !links.has(at)) {
      links.set(at, undefined) // for a cycle has no link
      path.push(at)
      const next: string | undefined = nodes.get(at)?.attachedTo
      if (next === at) links.set(at, at)
      else at = next
    }
    const link = at === undefined ? undefined : links.get(at)
    for (const each of path) links.set(each, link)
    return link
  }
  return {
    poseOf: (name) => poseWithin(name, 'world'),
    poseIn,
    linkOf,
    nameOf: (element, scope) => names.get(scope)?.get(element),
    resolve,
  }
}
