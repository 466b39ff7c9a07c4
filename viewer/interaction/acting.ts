import type { Vector3 } from 'three'
import type { Robot } from '../../robots/index.ts'
import type { Settings } from '../panel/settings.ts'
import type { Session } from '../runs/session.ts'
import type { RobotView } from '../stage/robotView.ts'
import type { Stage } from '../stage/stage.ts'
import './interaction.css'
import { Drive } from './drive.ts'
import { Hand } from './hand.ts'
import { edited, type RunSettings, runSettings } from './liveSettings.ts'
import { PoseEditor } from './poseEditor.ts'
import { Toolbar } from './toolbar.ts'
import { Undo } from './undo.ts'

/** Page's interface to acting. */
export interface ActingPage {
  readonly stage: Stage
  readonly session: Session
  readonly settings: Settings
  robot(): Robot | undefined
  views(): readonly RobotView[]
  /** Of the camera of pane i against that of the first [m]. */
  paneShift(i: number): Vector3
  size(): number
  isDrivable(): boolean
  /** Begins a new run of the settings. */
  start(): void
  /** Applies the settings to the runs, while they go on where that is possible. */
  apply(before: RunSettings, now: RunSettings): void
  redraw(): void
}

/** All by which a user acts on the runs: pulls, pushes, drives, poses, and edits of settings that can be taken back. */
export class Acting {
  /** Actions of keys, beside the page's. */
  readonly keys: Readonly<Record<string, () => void>>
  private readonly page: ActingPage
  private readonly hand: Hand
  private readonly drive: Drive
  private readonly poses: PoseEditor
  private readonly toolbar: Toolbar
  private readonly undo = new Undo<RunSettings>()
  /** Settings of the runs. */
  private applied: RunSettings

  /** @param panel behind which the pose editor comes */
  constructor(view: HTMLElement, panel: HTMLElement, page: ActingPage) {
    const { stage, session, settings } = page
    this.page = page
    this.applied = runSettings(settings)
    this.hand = new Hand(view, {
      ...page,
      isSplit: () => settings.layout === 'split views' && page.views().length > 1,
      ...{ impulse: () => settings.impulse, poses: () => this.poses },
    })
    stage.scene.add(this.hand.group)
    this.drive = new Drive(view, session)
    this.poses = new PoseEditor({
      shown: () => session.lanes[0] && session.snapshot(session.lanes[0])?.q,
      pose: (q, isWhole) => this.pose(q, isWhole),
    })
    panel.after(this.poses.element)
    const pull = () => {
      this.hand.isOn = !this.hand.isOn
    }
    const drive = () => this.drive.turn(!this.drive.isOn && page.isDrivable())
    const push = () => this.hand.push()
    this.toolbar = new Toolbar(view, [
      {
        name: 'Pull',
        title: 'Pull links by dragging them (L); with the mouse, Ctrl and drag does so at any time',
        icon: 'M4 16l9-9M9 5.5h5.5V11M4 16h4M4 16v-4',
        act: pull,
        isOn: () => this.hand.isOn,
      },
      {
        name: 'Push',
        title: 'Push the link that was touched last, along the line of sight (X)',
        icon: 'M2 10h10M8.5 6l4 4-4 4M16.5 3v14',
        act: push,
      },
      {
        name: 'Drive',
        title: 'Drive with W A S D, the buttons or a gamepad (V)',
        icon: 'M10 2.5v4M10 13.5v4M2.5 10h4M13.5 10h4M10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7z',
        act: drive,
        isOn: () => this.drive.isOn,
        isThere: page.isDrivable,
      },
      {
        name: 'Undo',
        title: 'Take the last edit of a setting back (Ctrl+Z)',
        icon: 'M4 8h8a4 4 0 010 8H8M7.5 4L3.5 8l4 4',
        act: () => this.takeBack(),
        isThere: () => this.undo.canUndo,
      },
      {
        name: 'Redo',
        title: 'Do it again (Ctrl+Shift+Z)',
        icon: 'M16 8H8a4 4 0 000 8h4M12.5 4l4 4-4 4',
        act: () => this.doAgain(),
        isThere: () => this.undo.canRedo,
      },
    ])
    this.keys = { l: pull, x: push, v: drive }
    addEventListener('keydown', (event) => this.keyDown(event))
  }

  /** Another robot is on the stage. */
  setRobot(robot: Robot): void {
    const { settings } = this.page
    const mass = robot.massUsed
    settings.impulse = Number((0.3 * mass).toPrecision(2))
    this.undo.clear()
    this.hand.forget()
    this.drive.reset()
    this.applied = runSettings(settings)
    this.poses.setRobot(robot, robot.home)
  }

  /** Settings were edited. */
  edited(): void {
    const { settings } = this.page
    const before = this.applied
    if (settings.pose !== before.pose) settings.start = null
    if (settings.controller !== before.controller) settings.gains = {}
    const now = runSettings(settings)
    if (edited(before, now).length === 0) return
    this.undo.push(before)
    this.apply(before, now)
  }

  /** Once a frame. */
  tick(): void {
    this.hand.tick()
    if (this.drive.isOn && !this.page.isDrivable()) this.drive.reset()
    this.drive.tick()
    this.page.session.acting = this.hand.isHolding || this.drive.isOn
    this.toolbar.update()
  }

  /** Whether the camera is to stand still, for the place that is pulled to is on its picture. */
  get isHolding(): boolean {
    return this.hand.isHolding
  }

  /** The body under the pointer, and the index of its run. */
  bodyAt(event: MouseEvent): ReturnType<Hand['bodyAt']> {
    return this.hand.bodyAt(event)
  }

  draw(): void {
    this.hand.draw()
  }

  private takeBack(): void {
    this.go(this.undo.undo(this.applied))
  }

  private doAgain(): void {
    this.go(this.undo.redo(this.applied))
  }

  private go(to: RunSettings | undefined): void {
    if (to === undefined) return
    const before = this.applied
    Object.assign(this.page.settings, structuredClone(to))
    this.apply(before, to)
  }

  private apply(before: RunSettings, now: RunSettings): void {
    this.applied = now
    this.page.apply(before, now)
    const robot = this.page.robot()
    if (robot && edited(before, now).includes('start')) this.poses.setRobot(robot, now.start ?? robot.home)
  }

  /** A new run, paused, in a pose; while a slider moves as often as the runs keep up. */
  private pose(q: Float64Array, isWhole: boolean): void {
    const { session, settings, start } = this.page
    session.pause()
    Object.assign(settings, { start: [...q], pose: '' })
    if (!isWhole && session.lanes.some(({ history, failure }) => failure === undefined && history.first === undefined)) return
    start()
    if (!isWhole) return
    this.undo.push(this.applied)
    this.applied = runSettings(settings)
  }

  private keyDown(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return
    if (event.target instanceof Element && event.target.closest('input:not([type="range"]), textarea, [contenteditable]')) return
    const key = event.key.toLowerCase()
    if (key !== 'z' && key !== 'y') return
    event.preventDefault()
    if (key === 'y' || event.shiftKey) this.doAgain()
    else this.takeBack()
  }
}
