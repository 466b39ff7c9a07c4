/**
 * npm run bench -- engines [ROBOT...]
 *
 * A step of 1 ms of robots on the ground (diffdrive, humanoid, quadruped, and a1 and atlas of FEATHERBED_ROBOTS) under our laws and in the
 * engines that are installed, as they come: same description, start, efforts, one thread, the least of some rounds. An engine's time is that
 * of its step as its own language calls it, without the way there. Then RNEA, CRBA and ABA beside Pinocchio's C++, compiled with -O3
 * -march=native from the headers of its wheel where a compiler and Eigen are there.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContactModelName } from '../../contact/index.ts'
import { createControllerLoop, hold } from '../../control/index.ts'
import { compileDynamics } from '../../dynamics/compile/index.ts'
import { compilation, createState, JointType, type Model } from '../../dynamics/index.ts'
import { adaptersOf, EngineMissing, engineNames, installing, pythonOf } from '../../engines/index.ts'
import { OutsideModel } from '../../engines/outsideModel.ts'
import type { Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { clock } from '../clock.ts'
import { robotOf } from '../subjects.ts'

const [DT, STEPS, ROUNDS] = [1e-3, 200, 5]
const OURS: readonly ContactModelName[] = ['penalty', 'stewart-trinkle', 'ncp', 'convex', 'drake', 'mujoco']

interface Line {
  readonly robot: string
  readonly engine: string
  readonly us: number
  readonly contacts: string
}

export async function engineRows(asked: readonly string[]): Promise<void> {
  await compilation.load()
  compilation.after = 0
  const names = asked.filter((word) => !word.startsWith('--'))
  const robots =
    names.length > 0 ? names : ['diffdrive', 'humanoid', 'quadruped', ...(process.env.FEATHERBED_ROBOTS ? ['a1', 'atlas'] : [])]
  for (const name of robots) {
    const robot = robotOf(name)
    const lines = [...OURS.map((model) => ourLine(name, robot, model)), ...(await engineLines(name, robot))]
    const native = lines.find(({ engine }) => engine === 'MuJoCo native')?.us
    for (const { engine, us, contacts } of lines)
      console.log(
        [
          name.padEnd(10),
          engine.padEnd(18),
          `${us.toPrecision(3).padStart(7)} us`,
          `${contacts} contacts`,
          native ? `${(native / us).toPrecision(2)} x native MuJoCo` : '',
        ].join('  '),
      )
    await pinocchioLines(name, robot)
  }
}

/** Efforts that hold it at home, taken once. */
function effortsOf(robot: Robot): Float64Array {
  const world = new World({ robot, contactModel: 'penalty', dt: DT, controller: createControllerLoop(hold(), robot) })
  world.step()
  return world.tau
}

function ourLine(name: string, robot: Robot, contactModel: ContactModelName): Line {
  const world = new World({ robot, contactModel, dt: DT })
  world.tau.set(effortsOf(robot))
  const start = world.checkpoint()
  const counts: number[] = []
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    world.restore(start)
    const begin = clock()
    for (let k = 0; k < STEPS; k++) world.step()
    least = Math.min(least, (clock() - begin) / STEPS)
    counts.push(world.contacts.count)
  }
  return { robot: name, engine: contactModel, us: least, contacts: `${counts[0]}` }
}

async function engineLines(name: string, robot: Robot): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of engineNames) {
    try {
      const [adapter] = await adaptersOf(engine)
      lines.push(engineLine(name, robot, adapter.name, new OutsideModel(adapter, await adapter.load())))
    } catch (error) {
      console.log(
        `${name}  ${error instanceof EngineMissing ? error.message : `${engine}: ${(error as Error).message.split('\n')[0]}`}`,
      )
    }
  }
  return lines
}

function engineLine(name: string, robot: Robot, engine: string, outside: OutsideModel): Line {
  const world = new World({ robot, contactModel: outside.create, dt: DT })
  outside.attach(world, [undefined])
  const tau = effortsOf(robot)
  let [least, contacts] = [Infinity, 0]
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) outside.attach(world, [undefined])
    const [own, state] = [outside.engine!, { ...world.state, q: world.state.q.slice(), v: world.state.v.slice() }]
    let sum = 0
    for (let k = 0; k < STEPS; k++) {
      const begin = clock()
      own.step(tau)
      sum += own.seconds === undefined ? clock() - begin : 1e6 * own.seconds
      own.read(state)
    }
    least = Math.min(least, sum / STEPS)
    contacts = own.contacts()
  }
  outside.delete()
  return { robot: name, engine, us: least, contacts: `${contacts}` }
}

/** Pinocchio's algorithms on the same mechanism; a line that says why where they cannot be compiled. */
async function pinocchioLines(name: string, { model }: Robot): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-pinocchio-'))
  try {
    const program = join(folder, 'algorithms')
    const prefix = resolve(dirname(pythonOf('pinocchio')), '../lib')
    const wheel = existsSync(prefix) && readdirSync(prefix).map((python) => join(prefix, python, 'site-packages/cmeel.prefix'))[0]
    if (!wheel || !existsSync(wheel)) return console.log(`${name}  Pinocchio is not installed: ${installing('pinocchio')}`)
    const source = fileURLToPath(new URL('pinocchio.cpp', import.meta.url))
    // as the targets of its CMake define them
    const limits = [
      'MPL_LIMIT_LIST_SIZE=30',
      'MPL_LIMIT_VECTOR_SIZE=30',
      'MPL_CFG_NO_PREPROCESSED_HEADERS',
      'FUSION_INVOKE_MAX_ARITY=12',
    ]
    const boost = limits.map((limit) => `-DBOOST_${limit}`)
    const flags = ['-O3', '-march=native', '-DNDEBUG', '-std=c++17', ...boost, `-I${wheel}/include`, '-I/usr/include/eigen3']
    const made = spawnSync(
      'g++',
      [...flags, source, '-o', program, `-L${wheel}/lib`, '-lpinocchio_default', `-Wl,-rpath,${wheel}/lib`],
      { encoding: 'utf8' },
    )
    if (made.status !== 0)
      return console.log(
        `${name}  no C++ beside: ${(made.error?.message ?? made.stderr).split('\n')[0]} (apt-get install g++ libeigen3-dev)`,
      )
    const theirs = JSON.parse(execFileSync(program, { input: mechanismText(model), encoding: 'utf8' }))
    const state = createState(model)
    const compiled = await compileDynamics(model)
    const v = Float64Array.from(state.v, (_, k) => Math.sin(k))
    const [a, tau] = [v.slice(), new Float64Array(model.nv)]
    const ours = {
      rnea: leastOf(() => compiled.inverseDynamics(state.q, v, a, tau)),
      crba: leastOf(() => compiled.massMatrix(state.q)),
      aba: leastOf(() => compiled.forwardDynamics(state.q, v, tau, a)),
    }
    for (const [algorithm, us] of Object.entries(ours))
      console.log(
        `${name.padEnd(10)}  ${algorithm.padEnd(5)} compiled ${us.toPrecision(3)} us, Pinocchio ${theirs[algorithm].toPrecision(3)} us: ${(theirs[algorithm] / us).toPrecision(2)} x (nv ${model.nv}, ${theirs.nv})`,
      )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Least microseconds of a call. */
function leastOf(call: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < 200; round++) {
    const begin = clock()
    for (let k = 0; k < 100; k++) call()
    least = Math.min(least, (clock() - begin) / 100)
  }
  return least
}

const kinds: Readonly<Partial<Record<JointType, number>>> = {
  [JointType.fixed]: 0,
  [JointType.revolute]: 1,
  [JointType.prismatic]: 2,
  [JointType.floating]: 3,
}

/** As pinocchio.cpp reads it. */
function mechanismText({ nb, parent, jointType, jointAxis, XT, I }: Model): string {
  const lines = Array.from({ length: nb - 1 }, (_, k) => {
    const i = k + 1
    const E = XT[i]
    const [m, hx, hy, hz, xx, yy, zz, xy, xz, yz] = I[i]
    const [x, y, z] = m > 0 ? [hx / m, hy / m, hz / m] : [0, 0, 0]
    const about = [
      xx - m * (y * y + z * z),
      xy + m * x * y,
      yy - m * (x * x + z * z),
      xz + m * x * z,
      yz + m * y * z,
      zz - m * (x * x + y * y),
    ]
    const R = [E[0], E[3], E[6], E[1], E[4], E[7], E[2], E[5], E[8]]
    return [
      parent[i],
      kinds[jointType[i] as JointType] ?? 0,
      ...jointAxis.subarray(3 * i, 3 * i + 3),
      ...R,
      E[9],
      E[10],
      E[11],
      m,
      x,
      y,
      z,
      ...about,
    ].join(' ')
  })
  return `${nb - 1}\n${lines.join('\n')}\n`
}
