/*
 * node --import ./scripts/typescript.mjs bench/dynamics/fastMotion.ts
 *
 * What looking for tunnelling costs a step: without it, counted (the default), and with ccd, for both own robots under their
 * controllers; on the plane alone, and with links that touch each other among fixed boxes, where there is something to look for. Processor
 * time of whole steps [µs], the least of several samples taken in turn.
 */

import type { PlacedShape } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot, OWN_ROBOTS } from '../../robots/files.ts'
import { createGround, World } from '../../simulation/index.ts'
import { clock } from '../clock.ts'

const SAMPLES = 15
const SECONDS = 1

const R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const boxes = [-2, -1, 1, 2].map(
  (x): PlacedShape => ({
    name: `box${x}`,
    body: 0,
    shape: { type: 'box', size: [0.5, 0.5, 0.02] },
    R,
    p: Float64Array.of(x, 0, 0.01),
  }),
)

for (const name of OWN_ROBOTS) {
  for (const crowded of [false, true]) {
    for (const contactModel of ['penalty', 'stewart-trinkle'] as const) {
      for (const dt of [1e-3, 1e-2]) {
        const robot = loadOwnRobot(name)
        const make = (ccd: boolean) =>
          new World({
            robot,
            controller: createControllerLoop(defaultControllerFor(robot), robot),
            fixtures: crowded ? [createGround(), ...boxes] : [createGround()],
            selfCollision: crowded ? 'all-but-adjacent' : 'none',
            contactModel,
            ccd,
            dt,
          })
        const worlds = [make(false), make(false), make(true)]
        Object.assign(worlds[0], { tunnelling: { begin() {}, end() {} } })
        const starts = worlds.map((world) => world.checkpoint())
        const least = worlds.map(() => Infinity)
        const steps = Math.round(SECONDS / dt)
        for (let sample = 0; sample < SAMPLES; sample++) {
          for (const [i, world] of worlds.entries()) {
            world.restore(starts[i])
            const begin = clock()
            for (let k = 0; k < steps; k++) world.step()
            if (sample > 0) least[i] = Math.min(least[i], (clock() - begin) / steps)
          }
        }
        const where = crowded ? 'among boxes' : 'on the plane'
        const [none, counted, ccd] = least.map((x) => x.toFixed(2))
        console.log(`${name} ${where}, ${contactModel}, ${dt * 1e3} ms: ${none} without, ${counted} counted, ${ccd} with ccd`)
      }
    }
  }
}
