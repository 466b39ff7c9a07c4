/**
 * How often robots have several answers: node --import ./scripts/typescript.mjs test/problems/answersOfRobots.run.ts [NAME...]
 *
 * Steps of each robot at its task (robotScenes.ts) at 1 ms and 5 ms, evenly spaced among those with 1 to 8 contacts, and all answers of each
 * under three laws. Prints a Markdown table, and with FEATHERBED_EACH=FILE writes a line of JSON a step. Takes about 20 minutes.
 */
import { appendFileSync } from 'node:fs'
import { type Answers, answersOf } from '../../compare/answers/answers.ts'
import { ContactSystem } from '../../compare/answers/contactSystem.ts'
import { parseProblem } from '../../compare/inspect/problemFile.ts'
import { contactResidual, FacePolyhedron, isVerified, LinearProgram, type SavedProblem } from '../../contact/index.ts'
import { type RobotScene, stepProblems, tasks, throws } from './robotScenes.ts'

/** Model that runs under each law; programs of a step's search. */
const laws = {
  pyramid: { model: 'stewart-trinkle', most: 20_000 },
  associated: { model: 'anitescu-potra', most: 20_000 },
  cone: { model: 'ncp', most: 5000 },
} as const
type Law = keyof typeof laws
const STEPS = [1e-3, 5e-3]
const MOST_CONTACTS = 8
/** Steps of a run that are looked at, and time that they have together [s]: what is over is not looked at. */
const LOOKED_AT = 12
const PATIENCE = 10
/** Velocities of one set that differ by more than this part of the largest free velocity are a continuum, if both hold. */
const EXTENT = 1e-3
/** Under cones the finest sector of slip is 1.4 degrees wide; so a set is larger than its answers, and of impulses it says nothing. */
const CONE_EXTENT = 0.05
/** Largest residual of an answer. */
const HOLDS = 1e-6
/** With a tolerance so many times finer a continuum stays, and velocities that only the tolerance allows come together. */
const FINER = 64

const kinds = ['one', 'several', 'continuum', 'none', 'open'] as const
type Kind = (typeof kinds)[number]
interface Seen {
  readonly kind: Kind
  readonly impulses: boolean
  /** Of several and of a continuum: how far two answers are apart, of the largest free velocity, and the larger residual of the two. */
  readonly apart?: number
  readonly residual?: number
  readonly programs: number
}

/** Impulses of a point of a polyhedron where row r's velocity is largest, times sign. */
function extreme(polyhedron: FacePolyhedron, r: number, sign: number, scale: number): Float64Array {
  const program = polyhedron.open(new LinearProgram())
  program.solve()
  const { c } = polyhedron.velocityRow(r)
  program.maximize(c.map((x) => sign * x))
  return polyhedron.impulses(program.x).map((x) => scale * x)
}

/** The row in which velocities of a set differ most, and by how much. */
function widest({ velocity: { min, max } }: Answers['sets'][number]): { readonly r: number; readonly extent: number } {
  let r = 0
  for (let i = 1; i < min.length; i++) if (max[i] - min[i] > max[r] - min[r]) r = i
  return { r, extent: max[r] - min[r] }
}

function look(saved: SavedProblem, law: Law): Seen {
  const problem = parseProblem(JSON.stringify({ ...saved, law, sides: 4 }), 'a step') as SavedProblem
  const { sets, complete, faces, search } = answersOf(problem, laws[law].most)
  const { scale } = faces
  const system = new ContactSystem(problem).problem
  const u = new Float64Array(system.rowCount)
  const velocity = (p: Float64Array) => {
    const residual = new Float64Array(1)
    contactResidual(system, law, 4, p, u, residual)
    return { u: u.slice(), residual: residual[0] }
  }
  /** Of two answers. */
  const pair = (a: Float64Array, b: Float64Array) => {
    const [x, y] = [velocity(a), velocity(b)]
    const apart = Math.max(...x.u.map((value, r) => Math.abs(value - y.u[r]))) / scale
    return { apart, residual: Math.max(x.residual, y.residual) }
  }
  const of = (kind: Kind, more = {}): Seen => ({
    kind,
    impulses: sets.some(({ impulseDimension }) => impulseDimension > 0),
    programs: search.nodes,
    ...more,
  })
  const finer = { ...faces, scale: scale / FINER }
  const isStill = (polyhedron: FacePolyhedron) =>
    new FacePolyhedron(finer, polyhedron.choice).open(new LinearProgram()).solve() === 0
  const wide = sets
    .map((set) => ({ set, ...widest(set) }))
    .find(({ extent }) => extent > (law === 'cone' ? CONE_EXTENT : EXTENT) * scale)
  if (law === 'cone') {
    if (!complete) return of('open')
    if (sets.length === 0) return of('none')
    const verified = sets.filter(({ polyhedra }) => polyhedra.some((polyhedron) => holds(faces, polyhedron)))
    if (sets.length === 1) return wide ? of('open', { apart: wide.extent / scale }) : of('one')
    return verified.length > 1 ? of('several', pair(verified[0].p, verified[1].p)) : of('open')
  }
  // a continuum and several answers are found before all is searched
  if (wide) {
    const best = wide.set.polyhedra
      .map((polyhedron) => new FacePolyhedron(finer, polyhedron.choice))
      .filter((polyhedron) => polyhedron.open(new LinearProgram()).solve() === 0)
      .map((polyhedron) => {
        const [a, b] = [1, -1].map((sign) => extreme(polyhedron, wide.r, sign, finer.scale))
        return pair(a, b)
      })
      .filter(({ residual }) => residual <= HOLDS)
      .sort((a, b) => b.apart - a.apart)[0]
    if (best && best.apart > wide.extent / scale / 8) return of('continuum', best)
    if (sets.length === 1) return of(complete ? 'one' : 'open', { apart: wide.extent / scale, finer: best?.apart })
  }
  if (sets.length > 1) {
    const found = pair(sets[0].p, sets[1].p)
    const areAll = sets.every(({ polyhedra }) => polyhedra.some(isStill))
    return of(found.residual <= HOLDS && found.apart > EXTENT && areAll ? 'several' : 'open', found)
  }
  if (!complete) return of('open')
  return sets.length === 0 ? of('none') : of('one')
}

function holds(faces: Answers['faces'], polyhedron: FacePolyhedron): boolean {
  const program = polyhedron.open(new LinearProgram())
  program.solve()
  return isVerified(faces, polyhedron)
}

interface Step {
  readonly problem: SavedProblem
  readonly step: number
}
interface Tally {
  looked: number
  over: number
  readonly counts: Record<Kind, number>
  impulses: number
}
const fresh = (): Tally => ({
  looked: 0,
  over: 0,
  counts: { one: 0, several: 0, continuum: 0, none: 0, open: 0 },
  impulses: 0,
})

const wanted = process.argv.slice(2)
const each = process.env.FEATHERBED_EACH
const totals = new Map<string, Tally>()
const totalOf = (key: string) => {
  const tally = totals.get(key) ?? fresh()
  totals.set(key, tally)
  return tally
}
const share = (part: number, of: number) => (of === 0 ? '-' : `${Math.round((100 * part) / of)} %`)
const row = (name: string, law: string, { looked, over, counts, impulses }: Tally) =>
  `| ${name} | ${law} | ${looked} | ${kinds.map((kind) => counts[kind]).join(' | ')} | ${law === 'cone' ? '-' : share(impulses, looked - counts.open)} | ${over} |`

console.log(
  '| robot, task | law | steps looked at | one velocity | several | a continuum | none | not decided | several impulses | more contacts |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
)
/** Steps of a scene with a problem that is small enough, evenly spaced: every fourth first, so that a run that reaches its limit was looked at all along. */
async function stepsOf(scene: RobotScene, law: Law, dt: number, tally: Tally): Promise<Step[]> {
  const candidates: Step[] = []
  await stepProblems(scene, laws[law].model, dt, (problem, step) => {
    if (problem === undefined || problem.mu.length === 0) return
    if (problem.mu.length <= MOST_CONTACTS) candidates.push({ problem, step })
    else tally.over++
  })
  const count = Math.min(LOOKED_AT, candidates.length)
  const due = Array.from({ length: count }, (_, k) => candidates[Math.floor(((k + 0.5) * candidates.length) / count)])
  return [0, 2, 1, 3].flatMap((k) => due.filter((_, i) => i % 4 === k))
}

// throws of one robot are one row
const groups = new Map<string, RobotScene[]>()
for (const scene of [...tasks, ...throws]) {
  const name = `${scene.robot} ${scene.task.replace(/, \d$/, '')}`
  groups.set(name, [...(groups.get(name) ?? []), scene])
}
for (const [name, scenes] of groups) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue
  for (const law of Object.keys(laws) as Law[]) {
    const tally = fresh()
    for (const scene of scenes)
      for (const dt of STEPS) {
        const steps = await stepsOf(scene, law, dt, tally)
        const end = performance.now() + (1e3 * PATIENCE) / scenes.length
        for (const { problem, step } of steps) {
          if (performance.now() > end) break
          const seen = look(problem, law)
          for (const to of [tally, totalOf(`${law} ${1e3 * dt} ms`)]) {
            to.looked++
            to.counts[seen.kind]++
            if (seen.impulses && seen.kind !== 'open') to.impulses++
          }
          const line = { name: `${scene.robot} ${scene.task}`, law, dt, step, contacts: problem.mu.length, ...seen }
          if (each !== undefined) appendFileSync(each, `${JSON.stringify(line)}\n`)
        }
      }
    console.log(row(name, law, tally))
  }
}
for (const [key, tally] of totals) {
  const [law, ...dt] = key.split(' ')
  console.log(row(`all, ${dt.join(' ')}`, law, tally))
}
process.exit()
