/*
 * npm run bench [-- NAME] [--json]
 *
 * The core beside MuJoCo's WASM build, both in one process, on both own robots, on chains of 8 to 64 links, and on two real
 * humanoids from the folder that FEATHERBED_ROBOTS names, if it is set. NAME keeps the rows whose name contains it. What a
 * row times is a whole evaluation from q and v:
 *   rnea   kinematics and rnea; MuJoCo: mj_kinematics, mj_comPos, mj_comVel, mj_rne
 *   crba   kinematics and crba; MuJoCo: mj_kinematics, mj_comPos, mj_makeM
 *   aba    kinematics and aba; MuJoCo, which has no ABA: mj_forward with contacts and constraints disabled
 *   factor+solve   factorize and solve, M being there; MuJoCo: mj_factorM and mj_fwdAcceleration, which adds up forces and
 *          solves (mj_solveM takes its vectors through a binding that costs more than the solve)
 *   rnea, crba, aba compiled   the same, compiled for the robot (featherbed/compile)
 *   step   one 1 ms step on the ground, on compiled dynamics, contact included, efforts held constant; MuJoCo: mj_step with the same shapes,
 *          friction, joint damping, limits and step, semi-implicit Euler in both, elliptic cones off as it comes; and steps a
 *          second. A sample is a quarter of a second from the start (Atlas, on legs, 0.15 s); rows say how many contacts either
 *          engine has in it, the largest residual of ours, and by which solvers
 *   piles   boxes dropped into a bin beside MuJoCo and Rapier, when named; takes COUNTS, MODELS and SECONDS, see piles.ts
 *   forms   motions and loads with closed forms under every contact model at three steps, when named, see forms.ts
 *   page   load, pace, frames and memory of the page, when named, see page.ts
 *   walks   closest features by Lin and Canny's and Mirtich's walks beside GJK, when named, see contact/featureWalks.ts
 *   worlds   many humanoids in a batch, on one thread and two, beside MuJoCo's rollout, when named, see worlds/worlds.ts
 *   engines   steps of robots in engines from outside, and algorithms of Pinocchio's C++, when named, see engines/engines.ts
 *   programs   problems of contact by our solvers and those of other programs, when named, see solvers/programs.ts
 *   gradient   steps with gradients beside steps by themselves, when named, see gradient.ts
 *   edges   robots at edges and corners under three models, see edgeScenes.ts
 *
 * Each robot has a process of its own for the two engines: once the memory of MuJoCo's WASM has grown, as it does for the
 * longest chain, V8 checks every typed array of that process for having lost its buffer, which costs us a quarter.
 */

import { broadPhaseRow, broadPhaseRowName } from './contact/broadPhase.ts'
import { walkTable } from './contact/featureWalks.ts'
import { narrowPhaseRowNames, narrowPhaseRows } from './contact/narrowPhase.ts'
import { edgeRowNames, edgeSceneRows } from './edges/edgeScenes.ts'
import { engineRows } from './engines/engines.ts'
import { runForms } from './forms.ts'
import { gradientTable } from './gradient.ts'
import { inItsOwnProcess, type Row } from './measure.ts'
import { pageRows } from './page.ts'
import { piles } from './piles/piles.ts'
import { programs } from './solvers/programs.ts'
import { rowNames, subjects } from './subjects.ts'
import { worldsRows } from './worlds/worlds.ts'

const args = process.argv.slice(2)
/** Those that run when named alone. */
const alone: Readonly<Record<string, (rest: readonly string[]) => unknown>> = {
  piles,
  forms: runForms,
  page: ([seconds = '60']) => pageRows(Number(seconds)),
  walks: walkTable,
  engines: engineRows,
  programs,
  gradient: (models) => gradientTable(models),
  worlds: async (rest) => {
    const rows = await worldsRows(rest.filter((arg) => !arg.startsWith('--')))
    if (rest.includes('--json')) console.log(JSON.stringify({ rows }))
    else for (const row of rows) say(row)
  },
}
const [named = '', ...rest] = args
if (Object.hasOwn(alone, named)) {
  await alone[named](rest)
  process.exit()
}
const json = args.includes('--json')
const wanted = args.find((arg) => !arg.startsWith('--')) ?? ''

const rows: Row[] = []
function add(row: Row): void {
  rows.push(row)
  if (!json) say(row)
}

const isWanted = (names: readonly string[]) => names.some((name) => name.includes(wanted))
for (const subject of subjects)
  if (isWanted(rowNames(subject)))
    await inItsOwnProcess(new URL('timeSubject.ts', import.meta.url), [subject, wanted], add, subject)
if (isWanted(edgeRowNames)) await edgeSceneRows(wanted, add)
// before the narrow phase, whose WASM memory grows in this thread
if (isWanted([broadPhaseRowName])) add(await broadPhaseRow())
if (isWanted(narrowPhaseRowNames)) await narrowPhaseRows(wanted, add)
if (rows.length === 0) {
  console.error(
    `no row has "${wanted}" in its name; there are:\n${[...subjects.flatMap(rowNames), ...edgeRowNames, ...narrowPhaseRowNames, broadPhaseRowName].join('\n')}`,
  )
  process.exitCode = 2
} else if (json) console.log(JSON.stringify({ rows }))
else {
  for (const algorithm of ['rnea', 'crba', 'aba', 'factor+solve']) sayGrowth(algorithm)
  if (process.env.FEATHERBED_ROBOTS === undefined) {
    console.log('  real robots are not timed: set FEATHERBED_ROBOTS to their folder')
  }
}

function say({ name, compares, ours_us, ours_per_second, peer, peer_us, peer_per_second, ratio }: Row): void {
  const rate = (perSecond: number) => Math.round(perSecond).toLocaleString('en')
  const what = compares === undefined ? '' : `   ${compares}: ${rate(ours_per_second)}/s against ${rate(peer_per_second)}/s`
  console.log(
    `${name.padEnd(36)} ${ours_us.toFixed(2).padStart(9)} µs   ${peer} ${peer_us.toFixed(2).padStart(8)} µs   ratio ${ratio.toFixed(2)}${what}`,
  )
}

/** How fast the time grows with the number of links, between the two longest chains. */
function sayGrowth(algorithm: string): void {
  const [half, whole] = [32, 64].map((n) => rows.find(({ name }) => name === `chain ${n} ${algorithm}`))
  if (half === undefined || whole === undefined) return
  const ours = Math.log2(whole.ours_us / half.ours_us)
  const theirs = Math.log2(whole.peer_us / half.peer_us)
  console.log(
    `  ${algorithm} of chains: from 32 to 64 links ours grows as n^${ours.toFixed(2)}, MuJoCo's as n^${theirs.toFixed(2)}`,
  )
}
