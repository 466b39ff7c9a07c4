/** The process that `piles.ts` starts for one engine and pile: writes a line of JSON a step, for it may be ended in the midst of one. */

import { writeSync } from 'node:fs'
import { clock } from '../clock.ts'
import { PILE_DT, PileJudge, pileEngine } from './pileEngines.ts'
import { pile } from './pileScene.ts'

/** A step, as a line. */
export interface PileStep {
  /** Processor time of this process [µs]. */
  readonly cpu: number
  readonly contacts: number
  /** Kinetic energy over mass after it [J/kg]. */
  readonly energy: number
  /** So far. */
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
const judge = new PileJudge(scene)
const engine = await pileEngine(name, scene)
const steps = Math.round(Number(seconds) / PILE_DT)

for (let k = 1; k <= steps && clock() < 1e6 * Number(budget); k++) {
  const from = clock()
  engine.step()
  const cpu = clock() - from
  const measured = k % MEASURED === 0 || k === steps ? judge.measure(engine) : { energy: judge.energy(engine) }
  const line: PileStep = { cpu, contacts: engine.contacts(), ...engine.solver(), ...measured }
  writeSync(1, `${JSON.stringify(line)}\n`)
}
