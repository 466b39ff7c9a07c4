import type { Session } from '../runs/session.ts'
import { iconOf } from './icon.ts'

/** How fast it goes with a key held, or a stick at its end: ahead [m/s], turning [rad/s]. */
const most = { ahead: 0.5, turn: 1 }
/** Of a stick's way, within which it is at rest. */
const slack = 0.12

/** Keys, and their shares of ahead and of turn. */
const keys: Readonly<Record<string, readonly [ahead: number, turn: number]>> = {
  w: [1, 0],
  s: [-1, 0],
  a: [0, 1],
  d: [0, -1],
}
const buttons = [
  ['w', 'Ahead', 'M4 13l6-7 6 7'],
  ['a', 'Turn left', 'M13 4l-7 6 7 6'],
  ['s', 'Back', 'M4 7l6 7 6-7'],
  ['d', 'Turn right', 'M7 4l7 6-7 6'],
] as const

/**
 * Drives the robot while it is on: the keys W A S D, buttons on the stage, or a gamepad's left stick become a live target of the controller
 * of every run, at the step that is shown.
 */
export class Drive {
  private readonly session: Session
  private readonly pad: HTMLElement
  private readonly held = new Set<string>()
  private isDriving = false
  private last = [0, 0]
  private generation = -1

  constructor(view: HTMLElement, session: Session) {
    this.session = session
    this.pad = document.createElement('div')
    this.pad.className = 'act-pad'
    this.pad.setAttribute('role', 'group')
    this.pad.ariaLabel = 'Drive'
    this.pad.hidden = true
    for (const [key, name, icon] of buttons) {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = `act-pad-${key}`
      button.append(iconOf(icon))
      button.ariaLabel = name
      button.title = `${name} (${key.toUpperCase()})`
      button.onpointerdown = (event) => {
        button.setPointerCapture(event.pointerId)
        this.hold(key)
      }
      button.onpointerup = button.onpointercancel = () => this.letGo(key)
      button.onkeydown = ({ key: pressed }) => (pressed === 'Enter' || pressed === ' ') && this.hold(key)
      button.onkeyup = button.onblur = () => this.letGo(key)
      this.pad.append(button)
    }
    view.append(this.pad)
    // before the page's own keys, of which A is one
    addEventListener('keydown', (event) => this.keyDown(event), { capture: true })
    addEventListener('keyup', ({ key }) => this.letGo(key.toLowerCase()))
    addEventListener('blur', () => this.held.clear())
  }

  get isOn(): boolean {
    return this.isDriving
  }

  /** The robot stands still when driving begins, and when it ends. */
  turn(on: boolean): void {
    if (on === this.isDriving) return
    this.isDriving = on
    this.pad.hidden = !on
    this.held.clear()
    this.last = [0, 0]
    this.generation = this.session.generation
    this.session.act({ type: 'command', command: [0, 0] })
  }

  /** Switches off and sends nothing to the runs, now others. */
  reset(): void {
    this.isDriving = false
    this.pad.hidden = true
    this.held.clear()
  }

  /** Sends the command to the runs if it has changed; once a frame. */
  tick(): void {
    if (!this.isDriving) return
    const wanted = this.wanted()
    if (this.generation !== this.session.generation) {
      // earlier commands are gone; under way they stay
      this.generation = this.session.generation
      if (this.session.step === 0) this.last = [NaN, NaN]
    }
    if (wanted[0] === this.last[0] && wanted[1] === this.last[1]) return
    this.last = wanted
    this.session.act({ type: 'command', command: wanted })
  }

  private wanted(): number[] {
    const stick = readStick()
    let [ahead, turn] = stick
    for (const key of this.held) {
      ahead += keys[key][0]
      turn += keys[key][1]
    }
    const clip = (x: number) => Math.min(Math.max(x, -1), 1)
    return [most.ahead * clip(ahead), most.turn * clip(turn)]
  }

  private keyDown(event: KeyboardEvent): void {
    if (!this.isDriving || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest('input:not([type="range"]), select, textarea, [contenteditable]'))
      return
    const key = event.key.toLowerCase()
    if (!Object.hasOwn(keys, key)) return
    event.stopPropagation()
    event.preventDefault()
    this.hold(key)
  }

  private hold(key: string): void {
    this.held.add(key)
    if (!this.session.playing) this.session.play()
  }

  private letGo(key: string): void {
    this.held.delete(key)
  }
}

/** Ahead and turn of the first gamepad's left stick, -1 to 1, in steps of a sixteenth so that a still hand says nothing new. */
function readStick(): [number, number] {
  const pad = navigator.getGamepads().find((one) => one !== null)
  if (!pad) return [0, 0]
  const along = (value = 0) => (Math.abs(value) < slack ? 0 : Math.round(16 * value) / 16)
  return [-along(pad.axes[1]), -along(pad.axes[0])]
}
