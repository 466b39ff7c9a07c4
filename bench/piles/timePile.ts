/** The process that `piles.ts` starts for one engine and pile: writes a line of JSON a step, for it may be ended in the midst of one. */

import { writeSync } from 'node:fs'
import { contactModelNamed, contactModelNames } from '../../contact/index.ts'
import { outsideModel } from '../../engines/index.ts'
import { clock } from '../clock.ts'
import { PILE_DT, type Pile, pile, pileWorld } from './pileScene.ts'

/** A step, as a line. */
export interface PileStep {
  /** Computing time [µs]: processor time of this process, or what the engine says. */
  readonly us: number
  readonly contacts: number
  /** Kinetic energy over mass after it [J/kg]. */
  readonly energy: number
  /** So far; an engine from outside does not say. */
  readonly failures: number
  readonly fallbacks: number
  readonly residual: number
  /** Every so many steps, and after the last one. */
  readonly depth?: number
  readonly lost?: number
}

/** Steps between two measurements of overlap. */
const MEASURED = 20

const [count, name, seconds, budget] = process.argv.slice(2)
const scene = pile(Number(count))
const isOurs = (contactModelNames as readonly string[]).includes(name)
const outside = isOurs ? undefined : await outsideModel(name, '')
const world = pileWorld(scene, outside?.create ?? contactModelNamed(name))
outside?.attach(
  world,
  world.robots.map(() => undefined),
)
// overlaps by our own contact detection, of all engines alike
const judge = pileWorld(scene, 'penalty')
const start = judge.checkpoint()
const steps = Math.round(Number(seconds) / PILE_DT)

for (let [k, spent] = [1, 0]; k <= steps && spent < 1e6 * Number(budget); k++) {
  const from = clock()
  world.step()
  const us = outside ? 1e6 * outside.seconds : clock() - from
  spent += us
  const { failures, fallbacks, residualMax: residual } = world.events
  const contacts = outside?.engine?.contacts() ?? world.contacts.count
  const line: PileStep = { us, contacts, energy: energyOf(scene, world.state.v), failures, fallbacks, residual }
  const isMeasured = k % MEASURED === 0 || k === steps
  writeSync(1, `${JSON.stringify(isMeasured ? { ...line, ...measured(world.state.q) } : line)}\n`)
}
process.exit()

/** Kinetic energy over mass [J/kg]. */
function energyOf({ boxes }: Pile, v: Float64Array): number {
  let [energy, total] = [0, 0]
  boxes.forEach(({ edge, mass }, k) => {
    const squared = (at: number) => v[at] ** 2 + v[at + 1] ** 2 + v[at + 2] ** 2
    energy += 0.5 * mass * (squared(6 * k + 3) + (edge ** 2 / 6) * squared(6 * k))
    total += mass
  })
  return energy / total
}

/** Deepest overlap [m], and how many boxes' centres are below the ground or outside the walls. */
function measured(q: Float64Array): { readonly depth: number; readonly lost: number } {
  const { state, contacts } = judge
  judge.restore(start)
  state.q.set(q)
  judge.step()
  let depth = 0
  for (let i = 0; i < contacts.count; i++) depth = Math.max(depth, -contacts.gap[i])
  const half = scene.width / 2
  const isLost = (k: number) => !(q[7 * k + 2] > 0 && Math.abs(q[7 * k]) < half && Math.abs(q[7 * k + 1]) < half)
  return { depth, lost: scene.boxes.filter((_, k) => isLost(k)).length }
}
