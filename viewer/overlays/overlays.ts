import { BufferAttribute, BufferGeometry, type Color, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments } from 'three'
import { forceNotes, frictionCones, support } from './contactOverlays.ts'
import { amber, blue, green, type Note, Pen, red, type Sight, teal, violet } from './pen.ts'
import {
  efforts,
  inertiaBoxes,
  jointAxes,
  linkFrames,
  linkNames,
  linkTrail,
  massCenter,
  massCenters,
  massTrail,
  selection,
  tendons,
} from './robotOverlays.ts'

/** One thing that may be shown beside the robot. Panel, keys, legend and help are made of these. */
export interface Overlay {
  /** Of the keyboard, in lower case. */
  readonly key: string
  readonly hint: string
  /** Colours in which it is drawn, and their meanings, '' for the whole; without it, it is no part of the legend. */
  readonly legend?: readonly (readonly [Color, string])[]
  /** Without it, a style of the robot or of the stage. */
  readonly draw?: (pen: Pen, sight: Sight) => void
}

/** By the name that the panel shows. */
export const overlays = {
  'link frames': {
    key: 'e',
    hint: 'of links and of what is fixed to them',
    legend: [
      [red, 'x'],
      [green, 'y'],
      [blue, 'z'],
    ],
    draw: linkFrames,
  },
  'joint axes and limits': {
    key: 'j',
    hint: 'the range as an arc or a rail, with a hand where the joint is; red within a twentieth of a limit',
    legend: [
      [amber, 'axis and hand'],
      [red, 'near a limit'],
    ],
    draw: jointAxes,
  },
  'effort against limit': {
    key: 'o',
    hint: 'a gauge about each joint, all round at its limit',
    legend: [
      [green, 'effort below half'],
      [amber, 'below 0.9'],
      [red, 'at the limit'],
    ],
    draw: efforts,
  },
  'inertia boxes': {
    key: 'i',
    hint: 'boxes of even density with the mass and inertia of each link',
    legend: [[violet, '']],
    draw: inertiaBoxes,
  },
  'centre of mass': { key: 'm', hint: 'of all that moves of each robot', legend: [[blue, '']], draw: massCenter },
  'centres of mass of links': {
    key: 'b',
    hint: 'the larger, the more of the whole mass',
    legend: [[teal, '']],
    draw: massCenters,
  },
  'support and pressure': {
    key: 'u',
    hint: 'of each robot the hull of the points that are pushed up, and the centre of pressure',
    legend: [[green, '']],
    draw: support,
  },
  'friction cones': {
    key: 'q',
    hint: 'as high as the normal force: the arrow ends within the rim where it sticks, on it where it slides',
    legend: [
      [violet, 'sticks'],
      [red, 'slides'],
    ],
    draw: frictionCones,
  },
  'forces in newtons': { key: 'n', hint: 'between each two bodies that touch', draw: forceNotes },
  'trail of the centre of mass': { key: 'r', hint: 'of the last 5 s', legend: [[amber, '']], draw: massTrail },
  'trail of the selected link': { key: 'z', hint: 'of the last 5 s', legend: [[teal, '']], draw: linkTrail },
  'names of links': { key: '1', hint: 'each at its centre of mass', draw: linkNames },
  'convex parts': { key: '2', hint: 'collision shapes that the contact models use: convex, each in a colour' },
  wireframe: { key: '3', hint: 'the triangles of the robot\u2019s looks' },
  'no shadows': { key: '4', hint: 'faster where there is no graphics card' },
} satisfies Record<string, Overlay>
export type OverlayName = keyof typeof overlays
export const overlayNames = Object.keys(overlays) as OverlayName[]
/** By a name, with common fields. */
export const overlayNamed = (name: OverlayName): Overlay => overlays[name]

/** The names, with one more or less of them, in the order of the list. */
export const switched = (names: readonly OverlayName[], name: OverlayName, isOn: boolean): OverlayName[] =>
  overlayNames.filter((own) => (own === name ? isOn : names.includes(own)))

/** Content of a run's overlays. */
export interface ShownOverlays {
  /** By name: 6 a line segment, its ends in the run's world [m]. */
  readonly lines: Readonly<Record<string, readonly number[]>>
  readonly notes: readonly Note[]
}

/** The overlays of one run, all of them one set of lines. */
export class Overlays {
  readonly group = new Group()
  private readonly pen = new Pen()
  /** Where the segments of each begin. */
  private readonly starts: (readonly [name: string, start: number])[] = []
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>
  private capacity = 0

  constructor() {
    const material = new LineBasicMaterial({
      vertexColors: true,
      depthTest: false,
      transparent: true,
      opacity: 0.9,
      toneMapped: false,
    })
    this.lines = new LineSegments(new BufferGeometry(), material)
    this.lines.frustumCulled = false
    this.lines.renderOrder = 100
    this.group.add(this.lines)
    this.grow(this.pen.ends.length)
  }

  /** Words to be written at places of the run's world. */
  get notes(): readonly Note[] {
    return this.pen.notes
  }

  update(names: readonly OverlayName[], sight: Sight): void {
    const { pen, starts } = this
    pen.wipe()
    starts.length = 0
    if (sight.selected > 0) {
      starts.push(['selection', 0])
      selection(pen, sight)
    }
    if (sight.robot.model.tendons !== undefined) {
      starts.push(['tendons', pen.count])
      tendons(pen, sight)
    }
    for (const name of names) {
      starts.push([name, pen.count])
      overlayNamed(name).draw?.(pen, sight)
    }
    const { count } = pen
    if (pen.ends.length > this.capacity) this.grow(pen.ends.length)
    const { position, color } = this.lines.geometry.attributes as Record<string, BufferAttribute>
    position.array.set(pen.ends.subarray(0, 6 * count))
    color.array.set(pen.colors.subarray(0, 6 * count))
    position.needsUpdate = color.needsUpdate = true
    this.lines.geometry.setDrawRange(0, 2 * count)
    this.group.visible = count > 0
  }

  /** For tests. */
  shown(): ShownOverlays {
    const { pen, starts } = this
    const lines = starts.map(([name, start], i) => [
      name,
      Array.from(pen.ends.subarray(6 * start, 6 * (starts[i + 1]?.[1] ?? pen.count))),
    ])
    return { lines: Object.fromEntries(lines), notes: [...pen.notes] }
  }

  dispose(): void {
    this.lines.geometry.dispose()
    this.lines.material.dispose()
  }

  private grow(capacity: number): void {
    this.capacity = capacity
    this.lines.geometry.dispose()
    const geometry = new BufferGeometry()
    for (const name of ['position', 'color'])
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(capacity), 3).setUsage(DynamicDrawUsage))
    this.lines.geometry = geometry
  }
}
