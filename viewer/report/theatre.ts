import { Box3, Color, Group, SRGBColorSpace, Vector3 } from 'three'
import type { ReplayFrames, ReplayScene } from '../../compare/recording/replay/index.ts'
import { type Model, quaternionStart } from '../../dynamics/index.ts'
import { ContactArrows } from '../overlays/contactArrows.ts'
import { contactStride } from '../runs/protocol.ts'
import { type BodyVisual, createBodyVisuals } from '../stage/bodyVisuals.ts'
import { themes } from '../stage/palette.ts'
import { RobotView } from '../stage/robotView.ts'
import { across, Stage } from '../stage/stage.ts'
import { SurroundingsView } from '../stage/surroundings.ts'
import { colorOf, type ShownRun } from './runs.ts'

/** How several runs stand on one stage. */
export type Placing = 'ghosts' | 'beside'

interface Actor {
  readonly shown: ShownRun
  readonly frames: ReplayFrames
  readonly robot: RobotView
  readonly arrows: ContactArrows
  readonly around: SurroundingsView
  readonly q: Float64Array
}

/** Name of an actor, and where on the canvas [px]. */
export interface Label {
  readonly shown: ShownRun
  readonly x: number
  readonly y: number
}

/** Colours of bodies: the compared robot's, then those of other movers, in turn. */
const bodyColors = ['#9aa3ab', '#8fa3b5', '#b5a284', '#8fae95', '#ab97b3', '#b39a90'].map((hex) => new Color(hex))

/** Parts of a run, at whose ends the spacing of runs is evaluated. */
const SPACING_TIMES = 8

/** The viewer's own stage with recorded runs on it. */
export class Theatre {
  readonly stage: Stage
  /** Whether something changed since it was drawn. */
  isStale = true
  private actors: Actor[] = []
  /** The robots alone, which the camera frames. */
  private readonly moving = new Group()
  private readonly others = new Group()
  private readonly visuals = new WeakMap<ReplayScene, (BodyVisual | undefined)[]>()
  /** Half the size of movers [m], their weight [N]. */
  private size = 1
  private weight = 1
  private apart = 0
  private showsForces = true

  /** @throws Error without WebGL 2 */
  constructor(canvas: HTMLCanvasElement) {
    this.stage = new Stage(canvas)
    this.stage.scene.add(this.moving, this.others)
    this.stage.orbit.addEventListener('change', () => {
      this.isStale = true
    })
  }

  get hasActors(): boolean {
    return this.actors.length > 0
  }

  setTheme(name: keyof typeof themes): void {
    this.stage.setTheme(themes[name])
    for (const { around } of this.actors) around.setTheme(themes[name])
    this.isStale = true
  }

  /** Puts runs on the stage, the first solid. */
  enter(runs: readonly ShownRun[], placing: Placing, theme: keyof typeof themes): void {
    this.clear()
    const staged = runs.flatMap((shown) => {
      const { scene, frames } = shown
      return scene && frames && frames.t.length > 0 ? [{ shown, scene, frames }] : []
    })
    if (staged.length > 0) this.measure(staged[0].scene, staged[0].frames)
    staged.forEach(({ shown, scene, frames }, i) => {
      const isSolid = i === 0 || placing === 'beside'
      const color = colorOf(shown.run)
      const robot = new RobotView(scene.robot, this.visualsOf(scene), color, isSolid ? 0 : i, this.size * 0.02)
      const arrows = new ContactArrows(color)
      const around = new SurroundingsView()
      if (isSolid) around.show(scene.fixtures)
      around.setTheme(themes[theme])
      this.moving.add(robot.group)
      this.others.add(arrows.group, around.group)
      this.actors.push({ shown, frames, robot, arrows, around, q: Float64Array.from(scene.robot.home) })
    })
    this.stage.setGround(staged.length > 0 ? staged[0].scene.ground : 0)
    this.apart = placing === 'beside' && this.actors.length > 1 ? this.spacing() : 0
    this.actors.forEach(({ robot, arrows, around }, i) => {
      const aside = across.clone().multiplyScalar(this.apart * (i - 0.5 * (this.actors.length - 1)))
      for (const { group } of [robot, arrows, around]) group.position.copy(aside)
    })
    this.isStale = true
  }

  showForces(shows: boolean): void {
    this.showsForces = shows
    this.isStale = true
  }

  /** Puts everything where it was at a time [s]. */
  pose(t: number): void {
    for (const { shown, frames, robot, arrows, q } of this.actors) {
      const frame = interpolate((shown.scene as ReplayScene).robot.model, frames, t, q)
      robot.pose(q)
      arrows.update(contactsOf(frames, frame), {
        metresPerNewton: this.metresPerNewton,
        size: this.size * 0.024,
        points: true,
        forces: this.showsForces,
        split: false,
      })
    }
    this.isStale = true
  }

  get metresPerNewton(): number {
    return (1.5 * this.size) / this.weight
  }

  /** The camera sees all that moves, as it stands now. */
  frame(): void {
    if (this.actors.length === 0) return
    this.stage.frame(this.moving)
    this.isStale = true
  }

  /** Draws if something changed and the last picture is done. */
  draw(): boolean {
    this.stage.orbit.update()
    if (!this.isStale || !this.stage.ready) return false
    this.isStale = false
    this.track()
    this.stage.render()
    return true
  }

  /** Above each run that stands apart. */
  labels(): Label[] {
    if (this.apart === 0) return []
    const { camera } = this.stage
    const canvas = this.stage.orbit.domElement as HTMLElement
    return this.actors.map(({ shown, robot }) => {
      const at = robot.position.clone()
      at.z += 1.15 * this.size
      at.project(camera)
      return { shown, x: (0.5 + 0.5 * at.x) * canvas.clientWidth, y: (0.5 - 0.5 * at.y) * canvas.clientHeight }
    })
  }

  /** Numbers of the pictures that tests compare: how many bodies and arrows there are, and where the first run is. */
  describe(): { readonly actors: number; readonly position: readonly number[]; readonly isDrawn: boolean } {
    const position = this.actors[0]?.robot.position.toArray() ?? []
    return { actors: this.actors.length, position, isDrawn: !this.isStale && this.stage.ready }
  }

  private track(): void {
    this.stage.track(
      this.actors.map(({ robot }) => robot.position),
      true,
    )
  }

  private measure(scene: ReplayScene, { q }: ReplayFrames): void {
    const { gravity, I, nq } = scene.robot.model
    this.weight = Math.hypot(gravity[3], gravity[4], gravity[5]) * I.reduce((sum, inertia) => sum + inertia[0], 0) || 1
    const view = new RobotView(scene.robot, this.visualsOf(scene), '#fff', 0, 0)
    view.pose(q.subarray(0, nq))
    this.size = this.stage.sizeOf(view.group)
    view.dispose()
  }

  /** Between runs that stand apart [m]: a little more than all of them together are wide at any time, in the same place. */
  private spacing(): number {
    const size = new Vector3()
    const box = new Box3()
    let width = 0
    for (let part = 0; part <= SPACING_TIMES; part++) {
      box.makeEmpty()
      for (const { shown, frames, robot, q } of this.actors) {
        const end = frames.t[frames.t.length - 1]
        interpolate((shown.scene as ReplayScene).robot.model, frames, (part / SPACING_TIMES) * end, q)
        robot.pose(q)
        robot.group.updateMatrixWorld(true)
        box.union(new Box3().setFromObject(robot.group))
      }
      box.getSize(size)
      width = Math.max(width, size.x, size.y)
    }
    return 1.25 * width
  }

  private visualsOf(scene: ReplayScene): (BodyVisual | undefined)[] {
    const { robot } = scene
    const found = this.visuals.get(scene)
    if (found) return found
    const everyLink = new Set(robot.shapes.map(({ link }) => link))
    const colorOfShape = (s: number) => {
      const { owner, color } = robot.shapes[s]
      return color ? new Color().setRGB(color[0], color[1], color[2], SRGBColorSpace) : bodyColors[owner % bodyColors.length]
    }
    const made = createBodyVisuals({ ...robot, frames: [] }, { links: new Map(), incomplete: everyLink }, colorOfShape)
    this.visuals.set(scene, made)
    return made
  }

  private clear(): void {
    for (const { robot, arrows, around } of this.actors) {
      robot.dispose()
      arrows.dispose()
      around.show()
    }
    this.moving.clear()
    this.others.clear()
    this.actors = []
  }
}

/**
 * The state at a time between two frames: positions linearly, orientations along the chord.
 *
 * @returns the frame that is nearest before
 */
export function interpolate(model: Model, { t, q }: ReplayFrames, time: number, out: Float64Array): number {
  const { nq, nb } = model
  let low = 0
  let high = t.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (t[middle] <= time) low = middle
    else high = middle
  }
  const next = Math.min(low + 1, t.length - 1)
  const fraction = next > low ? Math.min(1, Math.max(0, (time - t[low]) / (t[next] - t[low]))) : 0
  for (let c = 0; c < nq; c++) out[c] = q[low * nq + c] + fraction * (q[next * nq + c] - q[low * nq + c])
  for (let i = 1; i < nb; i++) {
    const at = quaternionStart(model, i)
    if (at < 0) continue
    let along = 0
    for (let k = at; k < at + 4; k++) along += q[low * nq + k] * q[next * nq + k]
    const sign = along < 0 ? -1 : 1 // both are the same orientation
    let norm = 0
    for (let k = at; k < at + 4; k++) {
      out[k] = (1 - fraction) * q[low * nq + k] + sign * fraction * q[next * nq + k]
      norm += out[k] * out[k]
    }
    for (let k = at; k < at + 4; k++) out[k] /= Math.sqrt(norm) || 1
  }
  return fraction > 0.5 ? next : low
}

/** As `ContactArrows` wants them. */
function contactsOf({ first, contacts }: ReplayFrames, frame: number): Float32Array {
  const count = first[frame + 1] - first[frame]
  const out = new Float32Array(count * contactStride)
  for (let i = 0; i < count; i++) {
    const from = 6 * (first[frame] + i)
    for (let k = 0; k < 3; k++) {
      out[i * contactStride + k] = contacts[from + k]
      out[i * contactStride + 6 + k] = contacts[from + 3 + k]
    }
  }
  return out
}
