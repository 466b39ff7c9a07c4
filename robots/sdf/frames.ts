import { compose, type Pose } from '../compile/pose.ts'
import { quote } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** Poses in the axes of the world by names of links, joints, frames and nested models (`model::link`), and `__model__`. */
export interface FrameGraph {
  poseOf(name: string): Pose | undefined
  /** The link of a name: itself, or the one that a frame or a nested model is attached to. */
  linkOf(name: string): string | undefined
}

interface Node {
  readonly element: XmlElement
  readonly relativeTo: string
  /** Name of the frame that it is attached to; of a link, itself. */
  readonly attachedTo: string | undefined
}

/**
 * The frames of a model. A link's pose is in the axes of the model, a joint's in those of its child, a frame's in those of the frame it is
 * attached to, unless `relative_to` states another.
 *
 * @param pose   of the model in the world
 * @param poseIn the `<pose>` of an element, not yet resolved
 */
export function scopedFrames(
  model: XmlElement,
  pose: Pose,
  poseIn: (element: XmlElement, what: string) => Pose | undefined,
  refuse: (place: XmlElement, what: string, message: string) => void,
): FrameGraph {
  const nodes = new Map<string, Node>()
  /** @returns the first link of a link or model, which frames without an attachment beside it have */
  const add = (element: XmlElement, prefix: string, outer: string, first: string | undefined): string | undefined => {
    const name = element.attributes.name
    if (name === undefined) return undefined
    const inner = (text: string | undefined) => (text === undefined || text === '' ? undefined : prefix + text)
    const stated = inner(element.children.find((child) => child.name === 'pose')?.attributes.relative_to)
    const full = prefix + name
    if (element.name === 'link') {
      nodes.set(full, { element, relativeTo: stated ?? outer, attachedTo: full })
      return full
    }
    if (element.name === 'frame') {
      const attached = inner(element.attributes.attached_to)
      nodes.set(full, { element, relativeTo: stated ?? attached ?? outer, attachedTo: attached ?? first })
    } else if (element.name === 'joint') {
      const child = inner(element.children.find((part) => part.name === 'child')?.text)
      nodes.set(full, { element, relativeTo: stated ?? child ?? outer, attachedTo: child })
    } else if (element.name === 'model') {
      const attachedTo = addAll(element, `${full}::`, full)
      nodes.set(full, { element, relativeTo: stated ?? outer, attachedTo })
      return attachedTo
    }
    return undefined
  }
  const addAll = (element: XmlElement, prefix: string, outer: string): string | undefined => {
    let first: string | undefined
    for (const kind of ['link', 'model', 'joint', 'frame'])
      for (const child of element.children)
        if (child.name === kind) {
          const own = add(child, prefix, outer, first)
          first ??= own
        }
    return first
  }
  addAll(model, '', '__model__')

  const known = new Map<string, Pose | undefined>([['__model__', pose]])
  const poseOf = (name: string): Pose | undefined => {
    // frames are followed to the model by a walk, for a file may chain thousands
    const way: string[] = []
    const passed = new Set<string>()
    let at = name
    while (!known.has(at)) {
      const node = nodes.get(at)
      if (!node || passed.has(at)) {
        const place = way.length > 0 ? nodes.get(way[way.length - 1])!.element : model
        refuse(
          place,
          `<${place.name} name=${quote(place.attributes.name ?? '')}>`,
          node ? `frames from ${quote(at)} on lead in a circle.` : `there is no frame ${quote(at)}.`,
        )
        for (const each of way) known.set(each, undefined)
        return undefined
      }
      way.push(at)
      passed.add(at)
      at = node.relativeTo
    }
    for (const each of way.reverse()) {
      const { element, relativeTo } = nodes.get(each)!
      const outer = known.get(relativeTo)
      const own = poseIn(element, `<${element.name} name=${quote(each)}>`)
      known.set(each, outer && own && compose(outer, own))
    }
    return known.get(name)
  }
  const links = new Map<string, string | undefined>()
  const linkOf = (name: string): string | undefined => {
    const way: string[] = []
    let at: string | undefined = name
    while (at !== undefined && !links.has(at)) {
      links.set(at, undefined) // for a cycle has no link
      way.push(at)
      const next: string | undefined = nodes.get(at)?.attachedTo
      if (next === at) links.set(at, at)
      else at = next
    }
    const link = at === undefined ? undefined : links.get(at)
    for (const each of way) links.set(each, link)
    return link
  }
  return { poseOf, linkOf }
}
