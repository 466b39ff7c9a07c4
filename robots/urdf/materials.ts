import type { MaterialDescription } from '../description.ts'
import { parseColor, parseNumbers, quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** The elements that define a material of each name, those under `<robot>` and those in visuals alike. */
export type Materials = ReadonlyMap<string, readonly XmlElement[]>

export function collectMaterials(root: XmlElement): Materials {
  const materials = new Map<string, XmlElement[]>()
  const add = (element: XmlElement) => {
    const { name } = element.attributes
    if (element.name !== 'material' || name === undefined || name === '' || element.children.length === 0) return
    const others = materials.get(name)
    if (others) others.push(element)
    else materials.set(name, [element])
  }
  for (const child of root.children) {
    add(child)
    if (child.name !== 'link') continue
    for (const shape of child.children) for (const inner of shape.children) add(inner)
  }
  return materials
}

/**
 * The looks that a `<material>` states, or the first definition of its name. Materials do not affect the motion: they are carried, and
 * irregularities reported once for each kind.
 */
export function readMaterial(reader: Reader, element: XmlElement, materials: Materials): MaterialDescription | undefined {
  reader.account.carryTree(element)
  const { name } = element.attributes
  const what = `<material name=${quote(name ?? '')}>`
  const empty = element.children.length === 0
  if (name === undefined || name === '') {
    if (empty) reader.note('material-empty', element, what, 'it has neither a name nor a colour.', 'Nothing depends on it.')
    else reader.note('material-unnamed', element, what, 'it has no name.', 'Nothing depends on it.')
  } else if (empty && !materials.has(name)) {
    reader.note('material-undefined', element, what, 'nothing gives this material a colour.', 'Nothing depends on it.')
  }
  for (const color of element.children) {
    const rgba = color.name === 'color' ? reader.attribute(color, 'rgba', `<color> of ${what}`) : undefined
    if (rgba === undefined || Array.isArray(parseNumbers(rgba, 4))) continue
    const message = `rgba=${quote(rgba)} is not four numbers.`
    reader.note('material-color', color, `<color> of ${what}`, message, 'Nothing depends on it.')
  }
  const place = empty ? materials.get(name ?? '')?.[0] : element
  if (!place) return undefined
  const of = (tag: string) => place.children.find((child) => child.name === tag)?.attributes ?? {}
  const texture = of('texture').filename
  return { rgba: parseColor(of('color').rgba), ...(texture && { texture }), place }
}

/** Reports names with two colours. */
export function checkMaterials(reader: Reader, materials: Materials): void {
  for (const [name, elements] of materials) {
    const [first, ...more] = elements
    const other = more.find((element) => lookOf(element) !== lookOf(first))
    if (!other) continue
    const message = `the material of this name at line ${first.line} looks different.`
    reader.note('material-twice', other, `<material name=${quote(name)}>`, message, 'Rename one of the two.')
  }
}

function lookOf({ children }: XmlElement): string {
  return children
    .map(({ attributes }) => `${attributes.rgba ?? ''} ${attributes.filename ?? ''}`.trim().split(/\s+/).join(' '))
    .join()
}
