import {
  CapsuleGeometry,
  CylinderGeometry,
  Group,
  Light,
  LoadingManager,
  type Material,
  Mesh,
  type MeshPhongMaterial,
  MeshStandardMaterial,
  type Object3D,
} from 'three'
import URDFLoader from 'urdf-loader'
import type { ExaminedRobot, GeometryDescription, LinkDescription, Place, XmlElement } from '../../robots/index.ts'
import type { RobotFiles } from '../robots/robotFiles.ts'

/** Visuals of a robot: one group a link, in the link's own axes. */
export interface Visuals {
  readonly links: ReadonlyMap<string, Group>
  /** Links of which something could not be shown. */
  readonly incomplete: ReadonlySet<string>
  /** Meshes and textures that could not be shown, each with its reason. */
  readonly problems: readonly string[]
}

/** A GIF; takes the place of a texture that is missing, which leaves a material its colour. */
const whitePixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs='

const roundCylinder = new CylinderGeometry(1, 1, 1, 64)

/**
 * Makes the visuals of a robot's file. Placements come from the robot's description, and urdf-loader
 * gives it colours; where the links are is the simulation's business.
 *
 * @param loads called with 1 when something that loads later, such as textures, is on its way, and with -1 when it is there
 */
export async function readVisuals(
  { root, repaired: description }: ExaminedRobot,
  files: RobotFiles,
  loads: (change: 1 | -1) => void,
): Promise<Visuals> {
  const problems = new Set<string>()
  const pending: Promise<void>[] = []
  const managerFor = (file: string) => {
    const manager = new LoadingManager(() => loads(-1))
    manager.onStart = () => loads(1)
    manager.setURLModifier((url) => {
      if (/^(data|blob):/.test(url)) return url
      if (files.find(url, file)) return files.address(url, file)
      problems.add(`${url}: it is not among the files that were given`)
      return whitePixel // findings say what is missing; loaders would say it again, on the console
    })
    return manager
  }
  const { document, meshes } = visualDocument(root, description.links)
  const loader = new URDFLoader(managerFor(root.file))
  loader.loadMeshCb = (number, _manager, material, done) => {
    const { geometry, place } = meshes[Number(number)]
    if (geometry.type === 'capsule') {
      done(new Mesh(new CapsuleGeometry(geometry.radius, geometry.length, 10, 32).rotateX(Math.PI / 2), material))
      return
    }
    pending.push(
      loadMesh(geometry.filename, [root.file, place.file], files, material, managerFor)
        .then(done)
        .catch((error: unknown) => {
          problems.add(`${geometry.filename}: ${error instanceof Error ? error.message : error}`)
        }),
    )
  }
  const robot = loader.parse(document)
  await Promise.all(pending)

  const links = new Map<string, Group>()
  const incomplete = new Set<string>()
  description.links.forEach(({ name }, i) => {
    const group = new Group()
    const seen = robot.links[`link${i}`].children.filter((child: Object3D) => 'isURDFVisual' in child)
    if (seen.length === 0) return
    if (seen.some((visual: Object3D) => visual.children.length === 0)) incomplete.add(name)
    group.add(...seen)
    group.traverse((part) => {
      if (!(part instanceof Mesh)) return
      if (part.geometry instanceof CylinderGeometry) part.geometry = roundCylinder
      part.material = Array.isArray(part.material) ? part.material.map(physical) : physical(part.material)
    })
    links.set(name, group)
  })
  return { links, incomplete, problems: [...problems] }
}

/** @param from the files from which the reference may start */
async function loadMesh(
  reference: string,
  from: readonly string[],
  files: RobotFiles,
  material: Material,
  managerFor: (file: string) => LoadingManager,
): Promise<Object3D> {
  const found = files.find(reference, from[0]) ?? files.find(reference, from[1])
  if (!found) throw new Error('it is not among the files that were given')
  const { readVisualMesh } = await import('./meshes.ts') // the loaders are large, and our own robots have no meshes
  const object = await readVisualMesh(found.path, found.bytes, material, managerFor(found.path))
  const lights: Object3D[] = []
  object.traverse((part) => {
    if (part instanceof Light) lights.push(part)
  })
  for (const light of lights) light.removeFromParent() // the page has lights of its own
  return object
}

/** Requests of urdf-loader by a number in place of a file name: meshes, and the capsules that it does not know. */
interface Asked {
  readonly geometry: Extract<GeometryDescription, { type: 'mesh' | 'capsule' }>
  readonly place: Place
}

/**
 * The part of a robot's file that its visuals need, written anew from the description. Links and materials are
 * numbered and all links hang on one: urdf-loader puts names into selectors and plain objects, searches materials under
 * `<robot>` alone, and knows fewer joints than our own reader.
 */
function visualDocument(
  root: XmlElement,
  links: readonly LinkDescription[],
): { readonly document: Document; readonly meshes: readonly Asked[] } {
  const document = window.document.implementation.createDocument(null, 'robot')
  const robot = document.documentElement
  const meshes: Asked[] = []
  const make = (parent: Element, name: string, attributes: Readonly<Record<string, string>> = {}) => {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    parent.append(element)
    return element
  }
  make(robot, 'link', { name: 'root' })
  const elements = new Map(root.children.map((element) => [element as Place, element]))
  const definitions = materialsOf(root)
  const numbers = new Map<XmlElement, string>()
  links.forEach(({ visuals, place }, i) => {
    const link = make(robot, 'link', { name: `link${i}` })
    const joint = make(robot, 'joint', { name: `joint${i}`, type: 'fixed' })
    make(joint, 'parent', { link: 'root' })
    make(joint, 'child', { link: `link${i}` })
    const sources = new Map(elements.get(place)?.children.map((element) => [element as Place, element]))
    for (const { origin, geometry, place } of visuals) {
      const visual = make(link, 'visual')
      make(visual, 'origin', { xyz: origin.xyz.join(' '), rpy: origin.rpy.join(' ') })
      const [name, attributes] = written(geometry, meshes.length)
      make(make(visual, 'geometry'), name, attributes)
      if (geometry.type === 'mesh' || geometry.type === 'capsule') meshes.push({ geometry, place })
      const stated = sources.get(place)?.children.find((child) => child.name === 'material')
      const material = stated && (stated.children.length > 0 ? stated : definitions.get(stated.attributes.name))
      if (!material) continue
      let number = numbers.get(material)
      if (number === undefined) {
        number = `material${numbers.size}`
        numbers.set(material, number)
        const copy = make(robot, 'material', { name: number })
        for (const [tag, look] of looksOf(material)) make(copy, tag, look)
      }
      make(visual, 'material', { name: number })
    }
  })
  return { document, meshes }
}

/** The elements that define a material, by its name: the first in the file, be it under `<robot>` or in a visual. */
function materialsOf(root: XmlElement): ReadonlyMap<string, XmlElement> {
  const definitions = new Map<string, XmlElement>()
  const add = (element: XmlElement) => {
    const { name } = element.attributes
    if (element.name === 'material' && element.children.length > 0 && !definitions.has(name)) definitions.set(name, element)
  }
  for (const element of root.children) add(element)
  for (const { children } of root.children) for (const { children: inner } of children) for (const element of inner) add(element)
  return definitions
}

/** Colour and texture, as far as urdf-loader reads them; a colour that is none is left out. */
function looksOf({ children }: XmlElement): [string, Record<string, string>][] {
  return children.flatMap(({ name, attributes }): [string, Record<string, string>][] => {
    const rgba = (attributes.rgba ?? '').trim().split(/\s+/)
    const isColor = rgba.length === 4 && rgba.every((part) => part !== '' && Number.isFinite(Number(part)))
    if (name === 'color' && isColor) return [['color', { rgba: rgba.join(' ') }]]
    return name === 'texture' && attributes.filename !== undefined ? [['texture', { filename: attributes.filename }]] : []
  })
}

/** A geometry as an element; meshes and capsules go by their number. */
function written(geometry: GeometryDescription, number: number): [string, Record<string, string>] {
  switch (geometry.type) {
    case 'box':
      return ['box', { size: geometry.size.join(' ') }]
    case 'sphere':
      return ['sphere', { radius: String(geometry.radius) }]
    case 'cylinder':
      return ['cylinder', { radius: String(geometry.radius), length: String(geometry.length) }]
    // of these only the collision shapes are shown
    case 'ellipsoid':
    case 'points':
      return ['sphere', { radius: '0' }]
    case 'capsule':
      return ['mesh', { filename: String(number) }]
    case 'mesh':
      return ['mesh', { filename: String(number), scale: geometry.scale.join(' ') }]
  }
}

const converted = new WeakMap<Material, Material>()

/** Loaders give materials of older kinds; these take the page's lighting. */
function physical(material: Material): Material {
  if (material instanceof MeshStandardMaterial) return material
  let result = converted.get(material)
  if (!result) {
    const { name, color, map, opacity, transparent, side, vertexColors } = material as MeshPhongMaterial
    result = new MeshStandardMaterial({
      name,
      color,
      map,
      opacity,
      transparent,
      side,
      vertexColors,
      roughness: 0.55,
      metalness: 0.05,
    })
    converted.set(material, result)
  }
  return result
}
