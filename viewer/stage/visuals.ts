import {
  Color,
  Group,
  Light,
  LoadingManager,
  type Material,
  Mesh,
  type MeshPhongMaterial,
  MeshStandardMaterial,
  type Object3D,
  SRGBColorSpace,
} from 'three'
import URDFLoader from 'urdf-loader'
import {
  type ExaminedRobot,
  type LinkDescription,
  MeshStore,
  type ShapeDescription,
  shapeOf,
  shownShapes,
} from '../../robots/index.ts'
import type { RobotFiles } from '../robots/robotFiles.ts'
import { shapeGeometry } from './shapeMeshes.ts'

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
  const managerFor = (...from: readonly string[]) => {
    const manager = new LoadingManager(() => loads(-1))
    manager.onStart = () => loads(1)
    manager.setURLModifier((url) => {
      if (/^(data|blob):/.test(url)) return url
      const file = from.find((one) => files.find(url, one))
      if (file !== undefined) return files.address(url, file)
      problems.add(`${url}: it is not among the files that were given`)
      return whitePixel // findings say what is missing; loaders would say it again, on the console
    })
    return manager
  }
  const { document, shapes } = visualDocument(description.links)
  const stated = shapes.flatMap(({ material }) => material?.place.file ?? [])
  const loader = new URDFLoader(managerFor(...new Set([root.file, ...stated])))
  loader.loadMeshCb = (number, _manager, material, done) => {
    const { geometry, place, material: own } = shapes[Number(number)]
    if (geometry.type !== 'mesh') {
      const shape = shapeOf(shapes[Number(number)], new MeshStore(root.file))
      if (shape) done(new Mesh(shapeGeometry(shape, 0), material))
      return
    }
    pending.push(
      loadMesh(geometry.filename, [root.file, place.file], files, { material, replaces: own?.replaces }, managerFor)
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
  const shows = description.links.some(({ visuals }) => visuals.length > 0)
  description.links.forEach(({ name, collisions }, i) => {
    const group = new Group()
    const seen = robot.links[`link${i}`].children.filter((child: Object3D) => 'isURDFVisual' in child)
    // a wheel that only collides is not invisible beside others
    const onlyCollides = seen.length === 0 && collisions.length > 0 && shows
    if (onlyCollides || seen.some((visual: Object3D) => visual.children.length === 0)) incomplete.add(name)
    if (seen.length === 0) return
    group.add(...seen)
    group.traverse((part) => {
      if (!(part instanceof Mesh)) return
      const worn = (material: Material) => physical(material, part.geometry.attributes.uv !== undefined)
      part.material = Array.isArray(part.material) ? part.material.map(worn) : worn(part.material)
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
  { material, replaces }: { readonly material: Material; readonly replaces?: boolean },
  managerFor: (file: string) => LoadingManager,
): Promise<Object3D> {
  const found = files.find(reference, from[0]) ?? files.find(reference, from[1])
  if (!found) throw new Error('it is not among the files that were given')
  const { readVisualMesh } = await import('./meshes.ts') // the loaders are large, and our own robots have no meshes
  const object = await readVisualMesh(found.path, found.bytes, material, managerFor(found.path))
  const lights: Object3D[] = []
  object.traverse((part) => {
    if (part instanceof Light) lights.push(part)
    if (replaces && part instanceof Mesh) part.material = material
  })
  for (const light of lights) light.removeFromParent() // the page has lights of its own
  return object
}

/**
 * What the visuals need of a robot's description, as URDF. Links, materials and shapes are numbered and all links hang on one: urdf-loader
 * puts names into selectors and plain objects, and knows fewer joints and shapes than our own readers.
 */
function visualDocument(links: readonly LinkDescription[]): {
  readonly document: Document
  readonly shapes: readonly ShapeDescription[]
} {
  const document = window.document.implementation.createDocument(null, 'robot')
  const robot = document.documentElement
  const shapes: ShapeDescription[] = []
  const make = (parent: Element, name: string, attributes: Readonly<Record<string, string>> = {}) => {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    parent.append(element)
    return element
  }
  make(robot, 'link', { name: 'root' })
  const numbers = new Map<string, string>()
  links.forEach((description, i) => {
    const link = make(robot, 'link', { name: `link${i}` })
    const joint = make(robot, 'joint', { name: `joint${i}`, type: 'fixed' })
    make(joint, 'parent', { link: 'root' })
    make(joint, 'child', { link: `link${i}` })
    for (const shape of shownShapes(description)) {
      const { origin, geometry, material } = shape
      const visual = make(link, 'visual')
      make(visual, 'origin', { xyz: origin.xyz.join(' '), rpy: origin.rpy.join(' ') })
      const scale = geometry.type === 'mesh' ? geometry.scale : [1, 1, 1]
      make(make(visual, 'geometry'), 'mesh', { filename: String(shapes.length), scale: scale.join(' ') })
      shapes.push(shape)
      if (!material) continue
      const { rgba, texture } = material
      const key = `${rgba} ${texture}`
      const name = numbers.get(key) ?? `material${numbers.size}`
      if (!numbers.has(key)) {
        numbers.set(key, name)
        const own = make(robot, 'material', { name })
        const { r, g, b } = new Color().setRGB(rgba[0], rgba[1], rgba[2], SRGBColorSpace)
        make(own, 'color', { rgba: [r, g, b, rgba[3]].join(' ') })
        if (texture !== undefined) make(own, 'texture', { filename: texture })
      }
      make(visual, 'material', { name })
    }
  })
  return { document, shapes }
}

const converted = { wrapped: new WeakMap<Material, Material>(), bare: new WeakMap<Material, Material>() }

/** Loaders give materials of older kinds; these take the page's lighting, and lose an image of which a surface does not say where it lies. */
function physical(material: Material, isWrapped: boolean): Material {
  if (material instanceof MeshStandardMaterial) return material
  const known = isWrapped ? converted.wrapped : converted.bare
  let result = known.get(material)
  if (!result) {
    const { name, color, opacity, transparent, side, vertexColors, map } = material as MeshPhongMaterial
    result = new MeshStandardMaterial({
      ...{ name, color, opacity, transparent, side, vertexColors, map: isWrapped ? map : null },
      roughness: 0.55,
      metalness: 0.05,
    })
    known.set(material, result)
  }
  return result
}
