import { type ForkChange, milliseconds, seconds } from './fork.ts'
import type { Lane } from './lane.ts'
import type { Session } from './session.ts'
import './runs.css'

/** Asks how a run is to go on from the step that is shown, beside the one that it leaves. */
export class ForkForm {
  private readonly dialog = document.createElement('dialog')
  private readonly heading = document.createElement('h2')
  private readonly parent = document.createElement('select')
  private readonly model = document.createElement('select')
  private readonly dt = document.createElement('select')
  private readonly friction = numberField(0, 5)
  private readonly gain = numberField(0, 10)
  private readonly problem = document.createElement('p')
  private readonly session: Session
  private lanes: readonly Lane[] = []

  /** @param steps time steps to choose from [s] @param forked called when the fork is there */
  constructor(session: Session, models: readonly string[], steps: readonly number[], forked: (lane: Lane) => void) {
    this.session = session
    this.dialog.id = 'fork-form'
    this.dialog.setAttribute('aria-labelledby', 'fork-title')
    this.heading.id = 'fork-title'
    this.problem.setAttribute('role', 'alert')
    this.model.append(...models.map((name) => new Option(name)))
    this.dt.append(...steps.map((dt) => new Option(milliseconds(dt), String(dt))))
    const form = document.createElement('form')
    form.method = 'dialog'
    const buttons = document.createElement('div')
    const [cancel, submit] = ['Cancel', 'Fork'].map((text) => {
      const button = document.createElement('button')
      button.textContent = text
      buttons.append(button)
      return button
    })
    cancel.type = 'button'
    cancel.onclick = () => this.dialog.close()
    submit.className = 'main'
    form.append(
      this.heading,
      field('goes on from', this.parent),
      field('contact model', this.model),
      field('time step', this.dt),
      field('friction', this.friction),
      field('controller’s gain', this.gain, 'factor on its efforts, before they are clamped'),
      this.problem,
      buttons,
    )
    form.onsubmit = (event) => {
      event.preventDefault()
      void this.submit(forked)
    }
    this.parent.onchange = () => this.fill()
    this.dialog.append(form)
    document.body.append(this.dialog)
  }

  open(): void {
    const { session } = this
    session.pause()
    this.lanes = session.lanes.filter((lane) => session.snapshot(lane) !== undefined)
    if (this.lanes.length === 0 || this.dialog.open) return
    this.heading.textContent = `Fork at ${seconds(session.time)}`
    this.problem.textContent = ''
    this.parent.replaceChildren(
      ...this.lanes.map(({ contactModel, dt, fork }, i) => {
        const own = fork ? `, ${milliseconds(dt)}, since ${seconds(fork.t)}` : ''
        return new Option(`${contactModel}${own}`, String(i))
      }),
    )
    this.fill()
    this.dialog.showModal()
  }

  /** The parent's values; of the model the next one, since a fork is made to see another. */
  private fill(): void {
    const { setup, contactModel, dt } = this.lanes[this.parent.selectedIndex]
    const names = [...this.model.options].map(({ value }) => value)
    const running = new Set(this.session.lanes.map((lane) => lane.contactModel))
    this.model.value = names.find((name) => !running.has(name)) ?? contactModel
    if (![...this.dt.options].some(({ value }) => Number(value) === dt)) this.dt.add(new Option(milliseconds(dt), String(dt)), 0)
    this.dt.value = String(dt)
    this.friction.value = String(setup?.physical.friction ?? this.session.friction)
    this.gain.value = String(setup?.gain ?? 1)
  }

  private async submit(forked: (lane: Lane) => void): Promise<void> {
    const change: ForkChange = {
      contactModel: this.model.value,
      dt: Number(this.dt.value),
      friction: this.friction.valueAsNumber,
      gain: this.gain.valueAsNumber,
    }
    try {
      const lane = await this.session.fork(this.lanes[this.parent.selectedIndex], change)
      this.dialog.close()
      forked(lane)
    } catch (error) {
      this.problem.textContent = error instanceof Error ? error.message : String(error)
    }
  }
}

function numberField(min: number, max: number): HTMLInputElement {
  const input = document.createElement('input')
  Object.assign(input, { type: 'number', min, max, step: 'any', required: true })
  return input
}

function field(name: string, control: HTMLElement, title = ''): HTMLLabelElement {
  const label = document.createElement('label')
  label.title = title
  label.append(name, control)
  return label
}
