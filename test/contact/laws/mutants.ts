/*
 * node --import ./scripts/typescript.mjs test/contact/laws/mutants.ts [BEGINNING OF A FILE'S PATH, OR A MODEL]
 *
 * Whether the laws notice: each mutant is one wrong sign, factor or bound in one place of a copy of the sources, and some law of contact
 * has to fail for the model that it touches. First the law that is named for it is run, then, if that one holds, all laws of the model.
 * Prints a row for each mutant, and ends with 1 if any survives or could not be applied.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Mutant {
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly search: string
  readonly replacement: string
  /** The model whose laws are run; none where laws of models cannot tell, and `law` names a file of tests. */
  readonly model: string
  /** Beginning of the title of the law that has to fail. */
  readonly law: string
}

const weight = 'the normal forces carry the weight, and springs sink by weight over stiffness'
const headOn = 'two bodies that meet head-on part at (m1 v1 + m2 v2 ± m e (v1 - v2)) / (m1 + m2)'
const thrown = 'nothing is pulled, friction stays in its cone, momentum gets what contacts report, energy does not grow'
const slides = 'a block on a slope starts to slide at atan(mu), and slides at g (sin - mu cos)'
const sprung = 'a block on a spring takes the steps of implicit Euler'
const judge = 'test/contact/solvers/contactResidual.test.ts'
const planar = 'on a planar joint in a vertical plane a sphere slides and rolls as a free one does'

const mutants: readonly Mutant[] = [
  {
    file: 'contact/models/penalty.ts',
    search: 'damping[i] = gain[1] / r',
    replacement: 'damping[i] = -gain[1] / r',
    model: 'penalty',
    law: weight,
  },
  {
    file: 'contact/models/penalty.ts',
    search: 'spring[i] = (integral - gain[0] * gap[i]) / r',
    replacement: 'spring[i] = integral - gain[0] * gap[i]',
    model: 'penalty',
    law: slides,
  },
  {
    file: 'contact/models/penalty.ts',
    search: 'gain[2] * memory[2 * pair[i]]',
    replacement: '-gain[2] * memory[2 * pair[i]]',
    model: 'penalty',
    law: weight,
  },
  {
    file: 'contact/models/penaltyGains.ts',
    search: 'isGiven[2] : kiRatio * gains[0]',
    replacement: 'isGiven[2] : kiRatio * K',
    model: 'penalty',
    law: weight,
  },
  {
    file: 'contact/models/penaltyDeepest.ts',
    search: 'gap[best] <= gap[i]',
    replacement: 'gap[best] >= gap[i]',
    model: 'penalty-deepest',
    law: 'a box on a slope tips at tan = b / c if mu is larger',
  },
  {
    file: 'contact/models/huntCrossley.ts',
    search: 'damping[i] = spring[i] * gain[1]',
    replacement: 'damping[i] = -spring[i] * gain[1]',
    model: 'hunt-crossley',
    law: weight,
  },
  {
    file: 'contact/models/huntCrossley.ts',
    search: 'Math.exp((1 - exponent) * Math.log(d0))',
    replacement: 'Math.exp((exponent - 1) * Math.log(d0))',
    model: 'hunt-crossley',
    law: weight,
  },
  {
    file: 'contact/impacts/impactLaw.ts',
    search: 'const missing = (1 - e * e) * compressed[1] - now[WORK]',
    replacement: 'const missing = (1 - e) * compressed[1] - now[WORK]',
    model: 'penalty',
    law: headOn,
  },
  {
    file: 'contact/impacts/impactLaw.ts',
    search: 'const fx = a1 > 0 ? -b1 / a1 : 0',
    replacement: 'const fx = a1 > 0 ? b1 / a1 : 0',
    model: 'penalty',
    law: 'without restitution the end of a rod that strikes the ground stops dead where friction can hold it',
  },
  {
    file: 'contact/impacts/slipSeries.ts',
    search: 'qx[k] = -mu * part * x[k - 1]',
    // slip that turns is in no law of a model: what strikes there is symmetric
    replacement: 'qx[k] = mu * part * x[k - 1]',
    model: '',
    law: 'test/contact/impacts/impactLaw.test.ts',
  },
  {
    file: 'contact/impacts/pairImpulse.ts',
    search: 'wrench[1] = z * fx - x * fz',
    replacement: 'wrench[1] = x * fz - z * fx',
    model: 'penalty',
    law: 'a rod that falls flat on one end gets the impulse (1 + e) m v / (1 + 3 cos²)',
  },
  {
    file: 'dynamics/passive/joints.ts',
    search: 'viscosity[k] += theta[0] * dt * model.stiffness[k]',
    replacement: 'viscosity[k] += 0 * model.stiffness[k]',
    model: 'stewart-trinkle',
    law: sprung,
  },
  {
    file: 'dynamics/passive/joints.ts',
    search: 'spring[k] = model.stiffness[k] * (q[qOfSprung[i]] - model.springReference[k])',
    replacement: 'spring[k] = model.stiffness[k] * (q[qOfSprung[i]] + model.springReference[k])',
    model: 'penalty',
    law: sprung,
  },
  {
    file: 'dynamics/algorithms/restFrame.ts',
    search: 'a[k + 4] = v[k] * z - v[k + 2] * x',
    replacement: 'a[k + 4] = v[k] * z + v[k + 2] * x',
    model: 'stewart-trinkle',
    law: thrown,
  },
  {
    file: 'dynamics/algorithms/restFrame.ts',
    search: 'a[k] = v[k + 2] * v[k + 1]',
    replacement: 'a[k] = -v[k + 2] * v[k + 1]',
    model: 'stewart-trinkle',
    law: planar,
  },
  {
    file: 'dynamics/algorithms/restFrame.ts',
    search: 'v[k + 1] = -sc[0] * vx + sc[1] * vy',
    replacement: 'v[k + 1] = sc[0] * vx + sc[1] * vy',
    model: 'stewart-trinkle',
    law: planar,
  },
  {
    file: 'contact/solvers/contactResidual.ts',
    search: "const lift = law === 'cone' ? mu *",
    replacement: "const lift = law === 'cone' ? -mu *",
    model: '',
    law: judge,
  },
  {
    file: 'contact/solvers/contactResidual.ts',
    // no law of a model tells: where the judge refuses an answer, Lemke's method, which has a check of its own, gives it again
    search: 'off = Math.abs(pn < un ? pn : un)',
    replacement: 'off = Math.abs(pn > un ? pn : un)',
    model: '',
    law: judge,
  },
]

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = [
  'robots',
  'dynamics',
  'contact',
  'simulation',
  'control',
  'compare',
  'cases',
  'engines',
  'bench',
  'scripts',
  'test',
  'assets.ts',
  'index.ts',
  'docs/examples',
  'package.json',
  'tsconfig.base.json',
]
const config = `export default {
  test: { include: ['test/contact/**/*.test.ts'], isolate: false, maxWorkers: 1, testTimeout: 1_800_000 },
}
`

interface Tally {
  readonly passed: number
  /** Titles of the laws that failed. */
  readonly failed: readonly string[]
}

/** Runs laws of a model in a copy. @param titles beginnings; all laws if none is given */
function runLaws(folder: string, model: string, titles: readonly string[], bail: number): Tally {
  const pattern = titles.length === 0 ? `^${model} ` : `^${model} .*(${titles.map(escaped).join('|')})`
  const output = join(folder, 'laws.json')
  rmSync(output, { force: true })
  const which = model === '' ? titles : ['test/contact/laws/', '--testNamePattern', pattern]
  const args = ['vitest', 'run', ...which, '--reporter=json', `--outputFile=${output}`, `--bail=${bail}`]
  const { stderr } = spawnSync('npx', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
    env: { ...process.env, FEATHERBED_FULL: '1' }, // day by day some models have some laws
  })
  let text: string
  try {
    text = readFileSync(output, 'utf8')
  } catch {
    throw new Error(`the laws of ${model} could not be run in ${folder}:\n${stderr.slice(0, 2000)}`)
  }
  const { numPassedTests, testResults } = JSON.parse(text) as {
    numPassedTests: number
    testResults: { message: string; assertionResults: { status: string; title: string }[] }[]
  }
  const failed = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed'))
  // a file that does not load has no results of its own
  const broken = testResults.find(({ message, assertionResults }) => message !== '' && assertionResults.length === 0)
  if (broken !== undefined) throw new Error(`the laws could not be loaded: ${broken.message}`)
  return { passed: numPassedTests, failed: failed.map(({ title }) => title) }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Puts a mutant in. @returns how to take it out again */
function applied(folder: string, { file, search, replacement }: Mutant): () => void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  const count = text.split(search).length - 1
  if (count !== 1) throw new Error(`"${search}" occurs ${count} times; expected once`)
  writeFileSync(
    path,
    text.replace(search, () => replacement),
  )
  return () => writeFileSync(path, text)
}

/** What became of a mutant. */
function judged(folder: string, mutant: Mutant): string {
  const takeOut = applied(folder, mutant)
  try {
    if (runLaws(folder, mutant.model, [mutant.law], 1).failed.length > 0) return 'killed'
    if (mutant.model === '') return 'SURVIVED'
    const { failed } = runLaws(folder, mutant.model, [], 1)
    if (failed.length === 0) return 'SURVIVED'
    return `killed by another law: ${failed[0]}`
  } finally {
    takeOut()
  }
}

const [wanted = ''] = process.argv.slice(2)
const chosen = mutants.filter(({ file, model }) => file.startsWith(wanted) || model === wanted)
const folder = mkdtempSync(join(tmpdir(), 'featherbed-mutants-'))
let losses = 0
try {
  for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'vitest.config.ts'), config)

  // without any mutant the named laws hold
  for (const model of new Set(chosen.map((mutant) => mutant.model))) {
    const titles = [...new Set(chosen.filter((mutant) => mutant.model === model).map(({ law }) => law))]
    const { passed, failed } = runLaws(folder, model, titles, 0)
    if (passed < titles.length) throw new Error(`of ${titles.length} laws of ${model} ${passed} are held or there at all`)
    if (failed.length > 0) throw new Error(`without any mutant, ${model} fails: ${failed.join('; ')}`)
  }
  console.log('| file | mutant | model | |\n| --- | --- | --- | --- |')
  for (const mutant of chosen) {
    const { file, model, law, replacement } = mutant
    let fate: string
    try {
      fate = judged(folder, mutant)
    } catch (error) {
      fate = `NOT APPLIED: ${(error as Error).message}`
    }
    if (!fate.startsWith('killed')) losses++
    console.log(`| ${file} | \`${replacement.replaceAll('|', '\\|')}\` | ${model || law} | ${fate} |`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${chosen.length} mutants, ${losses} not killed.`)
process.exitCode = losses > 0 ? 1 : 0
