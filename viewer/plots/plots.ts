import type { Robot } from '../../robots/index.ts'
import { milliseconds } from '../runs/fork.ts'
import type { Lane } from '../runs/lane.ts'
import type { Session } from '../runs/session.ts'
import type { Chart } from './chart.ts'
import { mendLanguage } from './locale.ts'
import { csvOf, type Range } from './series.ts'
import { type Variable, variablesOf } from './variables.ts'
import './plots.css'

/** First plot when the plots are opened for the first time, of a robot that has it. */
const firstVariable = 'contact/force'
/** Of a plot [px]. */
const height = 130
/** Drawing takes no more than about this part of the page's time. */
const share = 0.15

/** Any variables of the runs over time, below the picture; the chart code is loaded when they are first requested. */
export class Plots {
  private readonly host = document.createElement('section')
  private readonly search = document.createElement('input')
  private readonly names = document.createElement('datalist')
  private readonly note = document.createElement('span')
  private readonly charts = document.createElement('div')
  private readonly session: Session
  private variables: readonly Variable[] = []
  private list: Chart[] = []
  private loading: Promise<void> | undefined
  private createChart: ((variable: Variable) => Chart) | undefined
  /** The part of time that is seen; undefined for all of it. */
  private zoomed: Range | undefined
  private drawnAt = 0
  private cost = 0
  private isStale = false

  /** @param before the element that the plots stand before */
  constructor(session: Session, before: HTMLElement, button: HTMLButtonElement) {
    this.session = session
    const { host, search, names, note, charts } = this
    host.id = 'plots'
    host.ariaLabel = 'Plots'
    host.hidden = true
    names.id = 'plot-names'
    search.setAttribute('list', names.id)
    search.type = 'search'
    search.placeholder = 'Add a variable …'
    search.ariaLabel = 'Add a plot of a variable'
    note.setAttribute('role', 'status')
    search.oninput = () => void this.take(false)
    search.onchange = () => void this.take(true)
    charts.className = 'charts'
    const bar = document.createElement('div')
    bar.className = 'bar'
    const action = (text: string, title: string, onclick: () => void) => {
      const made = document.createElement('button')
      made.type = 'button'
      made.textContent = text
      made.title = title
      made.ariaLabel = title
      made.onclick = onclick
      return made
    }
    bar.append(
      search,
      names,
      action('+', 'See less of time (wheel)', () => this.zoom(0.5, session.time)),
      action('−', 'See more of time (wheel)', () => this.zoom(2, session.time)),
      action('All', 'See all of time (double click)', () => this.seeAll()),
      action('CSV', 'Save what is seen as CSV', () => this.save()),
      note,
    )
    host.append(bar, charts)
    before.before(host)
    button.setAttribute('aria-controls', host.id)
    button.ariaExpanded = 'false'
    this.button = button
    button.onclick = () => void this.toggle()
    new ResizeObserver(() => {
      this.isStale = true
    }).observe(charts)
  }

  private readonly button: HTMLButtonElement

  /** Another robot has other variables; those that it has too stay. */
  setRobot(robot: Robot): void {
    this.variables = variablesOf(robot)
    this.names.replaceChildren(
      ...this.variables.map(({ name, unit }) => {
        const option = document.createElement('option')
        option.value = name
        option.label = unit
        return option
      }),
    )
    const wanted = this.list.map(({ variable }) => variable.name)
    for (const chart of [...this.list]) this.remove(chart)
    for (const name of wanted) this.add(name)
  }

  async toggle(): Promise<void> {
    this.host.hidden = !this.host.hidden
    this.button.ariaExpanded = String(!this.host.hidden)
    if (this.host.hidden) return
    await this.load()
    if (this.list.length === 0) this.add(firstVariable)
    this.isStale = true
  }

  /** Brings the library that draws. */
  private load(): Promise<void> {
    const bring = async () => {
      mendLanguage()
      const { Chart } = await import('./chart.ts')
      this.createChart = (variable) => {
        const chart: Chart = new Chart(variable, height, {
          seek: (t) => this.session.scrub(Math.round(t / this.session.dt)),
          zoom: (factor, about) => this.zoom(factor, about),
          seeAll: () => this.seeAll(),
          remove: () => this.remove(chart),
        })
        return chart
      }
    }
    this.loading ??= bring()
    return this.loading
  }

  /** Adds a plot of a variable; a name that is none does nothing. */
  add(name: string): boolean {
    const variable = this.variables.find((variable) => variable.name === name)
    if (variable === undefined || this.createChart === undefined) return false
    if (this.list.some((chart) => chart.variable.name === name)) return true
    const chart = this.createChart(variable)
    this.list.push(chart)
    this.charts.append(chart.element)
    this.isStale = true
    return true
  }

  /** Draws changes. @param changed whether anything of the runs or of the view has */
  update(changed: boolean): void {
    if (this.host.hidden || this.list.length === 0) return
    this.isStale ||= changed
    if (!this.isStale) return
    const { session } = this
    const now = performance.now()
    if (session.playing && now - this.drawnAt < this.cost / share) {
      for (const chart of this.list) chart.follow(session.time, (lane) => this.valueOf(chart.variable, lane))
      return
    }
    this.isStale = false
    const range = this.range()
    for (const chart of this.list) chart.update(session.lanes, range, session.time, (lane) => this.valueOf(chart.variable, lane))
    this.drawnAt = performance.now()
    this.cost = this.drawnAt - now
  }

  /** The plots, as text. */
  csv(): string {
    const { lanes } = this.session
    const named = lanes.map((lane) => ({ lane, name: nameOf(lane) }))
    return csvOf(
      named,
      this.list.map(({ variable }) => variable),
      this.range(),
    )
  }

  /** For tests. */
  shown(): {
    readonly name: string
    readonly data: readonly (readonly (number | null | undefined)[])[]
    readonly cursor: number
  }[] {
    return this.list.map((chart) => ({ name: chart.variable.name, ...chart.shown() }))
  }

  private valueOf(variable: Variable, lane: Lane): number {
    const snapshot = this.session.snapshot(lane)
    return snapshot === undefined ? Number.NaN : variable.of(snapshot)
  }

  private async take(isDone: boolean): Promise<void> {
    await this.load()
    const { search, note } = this
    const name = search.value.trim()
    const [only, ...others] = this.variables.filter((variable) => variable.name.includes(name))
    // a partial name is used if it matches but one
    const isThere = this.variables.some((variable) => variable.name === name)
    const taken = isThere ? name : isDone && others.length === 0 ? only?.name : undefined
    note.textContent = ''
    if (taken !== undefined && this.add(taken)) search.value = ''
    else if (isDone && name !== '')
      note.textContent =
        only === undefined ? `no variable has "${name}" in its name` : `${others.length + 1} variables have it; choose one`
  }

  private remove(chart: Chart): void {
    chart.destroy()
    this.list = this.list.filter((other) => other !== chart)
  }

  private zoom(factor: number, about: number): void {
    const { from, to } = this.range()
    const all = this.all()
    const start = about - (about - from) * factor
    const end = about + (to - about) * factor
    const isAll = start <= all.from && end >= all.to
    if (!isAll && end - start < 2 * this.session.dt) return
    this.zoomed = isAll ? undefined : { from: Math.max(start, all.from), to: Math.min(end, all.to) }
    this.isStale = true
  }

  private seeAll(): void {
    this.zoomed = undefined
    this.isStale = true
  }

  private all(): Range {
    const { firstStep, lastStep, dt } = this.session
    return { from: firstStep * dt, to: lastStep * dt }
  }

  /** While it plays a zoomed view goes with time. */
  private range(): Range {
    const { zoomed, session } = this
    if (zoomed === undefined) return this.all()
    const width = zoomed.to - zoomed.from
    if (session.playing && session.time > zoomed.to) this.zoomed = { from: session.time - width, to: session.time }
    return this.zoomed as Range
  }

  private save(): void {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([this.csv()], { type: 'text/csv' }))
    link.download = 'featherbed-plots.csv'
    link.click()
    URL.revokeObjectURL(link.href)
  }
}

const nameOf = ({ contactModel, fork, dt }: Lane) =>
  fork ? `${contactModel} (fork at ${fork.t.toFixed(3)} s, ${milliseconds(dt)})` : contactModel
