import { laneColor } from './colors.ts'

/** A check box a contact model, in its colour: which of them run. The one chosen first is the solid one among ghosts. */
export class ModelList {
  readonly element = document.createElement('fieldset')
  private readonly boxes: ReadonlyMap<string, HTMLInputElement>
  private readonly chosen: () => readonly string[]

  /** @param chosen those that run @param choose called with those that are to run, at least one */
  constructor(names: readonly string[], chosen: () => readonly string[], choose: (names: string[]) => void) {
    this.chosen = chosen
    this.element.id = 'models'
    const legend = document.createElement('legend')
    legend.textContent = 'Contact models'
    const boxes = names.map((name) => {
      const label = document.createElement('label')
      const box = document.createElement('input')
      box.type = 'checkbox'
      box.onchange = () => {
        const others = chosen().filter((other) => other !== name)
        choose(box.checked ? [...others, name] : others.length > 0 ? others : [name])
      }
      const swatch = document.createElement('span')
      swatch.className = 'swatch'
      swatch.style.background = laneColor(name)
      label.append(box, swatch, name)
      return { name, label, box }
    })
    const buttons = document.createElement('div')
    const button = (text: string, onclick: () => void) => {
      const made = document.createElement('button')
      made.type = 'button'
      made.textContent = text
      made.onclick = onclick
      buttons.append(made)
    }
    button('All', () => choose([...chosen(), ...names.filter((name) => !chosen().includes(name))]))
    button('First only', () => choose([chosen()[0]]))
    this.boxes = new Map(boxes.map(({ name, box }) => [name, box]))
    this.element.append(legend, ...boxes.map(({ label }) => label), buttons)
  }

  refresh(): void {
    for (const [name, box] of this.boxes) box.checked = this.chosen().includes(name)
  }
}
