/**
 * npm run bench -- engines [ROBOT...]
 *
 * A step of 1 ms of robots on the ground (diffdrive, humanoid, quadruped, and a1 and atlas of FEATHERBED_ROBOTS) under our laws and in the
 * engines that are installed, as they come: same description, start, efforts, one thread, a process each, the least of some rounds. An
 * engine's time is that of its step as its own language calls it, without the way there. Then RNEA, CRBA and ABA beside Pinocchio's C++,
 * compiled with -O3 -march=native from the headers of its wheel where a compiler and Eigen are there.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContactModelName } from '../../contact/index.ts'
import { compileDynamics } from '../../dynamics/compile/index.ts'
import { createState, JointType, type Model } from '../../dynamics/index.ts'
import { adaptersOf, EngineMissing, engineNames, installing, pythonOf } from '../../engines/index.ts'
import type { Robot } from '../../robots/index.ts'
import { clock } from '../clock.ts'
import { inItsOwnProcess } from '../measure.ts'
import { robotOf } from '../subjects.ts'
import type { StepTime } from './timeStep.ts'

const OURS: readonly ContactModelName[] = ['penalty', 'stewart-trinkle', 'ncp', 'convex', 'drake', 'mujoco']
/** The engine whose step the others are divided by. */
const NATIVE = 'MuJoCo native'

export async function engineRows(asked: readonly string[]): Promise<void> {
  const names = asked.filter((word) => !word.startsWith('--'))
  const robots =
    names.length > 0 ? names : ['diffdrive', 'humanoid', 'quadruped', ...(process.env.FEATHERBED_ROBOTS ? ['a1', 'atlas'] : [])]
  const engines = [...OURS, ...(await installedColumns())].sort((a, b) => Number(b === NATIVE) - Number(a === NATIVE))
  for (const robot of robots) {
    let native: number | undefined
    for (const engine of engines) {
      const say = ({ us, contacts, refusal }: StepTime): void => {
        if (engine === NATIVE && refusal === undefined) native = us
        const figures = `${us.toPrecision(3).padStart(7)} us  ${contacts} contacts`
        const ratio = native ? `  ${(native / us).toPrecision(2)} x ${NATIVE}` : ''
        console.log(`${robot.padEnd(10)}  ${engine.padEnd(18)}  ${refusal ?? figures + ratio}`)
      }
      await inItsOwnProcess(new URL('timeStep.ts', import.meta.url), [robot, engine], say, engine)
    }
    await pinocchioLines(robot, robotOf(robot))
  }
}

/** Each engine as it comes; says which is not installed. */
async function installedColumns(): Promise<string[]> {
  const columns: string[] = []
  for (const engine of engineNames) {
    try {
      columns.push((await adaptersOf(engine))[0].name)
    } catch (error) {
      if (!(error instanceof EngineMissing)) throw error
      console.log(error.message)
    }
  }
  return columns
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
