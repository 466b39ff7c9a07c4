/*
 * node --import ./scripts/typescript.mjs bench/dynamics/curvedWheel.ts
 *
 * A wheel that rolls freely under `peg`, on a box and on a half-space: prints how far its axle moves up and down, and the cost of a step.
 */
import { fixedBox, floor, makeWorld, roller } from '../../test/contact/laws/scenes.ts'

const [radius, speed] = [0.1, 0.8]
for (const [name, fixture] of [
  ['box', fixedBox('floor', [1, 0, -0.05], [8, 1, 0.1])],
  ['half-space', floor],
] as const) {
  for (const dt of [1e-3, 1e-2]) {
    const make = () =>
      makeWorld({
        robot: roller(radius, 0.05, 2),
        model: 'peg',
        dt,
        fixtures: [fixture],
        physical: { friction: 0.9 },
        q: [0, 0, radius, 0, 0, 0, 1],
        v: [0, speed / radius, 0, speed, 0, 0],
      })
    const world = make()
    let high = 0
    for (let n = 0; n * dt * speed < 2; n++) {
      world.step()
      high = Math.max(high, Math.abs(world.state.q[2] - radius))
    }
    const gone = Math.abs(world.state.v[1] * radius - speed)
    let least = Number.POSITIVE_INFINITY
    for (let pass = 0; pass < 5; pass++) {
      const timed = make()
      const { user, system } = process.cpuUsage()
      for (let n = 0; n < 400; n++) timed.step()
      const end = process.cpuUsage()
      least = Math.min(least, (end.user + end.system - user - system) / 400)
    }
    console.log(
      `${name}, ${dt} s: axle within ${high.toExponential(1)} m, speed changed by ${gone.toExponential(1)} m/s, ${least.toFixed(1)} us a step`,
    )
  }
}
