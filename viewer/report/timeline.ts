import { type ShownRun, styleColor } from './runs.ts'

/** The time of a replay: a slider, and bookmarks over it where the shown runs part, break a law or break off. */
export function createTimeline(duration: number, seek: (t: number) => void) {
  const [element, marks] = [document.createElement('div'), document.createElement('div')]
  const slider = Object.assign(document.createElement('input'), { type: 'range', min: '0', max: String(duration) })
  Object.assign(slider, { step: String(duration / 1000), ariaLabel: 'Time', oninput: () => seek(Number(slider.value)) })
  ;[element.className, marks.className] = ['timeline', 'marks']
  element.append(marks, slider)
  return {
    element,
    setTime(t: number) {
      slider.value = String(t)
    },
    show(runs: readonly ShownRun[]) {
      const all = runs.flatMap(({ run, name }) => run.marks.map((mark) => ({ ...mark, name, color: run.color })))
      const buttons = all
        .toSorted((a, b) => a.t - b.t)
        .map(({ t, text, name, color }) => {
          const title = `${Number(t.toPrecision(4))} s, ${name}: ${text} ([ and ] go from mark to mark)`
          const own = { type: 'button', title, ariaLabel: title, value: String(t), onclick: () => seek(t) } as const
          const mark = Object.assign(document.createElement('button'), own)
          Object.assign(mark.style, { left: `${(100 * t) / duration}%`, background: styleColor(`--c${color}`) })
          return mark
        })
      marks.replaceChildren(...buttons)
    },
    /** Goes to the next mark behind the shown time, or the one before it. */
    step(direction: 1 | -1) {
      const ahead = [...marks.children]
        .map((mark) => Number((mark as HTMLButtonElement).value))
        .filter((t) => direction * (t - Number(slider.value)) > duration / 1000)
      if (ahead.length > 0) seek(direction * Math.min(...ahead.map((t) => direction * t)))
    },
  }
}
