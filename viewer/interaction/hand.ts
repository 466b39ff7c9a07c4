import {
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  Plane,
  Quaternion,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three'
import { rotate3 } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { newtons } from '../overlays/contactForces.ts'
import type { Session } from '../runs/session.ts'
import type { RobotView } from '../stage/robotView.ts'
import type { Stage } from '../stage/stage.ts'
import { dragJoint, jointOf } from './jointDrag.ts'
import type { PoseEditor } from './poseEditor.ts'

/** Scene of the hand. */
export interface HandScene {
  readonly stage: Stage
  readonly session: Session
  robot(): Robot | undefined
  /** In the order of the lanes. */
  views(): readonly RobotView[]
  isSplit(): boolean
  /** Of the camera of pane i against that of the first [m]. */
  paneShift(i: number): Vector3
  /** Half the size of the robot [m]. */
  size(): number
  /** Impulse of a push [N s]. */
  impulse(): number
  redraw(): void
  /** While it is open, a drag moves a joint. */
  poses(): PoseEditor
}

/** Held body, and where. */
interface Grip {
  /** Index of the view that was grabbed. */
  readonly view: number
  readonly body: number
  /** In the body's axes [m]. */
  readonly own: Vector3
  readonly plane: Plane
  /** In the world of the runs [m]. */
  readonly to: Vector3
  /** Configuration whose joint is dragged; undefined where the link is pulled. */
  readonly q?: Float64Array
}

/** How long a push is shown [ms]. */
const shownFor = 1200

/**
 * Pulls links by a spring and pushes them: with Ctrl and the left button, or with any pointer while `isOn`; a double click pushes along the
 * line of sight. All runs get the same at the same step. While poses are edited, a drag moves the joint of a link.
 */
export class Hand {
  /** One line a lane, from where the robot is held to where it is pulled. */
  readonly group = new Group()
  /** Whether a pointer without Ctrl pulls too, as on a touch screen. */
  isOn = false
  private readonly scene: HandScene
  private readonly label: HTMLElement
  private readonly lines: { readonly rod: Mesh; readonly end: Mesh }[] = []
  private readonly material = new MeshBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true })
  private readonly rod = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0)
  private readonly ball = new SphereGeometry(1, 16, 12)
  private grip: Grip | undefined
  /** Whether the place that is pulled to has changed since it was sent. */
  private moved = false
  /** The link that was touched last; keys push there. */
  private last: Pick<Grip, 'body' | 'own'> | undefined
  private pushedUntil = 0

  constructor(view: HTMLElement, scene: HandScene) {
    this.scene = scene
    this.label = document.createElement('div')
    this.label.className = 'act-label'
    this.label.setAttribute('role', 'status')
    this.label.hidden = true
    view.append(this.label)
    // before the camera's controls, which listen on the canvas
    view.addEventListener('pointerdown', (event) => this.down(event), { capture: true })
    view.addEventListener('dblclick', (event) => this.doubleClick(event), { capture: true })
    addEventListener('pointermove', (event) => this.move(event))
    for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, () => this.release())
    addEventListener('blur', () => this.release())
  }

  get isHolding(): boolean {
    return this.grip !== undefined
  }

  /** Forgets the last touch: another robot is on the stage. */
  forget(): void {
    this.grip = this.last = undefined
    this.scene.stage.orbit.enabled = true
  }

  /** Tells the runs where the hand is; once a frame. */
  tick(): void {
    if (this.pushedUntil > 0 && performance.now() > this.pushedUntil) {
      this.pushedUntil = 0
      this.label.hidden = true
    }
    const { grip } = this
    if (!grip || !this.moved) return
    this.moved = false
    this.scene.session.act({ type: 'pull', ...this.place(grip), to: grip.to.toArray() })
    this.scene.redraw()
  }

  /** Pushes the link touched last, or the base, along the line of sight. */
  push(): void {
    const { body, own } = this.last ?? { body: 1, own: new Vector3() }
    this.pushAt(body, own, this.scene.stage.camera.getWorldDirection(new Vector3()))
  }

  /** Shows the pulls of the step that is shown. */
  draw(): void {
    const { session, size } = this.scene
    const views = this.scene.views()
    const radius = 0.012 * size()
    const { grip } = this
    let largest = 0
    views.forEach((view, i) => {
      const snapshot = session.lanes[i] && session.snapshot(session.lanes[i])
      const line = this.lineOf(i)
      const pull = snapshot?.pull
      line.rod.visible = line.end.visible = snapshot !== undefined && (grip ? !grip.q : pull !== undefined)
      if (!line.rod.visible) return
      const { position } = view.group
      const from = grip ? view.placeOf(grip.body, grip.own) : new Vector3().fromArray(pull as Float64Array).add(position)
      const to = grip ? grip.to.clone().add(position) : new Vector3().fromArray(pull as Float64Array, 3).add(position)
      const along = new Vector3().subVectors(to, from)
      line.rod.position.copy(from)
      line.rod.scale.set(radius, Math.max(along.length(), 1e-9), radius)
      line.rod.quaternion.copy(new Quaternion().setFromUnitVectors(up, along.normalize()))
      line.end.position.copy(to)
      line.end.scale.setScalar(3 * radius)
      if (pull) largest = Math.max(largest, Math.hypot(pull[6], pull[7], pull[8]))
      if (i === (grip?.view ?? 0)) this.putLabel(to, i)
    })
    for (const { rod, end } of this.lines.slice(views.length)) rod.visible = end.visible = false
    const isPulling = this.lines.some(({ rod }) => rod.visible)
    if (isPulling) this.label.textContent = largest > 0 ? newtons(largest) : 'pull'
    if (this.pushedUntil === 0) this.label.hidden = !isPulling
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !(event.target instanceof HTMLCanvasElement) || !event.isPrimary) return
    const isPull = event.ctrlKey || event.metaKey || this.isOn
    const q = isPull ? undefined : this.scene.poses().edited
    const found = isPull || q ? this.bodyAt(event) : undefined
    if (!found || (q && !jointOf(this.scene.robot() as Robot, found.body))) return
    event.stopPropagation()
    const { stage } = this.scene
    const view = this.scene.views()[found.view]
    const held = view.placeOf(found.body, found.own)
    const plane = new Plane().setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new Vector3()), held)
    this.grip = { ...found, plane, to: held.sub(view.group.position), q }
    this.last = this.grip
    this.moved = q === undefined
    stage.orbit.enabled = false
  }

  private move(event: PointerEvent): void {
    const { grip } = this
    if (!grip || !event.isPrimary) return
    if (grip.q) {
      const view = this.scene.views()[grip.view]
      dragJoint(this.scene.robot() as Robot, view, grip.q, grip.body, grip.own, this.rayOf(event).ray)
      this.scene.poses().drag(grip.q, false)
      return
    }
    const at = this.rayOf(event).ray.intersectPlane(grip.plane, new Vector3())
    if (!at) return
    grip.to.copy(at.sub(this.scene.views()[grip.view].group.position))
    this.moved = true
  }

  private release(): void {
    if (!this.grip) return
    const { stage, session, poses } = this.scene
    const { q } = this.grip
    this.grip = undefined
    this.moved = false
    stage.orbit.enabled = true
    if (q) poses().drag(q, true)
    else session.act({ type: 'release' })
    this.scene.redraw()
  }

  private doubleClick(event: MouseEvent): void {
    if (!(event.target instanceof HTMLCanvasElement)) return
    const found = this.bodyAt(event)
    if (!found) return
    this.last = found
    this.pushAt(found.body, found.own, this.rayOf(event).ray.direction)
  }

  private pushAt(body: number, own: Vector3, direction: Vector3): void {
    const { session, impulse } = this.scene
    const robot = this.scene.robot()
    if (!robot || robot.model.nb <= body) return
    session.act({ type: 'push', ...this.place({ body, own }), impulse: direction.clone().multiplyScalar(impulse()).toArray() })
    const view = this.scene.views()[0]
    if (view) this.putLabel(view.placeOf(body, own), 0)
    this.label.textContent = `push ${Number(impulse().toPrecision(3))} N s`
    this.label.hidden = false
    this.pushedUntil = performance.now() + shownFor
    this.scene.redraw()
  }

  /** The link of a body, and the point in the link's axes. */
  private place({ body, own }: Pick<Grip, 'body' | 'own'>): { link: string; point: number[] } {
    const { frames, model } = this.scene.robot() as Robot
    const frame =
      frames.find((one) => one.name === model.bodyName[body] && one.body === body) ?? frames.find((one) => one.body === body)
    if (!frame) throw new RangeError(`${model.bodyName[body]} has no link to be pulled by`)
    const { R, p } = frame
    const point = new Float64Array(3)
    const inverse = Float64Array.of(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    rotate3(point, inverse, Float64Array.of(own.x - p[0], own.y - p[1], own.z - p[2]))
    return { link: frame.name, point: [...point] }
  }

  /** Movable part of a robot under the pointer: the body, and in which view. */
  bodyAt(event: MouseEvent): Pick<Grip, 'view' | 'body' | 'own'> | undefined {
    const ray = this.rayOf(event)
    const pane = this.paneAt(event)
    const hits = this.scene
      .views()
      .map((view, i) => ({ view: i, hit: pane === undefined || pane === i ? view.hit(ray) : undefined }))
      .flatMap(({ view, hit }) => (hit && hit.body > 0 ? [{ view, ...hit }] : []))
    const [first] = hits.sort((a, b) => a.distance - b.distance)
    return first
  }

  /** Which pane the pointer is in; undefined where there is but one. */
  private paneAt(event: MouseEvent): number | undefined {
    if (!this.scene.isSplit()) return undefined
    const { columns, rows } = this.scene.stage.grid
    const { left, top, width, height } = this.box
    const column = Math.floor(((event.clientX - left) / width) * columns)
    return column + columns * Math.floor(((event.clientY - top) / height) * rows)
  }

  private get box(): DOMRect {
    return this.scene.stage.orbit.domElement!.getBoundingClientRect()
  }

  private rayOf(event: MouseEvent): Raycaster {
    const { stage, isSplit } = this.scene
    const { left, top, width, height } = this.box
    const { columns, rows } = isSplit() ? stage.grid : { columns: 1, rows: 1 }
    const x = (((event.clientX - left) / width) * columns) % 1
    const y = (((event.clientY - top) / height) * rows) % 1
    const ray = new Raycaster()
    ray.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), stage.camera)
    const pane = this.paneAt(event)
    if (pane !== undefined) ray.ray.origin.add(this.scene.paneShift(pane))
    return ray
  }

  private putLabel(at: Vector3, pane: number): void {
    const { stage, isSplit, paneShift } = this.scene
    const place = isSplit() ? stage.onCanvas(at, pane, paneShift(pane)) : stage.onCanvas(at)
    if (place === undefined) return
    const [x, y] = place
    const { width, height } = this.box
    this.label.style.transform = `translate(${Math.min(Math.max(x + 14, 4), width - 90)}px, ${Math.min(Math.max(y - 12, 4), height - 30)}px)`
  }

  private lineOf(i: number): (typeof this.lines)[number] {
    if (!this.lines[i]) {
      const [rod, end] = [new Mesh(this.rod, this.material), new Mesh(this.ball, this.material)]
      for (const mesh of [rod, end]) {
        mesh.renderOrder = 60
        mesh.frustumCulled = false
        this.group.add(mesh)
      }
      this.lines[i] = { rod, end }
    }
    return this.lines[i]
  }
}

const up = new Vector3(0, 1, 0)
