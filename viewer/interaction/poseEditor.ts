import { createData } from '../../dynamics/index.ts'
import { type Robot, setOnGround } from '../../robots/index.ts'
import { poseAsSrdf, poseAsYaml, rpyOf, setRpy } from './poseText.ts'

export interface PoseActions {
  /** The configuration that is shown now, nq. */
  shown(): ArrayLike<number> | undefined
  /** A pose was edited: a new run is to start in it. `isWhole` once the user lets go. */
  pose(q: Float64Array, isWhole: boolean): void
}

interface Slider {
  readonly input: HTMLInputElement
  readonly output: HTMLOutputElement
  read(q: Float64Array): number
  write(q: Float64Array, value: number): void
}

/** Sliders for each joint within its limits and for the base, from which a new run starts; and the pose as text. */
export class PoseEditor {
  readonly element = document.createElement('details')
  private readonly actions: PoseActions
  private readonly list = document.createElement('div')
  private readonly said = document.createElement('p')
  private robot: Robot | undefined
  private q = new Float64Array(0)
  private sliders: Slider[] = []
  /** Of the base, so that a slider moves one of them alone [rad]. */
  private rpy = [0, 0, 0]

  constructor(actions: PoseActions) {
    this.actions = actions
    this.element.id = 'pose'
    const summary = document.createElement('summary')
    summary.textContent = 'Pose'
    const hint = document.createElement('p')
    hint.textContent = 'A slider, or a drag of a link on the stage, starts a new run, paused, in this pose.'
    const buttons = document.createElement('div')
    buttons.className = 'pose-buttons'
    buttons.append(
      this.button('As shown', 'Take the pose that is shown', () => this.take(this.actions.shown())),
      this.button('Home', 'Take the home pose', () => this.take(this.robot?.home)),
      this.button('On the ground', 'Move the base until the lowest point touches z = 0', () => this.setDown()),
      this.button('Copy YAML', 'Copy the pose as the start of a scenario', () => this.copy(poseAsYaml)),
      this.button('Copy SRDF', 'Copy the pose as a group state', () => this.copy(poseAsSrdf)),
    )
    this.list.className = 'pose-list'
    this.said.setAttribute('role', 'status')
    this.element.append(summary, hint, buttons, this.said, this.list)
    this.element.ontoggle = () => this.build()
  }

  /** @param q the pose in which runs start */
  setRobot(robot: Robot, q: ArrayLike<number>): void {
    const isOther = robot !== this.robot
    this.robot = robot
    this.q = Float64Array.from(q)
    this.said.textContent = ''
    if (isOther) this.sliders = []
    this.build()
  }

  /** The pose that is edited; undefined while the editor is closed. */
  get edited(): Float64Array | undefined {
    return this.element.open ? this.q.slice() : undefined
  }

  /** Takes a pose that was made on the stage. */
  drag(q: Float64Array, isWhole: boolean): void {
    this.q.set(q)
    this.show()
    this.actions.pose(q.slice(), isWhole)
  }

  /** Sliders of a closed editor are not made, for some robots have a hundred. */
  private build(): void {
    if (!this.element.open || !this.robot) return
    if (this.sliders.length === 0) {
      const { floating, joints, model } = this.robot
      this.list.replaceChildren()
      if (floating) {
        ;['x', 'y', 'z'].forEach((name, k) => {
          const around = this.q[k]
          this.add(
            `base ${name} [m]`,
            around - 1,
            around + 1,
            (q) => q[k],
            (q, value) => q.fill(value, k, k + 1),
          )
        })
        ;['roll', 'pitch', 'yaw'].forEach((name, k) => {
          const write = (q: Float64Array, value: number) => {
            this.rpy[k] = value
            setRpy(q, this.rpy)
          }
          this.add(`base ${name} [rad]`, -Math.PI, Math.PI, () => this.rpy[k], write)
        })
      }
      for (const { name, type, qIndex, vIndex } of joints) {
        const free = type === 'prismatic' ? 1 : Math.PI
        const [low, high] = [model.lower[vIndex], model.upper[vIndex]]
        const unit = type === 'prismatic' ? 'm' : 'rad'
        const [from, to] = [Number.isFinite(low) ? low : -free, Number.isFinite(high) ? high : free]
        this.add(
          `${name} [${unit}]`,
          from,
          to,
          (q) => q[qIndex],
          (q, value) => q.fill(value, qIndex, qIndex + 1),
        )
      }
    }
    if (this.robot.floating) this.rpy = rpyOf(this.q)
    this.show()
  }

  private add(name: string, low: number, high: number, read: Slider['read'], write: Slider['write']): void {
    const label = document.createElement('label')
    const text = document.createElement('span')
    text.textContent = name
    const input = document.createElement('input')
    Object.assign(input, { type: 'range', min: String(low), max: String(high), step: 'any', ariaLabel: name })
    const output = document.createElement('output')
    const slider = { input, output, read, write }
    const edit = (isWhole: boolean) => {
      write(this.q, Number(input.value))
      output.value = Number(input.value).toFixed(3)
      this.actions.pose(this.q.slice(), isWhole)
    }
    input.oninput = () => edit(false)
    input.onchange = () => edit(true)
    label.append(text, input, output)
    this.list.append(label)
    this.sliders.push(slider)
  }

  private show(): void {
    for (const { input, output, read } of this.sliders) {
      if (document.activeElement !== input) input.value = String(read(this.q))
      output.value = read(this.q).toFixed(3)
    }
  }

  private take(q: ArrayLike<number> | undefined): void {
    if (q === undefined) return
    this.q = Float64Array.from(q)
    this.build()
    this.actions.pose(this.q.slice(), true)
  }

  private setDown(): void {
    const { robot } = this
    if (!robot?.floating) return
    setOnGround(robot.model, this.q, robot.shapes, createData(robot.model))
    this.take(this.q)
  }

  private copy(write: (robot: Robot, q: ArrayLike<number>) => string): void {
    if (!this.robot) return
    const text = write(this.robot, this.q)
    navigator.clipboard.writeText(text).then(
      () => this.say('Copied.'),
      () => this.say(text), // where the browser does not let us, it can be selected
    )
  }

  private say(text: string): void {
    this.said.textContent = text
  }

  private button(text: string, title: string, act: () => void): HTMLButtonElement {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', textContent: text, title, onclick: act })
    return button
  }
}
