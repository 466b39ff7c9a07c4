/** The process that `engines.ts` starts for one robot and model or engine: times its steps and sends them back. */
import { contactModelNamed, contactModelNames } from '../../contact/index.ts'
import { createControllerLoop, hold } from '../../control/index.ts'
import { compilation } from '../../dynamics/index.ts'
import { outsideModel } from '../../engines/index.ts'
import { World } from '../../simulation/index.ts'
import { clock } from '../clock.ts'
import { robotOf } from '../subjects.ts'

/** Least time of a step [µs] and its contacts, as each engine counts them; or why it cannot run. */
export interface StepTime {
  readonly us: number
  readonly contacts: number
  readonly refusal?: string
}

/** Steps a round, from the start again for each; rounds, and computing time that they take at least [µs], so that code is warm. */
const [DT, STEPS, ROUNDS, LEAST] = [1e-3, 200, 5, 2e6]

const [name, engine] = process.argv.slice(2)
process.send?.(await timed().catch((error: Error) => ({ us: 0, contacts: 0, refusal: error.message.split('\n')[0] })), () =>
  process.exit(),
)

async function timed(): Promise<StepTime> {
  await compilation.load()
  compilation.after = 0
  const robot = robotOf(name)
  // what holds it at home, taken once and then held, so that all step the same open-loop robot
  const efforts = new World({ robot, contactModel: 'penalty', dt: DT, controller: createControllerLoop(hold(), robot) })
  efforts.step()
  const isOurs = (contactModelNames as readonly string[]).includes(engine)
  const outside = isOurs ? undefined : await outsideModel(engine, '')
  const world = new World({ robot, contactModel: outside?.create ?? contactModelNamed(engine), dt: DT })
  world.tau.set(efforts.tau)
  const start = world.checkpoint()
  let [least, spent, contacts] = [Infinity, 0, 0]
  for (let round = 0; round < ROUNDS || spent < LEAST; round++) {
    world.restore(start)
    outside?.attach(world, [undefined])
    const begin = clock()
    let us = 0
    for (let k = 0; k < STEPS; k++) {
      world.step()
      if (outside) us += 1e6 * outside.seconds
    }
    if (!outside) us = clock() - begin
    spent += us
    least = Math.min(least, us / STEPS)
    contacts = outside?.engine?.contacts() ?? world.contacts.count
  }
  return { us: least, contacts }
}
