import controllerTemplate from '../../docs/examples/controller.ts?raw'
import { iconOf } from '../interaction/icon.ts'
import type { Files } from '../scenes/sources.ts'
import { save } from '../share/export.ts'
import type { Code } from './codeMirror.ts'
import './edit.css'
import { isOf, namedFrom, type Problem, problemsOf } from './texts.ts'

/** Page's interface to editing. */
export interface EditingPage {
  /** The running file, and all files beside it. */
  standing(): Promise<{ readonly file: string; readonly files: Files }>
  /** Runs a file among others. @returns their errors, '' for none */
  run(files: Files, file: string): Promise<string>
  /** The stage has more room or less. */
  resized(): void
  /** The doctor's findings on the current robot. */
  findings(): readonly Problem[]
  /** The robot that stands there, repaired, as URDF; undefined where there is nothing to repair. */
  repaired(): string | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The run's texts, beside the stage: robot, scenario and scripts, which run anew as they are edited. */
export class Editing {
  private readonly page: EditingPage
  private readonly button: HTMLButtonElement
  private readonly pane = document.createElement('section')
  private readonly tabs = document.createElement('div')
  private readonly host = document.createElement('div')
  private readonly list = document.createElement('ul')
  private readonly fixButton: HTMLButtonElement
  private code: Code | undefined
  private files = new Map<string, Uint8Array>()
  /** Of the files, those with a tab. */
  private paths: string[] = []
  private shown = ''
  /** Run file. */
  private running = ''
  private problems: readonly Problem[] = []
  private failure = ''

  /** @param view before which it stands @param button that opens and closes it */
  constructor(view: HTMLElement, button: HTMLButtonElement, page: EditingPage) {
    this.page = page
    this.button = button
    this.pane.id = 'editor'
    this.pane.ariaLabel = 'Editor'
    this.pane.hidden = true
    this.tabs.className = 'edit-tabs'
    this.tabs.setAttribute('role', 'tablist')
    this.tabs.ariaLabel = 'Files'
    this.host.className = 'edit-code'
    this.list.className = 'edit-problems'
    this.list.ariaLabel = 'Problems'
    const bar = document.createElement('div')
    bar.className = 'edit-bar'
    const action = (text: string, title: string, act: () => void) => {
      const made = document.createElement('button')
      Object.assign(made, { type: 'button', textContent: text, title, onclick: act })
      bar.append(made)
      return made
    }
    action('Run', 'Run what is written (Ctrl+Enter)', () => void this.run()).className = 'main'
    this.fixButton = action('Fix', 'Write the robot as it was repaired to be loaded; undo takes it back', () => this.fix())
    action('New controller', 'A script that holds the robot at home, to go on from', () => this.newController())
    action('Save', 'Save this file', () => this.save())
    const close = action('', 'Close the editor (F2)', () => void this.toggle())
    close.ariaLabel = 'Close the editor'
    close.append(iconOf('M5 5l10 10M15 5L5 15'))
    this.pane.append(bar, this.tabs, this.host, this.list)
    view.before(this.pane)
    button.setAttribute('aria-controls', this.pane.id)
    button.ariaExpanded = 'false'
    button.onclick = () => void this.toggle()
  }

  async toggle(): Promise<void> {
    const { pane, button } = this
    pane.hidden = !pane.hidden
    button.ariaExpanded = String(!pane.hidden)
    this.page.resized()
    if (pane.hidden) return
    if (this.code === undefined) {
      const { Code } = await import('./codeMirror.ts')
      this.code ??= new Code(this.host, {
        changed: () => this.showTabs(),
        run: () => void this.run(),
        leave: () => document.getElementById('canvas')?.focus(),
      })
    }
    const { file, files } = await this.page.standing()
    if (file !== this.running) this.open(file, files)
    this.showProblems()
    this.code.focus()
  }

  /** Something else runs than the edited text. */
  async changed(): Promise<void> {
    if (this.pane.hidden || this.code === undefined) return
    const { file, files } = await this.page.standing()
    if (file !== this.running) this.open(file, files)
    this.showProblems()
  }

  /** Failure of a run, '' for none. */
  tell(failure: string): void {
    if (failure === this.failure) return
    this.failure = failure
    if (!this.pane.hidden) this.showProblems()
  }

  private open(file: string, files: Files): void {
    this.code?.forget()
    this.files = new Map(files)
    this.paths = namedFrom(file, files)
    this.running = file
    this.problems = []
    this.show(file)
  }

  private show(path: string): void {
    this.shown = path
    this.code?.show(path, decoder.decode(this.files.get(path)))
    this.showTabs()
    this.showProblems()
  }

  /** All files, as they are written. */
  private written(): Map<string, Uint8Array> {
    const files = new Map(this.files)
    for (const path of this.paths) {
      const text = this.code?.textOf(path)
      if (text !== undefined) files.set(path, encoder.encode(text))
    }
    return files
  }

  private async run(): Promise<void> {
    const files = this.written()
    // a script that a scenario names runs with it
    const isScript = /\.[cm]?[jt]s$/i.test(this.shown)
    const isNamed = this.shown !== this.running && namedFrom(this.running, files).includes(this.shown)
    const isPart = /\.srdf$|\.csv$/i.test(this.shown)
    const file = (isScript && isNamed) || isPart ? this.running : this.shown
    this.failure = ''
    this.running = file // before anything is told of it
    const problem = await this.page.run(files, file)
    this.files = files
    this.problems = problemsOf(problem)
    this.showTabs()
    this.showProblems()
  }

  private fix(): void {
    const text = this.page.repaired()
    if (text === undefined) return
    if (/\.urdf$/i.test(this.shown)) {
      this.code?.replace(text)
      return
    }
    // a macro or a text of another format is not overwritten
    this.add(this.shown.replace(/(\.urdf)?\.[^./]*$/i, '.fixed.urdf'), text)
  }

  private newController(): void {
    let path = 'controller.ts'
    for (let k = 2; this.files.has(path); k++) path = `controller${k}.ts`
    this.add(path, controllerTemplate)
  }

  private add(path: string, text: string): void {
    this.files.set(path, encoder.encode(text))
    if (!this.paths.includes(path)) this.paths.push(path)
    this.show(path)
    this.code?.focus()
  }

  private save(): void {
    const name = this.shown.slice(this.shown.lastIndexOf('/') + 1)
    save(name, new Blob([this.code?.textOf(this.shown) ?? ''], { type: 'text/plain' }))
  }

  private showTabs(): void {
    this.tabs.replaceChildren(
      ...this.paths.map((path) => {
        const tab = document.createElement('button')
        const text = this.code?.textOf(path)
        const isChanged = text !== undefined && text !== decoder.decode(this.files.get(path))
        const name = path.slice(path.lastIndexOf('/') + 1)
        Object.assign(tab, { type: 'button', title: path, textContent: isChanged ? `${name} •` : name })
        tab.setAttribute('role', 'tab')
        tab.ariaSelected = String(path === this.shown)
        tab.onclick = () => this.show(path)
        return tab
      }),
    )
  }

  private showProblems(): void {
    const said = [...this.problems, ...(this.failure === '' ? [] : problemsOf(this.failure))]
    const problems = said.some(({ severity }) => severity === 'error') ? said : [...said, ...this.page.findings()]
    this.code?.mark(problems.filter((problem) => isOf(problem, this.shown)))
    this.fixButton.hidden = this.page.repaired() === undefined || this.shown !== this.running
    this.list.replaceChildren(
      ...problems.map((problem) => {
        const item = document.createElement('li')
        const place = document.createElement('button')
        Object.assign(place, { type: 'button', className: problem.severity, textContent: problem.message })
        place.onclick = () => this.goTo(problem)
        item.append(place)
        return item
      }),
    )
    this.list.hidden = problems.length === 0
  }

  private goTo(problem: Problem): void {
    const path = this.paths.find((own) => isOf(problem, own))
    if (path !== undefined && path !== this.shown) this.show(path)
    if (path !== undefined && problem.line > 0) this.code?.goTo(problem.line)
  }
}
