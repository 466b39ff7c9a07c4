/*
 * node --import ./scripts/typescript.mjs bench/contact/manyContacts.ts [FEET] [MODELS] [--json]
 *
 * A plate on 64 round feet, all on the ground, under every contact model beside MuJoCo's mj_step: warm steps of 1 ms at rest. Processor time of
 * this process, the least of rounds in which all sides take turns; two fifths of a second of it a side.
 */

import { type ContactModelName, contactModels } from '../../contact/index.ts'
import { makeWorld } from '../../test/contact/laws/scenes.ts'
import { mujocoOf, qposOf } from '../../test/oracle/mujoco.ts'
import { clock } from '../clock.ts'
import { type Row, rowOf } from '../measure.ts'
import { geomOf } from '../mujocoScene.ts'
import { plate } from './contactScenes.ts'

const DT = 1e-3
const SETTLING = 60
const STEPS = 20
const ROUNDS = 9
/** A round of a side that has taken as long is its last [µs]. */
const SPENT = 400e3

interface Side {
  readonly name: string
  readonly step: () => void
  readonly contacts: () => number
  /** Of a step [µs]. */
  least: number
  spent: number
}

const args = process.argv.slice(2)
const [feet = '64', wanted = ''] = args.filter((arg) => !arg.startsWith('--'))
const models = (Object.keys(contactModels) as ContactModelName[]).filter(
  (name) => wanted === '' || wanted.split(',').includes(name),
)
const things = plate(Number(feet))

async function mujocoSide(): Promise<Side> {
  const { model, shapes, state } = makeWorld({ ...things, model: 'penalty', dt: DT })
  const mujoco = await mujocoOf(model, {
    option: `timestep="${DT}" integrator="Euler"`,
    flags: 'autoreset="disable"',
    world: '<geom name="ground" type="plane" size="0 0 1" contype="1" conaffinity="2" friction="0.8 0 0"/>',
    geoms: () => shapes.map((shape) => geomOf(shape)).join(''),
  })
  mujoco.data.qpos.set(qposOf(mujoco, model, state))
  const step = () => mujoco.mj.mj_step(mujoco.model, mujoco.data)
  return { name: 'MuJoCo', step, contacts: () => mujoco.data.ncon, least: Number.POSITIVE_INFINITY, spent: 0 }
}

function ownSide(model: ContactModelName): Side {
  const world = makeWorld({ ...things, model, dt: DT })
  return {
    name: model,
    step: () => world.step(),
    contacts: () => world.contacts.count,
    least: Number.POSITIVE_INFINITY,
    spent: 0,
  }
}

const mujoco = await mujocoSide()
const sides = [mujoco, ...models.map(ownSide)]
for (const side of sides) for (let k = 0; k < SETTLING; k++) side.step()
for (let round = 0; round < ROUNDS; round++) {
  for (const side of sides) {
    if (side.spent > SPENT) continue
    const from = clock()
    for (let k = 0; k < STEPS; k++) side.step()
    const took = clock() - from
    side.spent += took
    side.least = Math.min(side.least, took / STEPS)
  }
}

const rows: Row[] = sides
  .slice(1)
  .map(({ name, least, contacts }) =>
    rowOf(`plate ${feet} ${name}`, least, 'MuJoCo', mujoco.least, `${contacts()} contacts against ${mujoco.contacts()}`),
  )
if (args.includes('--json')) console.log(JSON.stringify({ rows }))
else {
  console.log(
    `| model | contacts | a step [µs] | MuJoCo, ${mujoco.contacts()} contacts [µs] | times MuJoCo |\n| --- | ---: | ---: | ---: | ---: |`,
  )
  for (const side of sides.slice(1)) {
    const cells = [side.contacts(), side.least.toFixed(0), mujoco.least.toFixed(0), (side.least / mujoco.least).toFixed(2)]
    console.log(`| \`${side.name}\` | ${cells.join(' | ')} |`)
  }
}
