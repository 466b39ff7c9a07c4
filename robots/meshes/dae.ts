import { cos, sin } from '../../dynamics/index.ts'
import { RobotError } from '../diagnostics.ts'
import { parseXml, type XmlElement } from '../xml.ts'
import { checkPoints, MeshError, maxMeshBytes, PointList } from './meshError.ts'

/** Most node instances that are followed; instances of nodes inside nodes multiply. */
const maxInstances = 10_000

/**
 * The vertices of the scene in a COLLADA file, in metres; n x 3.
 *
 * The unit is applied and so are the transforms of the nodes. The up axis is not: by the convention of ROS tools a file
 * that says Y_UP has its axes taken as they are.
 *
 * @throws MeshError
 */
export function readDae(bytes: Uint8Array): Float64Array {
  let root: XmlElement
  try {
    const text = new TextDecoder().decode(bytes)
    root = parseXml(text, 'dae', { maxLength: maxMeshBytes, maxDepth: 200, maxElements: 200_000 })
  } catch (error) {
    if (error instanceof RobotError) throw new MeshError(error.message)
    throw error
  }
  if (root.name !== 'COLLADA') throw new MeshError(`its root is <${root.name}>, expected <COLLADA>`)
  return new DaeReader(root).read()
}

class DaeReader {
  private readonly root: XmlElement
  private readonly byId = new Map<string, XmlElement>()
  private readonly meshes = new Map<XmlElement, Float64Array>()

  constructor(root: XmlElement) {
    this.root = root
    const stack = [root]
    for (let element = stack.pop(); element; element = stack.pop()) {
      const { id } = element.attributes
      if (id !== undefined && !this.byId.has(id)) this.byId.set(id, element)
      for (const child of element.children) stack.push(child)
    }
  }

  read(): Float64Array {
    const unit = Number(find(find(this.root, 'asset'), 'unit')?.attributes.meter ?? 1)
    if (!(unit > 0) || !Number.isFinite(unit)) throw new MeshError('its unit is not a positive length')
    const list = new PointList()
    const sceneUrl = find(find(this.root, 'scene'), 'instance_visual_scene')?.attributes.url
    const scene = this.reference(sceneUrl) ?? find(find(this.root, 'library_visual_scenes'), 'visual_scene')
    if (scene) this.addScene(scene, list)
    else {
      // geometry without a scene: take it as it is
      for (const geometry of find(this.root, 'library_geometries')?.children ?? []) this.addGeometry(geometry, identity, list)
    }
    const points = list.points()
    for (let i = 0; i < points.length; i++) points[i] *= unit
    return checkPoints(points)
  }

  private addScene(scene: XmlElement, list: PointList): void {
    const stack: { element: XmlElement; outer: readonly number[]; depth: number }[] = []
    for (const element of scene.children) if (element.name === 'node') stack.push({ element, outer: identity, depth: 0 })
    let instances = 0
    for (let top = stack.pop(); top; top = stack.pop()) {
      if (++instances > maxInstances || top.depth > 200) throw new MeshError('its nodes are nested or instanced without end')
      let matrix = top.outer
      for (const child of top.element.children) {
        switch (child.name) {
          case 'matrix':
          case 'translate':
          case 'rotate':
          case 'scale':
            matrix = multiply(matrix, transformOf(child))
            break
          case 'lookat':
          case 'skew':
            throw new MeshError(`a node uses <${child.name}>, which is not read; expected matrix, translate, rotate or scale`)
          case 'node':
            stack.push({ element: child, outer: matrix, depth: top.depth + 1 })
            break
          case 'instance_node': {
            const node = this.reference(child.attributes.url)
            if (node) stack.push({ element: node, outer: matrix, depth: top.depth + 1 })
            break
          }
          case 'instance_geometry': {
            const geometry = this.reference(child.attributes.url)
            if (geometry) this.addGeometry(geometry, matrix, list)
            break
          }
          case 'instance_controller': {
            const skin = find(this.reference(child.attributes.url), 'skin')
            const geometry = this.reference(skin?.attributes.source)
            if (geometry) this.addGeometry(geometry, matrix, list)
            break
          }
        }
      }
    }
  }

  private addGeometry(geometry: XmlElement, m: readonly number[], list: PointList): void {
    const points = this.pointsOf(geometry)
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = [points[i], points[i + 1], points[i + 2]]
      list.push(
        m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8] * x + m[9] * y + m[10] * z + m[11],
      )
    }
  }

  private pointsOf(geometry: XmlElement): Float64Array {
    const known = this.meshes.get(geometry)
    if (known) return known
    const list = new PointList()
    const mesh = find(geometry, 'mesh')
    const input = find(mesh, 'vertices')?.children.find(
      (child) => child.name === 'input' && child.attributes.semantic === 'POSITION',
    )
    const source = this.reference(input?.attributes.source)
    if (source) {
      const accessor = find(find(source, 'technique_common'), 'accessor')
      const stride = Number(accessor?.attributes.stride ?? 3)
      const offset = Number(accessor?.attributes.offset ?? 0)
      const words = (find(source, 'float_array')?.text ?? '').split(/\s+/)
      if (!(stride >= 3) || !(offset >= 0))
        throw new MeshError(`the accessor of source "${source.attributes.id ?? ''}" is not of positions`)
      for (let k = offset; k + 2 < words.length; k += stride)
        list.push(Number(words[k]), Number(words[k + 1]), Number(words[k + 2]))
    }
    const points = list.points()
    this.meshes.set(geometry, points)
    return points
  }

  private reference(url: string | undefined): XmlElement | undefined {
    return url === undefined ? undefined : this.byId.get(url.startsWith('#') ? url.slice(1) : url)
  }
}

function find(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name)
}

/** 4 x 4, row-major. */
const identity: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

function transformOf(element: XmlElement): readonly number[] {
  const n = element.text.split(/\s+/).map(Number)
  const wanted = { matrix: 16, translate: 3, rotate: 4, scale: 3 }[element.name]
  if (n.length !== wanted || !n.every(Number.isFinite)) {
    throw new MeshError(`line ${element.line}: <${element.name}> needs ${wanted} numbers`)
  }
  switch (element.name) {
    case 'matrix':
      return n
    case 'translate':
      return [1, 0, 0, n[0], 0, 1, 0, n[1], 0, 0, 1, n[2], 0, 0, 0, 1]
    case 'scale':
      return [n[0], 0, 0, 0, 0, n[1], 0, 0, 0, 0, n[2], 0, 0, 0, 0, 1]
    default: {
      const length = Math.hypot(n[0], n[1], n[2])
      if (length === 0) return identity
      const [x, y, z] = [n[0] / length, n[1] / length, n[2] / length]
      const angle = (n[3] * Math.PI) / 180
      const s = sin(angle)
      const c = cos(angle)
      const k = 1 - c
      return [
        c + k * x * x,
        k * x * y - s * z,
        k * x * z + s * y,
        0,
        k * x * y + s * z,
        c + k * y * y,
        k * y * z - s * x,
        0,
        k * x * z - s * y,
        k * y * z + s * x,
        c + k * z * z,
        0,
        0,
        0,
        0,
        1,
      ]
    }
  }
}

function multiply(a: readonly number[], b: readonly number[]): readonly number[] {
  const out = new Array<number>(16).fill(0)
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 4; j++) {
      for (let k = 0; k < 4; k++) out[4 * i + j] += a[4 * i + k] * b[4 * k + j]
    }
  }
  return out
}
