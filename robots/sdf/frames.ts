import { quote } from '../elements/index.ts'
import { compose, type Pose } from '../pose.ts'
import type { XmlElement } from '../xml.ts'

/** Poses in the axes of the world by names of links, joints, frames and nested models (`model::link`), and `__model__`. */
export interface FrameGraph {
  poseOf(name: string): Pose | undefined
  /** The link that a name stands for: itself, or what a frame or a nested model is attached to. */
  linkOf(name: string): string | undefined
}

interface Node {
  readonly element: XmlElement
  readonly relativeTo: string
  /** What it is fixed to; of a link, itself. */
  readonly attachedTo: string | undefined
}

/**
 * The frames of a model. A link's pose is in the axes of the model, a joint's in those of its child, a frame's in those of what it is
 * attached to, unless `relative_to` says otherwise.
 *
 * @param pose   of the model in the world
 * @param poseIn what the `<pose>` of an element says by itself
 */
export function scopedFrames(
  model: XmlElement,
  pose: Pose,
  poseIn: (element: XmlElement, what: string) => Pose | undefined,
  refuse: (place: XmlElement, what: string, message: string) => void,
): FrameGraph {
  const nodes = new Map<string, Node>()
  const add = (element: XmlElement, prefix: string, outer: string) => {
    const name = element.attributes.name
    if (name === undefined) return
    const inner = (text: string | undefined) => (text === undefined || text === '' ? undefined : prefix + text)
    const stated = inner(element.children.find((child) => child.name === 'pose')?.attributes.relative_to)
    const full = prefix + name
    if (element.name === 'link') nodes.set(full, { element, relativeTo: stated ?? outer, attachedTo: full })
    else if (element.name === 'frame') {
      const attached = inner(element.attributes.attached_to)
      nodes.set(full, { element, relativeTo: stated ?? attached ?? outer, attachedTo: attached ?? firstLink(prefix) })
    } else if (element.name === 'joint') {
      const child = inner(element.children.find((part) => part.name === 'child')?.text)
      nodes.set(full, { element, relativeTo: stated ?? child ?? outer, attachedTo: child })
    } else if (element.name === 'model') {
      nodes.set(full, { element, relativeTo: stated ?? outer, attachedTo: undefined })
      addAll(element, `${full}::`, full)
      nodes.set(full, { ...nodes.get(full)!, attachedTo: firstLink(`${full}::`) })
    }
  }
  const firstLink = (prefix: string) =>
    [...nodes.keys()].find((name) => name.startsWith(prefix) && nodes.get(name)!.element.name === 'link')
  const addAll = (element: XmlElement, prefix: string, outer: string) => {
    // links first, so that frames without an attachment have one
    for (const kind of ['link', 'model', 'joint', 'frame'])
      for (const child of element.children) if (child.name === kind) add(child, prefix, outer)
  }
  addAll(model, '', '__model__')

  const known = new Map<string, Pose | undefined>([['__model__', pose]])
  const poseOf = (name: string): Pose | undefined => {
    // frames are followed to the model by a walk, for a file may chain thousands
    const way: string[] = []
    let at = name
    while (!known.has(at)) {
      const node = nodes.get(at)
      if (!node || way.includes(at)) {
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
  const linkOf = (name: string): string | undefined => {
    const seen = new Set<string>()
    let at = name
    while (!seen.has(at)) {
      seen.add(at)
      const node = nodes.get(at)
      if (!node) return undefined
      if (node.attachedTo === at) return at
      if (node.attachedTo === undefined) return undefined
      at = node.attachedTo
    }
    return undefined
  }
  return { poseOf, linkOf }
}
