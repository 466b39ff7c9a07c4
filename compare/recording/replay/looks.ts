/** How robots look in a replay: shapes and colours of their files, without images. */
import type { Shape } from '../../../contact/geometry/index.ts'
import { type LinkDescription, type MeshStore, type Pose, poseOfOrigin, shapeOf, shownShapes } from '../../../robots/index.ts'
import { canSimplify, coarseShape } from './coarse.ts'
import { trianglesEach } from './scene.ts'

/** Shapes of a robot, corners of triangles of its meshes, and coordinates [m], beyond which what collides stands in: a small file may ask for any. */
const [MOST_SHAPES, MOST_READ, LARGEST] = [2000, 3e7, 1e9]

/** A shape that a file shows, in the axes of its link. */
export interface Look extends Pose {
  readonly link: string
  /** undefined: a mesh that cannot be read, or that is too much. */
  readonly shape: Shape | undefined
  /** Red, green and blue, 0 to 1; undefined of a mesh with materials of its own that cannot be read. */
  readonly color: readonly number[] | undefined
  /** Of its mesh's file, else its type. */
  readonly name: string
}

/** Looks of robots, by the files that scenarios name. */
export type Looks = ReadonlyMap<string, readonly Look[]>

/** The looks of a robot's file. */
export async function looksOf(links: readonly LinkDescription[], meshes: MeshStore): Promise<Look[]> {
  await canSimplify
  const shown = links.flatMap((link) => shownShapes(link).map((shape) => ({ ...shape, link: link.name })))
  const surfaces = new Map<string, Shape | undefined>()
  let room = MOST_READ
  const shapes = shown.map((one, i): Shape | undefined => {
    const { geometry, place } = one
    if (i >= MOST_SHAPES) return undefined
    if (geometry.type !== 'mesh') return shapeOf(one, meshes)
    const key = `${geometry.filename} ${geometry.scale} ${place.file}`
    if (surfaces.has(key)) return surfaces.get(key)
    const mesh = room > 0 ? meshes.surface(geometry, place) : undefined
    room -= mesh?.triangles.length ?? 0
    const shape: Shape | undefined = mesh?.vertices.every((x) => Math.abs(x) < LARGEST) ? { type: 'mesh', mesh } : undefined
    surfaces.set(key, shape)
    return shape
  })
  const most = trianglesEach(shapes)
  return shown.flatMap(({ link, geometry, origin, place, material }, i): Look[] => {
    if (material?.rgba[3] === 0) return []
    const mesh = geometry.type === 'mesh' ? geometry.filename : undefined
    const statesOwn = mesh !== undefined && /\.(dae|gl(tf|b))$/i.test(mesh) && !material?.replaces
    const color = statesOwn ? colorOf(meshes.headOf(mesh, place), mesh) : (material?.rgba.slice(0, 3) ?? [1, 1, 1])
    const drawn = shapes[i] && coarseShape(shapes[i], most)
    return [{ link, shape: drawn, color, name: mesh ?? geometry.type, ...poseOfOrigin(origin) }]
  })
}

/** Mean of the materials that a file of a mesh states; those of glTF are linear in light. */
function colorOf(head: string, name: string): number[] | undefined {
  const isLinear = /\.gl(tf|b)$/i.test(name)
  const stated = isLinear ? /"baseColorFactor"\s*:\s*\[([^\]]*)/g : /<diffuse>\s*<color[^>]*>([^<]*)/g
  const colors = [...head.matchAll(stated)].map(([, text]) =>
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number),
  )
  if (head !== '' && colors.length === 0) return [1, 1, 1] // an image
  const mean = [0, 1, 2].map((k) => colors.reduce((sum, color) => sum + color[k], 0) / colors.length)
  if (!mean.every(Number.isFinite)) return undefined
  return isLinear ? mean.map(Math.sqrt) : mean
}
