import {
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
import type { XmlElement } from '../robots/index.ts'
import { readMesh } from './meshes.ts'
import type { RobotFiles } from './robotFiles.ts'

/** What is seen of a robot: one group a link, in the link's own axes. */
export interface Visuals {
  readonly links: ReadonlyMap<string, Group>
  /** Links of which something could not be shown. */
  readonly incomplete: ReadonlySet<string>
  /** Meshes that could not be shown, each with its reason. */
  readonly problems: readonly string[]
}

const roundCylinder = new CylinderGeometry(1, 1, 1, 64)

/**
 * Takes the visuals out of a URDF. urdf-loader reads them; where the links are is the simulation's business.
 *
 * @param redraw called when something that loads later, such as a texture, is there
 */
export async function readVisuals(root: XmlElement, files: RobotFiles, redraw: () => void): Promise<Visuals> {
  const { file } = root
  const problems: string[] = []
  const pending: Promise<void>[] = []
  const textures = new LoadingManager(redraw)
  textures.setURLModifier((url) => (/^(data|blob):/.test(url) ? url : files.address(url, file)))
  const loader = new URDFLoader(textures)
  loader.packages = (name) => `package://${name}`
  loader.loadMeshCb = (reference, _manager, material, done) => {
    const read = async () => {
      const found = files.find(reference, file)
      if (!found) throw new Error('it is not among the files that were given')
      const manager = new LoadingManager(redraw)
      manager.setURLModifier((url) => (/^(data|blob):/.test(url) ? url : files.address(url, found.path)))
      const object = await readMesh(found.path, found.bytes, material, manager)
      const lights: Object3D[] = []
      object.traverse((part) => {
        if (part instanceof Light) lights.push(part)
      })
      for (const light of lights) light.removeFromParent() // the page has lights of its own
      done(object)
    }
    pending.push(
      read().catch((error: unknown) => {
        problems.push(`${reference}: ${error instanceof Error ? error.message : error}`)
      }),
    )
  }

  const names = root.children.filter(({ name }) => name === 'link').map(({ attributes }) => attributes.name)
  const robot = loader.parse(visualDocument(root, names))
  await Promise.all(pending)
  const links = new Map<string, Group>()
  const incomplete = new Set<string>()
  names.forEach((name, i) => {
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
  return { links, incomplete, problems }
}

/**
 * The part of a robot's file that its looks depend on. Links are numbered and joints reduced to what hangs on what:
 * urdf-loader puts names into selectors and plain objects, and knows fewer joints than our own reader.
 */
function visualDocument(root: XmlElement, names: readonly string[]): Document {
  const document = window.document.implementation.createDocument(null, 'robot')
  const robot = document.documentElement
  const linkNumber = new Map(names.map((name, i) => [name, `link${i}`]))
  const make = (parent: Element, name: string, attributes: Readonly<Record<string, string>>) => {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) {
      if (plainName.test(key)) element.setAttribute(key, value.trim().replace(/\s+/g, ' '))
    }
    parent.append(element)
    return element
  }
  const copy = (parent: Element, { name, attributes, children }: XmlElement) => {
    if (!plainName.test(name)) return
    if (name === 'color' && attributes.rgba === undefined) return
    if (name === 'geometry' && !children.some((child) => plainName.test(child.name))) return
    const element = make(parent, name, attributes)
    for (const child of children) copy(element, child)
  }
  let joints = 0
  for (const element of root.children) {
    if (element.name === 'material') copy(robot, element)
    if (element.name === 'link') {
      const link = make(robot, 'link', { name: linkNumber.get(element.attributes.name) ?? '' })
      for (const child of element.children) if (child.name === 'visual') copy(link, child)
    }
    if (element.name === 'joint') {
      const end = (role: string) => linkNumber.get(element.children.find(({ name }) => name === role)?.attributes.link ?? '')
      const [parent, child] = [end('parent'), end('child')]
      if (!parent || !child) continue
      const joint = make(robot, 'joint', { name: `joint${joints++}`, type: 'fixed' })
      make(joint, 'parent', { link: parent })
      make(joint, 'child', { link: child })
    }
  }
  return document
}

const plainName = /^[A-Za-z_][\w.-]*$/

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
