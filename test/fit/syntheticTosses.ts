/** Films of cubes that were never filmed: tossed by a law of our choice, with the noise of a film, the truth known. */
import { writeFileSync } from 'node:fs'
import { normal } from '../../cases/fit/search.ts'
import { columnWorld } from '../../cases/trial.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import type { Random } from '../../compare/scenario/world/random.ts'
import { mulQuaternion, normalizeQuaternion, quaternionOfRotationVector } from '../../dynamics/index.ts'

export interface Cube {
  readonly mu: number
  readonly cx: number
  readonly cz: number
  readonly s: number
  readonly I: number
  readonly r: number
}

/** Side [m], mass [kg], samples a second, step of the truth [s], of which 14 are a sample; noise of a film's place [m] and turn [rad] as in flights of the real one. */
const SIDE = 0.1048
const MASS = 0.37
const RATE = 148
const STEP = 1 / (14 * RATE)
const NOISE = { place: 5e-5, turn: 4e-4 }

/** A cube within what a laboratory would toss. */
export const randomCube = (random: Random): Cube => ({
  mu: 0.12 + 0.25 * random.next(),
  cx: random.within(0.005),
  cz: random.within(0.008),
  s: 0.97 + 0.06 * random.next(),
  I: 0.7e-3 + 0.4e-3 * random.next(),
  r: 0.001 + 0.004 * random.next(),
})

/** The scene of `cases/films/cube-film.yaml` for a cube, `mass` one more parameter, and a log in place of its cases. */
export const sceneOf = (log: string): string => `
title: Synthetic tosses
nature: as tossed
source: a simulation
parameters: { mu: 0.25, cx: 0, cz: 0, s: 1, I: 0.9e-3, r: 0.003, mass: ${MASS} }
cases: ${log}
path:
  rows: $samples
  time: ${RATE}
  start: cube
  of:
    - { name: place, unit: m, of: [$s*cube.x, $s*cube.y, $s*cube.z], columns: [0, 1, 2], scale: ${SIDE}, noise: 1e-4 }
    - { name: turn, unit: rad, of: [cube.qx, cube.qy, cube.qz, cube.qw], columns: [3, 4, 5, 6], isTurn: true, scale: 0.1309, noise: 1e-3 }
scenario:
  bodies:
    - { name: cube, shape: { type: box, size: [${SIDE}, ${SIDE}, ${SIDE}], rounding: $r }, mass: $mass, centerOfMass: [$cx, 0, $cz], inertia: ["$I*$mass/${MASS}", "$I*$mass/${MASS}", "$I*$mass/${MASS}"], position: [0, 0, 1] }
  physical: { friction: $mu }
  duration: 3 s
  dt: 2 ms
`

/**
 * Tosses under a contact model, seen until a while after they first touch.
 *
 * @param after how long they are seen from then on [s]
 */
export async function tossed(
  log: string,
  cube: Cube,
  column: string,
  count: number,
  after: number,
  random: Random,
): Promise<void> {
  const { mu, cx, cz, s, I, r } = cube
  const raw = {
    bodies: [
      {
        name: 'cube',
        shape: { type: 'box', size: [SIDE, SIDE, SIDE], rounding: r },
        mass: MASS,
        centerOfMass: [cx, 0, cz],
        inertia: [I, I, I],
        position: [0, 0, 1],
      },
    ],
    physical: { friction: mu },
    duration: 3,
    dt: STEP,
  }
  const { world } = await columnWorld(await checkScenario(raw, String), column, STEP)
  const start = world.checkpoint()
  const lines: string[] = []
  for (let toss = 0; toss < count; toss++) {
    const q = Float64Array.of(random.within(0.1), random.within(0.1), 0.13 + 0.04 * random.next(), ...turnOf(random, 3))
    const v = Float64Array.from({ length: 6 }, (_, k) => (k < 3 ? 4 * normal(random) : 0.6 * normal(random)))
    world.restore({ ...start, q, v })
    const samples: number[][] = []
    let touched = Infinity
    for (let i = 0; i / RATE < touched + after; i++) {
      while ((world.stepCount + 0.5) * STEP < i / RATE) {
        world.step()
        if (touched === Infinity && world.contacts.impulse.subarray(0, 3 * world.contacts.count).some((p) => p > 0))
          touched = world.stepCount * STEP
      }
      samples.push(seen(world.state.q, s, random))
    }
    lines.push(JSON.stringify({ toss, samples }))
  }
  writeFileSync(log, `${lines.join('\n')}\n`)
}

/** A rotation by a normal deviate about each axis [rad], as a quaternion. */
function turnOf(random: Random, spread: number): Float64Array {
  const q = new Float64Array(4)
  quaternionOfRotationVector(
    q,
    0,
    Float64Array.from({ length: 3 }, () => spread * normal(random)),
    0,
  )
  return q
}

/** A row of the film. */
function seen(q: Float64Array, s: number, random: Random): number[] {
  const turned = new Float64Array(4)
  mulQuaternion(turned, 0, turnOf(random, NOISE.turn), 0, q, 3)
  normalizeQuaternion(turned, 0)
  return [...[0, 1, 2].map((k) => s * q[k] + NOISE.place * normal(random)), ...turned].map((x) => Number(x.toPrecision(7)))
}
