/** A scene at its start, half-way and at its end, as SVG: collision shapes are drawn. */

import { normalOf } from '../compare/inspect/picture/solid.ts'
import { dot, unit, type Vector } from '../compare/inspect/picture/vector.ts'
import { project, threeQuarter } from '../compare/inspect/picture/view.ts'
import { escapeHtml } from '../compare/report/html.ts'
import { type ConvexShape, type PlacedShape, polyhedralVersion, type Shape } from '../contact/geometry/index.ts'
import { createData, kinematics } from '../dynamics/index.ts'
import type { World } from '../simulation/index.ts'
import type { Scene } from './scene.ts'
import { trialOf } from './trial.ts'

/** Sizes in the units of the picture. */
const width = 240
const height = 180
const margin = 10
/** The picture is larger than moving bodies by this. */
const reach = 1.6
/** Fixtures are drawn this far behind moving bodies, so that they never hide them [m]. */
const behind = 1e6
const sides = 24
/** From where light comes. */
const light = unit([0.3, -0.5, 0.8])
const style = 'text{font:11px system-ui,sans-serif;fill:#777}path,circle{stroke:#0004;stroke-width:.6;stroke-linejoin:round}'
const colours = ['#3f7cac', '#d98032', '#6a994e', '#a4508b', '#8d6e4a', '#5f6caf']

/** Something flat in the picture. */
interface Patch {
  /** Nearer to the eye is larger. */
  readonly depth: number
  /** Places that it reaches in the picture [m]. */
  readonly extent: readonly (readonly [number, number])[]
  svg(x: (u: number) => string, y: (v: number) => string, scale: number): string
}

/** Of the scene's first case under `ncp` at its longest step. @returns a whole SVG document @throws Error where that run breaks off */
export async function scenePicture(scene: Scene): Promise<string> {
  const dt = Math.max(...scene.cases[0].scenario.dt)
  let stills: Stills | undefined
  const { status, why } = await trialOf(
    { scene, at: 0, column: 'ncp', dt },
    (world, steps) => (stills = new Stills(world, steps)),
  )
  if (status === 'failed' || stills === undefined) throw new Error(`${scene.name}: ${why}`)
  return stills.picture(scene.title)
}

/** A run at its start, half-way and at its end. */
export class Stills {
  private readonly world: World
  private readonly steps: number
  private readonly frames: { readonly patches: readonly Patch[]; readonly time: number }[] = []

  constructor(world: World, steps: number) {
    this.world = world
    this.steps = steps
    this.take()
  }

  after(): void {
    const { stepCount } = this.world
    if (stepCount === Math.round(this.steps / 2) || stepCount === this.steps) this.take()
  }

  /** Of a run that has come to its end. @returns a whole SVG document */
  picture(title: string): string {
    const { frames } = this
    const moving = frames.flatMap(({ patches }) =>
      patches.filter(({ depth }) => depth > -behind / 2).flatMap(({ extent }) => extent),
    )
    const [low, high] = [Math.min, Math.max].map((pick) => [0, 1].map((k) => pick(...moving.map((p) => p[k]))))
    const middle = [0, 1].map((k) => 0.5 * (low[k] + high[k]))
    const scale = Math.min(
      (width - 2 * margin) / (reach * (high[0] - low[0])),
      (height - 2 * margin) / (reach * (high[1] - low[1])),
    )
    const panels = frames.map(({ patches, time }, i) => {
      const x = (u: number) => (width / 2 + scale * (u - middle[0])).toFixed(1)
      const y = (v: number) => (height / 2 - scale * (v - middle[1])).toFixed(1)
      const drawn = patches
        .toSorted((a, b) => a.depth - b.depth)
        .map((patch) => patch.svg(x, y, scale))
        .join('')
      return `<g transform="translate(${i * width})" clip-path="url(#panel)">${drawn}<text x="8" y="${height - 8}">${time.toPrecision(3)} s</text></g>`
    })
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${3 * width} ${height}" role="img" aria-label="${escapeHtml(title)}"><title>${escapeHtml(title)}</title><style>${style}</style><clipPath id="panel"><rect width="${width}" height="${height}"/></clipPath>${panels.join('')}</svg>\n`
  }

  private take(): void {
    const { world } = this
    this.frames.push({ patches: patchesOf(world), time: world.stepCount * world.dt })
  }
}

function patchesOf(world: World): Patch[] {
  const { model, state, shapes, fixtures } = world
  const data = createData(model)
  kinematics(model, state, data)
  const colour = new Map<number, string>()
  const moving = shapes.flatMap((placed) => {
    if (!colour.has(placed.body)) colour.set(placed.body, colours[colour.size % colours.length])
    return shapePatches(placed, data.R_WB[placed.body], data.p_WB[placed.body], colour.get(placed.body) as string)
  })
  const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const fixed = fixtures
    .filter(({ shape: { type } }) => type !== 'halfspace' && type !== 'heightfield' && type !== 'mesh')
    .flatMap((placed) => shapePatches(placed, identity, new Float64Array(3), '#b8b8b0'))
    .map((patch) => ({ ...patch, depth: patch.depth - behind }))
  return [...fixed, ...moving]
}

function shapePatches({ shape, R, p }: PlacedShape, R_WB: Float64Array, p_WB: Float64Array, colour: string): Patch[] {
  const place = (x: ArrayLike<number>): Vector => {
    const own = [0, 1, 2].map((k) => p[k] + R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2])
    const inWorld = [0, 1, 2].map((k) => p_WB[k] + R_WB[3 * k] * own[0] + R_WB[3 * k + 1] * own[1] + R_WB[3 * k + 2] * own[2])
    return inWorld as unknown as Vector
  }
  if (shape.type === 'sphere') return [ballPatch(project(threeQuarter, place([0, 0, 0])), shape.radius, colour)]
  if (shape.type === 'capsule') {
    const ends = [-0.5, 0.5].map((side) => project(threeQuarter, place([0, 0, side * shape.length])))
    return [stadiumPatch(ends[0], ends[1], shape.radius, colour)]
  }
  if (!isConvex(shape)) return []
  const { vertices, faces } = polyhedralVersion(shape, { sides })
  const corners = Array.from({ length: vertices.length / 3 }, (_, i) => place(vertices.subarray(3 * i, 3 * i + 3)))
  const depthOfMiddle = corners.reduce((sum, corner) => sum + project(threeQuarter, corner)[2] / corners.length, 0)
  return faces.flatMap((loop): Patch[] => {
    const normal = normalOf(corners, loop)
    if (dot(normal, threeQuarter.toward) <= 0) return []
    const flat = [...loop].map((i) => project(threeQuarter, corners[i]))
    const fill = shaded(colour, 0.62 + 0.38 * Math.max(0, dot(normal, light)))
    return [
      {
        // shapes are sorted by their middles, so that faces of one keep together
        depth: depthOfMiddle,
        extent: flat.map(([u, v]) => [u, v] as const),
        svg: (x, y) => `<path fill="${fill}" d="M${flat.map(([u, v]) => `${x(u)} ${y(v)}`).join('L')}z"/>`,
      },
    ]
  })
}

const isConvex = (shape: Shape): shape is ConvexShape =>
  shape.type !== 'mesh' && shape.type !== 'heightfield' && shape.type !== 'halfspace'

const discAt = ([u, v]: Vector, radius: number): Patch['extent'] => [
  [u - radius, v - radius],
  [u + radius, v + radius],
]

const ballPatch = (middle: Vector, radius: number, colour: string): Patch => ({
  depth: middle[2],
  extent: discAt(middle, radius),
  svg: (x, y, scale) => `<circle cx="${x(middle[0])}" cy="${y(middle[1])}" r="${(scale * radius).toFixed(1)}" fill="${colour}"/>`,
})

const stadiumPatch = (a: Vector, b: Vector, radius: number, colour: string): Patch => ({
  depth: 0.5 * (a[2] + b[2]),
  extent: [...discAt(a, radius), ...discAt(b, radius)],
  svg: (x, y, scale) =>
    `<line x1="${x(a[0])}" y1="${y(a[1])}" x2="${x(b[0])}" y2="${y(b[1])}" stroke="${colour}" stroke-width="${(2 * scale * radius).toFixed(1)}" stroke-linecap="round"/>`,
})

const shaded = (colour: string, by: number) =>
  `#${[1, 3, 5]
    .map((at) =>
      Math.round(by * Number.parseInt(colour.slice(at, at + 2), 16))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
