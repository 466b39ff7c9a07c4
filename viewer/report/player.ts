import type { PageRun, PageSubject } from '../../compare/recording/replay/index.ts'
import { words } from '../plots/style.ts'
import { Charts, swatch } from './charts.ts'
import type { Runs, ShownRun } from './runs.ts'
import { type Placing, Theatre } from './theatre.ts'
import { createTimeline } from './timeline.ts'

/** Models that may be shown at a time: more hide each other. */
const MOST_SHOWN = 6

/** Of a run that the report has no room for. */
const NOT_KEPT = { scene: null, frames: null, series: null, failure: null } as const

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2] as const
/** A run is at first played so slowly that it takes as long as this, unless it does anyway [s]. */
const SHORTEST = 3

/** There is one stage on the page; it moves to the visible scene. */
let theatre: Theatre | undefined
let owner: Player | undefined
let failure = ''

function openTheatre(): Theatre | undefined {
  if (theatre || failure !== '') return theatre
  try {
    theatre = new Theatre(make('canvas', { tabIndex: 0, ariaLabel: 'The replay; drag to turn it, Ctrl and wheel to zoom' }))
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  }
  return theatre
}

const theme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

/** The replay of one robot in its world: stage, transport, charts, and which runs are shown. */
export class Player {
  readonly charts: Charts
  /** [s] */
  time: number
  playing = false
  private readonly subject: PageSubject
  private readonly runs: Runs
  private chosen: number[]
  /** Which variant of a sweep is shown. */
  private world = 0
  private shown: readonly ShownRun[] = []
  private placing: Placing
  private speed = 1 as number
  private forces = true
  private turn = 0
  private isVisible = false
  private readonly cast = make('div', { className: 'cast' })
  private readonly view = make('div', { className: 'view' })
  private readonly labels = make('div', { className: 'labels' })
  private readonly scale = make('div', { className: 'arrow-scale' })
  private readonly play = make('button', { type: 'button', className: 'play' })
  private readonly timeline: ReturnType<typeof createTimeline>
  private readonly clock = make('output', {})

  constructor(host: HTMLElement, subject: PageSubject, runs: Runs) {
    this.subject = subject
    this.runs = runs
    this.chosen = [...subject.shown]
    this.placing = host.dataset.placing === 'beside' ? 'beside' : 'ghosts'
    const { duration } = subject
    this.time = 0.5 * duration
    this.timeline = createTimeline(duration, (t) => {
      this.pause()
      this.enter()
      this.seek(t)
    })
    const chartHost = make('div', { className: 'over-time' })
    this.charts = new Charts(chartHost, subject, (t) => {
      if (!this.playing) this.seek(t)
    })
    this.scale.append(make('i', {}), make('span', {}))
    this.view.append(
      this.labels,
      this.scale,
      this.button('fit', 'Show everything that moves', () => this.frame()),
    )
    const stage = make('div', { className: 'stage' })
    stage.append(this.view, this.transport())
    const both = make('div', { className: 'stage-and-charts' })
    both.append(stage, chartHost)
    host.replaceChildren(this.cast, both)
    document.addEventListener('keydown', ({ key, target }) => {
      const isTyped = target instanceof HTMLInputElement && target.type !== 'range'
      if ((key === '[' || key === ']') && !isTyped && host.offsetParent !== null) this.timeline.step(key === ']' ? 1 : -1)
    })
    host.addEventListener('keydown', (event) => {
      if (event.key !== ' ' || event.target instanceof HTMLButtonElement || event.target instanceof HTMLSelectElement) return
      event.preventDefault()
      this.toggle()
    })
    // the wheel scrolls the page unless the stage was asked for
    this.view.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && document.activeElement !== theatre?.stage.orbit.domElement) event.stopPropagation()
      },
      { capture: true },
    )
    new IntersectionObserver((entries) => {
      this.isVisible = entries.some(({ isIntersecting }) => isIntersecting)
      if (this.isVisible) this.enter()
    }).observe(this.view)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => void this.choose(this.chosen))
    void this.choose(this.chosen)
  }

  /** Shown state, for tests. */
  get state() {
    return {
      time: this.time,
      shown: this.shown.map(({ name }) => name),
      placing: this.placing,
      ...(owner === this && theatre?.describe()),
    }
  }

  seek(t: number): void {
    this.time = Math.min(this.subject.duration, Math.max(0, t))
    this.timeline.setTime(this.time)
    this.clock.textContent = `${this.time.toFixed(3)} s`
    this.charts.setTime(this.time)
    if (owner === this) theatre?.pose(this.time)
  }

  /** Called at each frame of the browser. @param seconds since the last */
  tick(seconds: number): void {
    if (!this.isVisible || owner !== this || !theatre) return
    if (this.playing) {
      const next = this.time + seconds * this.speed
      this.seek(next)
      if (next >= this.subject.duration) this.pause()
    }
    if (theatre.draw()) this.showOverlays()
  }

  private toggle(): void {
    if (this.playing) {
      this.pause()
      return
    }
    if (this.time >= this.subject.duration - 1e-9) this.seek(0)
    this.playing = true
    this.enter() // from another replay in sight
    this.showPlay()
  }

  private pause(): void {
    this.playing = false
    this.showPlay()
  }

  /** Shows these runs, the first solid. */
  private async choose(indices: readonly number[]): Promise<void> {
    this.chosen = [...indices]
    const turn = ++this.turn
    const { runs } = this.subject
    const of = (run: PageRun) => (this.world === 0 ? run : (run.others?.[this.world - 1] ?? { ...run, ...NOT_KEPT }))
    const shown = await Promise.all(indices.map((index) => this.runs.get(of(runs[index]), index)))
    if (turn !== this.turn) return
    this.shown = shown
    this.showCast()
    this.timeline.show(shown)
    this.charts.show(shown)
    const isFirst = owner !== this
    if (owner === this) owner = undefined
    if (this.isVisible) this.enter(isFirst)
    this.seek(this.time)
  }

  /** Takes the stage. */
  private enter(frames = true): void {
    if (owner === this || this.shown.length === 0) return
    const stage = openTheatre()
    if (!stage) {
      this.view.classList.add('missing')
      this.labels.textContent = `There is no picture: ${failure} The charts do without.`
      return
    }
    owner = this
    this.view.prepend(stage.stage.orbit.domElement as HTMLElement)
    stage.setTheme(theme())
    stage.enter(this.shown, this.placing, theme())
    stage.showForces(this.forces)
    this.view.classList.toggle('missing', !stage.hasActors)
    if (!stage.hasActors) this.labels.textContent = 'No frames were kept of these runs.'
    stage.pose(this.time)
    if (frames) this.frame()
  }

  private frame(): void {
    theatre?.pose(this.time)
    theatre?.frame()
  }

  /** The runs on the stage, each with a button that takes it off, and the others to be added. */
  private showCast(): void {
    const { runs } = this.subject
    const chips = this.shown.map(({ index, run, name }, i) => {
      const chip = make('span', { className: i === 0 ? 'chip first' : 'chip' })
      const role = make('em', { textContent: run.role })
      chip.append(swatch({ run }), name, ...(run.role === '' ? [] : [' ', role]))
      if (run.failure !== null) chip.append(' ', make('em', { className: 'bad', textContent: 'broke off', title: run.failure }))
      if (this.shown.length > 1)
        chip.append(this.button('\u00d7', `Take ${name} off`, () => void this.choose(this.chosen.filter((one) => one !== index))))
      return chip
    })
    const add = make('select', { ariaLabel: 'Show another run' })
    add.append(make('option', { value: '', textContent: '+ show another' }))
    for (const step of [...new Set(runs.map((run) => run.step))]) {
      const group = make('optgroup', { label: step })
      runs.forEach((run, index) => {
        if (run.step !== step || this.chosen.includes(index)) return
        group.append(make('option', { value: String(index), textContent: run.model + (run.role === '' ? '' : ` (${run.role})`) }))
      })
      if (group.children.length > 0) add.append(group)
    }
    add.onchange = () => {
      if (add.value !== '') void this.choose([...this.chosen, Number(add.value)].slice(-MOST_SHOWN))
    }
    this.cast.replaceChildren(...this.variants(), ...chips, ...(add.children.length > 1 ? [add] : []))
  }

  /** The choice of the sweep's variant; those of which nothing was kept are named and cannot be chosen. */
  private variants(): HTMLElement[] {
    const { worlds = [], runs } = this.subject
    if (worlds.length < 2) return []
    const select = make('select', { ariaLabel: 'Variant of the sweep' })
    worlds.forEach((words, w) => {
      const disabled = w > 0 && !this.chosen.some((index) => runs[index].others?.[w - 1])
      const textContent = disabled ? `${words} (not kept)` : words
      select.append(make('option', { value: String(w), textContent, disabled, selected: w === this.world }))
    })
    select.onchange = () => {
      this.world = Number(select.value)
      void this.choose(this.chosen)
    }
    return [select]
  }

  private transport(): HTMLElement {
    const bar = make('div', { className: 'transport' })
    this.play.onclick = () => this.toggle()
    const speed = make('select', { ariaLabel: 'Speed' })
    this.speed = speeds.findLast((factor) => factor <= Math.min(1, this.subject.duration / SHORTEST)) ?? speeds[0]
    for (const factor of speeds)
      speed.append(make('option', { value: String(factor), textContent: `${factor}\u00d7`, selected: factor === this.speed }))
    speed.onchange = () => {
      this.speed = Number(speed.value)
    }
    const placing = make('select', { ariaLabel: 'How several runs are shown' })
    for (const [value, textContent] of [
      ['ghosts', 'one solid, others as ghosts'],
      ['beside', 'side by side'],
    ] as const)
      placing.append(make('option', { value, textContent, selected: value === this.placing }))
    placing.hidden = this.subject.runs.length < 2
    placing.onchange = () => {
      this.placing = placing.value as Placing
      owner = undefined
      this.enter()
    }
    const forces = make('input', { type: 'checkbox', checked: true })
    forces.onchange = () => {
      this.forces = forces.checked
      theatre?.showForces(forces.checked)
      theatre?.pose(this.time)
    }
    const label = make('label', {})
    label.append(forces, ' forces')
    this.showPlay()
    bar.append(this.play, this.timeline.element, this.clock, speed, placing, label)
    return bar
  }

  private showPlay(): void {
    this.play.ariaLabel = this.playing ? 'Pause' : 'Play'
    this.play.classList.toggle('playing', this.playing)
  }

  /** Names above runs that stand apart, and how long an arrow of a round number of newtons is. */
  private showOverlays(): void {
    if (!theatre?.hasActors) return
    this.labels.replaceChildren(
      ...theatre.labels().map(({ shown, x, y }) => {
        const label = make('span', { textContent: shown.name })
        label.style.left = `${x}px`
        label.style.top = `${Math.max(12, y)}px`
        return label
      }),
    )
    const perNewton = theatre.metresPerNewton * theatre.stage.pixelsPerMetre
    this.scale.hidden = !this.forces || !(perNewton > 0)
    const largest = 110 / perNewton
    const decade = 10 ** Math.floor(Math.log10(largest))
    const force = decade * (largest >= 5 * decade ? 5 : largest >= 2 * decade ? 2 : 1)
    const [arrow, text] = this.scale.children as unknown as HTMLElement[]
    arrow.style.width = `${force * perNewton}px`
    text.textContent = words(force, 'N')
  }

  private button(text: string, label: string, action: () => void): HTMLButtonElement {
    return make('button', { type: 'button', textContent: text, ariaLabel: label, title: label, onclick: action })
  }
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), properties)
}
