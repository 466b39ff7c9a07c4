/*
 * node --import ./scripts/typescript.mjs bench/wheelSides.ts
 *
 * What the number of sides of the prism that stands for a wheel does to the way it rolls over a flat box under `peg`: prints the table of
 * docs/peg-wheels.md and writes docs/images/peg-wheels.svg. Beside it stands the rimless wheel's closed form.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chart, logRange } from '../compare/report/chart.ts'
import type { World } from '../simulation/index.ts'
import { fixedBox, floor, g, makeWorld, roller } from '../test/contact/laws/scenes.ts'

const SIDES = [8, 16, 32, 64, 128] as const
const [radius, width, mass, friction, dt] = [0.1, 0.05, 2, 0.9, 1e-3]
/** Solid: moment about the axle [kg m²]. */
const inertia = 0.5 * mass * radius * radius
/** Of the centre, on a flat: at 1 m/s a wheel of this size would leave the ground where it stands on a corner [m/s]. */
const START = 0.8
const DISTANCE = 2
const TURN = 2 * Math.PI * radius

/** A prism whose sides are as long together as the circle. */
interface Prism {
  /** From the axle to a corner, and to the middle of a side [m]. */
  readonly corner: number
  readonly flat: number
  /** Share of the energy that is left of each impact of an edge, about which it turns on. */
  readonly kept: number
}

/**
 * Momentum about the edge that strikes is kept: J omega + m R² cos(2 pi / n) omega before, (J + m R²) omega' after. Rimless wheel:
 * McGeer, Passive dynamic walking, Int. J. Robotics Research 9(2) (1990), section 2.
 */
function prismOf(sides: number): Prism {
  const half = Math.PI / sides
  const corner = (half * radius) / Math.sin(half)
  const inertiaThere = mass * corner * corner
  const ratio = (inertia + inertiaThere * Math.cos(2 * half)) / (inertia + inertiaThere)
  return { corner, flat: (half * radius) / Math.tan(half), kept: ratio * ratio }
}

interface Roll {
  /** Difference between the greatest and the least height of the axle over the first turn [m]. */
  readonly bump: number
  /** Share of the energy of motion that the first turn takes; 1 if it does not get that far. */
  readonly lost: number
  /** What its energy stands for as it has gone the distance [m/s], or NaN. */
  readonly speed: number
  /** Where it was at the end [m]. */
  readonly reached: number
  /** Processor time of a step [µs]. */
  readonly time: number
}

/** Lets a wheel roll freely, from a flat, about the edge ahead of it. */
function roll(sides: number | undefined): Roll {
  const { corner, flat } = sides === undefined ? { corner: radius, flat: radius } : prismOf(sides)
  const across = Math.sqrt(corner * corner - flat * flat)
  const omega = START / flat
  const make = () =>
    makeWorld({
      robot: roller(radius, width, mass),
      model: 'peg',
      dt,
      options: sides === undefined ? {} : { shapeSides: sides },
      fixtures: sides === undefined ? [floor] : [fixedBox('floor', [1, 0, -0.05], [4, 1, 0.1])],
      physical: { friction },
      q: [0, 0, flat, 0, 0, 0, 1],
      v: [0, omega, 0, START, 0, omega * across],
    })
  const world = make()
  const start = energyOf(world, flat)
  let [high, low, lost, speed] = [flat, flat, Number.NaN, Number.NaN]
  for (let n = 0; n < 10 / dt && Number.isNaN(speed); n++) {
    world.step()
    const { q } = world.state
    if (q[0] < TURN) {
      high = Math.max(high, q[2])
      low = Math.min(low, q[2])
    } else if (Number.isNaN(lost)) lost = 1 - energyOf(world, flat) / start
    if (q[0] >= DISTANCE) speed = speedOf(energyOf(world, flat), flat)
  }
  return { bump: high - low, lost: Number.isNaN(lost) ? 1 : lost, speed, reached: world.state.q[0], time: timeOf(make) }
}

/** Of motion and of height over standing on a flat [J]. */
function energyOf({ state: { q, v } }: World, flat: number): number {
  return 0.5 * mass * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) + 0.5 * inertia * v[1] * v[1] + mass * g * (q[2] - flat)
}

/** Of a wheel that has so much energy while it turns about an edge, on a flat: forward [m/s]. */
const speedOf = (energy: number, flat: number) => flat * Math.sqrt((2 * energy) / (inertia + mass * radius * radius))

function timeOf(make: () => World): number {
  let least = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < 5; pass++) {
    const world = make()
    const { user, system } = process.cpuUsage()
    for (let n = 0; n < 400; n++) world.step()
    const end = process.cpuUsage()
    least = Math.min(least, (end.user + end.system - user - system) / 400)
  }
  return least
}

/** The same by the closed form: energy falls edge by edge until it is too little to lift the axle over the next. */
function rimless(sides: number): { readonly lost: number; readonly speed: number; readonly reached: number } {
  const { corner, flat, kept } = prismOf(sides)
  const across = Math.sqrt(corner * corner - flat * flat)
  const omega = START / flat
  const start = 0.5 * (inertia + mass * corner * corner) * omega * omega
  const side = 2 * across
  let energy = start
  let edges = 0
  while (edges * side < DISTANCE && energy > mass * g * (corner - flat)) {
    energy *= kept
    edges++
  }
  const reached = edges * side
  return { lost: 1 - kept ** sides, speed: reached < DISTANCE ? Number.NaN : speedOf(energy, flat), reached }
}

const percent = (x: number) => (x < 1e-6 ? '0' : `${(100 * x).toPrecision(3)} %`)
const millimetres = (x: number) => (x < 1e-7 ? '0' : `${(1e3 * x).toPrecision(3)} mm`)
const speedShown = (speed: number, reached: number) =>
  Number.isNaN(speed) ? `stands at ${reached.toFixed(2)} m` : `${speed.toFixed(3)} m/s`

roll(32) // the first run compiles
const rolls = SIDES.map(roll)
const exact = roll(undefined)
console.log(
  '| sides | axle goes up and down | closed form | energy lost in a turn | closed form | after 2 m | closed form | a step |',
)
console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
SIDES.forEach((sides, k) => {
  const { bump, lost, speed, reached, time } = rolls[k]
  const { corner, flat } = prismOf(sides)
  const form = rimless(sides)
  const cells = [
    `${sides}`,
    millimetres(bump),
    millimetres(corner - flat),
    percent(lost),
    percent(form.lost),
    speedShown(speed, reached),
    speedShown(form.speed, form.reached),
    `${time.toFixed(0)} µs`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
})
const smooth = [
  'round, on a half-space',
  millimetres(exact.bump),
  '0',
  percent(exact.lost),
  '0',
  speedShown(exact.speed, 0),
  '0.800 m/s',
]
console.log(`| ${smooth.join(' | ')} | ${exact.time.toFixed(0)} µs |`)

const formLost = SIDES.map((sides) => rimless(sides).lost)
const lost = rolls.map((each) => each.lost)
const drawn = chart({
  id: 'wheel',
  x: { label: 'sides of the prism', log: true, range: [SIDES[0], SIDES[SIDES.length - 1]] },
  y: { label: 'energy lost in a turn', log: true, range: logRange([...formLost, ...lost], 0.01) },
  lines: [
    { id: 'rimless wheel', x: SIDES, y: formLost, color: 'var(--b)', dash: '6 4' },
    { id: 'peg', x: SIDES, y: lost, color: 'var(--a)', dash: '', marker: 'circle', sizes: SIDES.map(() => 4) },
  ],
  title: 'energy that a freely rolling wheel loses in a turn, against the sides of its prism',
  size: { width: 480, height: 320 },
})
const file = fileURLToPath(new URL('../docs/images/peg-wheels.svg', import.meta.url))
mkdirSync(dirname(file), { recursive: true })
writeFileSync(
  file,
  `<svg xmlns="http://www.w3.org/2000/svg" class="wheel" viewBox="0 0 480 344" role="img" aria-label="Energy lost in a turn against the sides of a wheel">
<style>
.wheel { --ground: #ffffff; --ink: #1c1f23; --soft: #555d66; --rule: #dfe3e7; --a: #0067a3; --b: #c25400;
  font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) {
  .wheel { --ground: #14171a; --ink: #e8eaed; --soft: #a7b0ba; --rule: #2b3138; --a: #58b1ee; --b: #ff9550; }
}
.ground { fill: var(--ground); } .label { fill: var(--ink); } .tick { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--rule); } .axis { stroke: var(--soft); } polyline { fill: none; stroke-width: 2; }
</style>
<rect class="ground" width="100%" height="100%"/>
<line x1="62" x2="84" y1="14" y2="14" style="stroke:var(--a);stroke-width:2"/><text class="label" x="90" y="18">peg, 1 ms</text>
<line x1="190" x2="212" y1="14" y2="14" style="stroke:var(--b);stroke-width:2" stroke-dasharray="6 4"/><text class="label" x="218" y="18">rimless wheel, closed form</text>
${drawn.replace('<svg ', '<svg y="24" width="480" height="320" ')}
</svg>
`,
)
console.log(`\nwrote ${file}`)
