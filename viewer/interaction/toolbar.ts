import { iconOf } from './icon.ts'

/** One button of the stage's toolbar. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** Path of a 20 x 20 picture, drawn by its outline. */
  readonly icon: string
  act(): void
  /** Of a switch, whether it is on. */
  isOn?(): boolean
  isThere?(): boolean
}

/** Buttons on the stage for actions on a run, so that a touch screen has all that keys do. */
export class Toolbar {
  private readonly tools: { readonly tool: Tool; readonly button: HTMLButtonElement }[]

  constructor(view: HTMLElement, tools: readonly Tool[]) {
    const bar = document.createElement('div')
    bar.className = 'act-tools'
    bar.setAttribute('role', 'toolbar')
    bar.ariaLabel = 'Act on the robot'
    this.tools = tools.map((tool) => {
      const button = document.createElement('button')
      Object.assign(button, { type: 'button', title: tool.title, ariaLabel: tool.name })
      button.append(iconOf(tool.icon))
      button.onclick = () => {
        tool.act()
        this.update()
      }
      bar.append(button)
      return { tool, button }
    })
    view.append(bar)
    this.update()
  }

  update(): void {
    for (const { tool, button } of this.tools) {
      if (tool.isOn) button.ariaPressed = String(tool.isOn())
      const disabled = tool.isThere ? !tool.isThere() : false
      if (button.disabled !== disabled) button.disabled = disabled
    }
  }
}
