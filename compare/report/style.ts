/** Colours of models, after Okabe and Ito (2008), safe for colour blindness. */
export const hues = {
  light:
    '--c0: #0072b2; --c1: #c75300; --c2: #00855f; --c3: #b0538f; --c4: #976a00; --c5: #2f87b8; --c6: #6b6b6b; --c7: #7a4fb5; --c8: #00707c; --c9: #8a4b2a; --c10: #6a7300; --c11: #b8304f; --c12: #3d5a98;',
  dark: '--c0: #4aa8e8; --c1: #ff8a3d; --c2: #35c99a; --c3: #e38fc4; --c4: #e6ad2e; --c5: #8fd0f5; --c6: #a8a8a8; --c7: #b89bea; --c8: #4fd0dc; --c9: #d3956f; --c10: #c0cc45; --c11: #ff8097; --c12: #93a9e8;',
} as const
/** Colour names of pages. */
const light = `
  --ground: #fbfaf8; --card: #ffffff; --ink: #1c1f23; --soft: #545c66; --faint: #666e78; --line: #dedbd5; --hair: #eeece8;
  --good: #00694a; --good-ground: #e9f5f0; --bad: #a03a00; --bad-ground: #fbeee6; --accent: #0b5c9a; --stage: #e8eaec;
  ${hues.light}`
const dark = `
  --ground: #14171a; --card: #1b1f24; --ink: #e8eaed; --soft: #a7b0ba; --faint: #929ba6; --line: #343a42; --hair: #262b31;
  --good: #4fd0a2; --good-ground: #16302a; --bad: #ff9a5c; --bad-ground: #38231a; --accent: #6cb6f2; --stage: #15181b;
  ${hues.dark}`

/** The style sheet of reports. */
export const style = `
:root { color-scheme: light dark; ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; } [hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1360px; padding: 20px 28px 64px; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header { margin-bottom: 12px; }
.brand { font-size: 12px; letter-spacing: .08em; text-transform: uppercase; color: var(--faint); font-weight: 600; margin: 0; }
h1 { font-size: 24px; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 8px; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 19px; letter-spacing: -.01em; margin: 0 0 8px; font-weight: 650; overflow-wrap: anywhere; }
h3 { font-size: 16px; margin: 30px 0 6px; font-weight: 650; }
p { margin: 0 0 10px; } .soft { color: var(--soft); } header .soft, .note { max-width: 110ch; } .note { color: var(--soft); font-size: 13.5px; }
a { color: var(--accent); }
body.tabbed .scene-title { display: none; }
main > section + section { margin: 40px 0 0; } body.tabbed section.subject { margin-top: 0; }
.scenes { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0 0; }
.scenes button { display: flex; flex-direction: column; align-items: flex-start; gap: 1px; border-radius: 10px; padding: 8px 14px; font-size: 13px; text-align: left; flex: 1 1 180px; } .scenes b { font-size: 14px; font-weight: 650; }
.scenes span { color: var(--soft); } .scenes button[aria-selected="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.verdict { border: 1px solid var(--line); border-left: 5px solid var(--good); background: var(--good-ground); border-radius: 10px; padding: 14px 20px; }
.verdict.none, .verdict.undecided, .verdict.withheld { border-left-color: var(--bad); background: var(--bad-ground); }
.verdict .choice { font-size: 22px; line-height: 1.3; font-weight: 500; letter-spacing: -.01em; margin: 0 0 4px; overflow-wrap: anywhere; } .verdict .choice b { font-weight: 700; }
.verdict .sentence { margin: 0 0 6px; max-width: 125ch; overflow-wrap: anywhere; } .setting { font-size: 13px; color: var(--soft); } .verdict > :last-child { margin-bottom: 0; }
table.figures { width: auto; margin: 4px 0 8px; } .figures th, .figures td { padding: 2px 22px 2px 0; border: 0; white-space: nowrap; } .figures tbody th:first-child { text-align: left; font-weight: 400; position: static; background: none; } .figures tbody tr:first-child { font-size: 15px; } .figures thead th { padding-bottom: 0; border: 0; } .figures .unit { display: inline; margin-left: .4em; }
table.matrix { width: auto; font-size: 12px; } .matrix th, .matrix td { padding: 3px 7px; } .matrix thead th span { writing-mode: vertical-rl; transform: rotate(180deg); } .matrix .self { background: var(--hair); } .camps { margin: 0 0 8px; padding-left: 1.6em; }
.fallen { margin-top: 6px; font-size: 14px; } details.fallen > summary { font-weight: 500; color: var(--bad); padding: 4px 2px; border: 0; } .fallen ul, .failures { margin: 0; padding-left: 1.4em; } .fallen li { overflow-wrap: anywhere; }
.failures { color: var(--bad); font-size: 13.5px; margin: 8px 0 0; } .failures b { font-weight: 600; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.scroll { overflow-x: auto; position: relative; background: linear-gradient(to right, var(--card) 30%, transparent) left / 60px 100% no-repeat local, linear-gradient(to left, var(--card) 30%, transparent) right / 60px 100% no-repeat local, linear-gradient(to right, rgb(0 0 0 / .16), transparent) left / 14px 100% no-repeat scroll, linear-gradient(to left, rgb(0 0 0 / .16), transparent) right / 14px 100% no-repeat scroll, var(--card); }
.wider { display: none; font-size: 12.5px; color: var(--soft); margin: 0 2px 4px; } .is-wide > .wider { display: block; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13.5px; }
caption { text-align: left; padding: 10px 12px 4px; color: var(--soft); font-size: 13px; }
th, td { padding: 6px 10px; text-align: right; border-bottom: 1px solid var(--hair); white-space: nowrap; vertical-align: baseline; }
.main-table td.left { white-space: normal; min-width: 14em; max-width: 24em; }
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
.kept { color: var(--good); } .broken { color: var(--bad); font-weight: 600; background: color-mix(in srgb, var(--bad) calc(var(--heat) * .35), transparent); }
.idle { color: var(--faint); font-style: italic; }
.tag { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12px; font-weight: 600; line-height: 1.7; }
.tag.take { background: var(--good); color: var(--card); } .tag.fits { border: 1px solid var(--good); color: var(--good); } .tag.failed { background: var(--bad); color: var(--card); }
.key { font-size: 13px; color: var(--soft); margin: 8px 2px 0; }
.swatch { display: inline-block; width: 24px; height: 10px; vertical-align: middle; margin-right: 7px; }
.swatch line { stroke-width: 2.5; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 16px; margin-top: 10px; }
.charts.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
figure { margin: 0; min-width: 0; } figure.card { padding: 14px 14px 8px; } figcaption { font-weight: 600; font-size: 13px; margin: 0 2px 2px; }
figcaption > span:not(.tag) { display: block; font-weight: 400; font-size: 13px; color: var(--soft); }
.card + .note { margin-top: 8px; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
svg .within { fill: var(--good); fill-opacity: .07; } svg .strong { fill: var(--ink); font-weight: 600; } svg .grid { stroke: var(--hair); } svg .axis { stroke: var(--faint); } svg .tick { fill: var(--soft); } svg .label { fill: var(--soft); }
svg polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
button, select { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 99px; padding: 3px 10px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.replay { margin-top: 16px; }
.cast { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-bottom: 8px; min-height: 30px; }
.chip { display: inline-flex; align-items: center; gap: 5px; border: 1px solid var(--line); background: var(--card); border-radius: 99px; padding: 3px 12px; font-size: 13.5px; } .chip.first { font-weight: 650; }
.chip em { font-style: normal; font-weight: 400; color: var(--soft); } .chip em.bad { color: var(--bad); } .chip button { border: 0; background: none; padding: 0 0 0 4px; color: var(--soft); font-size: 15px; line-height: 1; }
i.line { display: inline-block; width: 16px; border-top: 3px solid; vertical-align: .25em; margin-right: 4px; flex: none; } i.line.dashed { border-top-style: dashed; }
.stage-and-charts { display: grid; grid-template-columns: minmax(0, 1.55fr) minmax(0, 1fr); gap: 18px; align-items: start; }
.stage { position: sticky; top: 8px; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--card); }
.view { position: relative; height: min(62vh, 560px); min-height: 300px; background: var(--stage); } .view canvas { display: block; width: 100%; height: 100%; cursor: grab; touch-action: pan-y !important; outline: none; } .view canvas:active { cursor: grabbing; } .view.missing canvas { display: none; }
.view > button { position: absolute; top: 8px; right: 8px; padding: 2px 9px; opacity: .85; }
.labels { position: absolute; inset: 0; pointer-events: none; overflow: hidden; font-size: 13px; } .labels span { position: absolute; transform: translate(-50%, -100%); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 0 7px; white-space: nowrap; opacity: .92; } .view.missing .labels { padding: 20px; color: var(--soft); }
.arrow-scale { position: absolute; left: 12px; bottom: 10px; font-size: 12px; color: var(--soft); pointer-events: none; } .arrow-scale i { display: block; border-top: 2px solid currentColor; position: relative; } .arrow-scale i::after { content: ""; position: absolute; right: -2px; top: -5px; border: 4px solid transparent; border-left: 7px solid currentColor; border-right: 0; }
.transport { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; padding: 8px 10px; font-size: 13px; border-top: 1px solid var(--line); } .timeline { position: relative; flex: 1 1 160px; min-width: 90px; display: flex; } .timeline input { flex: 1; min-width: 0; margin: 0; accent-color: var(--accent); } .marks { position: absolute; inset: -3px 8px auto; height: 0; } .marks button { position: absolute; width: 12px; height: 12px; padding: 0; border: 2px solid var(--card); border-radius: 50% 50% 50% 0; transform: translate(-50%, -50%) rotate(-45deg); cursor: pointer; } .transport output { font-variant-numeric: tabular-nums; min-width: 7ch; text-align: right; } .transport label { white-space: nowrap; color: var(--soft); }
.play { width: 38px; height: 30px; padding: 0; display: grid; place-items: center; background: var(--accent); border-color: var(--accent); color: var(--card); } .play::before { content: ""; border: 6px solid transparent; border-left: 10px solid currentColor; border-right: 0; margin-left: 2px; } .play.playing::before { border: 0; border-left: 4px solid; border-right: 4px solid; width: 12px; height: 12px; margin: 0; }
.over-time { display: grid; gap: 8px; min-width: 0; } .over-time figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 6px 8px 4px; } .u-over { cursor: crosshair; }
.values { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: 12px; font-variant-numeric: tabular-nums; min-height: 1.5em; padding: 0 2px; color: var(--soft); } .values b { font-weight: 650; color: var(--ink); }
.main-table td.own { white-space: nowrap; min-width: 0; } .failures details { margin: 2px 0 4px; } .failures summary { padding: 0; border: 0; font-weight: 500; }
.answer { margin-bottom: 20px; } .answer h3 { margin-top: 12px; } .answer ul { margin: 0 0 12px; padding-left: 1.3em; } .maps { display: flex; flex-wrap: wrap; gap: 14px; } .maps figcaption { max-width: 60ch; } .maps .note { margin: 0; }
.work-precision { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 16px; } .work-precision figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 10px 6px; }
details { margin-top: 12px; } details > summary { cursor: pointer; font-weight: 600; padding: 9px 14px; } details[open] > summary { border-bottom: 1px solid var(--hair); }
.inside { padding: 12px 14px; } p.inside { margin: 0; } details dl { margin: 0; }
dl { display: grid; grid-template-columns: minmax(11ch, 16em) 1fr; gap: 6px 22px; font-size: 14px; } dl.facts { grid-template-columns: max-content 1fr; margin: 14px 2px; } dt { font-weight: 600; } dt code { display: block; font-weight: 400; color: var(--faint); } dd { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } pre { margin: 0; padding: 12px 16px; overflow-x: auto; }
.command { display: flex; align-items: flex-start; } .command pre { flex: 1; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere; } .command .copy { margin: 9px 10px; }
sup { font-size: .72em; line-height: 0; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 900px) { .stage-and-charts { grid-template-columns: minmax(0, 1fr); } .stage { position: static; } .view { height: 52vh; } }
@media (max-width: 640px) { table.figures { width: 100%; font-size: 12px; } .figures th, .figures td { padding-right: 6px; white-space: normal; } .figures tbody tr:first-child { font-size: 12px; } .figures .unit { display: block; margin: 0; } body { padding: 14px 14px 48px; } h1 { font-size: 20px; } .verdict { padding: 12px 14px; } .verdict .choice { font-size: 18px; } .verdict .sentence { font-size: 14px; } .setting { font-size: 12.5px; } .scenes button { flex: 1 1 140px; padding: 6px 10px; } dl, dl.facts { grid-template-columns: 1fr; gap: 2px; } dd { margin-bottom: 10px; } tbody th:first-child { max-width: 46vw; white-space: normal; } .wide-table tbody th:first-child { position: static; } .view { height: 42vh; min-height: 260px; } }
@page { size: A4; margin: 14mm 13mm 16mm; }
@media print {
  body.tabbed .scene-title { display: block; }
  :root { --ground: #ffffff; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; } h1 { font-size: 18pt; } h2 { font-size: 14pt; } h3 { font-size: 11.5pt; margin-top: 18pt; } .verdict .choice { font-size: 14pt; }
  h2, h3, summary, figcaption, caption { break-after: avoid; } figure, .verdict, tr { break-inside: avoid; } section.subject + section.subject { break-before: page; }
  .scroll { overflow: visible; background: none; } table { font-size: 7.4pt; } th, td { padding: 3pt; } thead th, thead .group, .range, .tag, .missed-words, caption, .key { font-size: 6.6pt; } thead .unit { white-space: normal; } tbody th:first-child { position: static; white-space: normal; } .swatch { width: 16px; margin-right: 3px; } td.left .soft { font-size: 6.6pt; } .main-table td.left { white-space: normal; }
  .wide-table th:nth-child(n+4):not(:last-child), .wide-table td:nth-child(n+4):not(:last-child) { display: none; }
  .charts.two { grid-template-columns: 1fr 1fr; } figcaption { font-size: 8.5pt; } .note, .fallen, .warning, .failures { font-size: 8pt; } .wrap { min-width: 0; } dl { font-size: 8pt; }
  .stage { position: static; } .cast select, .transport, .copy, .scenes { display: none; } .values { font-size: 7pt; } pre { white-space: pre-wrap; font-size: 7.5pt; }
}
`
