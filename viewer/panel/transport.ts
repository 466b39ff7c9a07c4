import type { Session } from '../runs/session.ts'
import { TimeMarks } from '../runs/timeMarks.ts'

/** Play, pause, step, scrub and speed, by button and by key. */
export class Transport {
  private readonly session: Session
  private readonly play = element<HTMLButtonElement>('play')
  private readonly scrub = element<HTMLInputElement>('scrub')
  private readonly time = element<HTMLOutputElement>('time')
  private readonly speed = element<HTMLSelectElement>('speed')
  private readonly pace = element('pace')
  private readonly marks = new TimeMarks(this.scrub)

  constructor(session: Session) {
    this.session = session
    this.play.onclick = () => this.toggle()
    element('restart').onclick = () => session.restart()
    element('back').onclick = () => session.stepBy(-1)
    element('step').onclick = () => session.stepBy(1)
    this.scrub.oninput = () => session.scrub(Number(this.scrub.value))
    this.speed.onchange = () => {
      session.speed = Number(this.speed.value)
    }
  }

  toggle(): void {
    if (this.session.playing) this.session.pause()
    else this.session.play()
  }

  faster(by: 1 | -1): void {
    this.speed.selectedIndex = Math.min(Math.max(this.speed.selectedIndex + by, 0), this.speed.options.length - 1)
    this.session.speed = Number(this.speed.value)
  }

  update(): void {
    const { session, play, scrub, time } = this
    play.classList.toggle('playing', session.playing)
    const label = session.playing ? 'Pause' : 'Play'
    if (play.ariaLabel !== label) play.ariaLabel = label
    // the record reaches ahead of the picture while it plays; the bar ends at the last step seen or visible
    scrub.min = String(session.firstStep)
    scrub.max = String(session.lastStep)
    scrub.value = String(session.step)
    const text = `${session.time.toFixed(3)} s`
    if (time.value !== text) time.value = text
    scrub.ariaValueText = text
    this.marks.update(session)
    this.showPace()
  }

  /** How fast time goes where that is not the requested rate: a machine has fewer cores than there may be runs. */
  private showPace(): void {
    const { pace = Number.NaN, speed, playing, lanes } = this.session
    this.pace.hidden = !playing || !(pace < 0.9 * speed)
    if (this.pace.hidden) return
    const text = `${Number(pace.toPrecision(2))}× real time`
    if (this.pace.textContent !== text) this.pace.textContent = text
    const cores = navigator.hardwareConcurrency
    this.pace.title = `the slowest of ${lanes.length} run${lanes.length === 1 ? '' : 's'} on ${cores} core${cores === 1 ? '' : 's'} sets the pace`
  }
}

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}
