import { expect } from 'vitest'
import { degree, type Suite, steps, stickSpeed } from './law.ts'
import { blockOnSlope, dot, downhill, g, identity, makeWorld, run, slider } from './scenes.ts'

/** Coulomb friction of blocks: when they slide, how fast, which way, and where they stop. */
export function slidingLaws({ frictions, pyramid, model, rigid, deepest, section, law }: Suite): void {
  section('sliding', () => {
    law('a block on a slope starts to slide at atan(mu), and slides at g (sin - mu cos)', () => {
      const mu = 0.5
      for (const dt of steps) {
        for (const heading of [0, 20 * degree, 45 * degree, 80 * degree]) {
          for (const k of [-2, -1, 1, 2]) {
            const angle = Math.atan(mu) + 0.1 * k * degree
            const world = blockOnSlope(angle, { model, dt, heading, sink: deepest, physical: { friction: mu } })
            const down = downhill(angle, heading)
            const early = dot(run(world, 0.3).state.v, down)
            const late = dot(run(world, 0.3).state.v, down)
            if (k < 0) {
              // rigid: the compliance of tangents lets it creep at 1e-6 g dt; regularised: at stickSpeed tan / mu
              if (rigid) expect(Math.abs(late)).toBeLessThan(2e-6 * g * dt)
              else expect(Math.abs(late / ((stickSpeed * Math.tan(angle)) / mu) - 1)).toBeLessThan(1e-6)
            } else {
              // constant acceleration is integrated exactly; what remains is the sink still settling at the larger step
              const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
              expect(Math.abs((late - early) / 0.3 - expected)).toBeLessThan(2e-5)
            }
            // it goes straight down, whatever the tangents; 1e-7 from the compliance across
            expect(Math.hypot(...world.state.v.map((x, d) => x - late * down[d]))).toBeLessThan(1e-6)
          }
        }
      }
    })

    for (const friction of frictions ?? []) {
      law(`friction: ${friction} holds a block below atan(mu) without creep, and lets it slide at g (sin - mu cos) above`, () => {
        const mu = 0.5
        for (const k of [-2, 2]) {
          const angle = Math.atan(mu) + 0.1 * k * degree
          const world = blockOnSlope(angle, { model, options: { friction }, sink: deepest, physical: { friction: mu } })
          const early = dot(run(world, 0.5).state.v, downhill(angle))
          const late = dot(run(world, 0.5).state.v, downhill(angle))
          if (k < 0) expect(Math.abs(late)).toBeLessThan(1e-7)
          // what springs or rows gave up before it set off is not made good, so only the acceleration is told
          else expect(Math.abs((late - early) / 0.5 - g * (Math.sin(angle) - mu * Math.cos(angle)))).toBeLessThan(1e-4)
        }
      })
    }

    law('it lies still 0.1 degree below atan(mu) and slides 0.1 degree above, whichever of these ways the slope falls', () => {
      // cones, and pyramids whose first side turns with the slip: with fixed tangents a pyramid of 4 sides would hold up to
      // atan(mu cos(pi / 4)) only where the slope falls between two of them
      const mu = 0.5
      for (const sides of pyramid ?? [0]) {
        for (let k = 0; k < 18; k++) {
          const heading = 5 * k * degree
          for (const over of [-0.1, 0.1]) {
            const angle = Math.atan(mu) + over * degree
            const scene = { model, dt: 2e-3, heading, sink: deepest, physical: { friction: mu } }
            const world = blockOnSlope(angle, { ...scene, options: sides === 0 ? {} : { sides } })
            const early = dot(run(world, 0.1).state.v, downhill(angle, heading))
            const late = dot(run(world, 0.1).state.v, downhill(angle, heading))
            if (over < 0) expect(Math.abs(late)).toBeLessThan(rigid ? 2e-6 * g * 2e-3 : 1.001 * stickSpeed)
            else {
              // 0.0192 m/s², of 4.4 that almost cancel; springs' sinks settle meanwhile
              const a = g * (Math.sin(angle) - mu * Math.cos(angle))
              expect(Math.abs((late - early) / 0.1 / a - 1)).toBeLessThan(rigid ? 1e-2 : 3e-2)
            }
          }
        }
      }
    })

    law('friction holds a pull up to mu N; a pyramid up to its own side, and by an O(h) creep from there to mu N', () => {
      const [mass, mu, dt] = [2, 0.5, 1e-3]
      // three times as heavy along x: pulled at 45 degrees it would set off at atan(1 / 3), where the pyramid has a corner
      const robot = slider([0.1, 0.1, 0.1], mass, identity, [2 * mass, 0])
      const off = Math.PI / 4 - Math.atan(1 / 3)
      const speedAfter = (share: number, sides: number) => {
        const pull = (share * mu * mass * g) / Math.SQRT2
        const world = makeWorld({
          robot,
          model,
          dt,
          options: sides === 0 ? {} : { sides },
          physical: { friction: mu },
          q: [0, 0, 0.05 - deepest],
          push: (tau) => tau.set([pull, pull]),
        })
        const { v } = run(world, 0.3).state
        return Math.hypot(v[0], v[1])
      }
      for (const sides of pyramid ?? [0]) {
        // chord between the two corners on either side of the pull
        const half = Math.PI / sides
        const strength = sides === 0 ? 1 : Math.cos(half) / Math.cos((off % (2 * half)) - half)
        expect(speedAfter(0.99 * strength, sides)).toBeLessThan(rigid ? 2e-6 * g * dt : stickSpeed)
        if (sides > 0) {
          // it sets off, whereupon the corner turns towards the pull and holds: a part of one step's free acceleration
          const creep = speedAfter(0.5 * (1 + strength), sides)
          expect(creep).toBeGreaterThan(2e-5 * g * dt)
          expect(creep).toBeLessThan(mu * g * dt)
        }
        // 1 % too much gives 1 % of mu g / 3 at least; a tenth of that in 0.3 s rules out creep
        expect(speedAfter(1.01, sides)).toBeGreaterThan(0.3 * 0.001 * mu * g)
      }
    })
  })
}
