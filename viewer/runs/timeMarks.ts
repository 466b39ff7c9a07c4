import type { Session } from './session.ts'
import './runs.css'
import { seconds } from './fork.ts'

/** On the time line, in the colour of each fork, where it began. */
export class TimeMarks {
  private readonly scrub: HTMLInputElement
  private readonly host = document.createElement('div')

  constructor(scrub: HTMLInputElement) {
    this.scrub = scrub
    this.host.id = 'time-marks'
    this.host.ariaHidden = 'true' // the run table says the same
    scrub.after(this.host)
  }

  update({ lanes, dt, firstStep, lastStep }: Session): void {
    const forks = lanes.flatMap(({ fork, color }) => (fork ? [{ ...fork, color }] : []))
    while (this.host.children.length > forks.length) this.host.lastChild?.remove()
    while (this.host.children.length < forks.length) this.host.append(document.createElement('i'))
    const { offsetLeft, offsetWidth, offsetTop, offsetHeight } = this.scrub
    const half = 0.5 * offsetHeight // of the thumb, which stays within the bar
    forks.forEach(({ t, color, contactModel }, i) => {
      const { style, dataset } = this.host.children[i] as HTMLElement
      const part = lastStep > firstStep ? (t / dt - firstStep) / (lastStep - firstStep) : 0
      dataset.at = `${contactModel} at ${seconds(t)}`
      style.left = `${offsetLeft + half + part * (offsetWidth - 2 * half)}px`
      style.top = `${offsetTop - 4}px`
      style.background = color
    })
  }
}
