/** The report's style sheet. Colours after Okabe and Ito (2008), which people with colour blindness tell apart. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fbfaf8; --card: #ffffff; --ink: #1c1f23; --soft: #5b636d; --faint: #8a929c; --line: #e2e0db; --hair: #efedea;
  --good: #00714f; --good-ground: #e8f4ef; --bad: #a63d00; --bad-ground: #fbeee6; --accent: #0b5c9a;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b0538f; --c4: #b57f00; --c5: #3f97cf; --c6: #6b6b6b; --c7: #7a4fb5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1b1f24; --ink: #e8eaed; --soft: #a7b0ba; --faint: #7d8691; --line: #30363d; --hair: #262b31;
    --good: #4fd0a2; --good-ground: #16302a; --bad: #ff9a5c; --bad-ground: #38231a; --accent: #6cb6f2;
    --c0: #4aa8e8; --c1: #ff8a3d; --c2: #35c99a; --c3: #e38fc4; --c4: #e6ad2e; --c5: #8fd0f5; --c6: #a8a8a8; --c7: #b89bea;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 40px 24px 72px; }
header { margin-bottom: 28px; }
.brand { font-size: 13px; letter-spacing: .08em; text-transform: uppercase; color: var(--faint); font-weight: 600; margin: 0 0 6px; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 8px; font-weight: 650; }
h2 { font-size: 22px; letter-spacing: -.01em; margin: 0; font-weight: 650; }
h3 { font-size: 15px; margin: 32px 0 4px; font-weight: 650; }
p { margin: 0 0 10px; } .soft { color: var(--soft); } .note { color: var(--soft); font-size: 13.5px; max-width: 110ch; }
a { color: var(--accent); } nav ul { list-style: none; margin: 14px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 28px; } nav b { font-weight: 600; }
section.robot { margin: 44px 0 0; }
.robot-head { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; margin-bottom: 14px; }
.verdict { border: 1px solid var(--line); border-left: 5px solid var(--good); background: var(--good-ground); border-radius: 10px; padding: 18px 22px; }
.verdict.none { border-left-color: var(--bad); background: var(--bad-ground); }
.verdict .word { font-size: 12px; font-weight: 650; letter-spacing: .07em; text-transform: uppercase; color: var(--good); margin: 0 0 4px; }
.verdict.none .word { color: var(--bad); }
.verdict .choice { font-size: 21px; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; margin: 0 0 6px; overflow-wrap: anywhere; }
.verdict .sentence { margin: 0; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 8px 10px; text-align: right; border-bottom: 1px solid var(--hair); white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
th { font-weight: 600; } thead th { color: var(--soft); font-size: 12.5px; vertical-align: bottom; border-bottom: 1px solid var(--line); }
thead .group { text-align: center; border-bottom: 0; padding-bottom: 0; color: var(--faint); font-size: 11px; letter-spacing: .06em; text-transform: uppercase; }
thead th[title] { cursor: help; white-space: normal; } thead .unit { display: block; white-space: nowrap; font-weight: 400; color: var(--faint); }
.left { text-align: left; } .wrap { white-space: normal; min-width: 26ch; }
tr.chosen > * { background: var(--good-ground); }
.best { font-weight: 700; } .best::after { content: ""; display: inline-block; width: .42em; height: .42em; border-radius: 50%; background: var(--good); margin-left: .3em; vertical-align: .12em; }
.missed-words { color: var(--bad); font-size: 13px; } .warning { color: var(--bad); font-size: 13.5px; margin: 4px 0 10px; max-width: 110ch; }
.missed { color: var(--bad); font-weight: 600; } .missed::after { content: "\\00D7"; margin-left: .2em; }
td:not(.best):not(.missed)::after { content: ""; display: inline-block; width: .72em; } td.left::after, .inside td::after, details td::after { display: none !important; }
.tag { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12px; font-weight: 600; line-height: 1.7; }
.tag.take { background: var(--good); color: var(--card); } .tag.fits { border: 1px solid var(--good); color: var(--good); } .tag.failed { background: var(--bad); color: var(--card); }
.key { font-size: 13px; color: var(--soft); margin: 8px 2px 0; } .key .best, .key .missed { font-weight: 600; }
.swatch { display: inline-block; width: 24px; height: 10px; vertical-align: middle; margin-right: 7px; }
.swatch line { stroke-width: 2.5; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 16px; margin-top: 10px; }
.charts.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
figure { margin: 0; padding: 14px 14px 8px; min-width: 0; } figcaption { font-weight: 600; font-size: 13.5px; margin: 0 2px 2px; }
figcaption span { font-weight: 400; color: var(--soft); }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
svg .grid { stroke: var(--hair); } svg .axis { stroke: var(--faint); } svg .tick { fill: var(--soft); } svg .label { fill: var(--soft); }
svg polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; } svg .mark { stroke: var(--card); stroke-width: 1.2; }
svg .limit { stroke: var(--bad); stroke-dasharray: 2 3; stroke-width: 1.2; } svg .limit-label { fill: var(--bad); font-size: 11px; paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; }
svg .ring { fill: none; stroke: var(--good); stroke-width: 2; } svg .cursor { stroke: var(--ink); stroke-width: 1; opacity: .55; }
svg[data-cursor] { cursor: crosshair; touch-action: pan-y; }
.legend { display: flex; flex-wrap: wrap; gap: 8px; margin: 10px 0 0; }
.legend button { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 99px; padding: 3px 12px 3px 10px; cursor: pointer; }
.legend button[aria-pressed="false"] { opacity: .45; text-decoration: line-through; }
.legend button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.plain-legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; margin: 10px 2px 0; }
.time { display: flex; align-items: center; gap: 14px; margin: 12px 2px 0; font-size: 13.5px; } .time input { flex: 1; max-width: 460px; accent-color: var(--accent); } .time output { font-variant-numeric: tabular-nums; min-width: 9ch; }
.values { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: 12px; font-variant-numeric: tabular-nums; min-height: 1.6em; padding: 2px; color: var(--soft); }
.values b { font-weight: 600; }
details { margin-top: 16px; } details > summary { cursor: pointer; font-weight: 600; padding: 10px 14px; } details[open] > summary { border-bottom: 1px solid var(--hair); }
details .inside { padding: 12px 14px; } details dl { margin: 0; }
dl { display: grid; grid-template-columns: minmax(11ch, 16em) 1fr; gap: 6px 22px; font-size: 14px; } dt { font-weight: 600; } dt code { display: block; font-weight: 400; color: var(--faint); } dd { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } pre { margin: 8px 0 0; padding: 12px 16px; overflow-x: auto; }
sup { font-size: .72em; line-height: 0; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 640px) { main { padding: 24px 14px 48px; } h1 { font-size: 24px; } .verdict { padding: 14px 16px; } .verdict .choice { font-size: 18px; } dl { grid-template-columns: 1fr; gap: 2px; } dd { margin-bottom: 10px; } }
@media print { body { background: #fff; } .card, figure, .verdict { break-inside: avoid; } .time { display: none; } }
`
