/** What the report does when its reader points at something: a cursor that all time series of a robot share, lines that hide. */
export const script = `
'use strict';
for (const robot of document.querySelectorAll('section.robot')) {
  const data = JSON.parse(robot.querySelector('script[type="application/json"]').textContent);
  const charts = [...robot.querySelectorAll('svg[data-cursor]')];
  const slider = robot.querySelector('.time input');
  const output = robot.querySelector('.time output');
  const hidden = new Set();
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
  const show = (t) => {
    output.textContent = 't = ' + t.toFixed(3) + ' s';
    for (const svg of charts) {
      const [from, to] = svg.dataset.cursor.split(' ').map(Number);
      const line = svg.querySelector('.cursor');
      const x = data.left + (t - from) / (to - from) * (data.width - data.left - data.right);
      line.setAttribute('x1', x); line.setAttribute('x2', x); line.setAttribute('visibility', 'visible');
      const values = svg.parentElement.querySelector('.values');
      values.textContent = '';
      for (const run of data.runs) {
        const series = run.series[svg.dataset.series];
        if (hidden.has(run.id) || !series || series.t.length === 0 || t > series.t[series.t.length - 1] + 1e-9) continue;
        const item = document.createElement('span');
        const value = document.createElement('b');
        value.textContent = number(series.y[nearest(t, series.t)]);
        item.append(run.name + ' ', value);
        item.style.color = run.color;
        values.append(item);
      }
    }
  };
  let now = null;
  const move = (t) => { now = t; slider.value = t; show(t); };
  for (const svg of charts) {
    const point = (event) => {
      const [from, to] = svg.dataset.cursor.split(' ').map(Number);
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * data.width;
      const t = from + (x - data.left) / (data.width - data.left - data.right) * (to - from);
      move(Math.min(to, Math.max(from, t)));
    };
    svg.addEventListener('pointermove', point);
    svg.addEventListener('pointerdown', point);
  }
  slider.addEventListener('input', () => move(Number(slider.value)));
  for (const button of robot.querySelectorAll('.legend button')) {
    button.addEventListener('click', () => {
      const id = button.dataset.toggle;
      if (hidden.has(id)) hidden.delete(id); else hidden.add(id);
      button.setAttribute('aria-pressed', String(!hidden.has(id)));
      for (const line of robot.querySelectorAll('svg[data-cursor] [data-run]')) if (line.dataset.run === id) line.style.display = hidden.has(id) ? 'none' : '';
      if (now !== null) show(now);
    });
  }
}
`
