/** The script of a report: tabs, replays, charts, a command that is copied. */

import uPlotStyle from 'uplot/dist/uPlot.min.css?inline'
import type { PageData } from '../../compare/recording/replay/index.ts'
import { language } from '../plots/locale.ts'
import { Player } from './player.ts'
import { Runs } from './runs.ts'

const style = document.createElement('style')
style.textContent = uPlotStyle
document.head.append(style)

const data = JSON.parse(document.getElementById('replay-data')?.textContent ?? 'null') as PageData | null
const players: Player[] = []
if (data) {
  const runs = new Runs(data)
  for (const host of document.querySelectorAll<HTMLElement>('.replay'))
    players.push(new Player(host, data.subjects[Number(host.dataset.subject)], runs))
}

let before = performance.now()
const draw = (now: number) => {
  requestAnimationFrame(draw)
  const seconds = Math.min((now - before) / 1000, 0.1) // a page that was hidden does not catch up
  before = now
  for (const player of players) player.tick(seconds)
}
requestAnimationFrame(draw)

/** One scene at a time, where there are several. */
const tabs = [...document.querySelectorAll<HTMLButtonElement>('.scenes [role=tab]')]
const sections = [...document.querySelectorAll<HTMLElement>('section.subject')]
const select = (index: number) => {
  tabs.forEach((tab, i) => {
    tab.ariaSelected = String(i === index)
    tab.tabIndex = i === index ? 0 : -1
  })
  sections.forEach((section, i) => {
    section.hidden = i !== index
  })
}
if (tabs.length > 0) {
  document.body.classList.add('tabbed')
  const byHash = sections.findIndex(({ id }) => `#${id}` === location.hash)
  select(Math.max(0, byHash))
  tabs.forEach((tab, i) => {
    tab.onclick = () => select(i)
    tab.onkeydown = ({ key }) => {
      const next = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[key]
      if (next === undefined || !tabs[next]) return
      select(next)
      tabs[next].focus()
    }
  })
}

/** Tables that are wider than the page say so. */
const wide = new ResizeObserver((entries) => {
  for (const { target } of entries) target.parentElement?.classList.toggle('is-wide', target.scrollWidth > target.clientWidth + 1)
})
for (const box of document.querySelectorAll('.wide > .scroll')) wide.observe(box)

for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy'))
  button.onclick = async () => {
    const code = button.parentElement?.querySelector('code')
    if (!code) return
    getSelection()?.selectAllChildren(code)
    const copied = await navigator.clipboard.writeText(code.textContent ?? '').then(
      () => true,
      () => document.execCommand('copy'),
    )
    button.textContent = copied ? 'copied' : 'press Ctrl+C'
  }

// printed, everything is unfolded
let folded: HTMLDetailsElement[] = []
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')]
  for (const details of folded) details.open = true
  for (const section of sections) section.hidden = false
})
addEventListener('afterprint', () => {
  for (const details of folded) details.open = false
  if (tabs.length > 0) select(tabs.findIndex(({ ariaSelected }) => ariaSelected === 'true'))
})

Object.assign(window, { featherbedReport: { players, language } })
