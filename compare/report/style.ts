import { featureStyle } from '../picture/features.ts'
import { owners, shades } from '../picture/forces.ts'

/** Hues of bodies in drawings, and of what stands around them, in light and in dark. */
const bodies = {
  light: ['#b4c7d9', '#e2c592', '#afd4b4', '#d3b6d6', '#d9d5cb'],
  dark: ['#7f97ae', '#b3975f', '#76a37d', '#a184a6', '#6f6b63'],
} as const

/** Faces that the light reaches less are darker: shade k of a hue. */
function shaded(hex: string, k: number): string {
  const part = 1 - (0.52 * k) / (shades - 1)
  const channel = (from: number) => Math.round(part * Number.parseInt(hex.slice(from, from + 2), 16))
  return `#${[1, 3, 5].map((from) => channel(from).toString(16).padStart(2, '0')).join('')}`
}

const names = [...Array.from({ length: owners }, (_, o) => `o${o}`), 'fixture']
const bodyColors = (hues: readonly string[]) =>
  names.flatMap((name, i) => Array.from({ length: shades }, (_, k) => `--${name}-${k}: ${shaded(hues[i], k)};`)).join(' ')
const bodyClasses = names
  .flatMap((name) =>
    Array.from({ length: shades }, (_, k) => `.face.${name}.k${k} { fill: var(--${name}-${k}); stroke: var(--${name}-${k}); }`),
  )
  .join('\n')

/** What pictures and pages name their colours by. */
export const light = `
  --ground: #fbfaf8; --card: #ffffff; --ink: #1c1f23; --soft: #545c66; --faint: #666e78; --line: #dedbd5; --hair: #eeece8;
  --good: #00694a; --good-ground: #e9f5f0; --bad: #a03a00; --bad-ground: #fbeee6; --accent: #0b5c9a; --force: #b0125f;
  --c0: #0072b2; --c1: #c75300; --c2: #00855f; --c3: #b0538f; --c4: #976a00; --c5: #2f87b8; --c6: #6b6b6b; --c7: #7a4fb5; --c8: #00707c; --c9: #8a4b2a; --c10: #6a7300; --c11: #b8304f;
  --floor: #f1eee8; --floor-line: #d8d3c9; --edge: #25303a; ${featureStyle.light} ${bodyColors(bodies.light)}`
export const dark = `
  --ground: #14171a; --card: #1b1f24; --ink: #e8eaed; --soft: #a7b0ba; --faint: #929ba6; --line: #343a42; --hair: #262b31;
  --good: #4fd0a2; --good-ground: #16302a; --bad: #ff9a5c; --bad-ground: #38231a; --accent: #6cb6f2; --force: #ff7ab8;
  --c0: #4aa8e8; --c1: #ff8a3d; --c2: #35c99a; --c3: #e38fc4; --c4: #e6ad2e; --c5: #8fd0f5; --c6: #a8a8a8; --c7: #b89bea; --c8: #4fd0dc; --c9: #d3956f; --c10: #c0cc45; --c11: #ff8097;
  --floor: #23282e; --floor-line: #353c45; --edge: #0b0d0f; ${featureStyle.dark} ${bodyColors(bodies.dark)}`

/** Of robots, forces and feature contacts in pictures. */
export const drawingRules = `.robot-picture .face { stroke-width: .5; stroke-linejoin: round; } .robot-picture .fixture:not(.terrain) { opacity: .72; } .robot-picture .floor { fill: var(--floor); }
${bodyClasses}
.robot-picture .line { fill: none; stroke-linecap: round; stroke-linejoin: round; } .grid-line { stroke: var(--floor-line); stroke-width: .8; }
.outline { stroke: var(--edge); stroke-width: 1.1; } .edge { stroke: var(--edge); stroke-width: .6; opacity: .8; } .of-fixture { stroke-width: .8; opacity: .6; }
.robot-picture .shaft { stroke: var(--force); stroke-width: 2.2; } .robot-picture .halo { stroke: var(--card); stroke-width: 4.4; opacity: .8; } .robot-picture .tip { fill: var(--force); stroke: none; }
.robot-picture .point { fill: var(--force); stroke: var(--card); stroke-width: .8; } .between .shaft { stroke-width: 1.4; } .crowded .shaft { stroke-width: 1.2; } .crowded .halo { display: none; } .crowded .point { r: 1.4px; stroke: none; }
.force-label { font-size: 12px; font-weight: 650; text-anchor: middle; fill: var(--ink); paint-order: stroke; stroke: var(--card); stroke-width: 3.5px; stroke-linejoin: round; }
.scale { fill: none; stroke: var(--soft); stroke-width: 1.2; } .scale-label { font-size: 11px; fill: var(--soft); paint-order: stroke; stroke: var(--card); stroke-width: 3px; } .leader { stroke: var(--soft); stroke-width: .8; }
${featureStyle.rules.trim()}`

/** The report's style sheet. Colours after Okabe and Ito (2008), which people with colour blindness tell apart. */
export const style = `
:root { color-scheme: light dark; ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1240px; padding: 36px 24px 64px; background: var(--ground); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header { margin-bottom: 24px; }
.brand { font-size: 13px; letter-spacing: .08em; text-transform: uppercase; color: var(--faint); font-weight: 600; margin: 0 0 6px; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 8px; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 22px; letter-spacing: -.01em; margin: 0 0 12px; font-weight: 650; overflow-wrap: anywhere; }
h3 { font-size: 17px; margin: 36px 0 6px; font-weight: 650; }
p { margin: 0 0 10px; } .soft { color: var(--soft); } header .soft, .note { max-width: 110ch; } .note { color: var(--soft); font-size: 13.5px; }
a { color: var(--accent); }
section.robot, section.again, main > section { margin: 40px 0 0; }
.verdict { border: 1px solid var(--line); border-left: 5px solid var(--good); background: var(--good-ground); border-radius: 10px; padding: 18px 22px; }
.verdict.none { border-left-color: var(--bad); background: var(--bad-ground); }
.verdict .word { font-size: 12px; font-weight: 650; letter-spacing: .07em; text-transform: uppercase; color: var(--good); margin: 0 0 4px; }
.verdict.none .word { color: var(--bad); }
.verdict .choice { font-size: 23px; line-height: 1.3; font-weight: 500; letter-spacing: -.01em; margin: 0 0 8px; overflow-wrap: anywhere; } .verdict .choice b { font-weight: 700; }
.verdict .sentence { margin: 0 0 8px; max-width: 118ch; overflow-wrap: anywhere; } .verdict > :last-child { margin-bottom: 0; }
.fallen { font-size: 14px; } .fallen p { margin: 10px 0 2px; font-weight: 600; color: var(--bad); } .fallen ul, .failures { margin: 0; padding-left: 1.2em; } .fallen li { overflow-wrap: anywhere; }
.failures { color: var(--bad); font-size: 13.5px; margin: 8px 0 0; } .failures b { font-weight: 600; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.scroll { overflow-x: auto; position: relative; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
caption { text-align: left; padding: 10px 12px 4px; color: var(--soft); font-size: 13px; }
header .scroll { margin-top: 16px; } header caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: 8px 10px; text-align: right; border-bottom: 1px solid var(--hair); white-space: nowrap; vertical-align: baseline; }
tbody tr:last-child > * { border-bottom: 0; }
th { font-weight: 600; } thead th { color: var(--soft); font-size: 12.5px; vertical-align: bottom; border-bottom: 1px solid var(--line); }
thead .group { text-align: center; border-bottom: 0; padding-bottom: 0; color: var(--faint); font-size: 11px; letter-spacing: .06em; text-transform: uppercase; }
thead th[title] { cursor: help; white-space: normal; } thead .unit { display: block; white-space: nowrap; font-weight: 400; color: var(--faint); }
tbody th:first-child { position: sticky; left: 0; background: var(--card); z-index: 1; }
.left { text-align: left; } .wrap { white-space: normal; min-width: 24ch; }
tr.next > * { border-top: 1px solid var(--line); } tr.chosen > *, tr.chosen > th:first-child { background: var(--good-ground); }
.range { display: block; font-size: 11.5px; font-weight: 400; color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.main-table .figure::after { content: ""; display: inline-block; width: .8em; }
.best, .best .figure { font-weight: 700; } .main-table .best .figure::after, .key .best::after { content: ""; display: inline-block; width: .42em; height: .42em; border-radius: 50%; background: var(--good); margin-left: .3em; vertical-align: .12em; } .main-table .best .figure::after { margin-right: .08em; }
.missed, .missed .figure { color: var(--bad); font-weight: 600; } .main-table .missed .figure::after, .key .missed::after { content: "\\00D7"; text-align: right; }
.key .missed::after { margin-left: .25em; }
.missed-words { color: var(--bad); font-size: 13px; font-weight: 500; } .warning { color: var(--bad); font-size: 13.5px; margin: 8px 0 10px; max-width: 110ch; }
.idle { color: var(--faint); font-style: italic; }
.tag { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12px; font-weight: 600; line-height: 1.7; }
.tag.take { background: var(--good); color: var(--card); } .tag.fits { border: 1px solid var(--good); color: var(--good); } .tag.failed { background: var(--bad); color: var(--card); }
.key { font-size: 13px; color: var(--soft); margin: 8px 2px 0; }
.swatch { display: inline-block; width: 24px; height: 10px; vertical-align: middle; margin-right: 7px; }
.swatch line { stroke-width: 2.5; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 16px; margin-top: 10px; }
.charts.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.charts.pictures { grid-template-columns: repeat(auto-fit, minmax(min(100%, 270px), 1fr)); }
figure { margin: 0; padding: 14px 14px 8px; min-width: 0; } figcaption { font-weight: 600; font-size: 14px; margin: 0 2px 4px; }
figcaption > span:not(.tag) { display: block; font-weight: 400; font-size: 13px; color: var(--soft); }
figure.chosen { border: 2px solid var(--good); padding: 13px 13px 7px; } figure.missing .note { margin-top: 20px; }
.loads { margin-top: 12px; } .card + .note { margin-top: 8px; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
svg .grid { stroke: var(--hair); } svg .axis { stroke: var(--faint); } svg .tick { fill: var(--soft); } svg .label { fill: var(--soft); }
svg polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; } svg .mark { stroke: var(--card); stroke-width: 1.2; }
svg .within { fill: var(--good); opacity: .06; }
svg .limit { stroke: var(--bad); stroke-dasharray: 2 3; stroke-width: 1.2; } svg .limit-label { fill: var(--bad); font-size: 11px; paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; }
svg polyline.guide { stroke: var(--faint); stroke-width: 1; } svg .guide-label { fill: var(--faint); font-size: 11px; }
svg .ring { fill: none; stroke: var(--good); stroke-width: 2; } svg .cursor { stroke: var(--ink); stroke-width: 1; opacity: .55; }
svg .dots circle { stroke: var(--card); stroke-width: 1; }
svg .broken circle { fill: var(--card); stroke: var(--bad); stroke-width: 1.6; } svg .broken path { stroke: var(--bad); stroke-width: 1.8; fill: none; }
svg[data-cursor] { cursor: crosshair; touch-action: pan-y; }
${drawingRules}
.controls { position: sticky; top: 0; z-index: 3; background: var(--ground); padding: 4px 0 8px; }
.legend { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 0; }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 99px; padding: 3px 12px 3px 10px; cursor: pointer; }
.legend button[aria-pressed="false"] { color: var(--faint); border-style: dashed; } .legend button[aria-pressed="false"] .swatch { opacity: .35; }
.moments button[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); font-weight: 600; } .moments button[aria-pressed="false"] { border-style: solid; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.time { display: flex; align-items: center; gap: 14px; margin: 10px 2px 0; font-size: 13.5px; } .time input { flex: 1; min-width: 0; max-width: 460px; accent-color: var(--accent); } .time output { font-variant-numeric: tabular-nums; min-width: 9ch; }
.values { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: 12px; font-variant-numeric: tabular-nums; min-height: 1.6em; padding: 2px; color: var(--soft); }
.values b { font-weight: 650; color: var(--ink); } .values i { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 5px; }
details { margin-top: 14px; } details > summary { cursor: pointer; font-weight: 600; padding: 10px 14px; } details[open] > summary { border-bottom: 1px solid var(--hair); }
.inside { padding: 12px 14px; } p.inside { margin: 0; } details dl { margin: 0; }
dl { display: grid; grid-template-columns: minmax(11ch, 16em) 1fr; gap: 6px 22px; font-size: 14px; } dl.facts { grid-template-columns: max-content 1fr; margin: 14px 2px; } dt { font-weight: 600; } dt code { display: block; font-weight: 400; color: var(--faint); } dd { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } pre { margin: 0; padding: 12px 16px; overflow-x: auto; }
.command { display: flex; align-items: flex-start; } .command pre { flex: 1; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere; } .command .copy { margin: 9px 10px; }
sup { font-size: .72em; line-height: 0; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 640px) { body { padding: 24px 14px 48px; } h1 { font-size: 24px; } .verdict { padding: 14px 16px; } .verdict .choice { font-size: 19px; } dl, dl.facts { grid-template-columns: 1fr; gap: 2px; } dd { margin-bottom: 10px; } figure { padding: 12px 8px 6px; } .controls { position: static; } tbody th:first-child { max-width: 46vw; white-space: normal; } .wide-table tbody th:first-child { position: static; } }
@page { size: A4; margin: 14mm 13mm 16mm; }
@media print {
  :root { --ground: #ffffff; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; } h1 { font-size: 18pt; } h2 { font-size: 14pt; } h3 { font-size: 11.5pt; margin-top: 18pt; } .verdict .choice { font-size: 14pt; }
  h2, h3, summary, figcaption, caption { break-after: avoid; } figure, .verdict, tr { break-inside: avoid; } section.robot + section.robot { break-before: page; }
  .scroll { overflow: visible; } table { font-size: 7.4pt; } th, td { padding: 3pt; } thead th, thead .group, .range, .tag, .missed-words, caption, .key { font-size: 6.6pt; } thead .unit { white-space: normal; } tbody th:first-child { position: static; white-space: normal; } .swatch { width: 16px; margin-right: 3px; } td.left .soft { font-size: 6.6pt; } .main-table td.left { white-space: normal; }
  .wide-table th:nth-child(n+4):not(:last-child), .wide-table td:nth-child(n+4):not(:last-child) { display: none; }
  .charts, .charts.pictures { grid-template-columns: repeat(3, 1fr); gap: 8pt; } .charts.two { grid-template-columns: 1fr 1fr; } figure, figure.chosen { padding: 5pt; } figcaption { font-size: 8.5pt; } figcaption > span:not(.tag) { font-size: 7.5pt; } .note, .fallen, .warning, .failures { font-size: 8pt; } .wrap { min-width: 0; } dl { font-size: 8pt; } .legend button { font-size: 7.5pt; padding: 1pt 5pt; }
  .controls { position: static; } .time, .copy, .moments { display: none; } .values { font-size: 7pt; } .cursor, .dots { display: none; } pre { white-space: pre-wrap; font-size: 7.5pt; }
}
`
