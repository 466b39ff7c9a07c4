/**
 * What the report does when its reader points at something: a cursor that all time series of a robot share, lines that hide,
 * moments that are chosen, a command that is copied; and for the printer, everything unfolded.
 */
export const script = `
'use strict';
const number = (x) => {
  if (x === undefined || x === null) return '\\u2013';
  if (x === 0) return '0';
  const size = Math.abs(x);
  return (size < 1e-3 || size >= 1e5 ? x.toExponential(2) : String(Number(x.toPrecision(3)))).replace('-', '\\u2212');
};
const nearest = (t, list) => {
  let low = 0, high = list.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (list[middle] <= t) low = middle; else high = middle; }
  return t - list[low] <= list[high] - t ? low : high;
};
for (const robot of document.querySelectorAll('section.robot')) {
  const source = robot.querySelector('script.series');
  if (!source) continue;
  const data = JSON.parse(source.textContent);
  const charts = [...robot.querySelectorAll('svg[data-cursor]')].map((svg) => {
    const [from, to] = svg.dataset.cursor.split(' ').map(Number);
    const [low, high] = svg.dataset.y.split(' ').map(Number);
    const log = svg.dataset.log === '1';
    const f = log ? Math.log10 : (x) => x;
    const place = (y) => data.height - data.bottom - (f(log ? Math.max(y, low) : y) - f(low)) / (f(high) - f(low)) * (data.height - data.bottom - data.top);
    const dots = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    dots.setAttribute('class', 'dots');
    svg.append(dots);
    return { svg, from, to, place, dots, key: svg.dataset.series, line: svg.querySelector('.cursor'), values: svg.parentElement.querySelector('.values') };
  });
  const slider = robot.querySelector('.time input');
  const output = robot.querySelector('.time output');
  const off = { model: new Set(), step: new Set() };
  for (const kind of ['model', 'step'])
    for (const button of robot.querySelectorAll('.legend button[data-' + kind + '][aria-pressed="false"]')) off[kind].add(button.dataset[kind]);
  const isShown = (id) => { const [model, step] = id.split('-'); return !off.model.has(model) && !off.step.has(step); }; // a line over all steps has no step
  const show = (t) => {
    output.textContent = 't = ' + t.toFixed(3) + ' s';
    for (const { svg, from, to, place, dots, key, line, values } of charts) {
      const x = data.left + (t - from) / (to - from) * (data.width - data.left - data.right);
      line.setAttribute('x1', x); line.setAttribute('x2', x); line.setAttribute('visibility', 'visible');
      dots.textContent = '';
      values.textContent = '';
      for (const run of data.runs) {
        const series = run.series[key];
        if (!isShown(run.id) || !series || series.t.length === 0) continue;
        const item = document.createElement('span');
        const value = document.createElement('b');
        const ended = t > series.t[series.t.length - 1] + 1e-6 * (to - from) + (run.broken ? 0 : (to - from) / 100);
        const y = ended ? null : series.y[nearest(t, series.t)];
        value.textContent = ended ? (run.broken ? 'broke off' : '\\u2013') : number(y) + '\\u00a0' + data.units[key];
        const mark = document.createElement('i');
        mark.style.background = run.color;
        item.append(mark, run.name + ' ', value);
        values.append(item);
        if (y === null) continue;
        const at = place(y);
        if (!(at >= data.top - 1 && at <= data.height - data.bottom + 1)) continue;
        const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
        dot.setAttribute('cx', x); dot.setAttribute('cy', at); dot.setAttribute('r', 3.4); dot.style.fill = run.color;
        dots.append(dot);
      }
    }
  };
  let now = Number(slider.max);
  const move = (t) => { now = Math.min(Number(slider.max), Math.max(0, t)); slider.value = now; show(now); };
  for (const { svg, from, to } of charts) {
    const point = (event) => {
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * data.width;
      move(from + (x - data.left) / (data.width - data.left - data.right) * (to - from));
    };
    svg.addEventListener('pointermove', point);
    svg.addEventListener('pointerdown', point);
    svg.addEventListener('keydown', (event) => {
      const step = (to - from) / (event.shiftKey ? 20 : 200);
      const target = { ArrowLeft: now - step, ArrowRight: now + step, Home: from, End: to }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      move(target);
    });
  }
  slider.addEventListener('input', () => move(Number(slider.value)));
  for (const kind of ['model', 'step'])
    for (const button of robot.querySelectorAll('.legend button[data-' + kind + ']')) {
      button.addEventListener('click', () => {
        const id = button.dataset[kind];
        if (off[kind].has(id)) off[kind].delete(id); else off[kind].add(id);
        for (const same of robot.querySelectorAll('.legend button[data-' + kind + '="' + id + '"]')) same.setAttribute('aria-pressed', String(!off[kind].has(id)));
        for (const line of robot.querySelectorAll('svg [data-run]')) line.style.display = isShown(line.dataset.run) ? '' : 'none';
        show(now);
      });
    }
  move(now);
}
for (const section of document.querySelectorAll('.forces-section'))
  for (const button of section.querySelectorAll('.moments button'))
    button.addEventListener('click', () => {
      for (const other of section.querySelectorAll('.moments button')) other.setAttribute('aria-pressed', String(other === button));
      for (const block of section.querySelectorAll('.moment')) block.hidden = block.dataset.moment !== button.dataset.moment;
    });
for (const button of document.querySelectorAll('button.copy'))
  button.addEventListener('click', async () => {
    const text = button.parentElement.querySelector('code');
    const range = document.createRange();
    range.selectNodeContents(text);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    let copied = false;
    try { await navigator.clipboard.writeText(text.textContent); copied = true; } catch { copied = document.execCommand('copy'); }
    button.textContent = copied ? 'copied' : 'selected: press Ctrl+C';
    setTimeout(() => { button.textContent = 'copy'; }, 2000);
  });
addEventListener('beforeprint', () => { for (const part of document.querySelectorAll('details:not([open])')) { part.open = true; part.dataset.closed = ''; } });
addEventListener('afterprint', () => { for (const part of document.querySelectorAll('details[data-closed]')) { part.open = false; delete part.dataset.closed; } });
`
