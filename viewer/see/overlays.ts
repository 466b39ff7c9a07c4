import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments } from 'three'
import { planarHull } from '../../contact/geometry/index.ts'
import { centerOfMass, type Data } from '../../dynamics/index.ts'
import { eigenSymmetric3, type Robot } from '../../robots/index.ts'
import { contactStride, type Snapshot } from '../protocol.ts'

type Point = ArrayLike<number>

/** What overlays draw with: line segments in world axes [m]. */
interface Pen {
  line(a: Point, b: Point, color: Color): void
}

/** What they draw from. */
interface Sight {
  readonly robot: Pick<Robot, 'model' | 'joints'>
  /** `kinematics` of the snapshot. */
  readonly data: Data
  readonly snapshot: Snapshot
  /** Half the size of the robot [m]. */
  readonly size: number
  /** Body that is selected; -1 for none. */
  readonly selected: number
  /** Places of the centre of mass that were shown of late, oldest first, 3 each [m]. */
  readonly trail: readonly number[]
}

const red = new Color('#d6403a')
const green = new Color('#2f9e44')
const blue = new Color('#2f6fe6')
const amber = new Color('#e8930c')
const violet = new Color('#8a4fd3')
const grey = new Color('#7b8794')
const axisColors = [red, green, blue]

const at = (p: Point, R: Point, x: number, y: number, z: number): number[] =>
  [0, 1, 2].map((k) => p[k] + R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z)

/** x red, y green, z blue. */
function linkFrames(pen: Pen, { robot, data, size }: Sight): void {
  for (let i = 1; i < robot.model.nb; i++) {
    const [R, p] = [data.R_WB[i], data.p_WB[i]]
    axisColors.forEach((color, axis) => {
      const end = [0, 0, 0]
      end[axis] = 0.12 * size
      pen.line(p, at(p, R, end[0], end[1], end[2]), color)
    })
  }
}

/** Of each moving joint: its axis, and for one that turns its range as an arc with a hand where it is; red within a twentieth of a limit. */
function jointAxes(pen: Pen, { robot, data, snapshot, size }: Sight): void {
  const { model } = robot
  for (const { body, type, qIndex, vIndex } of robot.joints) {
    const p = data.p_WB[body]
    const S = data.SW[model.sStart[body]]
    const turns = type !== 'prismatic'
    const n = turns ? [S[0], S[1], S[2]] : [S[3], S[4], S[5]]
    const [lower, upper] = [model.lower[vIndex], model.upper[vIndex]]
    const q = snapshot.q[qIndex]
    const isBounded = lower > -Infinity && upper < Infinity
    const isNear = isBounded && Math.min(q - lower, upper - q) < 0.05 * (upper - lower)
    const color = isNear ? red : amber
    const along = (s: number) => [0, 1, 2].map((k) => p[k] + s * n[k])
    pen.line(along(-0.1 * size), along(0.1 * size), color)
    if (!turns || !isBounded) continue
    // a direction across the axis that turns with the child
    const R = data.R_WB[body]
    const column = [0, 1, 2].map((c) => Math.abs(R[c] * n[0] + R[3 + c] * n[1] + R[6 + c] * n[2]))
    const c = column.indexOf(Math.min(...column))
    const hand = [R[c], R[3 + c], R[6 + c]]
    const across = [n[1] * hand[2] - n[2] * hand[1], n[2] * hand[0] - n[0] * hand[2], n[0] * hand[1] - n[1] * hand[0]]
    const radius = 0.09 * size
    const on = (angle: number) => [0, 1, 2].map((k) => p[k] + radius * (Math.cos(angle) * hand[k] + Math.sin(angle) * across[k]))
    pen.line(p, on(0), color)
    const steps = 12
    for (let i = 0; i < steps; i++) {
      const angle = (part: number) => lower - q + ((upper - lower) * part) / steps
      pen.line(on(angle(i)), on(angle(i + 1)), grey)
    }
  }
}

const edges = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7]

/** Boxes of even density with each body's mass and inertia. */
function inertiaBoxes(pen: Pen, { robot, data }: Sight): void {
  for (let i = 1; i < robot.model.nb; i++) {
    const [m, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] = robot.model.I[i]
    if (!(m > 0)) continue
    const [cx, cy, cz] = [hx / m, hy / m, hz / m]
    // about the centre of mass (Steiner)
    const { values, vectors } = eigenSymmetric3([
      Ixx - m * (cy * cy + cz * cz),
      Iyy - m * (cx * cx + cz * cz),
      Izz - m * (cx * cx + cy * cy),
      Ixy + m * cx * cy,
      Ixz + m * cx * cz,
      Iyz + m * cy * cz,
    ])
    const sum = values[0] + values[1] + values[2]
    const half = values.map((own) => 0.5 * Math.sqrt(Math.max(0, (6 / m) * (sum - 2 * own))))
    const [R, p] = [data.R_WB[i], data.p_WB[i]]
    const corners = Array.from({ length: 8 }, (_, k) => {
      const [a, b, c] = [k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]]
      const v = vectors
      return at(
        p,
        R,
        cx + v[0] * a + v[1] * b + v[2] * c,
        cy + v[3] * a + v[4] * b + v[5] * c,
        cz + v[6] * a + v[7] * b + v[8] * c,
      )
    })
    for (let e = 0; e < edges.length; e += 2) pen.line(corners[edges[e]], corners[edges[e + 1]], violet)
  }
}

function cross(pen: Pen, p: Point, arm: number, color: Color): void {
  for (let k = 0; k < 3; k++) {
    const [a, b] = [
      [p[0], p[1], p[2]],
      [p[0], p[1], p[2]],
    ]
    a[k] -= arm
    b[k] += arm
    pen.line(a, b, color)
  }
}

const center = new Float64Array(3)

/** A cross at the centre of mass of all that moves, and the way down from it. */
function massCenter(pen: Pen, { robot, data, size }: Sight): void {
  centerOfMass(robot.model, data, center)
  cross(pen, center, 0.08 * size, blue)
  pen.line(center, [center[0], center[1], 0], blue)
}

/** The hull of the points that are pushed up, and in it the centre of pressure. */
function support(pen: Pen, { snapshot, size }: Sight): void {
  const { contacts } = snapshot
  const points: number[][] = []
  const pressure = [0, 0, 0]
  let load = 0
  for (let c = 0; c < contacts.length; c += contactStride) {
    const up = contacts[c + 8]
    if (!(up > 0)) continue
    const p = [contacts[c], contacts[c + 1], contacts[c + 2]]
    points.push(p)
    load += up
    for (let k = 0; k < 3; k++) pressure[k] += up * p[k]
  }
  if (load === 0) return
  const hull = planarHull(points)
  hull.forEach((p, i) => {
    pen.line(p, hull[(i + 1) % hull.length], green)
  })
  cross(
    pen,
    pressure.map((x) => x / load),
    0.06 * size,
    green,
  )
}

/** The axes of the selected link, and a ring of them about it. */
function selection(pen: Pen, { data, selected, size }: Sight): void {
  const [R, p] = [data.R_WB[selected], data.p_WB[selected]]
  axisColors.forEach((color, axis) => {
    const end = [0, 0, 0]
    end[axis] = 0.35 * size
    pen.line(p, at(p, R, end[0], end[1], end[2]), color)
    const steps = 24
    for (let i = 0; i < steps; i++) {
      const on = (k: number) => {
        const [c, s] = [0.2 * size * Math.cos((2 * Math.PI * k) / steps), 0.2 * size * Math.sin((2 * Math.PI * k) / steps)]
        return axis === 0 ? at(p, R, 0, c, s) : axis === 1 ? at(p, R, c, 0, s) : at(p, R, c, s, 0)
      }
      pen.line(on(i), on(i + 1), color)
    }
  })
}

/** Where the centre of mass went of late. */
function trail(pen: Pen, { trail: places }: Sight): void {
  for (let k = 3; k + 2 < places.length; k += 3) pen.line(places.slice(k - 3, k), places.slice(k, k + 3), amber)
}

/** By the name that the panel shows. */
export const overlays = {
  'link frames': linkFrames,
  'joint axes and limits': jointAxes,
  'inertia boxes': inertiaBoxes,
  'centre of mass': massCenter,
  'support and pressure': support,
  'trail of the centre of mass': trail,
} satisfies Record<string, (pen: Pen, sight: Sight) => void>
export type OverlayName = keyof typeof overlays
export const overlayNames = Object.keys(overlays) as OverlayName[]

/** Places that a trail keeps. */
const TRAIL = 600

/** The overlays of one run, all of them one set of lines. */
export class Overlays {
  readonly group = new Group()
  /** Line segments of each overlay that is shown, for tests. */
  readonly counts = new Map<OverlayName, number>()
  private capacity = 256
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>
  private readonly places: number[] = []
  private lastStep = -1

  constructor() {
    const material = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, opacity: 0.9 })
    this.lines = new LineSegments(new BufferGeometry(), material)
    this.lines.frustumCulled = false
    this.lines.renderOrder = 100
    this.group.add(this.lines)
    this.grow(this.capacity)
  }

  private grow(capacity: number): void {
    this.capacity = capacity
    this.lines.geometry.dispose()
    const geometry = new BufferGeometry()
    for (const name of ['position', 'color'])
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(6 * capacity), 3).setUsage(DynamicDrawUsage))
    geometry.setDrawRange(0, 0)
    this.lines.geometry = geometry
  }

  update(names: readonly OverlayName[], sight: Omit<Sight, 'trail'>): void {
    this.remember(names, sight)
    const segments: { readonly a: Point; readonly b: Point; readonly color: Color }[] = []
    const pen: Pen = { line: (a, b, color) => void segments.push({ a, b, color }) }
    if (sight.selected > 0) selection(pen, { ...sight, trail: this.places })
    this.counts.clear()
    for (const name of names) {
      const before = segments.length
      overlays[name](pen, { ...sight, trail: this.places })
      this.counts.set(name, segments.length - before)
    }
    if (segments.length > this.capacity) this.grow(2 * segments.length)
    const { position, color } = this.lines.geometry.attributes as Record<string, BufferAttribute>
    segments.forEach(({ a, b, color: own }, i) => {
      position.setXYZ(2 * i, a[0], a[1], a[2])
      position.setXYZ(2 * i + 1, b[0], b[1], b[2])
      color.setXYZ(2 * i, own.r, own.g, own.b)
      color.setXYZ(2 * i + 1, own.r, own.g, own.b)
    })
    position.needsUpdate = color.needsUpdate = true
    this.lines.geometry.setDrawRange(0, 2 * segments.length)
    this.group.visible = segments.length > 0
  }

  /** A trail begins anew where the clock goes back. */
  private remember(names: readonly OverlayName[], { robot, data, snapshot }: Omit<Sight, 'trail'>): void {
    const isKept = names.includes('trail of the centre of mass')
    if (!isKept || snapshot.step < this.lastStep) this.places.length = 0
    if (isKept && snapshot.step !== this.lastStep) {
      centerOfMass(robot.model, data, center)
      this.places.push(center[0], center[1], center[2])
      if (this.places.length > 3 * TRAIL) this.places.splice(0, 3)
    }
    this.lastStep = snapshot.step
  }

  dispose(): void {
    this.lines.geometry.dispose()
    this.lines.material.dispose()
  }
}
