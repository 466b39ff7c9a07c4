import type { Settings } from '../panel/settings.ts'
import type { Stage } from '../stage/stage.ts'
import { Notes, type PlacedNote } from './notes.ts'
import { overlayNamed, overlayNames, switched } from './overlays.ts'
import './overlays.css'

/** Page's interface to seeing. */
export interface SeeingPage {
  readonly stage: Stage
  readonly settings: Settings
  /** An overlay was switched by its key. */
  changed(): void
}

/** Width up to which a picture has no room for an unrequested legend [px]. */
const SMALL = 600

/** Page parts beside the robot: keys of overlays, the legend of those that are on, and words over the picture. */
export class Seeing {
  /** Actions of keys, beside the page's. */
  readonly keys: Readonly<Record<string, () => void>>
  private readonly page: SeeingPage
  private readonly notes: Notes
  /** Folded, it takes little of a small picture. */
  private readonly legend = document.createElement('details')
  private readonly rows = document.createElement('ul')

  /** @param help the list of keys */
  constructor(view: HTMLElement, help: HTMLElement, page: SeeingPage) {
    const { settings } = page
    this.page = page
    this.notes = new Notes(view, page.stage)
    this.legend.className = 'see-legend'
    this.legend.open = view.clientWidth > SMALL
    const summary = document.createElement('summary')
    summary.textContent = 'Legend'
    this.legend.append(summary, this.rows)
    view.append(this.legend)
    this.keys = Object.fromEntries(
      overlayNames.map((name) => [
        overlayNamed(name).key,
        () => {
          settings.overlays = switched(settings.overlays, name, !settings.overlays.includes(name))
          page.changed()
        },
      ]),
    )
    for (const name of overlayNames) {
      const [term, text, key] = (['dt', 'dd', 'kbd'] as const).map((tag) => document.createElement(tag))
      key.textContent = overlayNamed(name).key.toUpperCase()
      term.append(key)
      text.textContent = name
      help.append(term, text)
    }
    this.redraw()
  }

  /** Takes over the settings. */
  redraw(): void {
    const { settings, stage } = this.page
    stage.shadows = !settings.overlays.includes('no shadows')
    this.rows.replaceChildren(
      ...settings.overlays.flatMap((name) => {
        const { legend } = overlayNamed(name)
        if (legend === undefined) return []
        const row = document.createElement('li')
        const swatches = legend.map(([color, word]) => {
          const part = document.createElement('span')
          const swatch = document.createElement('i')
          swatch.className = 'swatch'
          swatch.style.background = `#${color.getHexString()}`
          part.append(swatch, word === '' ? name : word)
          return part
        })
        row.append(...(swatches.length > 1 ? [`${name}:`] : []), ...swatches)
        return row
      }),
    )
    this.legend.hidden = this.rows.children.length === 0
  }

  draw(notes: readonly PlacedNote[]): void {
    this.notes.draw(notes)
  }
}
