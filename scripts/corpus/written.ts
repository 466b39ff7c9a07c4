/**
 * What `convert` writes of our own robots and of those in the folder that FEATHERBED_ROBOTS names, in the readers that it is written for: URDF in
 * Pinocchio (by urdfdom) and Drake, SDF in Drake (by sdformat), MJCF in MuJoCo. Meshes are not written: these readers refuse a file for any of them.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OWN_ROBOTS, openRobotFile, ownRobotPath } from '../../robots/files.ts'
import {
  type LoadOptions,
  loadExamined,
  loadRobot,
  type RobotDescription,
  writeMjcf,
  writeSdf,
  writeUrdf,
} from '../../robots/index.ts'
import type { Ask, Corpus, CorpusFile } from './corpus.ts'
import { type Answer, equal, questionOf } from './urdf.ts'

const targets = [
  'urdf in Pinocchio',
  'urdf in Drake',
  'sdf in Drake',
  'mjcf in MuJoCo',
  'urdf here',
  'sdf here',
  'mjcf here',
] as const

interface Row {
  readonly package: string
  readonly file: string
  readonly answers: Readonly<Partial<Record<(typeof targets)[number], Answer>>>
  readonly lost: readonly string[]
}

export const written: Corpus<Row> = {
  wheels: [],
  tools: ['pin==4.1.0', 'drake==1.51.1', 'xacro==2.1.1', 'scipy==1.17.1', 'mujoco==4.0.0'],
  script: './rigidBody.py',
  isFile: () => false,
  others: robots,
  row,
  table,
  faults,
}

function robots(): CorpusFile[] {
  const own = OWN_ROBOTS.map((name): CorpusFile => {
    const path = ownRobotPath(name)
    return { package: 'featherbed', root: dirname(path), path, name }
  })
  const folder = process.env.FEATHERBED_ROBOTS
  const names = folder === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' })
  // expansions of xacro beside their sources, and files that are for others to include
  const isRobot = (name: string) => /\.urdf$/.test(name) && !/expected\/|common_properties|empty/.test(name)
  const found = names
    .filter(isRobot)
    .sort()
    .map((name): CorpusFile => ({ package: 'robots', root: folder!, path: join(folder!, name), name }))
  return [...own, ...found]
}

async function row(file: CorpusFile, ask: Ask, folder: string): Promise<Row> {
  const { path, root, name } = file
  const opened = openRobotFile(path, { roots: [root] })
  const { robot, examined } = loadExamined(opened.text, opened.options)
  const repaired = withoutMeshes(examined.repaired)
  const [sdf, mjcf] = [writeSdf(repaired), writeMjcf(repaired)]
  const texts = { urdf: writeUrdf(repaired, { declareWorld: true }), sdf: sdf.text, mjcf: mjcf.text }
  const question = { root, ...questionOf(robot) }
  const place = join(folder, 'written')
  mkdirSync(place, { recursive: true })
  const answers: Record<string, Answer> = {}
  for (const target of targets) {
    const [format, tool] = target.split(/ in | /) as [keyof typeof texts, string]
    const out = join(place, `${name.replaceAll('/', '-')}.${format}`)
    writeFileSync(out, texts[format])
    answers[target] =
      tool === 'here'
        ? again(texts[format], opened.options, question)
        : await ask({ tool: tool.toLowerCase(), file: out, ...question })
  }
  return { package: file.package, file: name, answers, lost: [...sdf.lost, ...mjcf.lost] }
}

/** Whether our own reader makes the same of it: to the bit, or how far from it. */
function again(text: string, options: LoadOptions, question: object): Answer {
  const states = (of: object) => (of as { states: { M: number[][]; bias: number[]; gravity: number[] }[] }).states
  try {
    const robot = loadRobot(text, { ...options, srdf: undefined, maxLinks: 2000, base: undefined })
    const [mine, theirs] = [states(question), states(questionOf(robot))]
    const far = (a: readonly number[], b: readonly number[]) => {
      const size = Math.max(1e-300, ...a.map(Math.abs))
      return a.length === b.length ? Math.max(0, ...a.map((x, k) => Math.abs(x - b[k]) / size)) : Infinity
    }
    const worst = (key: 'bias' | 'gravity') => Math.max(...mine.map((state, k) => far(state[key], theirs[k][key])))
    const M = Math.max(...mine.map((state, k) => far(state.M.flat(), theirs[k].M.flat())))
    return { difference: { M, bias: worst('bias'), gravity: worst('gravity') } }
  } catch (error) {
    return { error: String(error).slice(0, 300) }
  }
}

/** Shapes of meshes left out: of what does not need files all is written. */
const withoutMeshes = (description: RobotDescription): RobotDescription => ({
  ...description,
  links: description.links.map((link) => ({
    ...link,
    visuals: [],
    collisions: link.collisions.filter(({ geometry: { type } }) => type !== 'mesh' && type !== 'points'),
  })),
})

const worstOf = ({ difference }: Answer) => (difference ? Math.max(...Object.values(difference)) : undefined)

function table(rows: readonly Row[]): string {
  const cell = (answer: Answer | undefined) => {
    if (answer === undefined) return ''
    if (answer.error !== undefined) return 'refused'
    if (answer.unmatched) return 'other joints'
    const worst = worstOf(answer)!
    return worst === 0 ? '0' : worst.toExponential(0)
  }
  const head = ['robot', ...targets.map((target) => `\`${target.replace(/ .*/, '')}\` ${target.replace(/^\w+ /, '')}`)]
  const lines = rows.map(({ file, answers }) => [file.split('/').pop()!, ...targets.map((target) => cell(answers[target]))])
  return [head, head.map((_, k) => (k === 0 ? '---' : '---:')), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Losses that change joints or coordinates, which are named. */
const named = /^(a planar|a floating|names of floating|frames without mass|bodies without mass)/

function faults(rows: readonly Row[]): string[] {
  return rows.flatMap(({ file, answers, lost }) =>
    targets.flatMap((target) => {
      const answer = answers[target]!
      const worst = worstOf(answer)
      if (worst !== undefined && worst <= equal) return []
      if (lost.some((loss) => named.test(loss))) return []
      return [`${file}, ${target}: ${answer.error ?? JSON.stringify(answer.unmatched ?? answer.difference)}`]
    }),
  )
}
