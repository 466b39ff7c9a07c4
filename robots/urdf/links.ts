import type { LinkDescription, ShapeDescription } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { readInertial } from './inertial.ts'
import { type Materials, readMaterial } from './materials.ts'
import { firstOfEachName } from './names.ts'
import { readShape } from './shapes.ts'
import { readBulletContact, type Surface } from './surfaces.ts'

export function readLinks(
  reader: Reader,
  elements: readonly XmlElement[],
  surfaces: ReadonlyMap<string, Surface>,
  materials: Materials,
): LinkDescription[] {
  const links: LinkDescription[] = []
  for (const [name, element] of firstOfEachName(reader, elements, 'link')) {
    links.push(readLink(reader, element, name, surfaces.get(name), materials))
  }
  return links
}

function readLink(
  reader: Reader,
  element: XmlElement,
  name: string,
  gazebo: Surface | undefined,
  materials: Materials,
): LinkDescription {
  const link = `link ${quote(name)}`
  const visuals: ShapeDescription[] = []
  const collisions: ShapeDescription[] = []
  const surface: Surface = { ...gazebo, contact: gazebo?.contact && { ...gazebo.contact } }
  for (const child of element.children) {
    if (child.name === 'visual' || child.name === 'collision') {
      const shape = readShape(reader, child, `<${child.name}> of ${link}`)
      const stated = child.children.filter(({ name }) => name === 'material')
      const [material] = stated.map((one) => readMaterial(reader, one, materials))
      if (shape && child.name === 'collision') collisions.push(shape)
      else if (shape) visuals.push(material ? { ...shape, material } : shape)
    } else if (child.name === 'contact') readBulletContact(reader, child, name, surface)
  }
  const inertialElement = reader.only(element, 'inertial', link)
  const inertial = inertialElement && readInertial(reader, inertialElement, name)
  return { name, inertial, visuals, collisions, ...surface, place: element }
}
