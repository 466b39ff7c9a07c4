/** The commands of docs/examples/scale, each run as its scheduler runs it, on one machine: their merged runs are those of one sweep. */
import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { temporaryFolder } from './command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const example = (name: string) => readFileSync(join(root, 'docs/examples/scale', name), 'utf8')
const folder = temporaryFolder()
const path = (...names: string[]) => join(folder.path, ...names)
/** Three chunks of two runs each: a cell of 200 seeds is a chunk, and is decided by its second run. */
const scenario = folder.write(
  'brake.yaml',
  'name: tiny\nbodies: [{ name: ball, shape: { type: sphere, radius: 5 cm }, mass: 1, position: [0, 0, 0.06] }]\n' +
    'duration: 2 ms\ndt: 1 ms\nmodels: [penalty]\nseeds: 200\nperturb: { linearVelocity: 0.01 }\n' +
    'measure: { moved: { kind: slipped, body: ball, on: ground } }\nsuccess: moved < 1 m\ndecide: { success: 0.1 }\n' +
    'sweep: { physical.friction: [0.2, 0.5, 0.8] }\n',
)

/** Commands of the schedulers and ours, before all others. */
function command(name: string, text: string): void {
  mkdirSync(path('bin'), { recursive: true })
  writeFileSync(path('bin', name), `#!/bin/sh\n${text}\n`)
  chmodSync(path('bin', name), 0o755)
}
const run = async (words: readonly string[], environment: Record<string, string> = {}, cwd = folder.path) => {
  const env = { ...process.env, PATH: `${path('bin')}:${process.env.PATH}`, ...environment }
  return (await promisify(execFile)(words[0], words.slice(1), { env, cwd })).stdout
}
const all = <T>(values: readonly T[], act: (value: T) => Promise<unknown>) => Promise.all(values.map(act))
const counted = (n: number) => Array.from({ length: n }, (_, i) => i)

let expected: Buffer
const expectMerged = (...names: string[]) => expect(readFileSync(path(...names, 'runs.parquet')).equals(expected)).toBe(true)

beforeAll(async () => {
  command('featherbed', `exec "${process.execPath}" "${join(root, 'bin/featherbed.js')}" "$@"`)
  await run(['featherbed', 'sweep', scenario, '--quiet', '--out', 'one'])
  expected = readFileSync(path('one', 'runs.parquet'))
})

test('kubernetes.yaml: pods of the Indexed Job, then the Job that merges', async () => {
  const [, shards, merge] = parseAllDocuments(example('kubernetes.yaml')).map((document) => document.toJS())
  // a ConfigMap is mounted as links to links
  mkdirSync(path('configMap/..1'), { recursive: true })
  cpSync(scenario, path('configMap/..1/brake.yaml'))
  symlinkSync('..1', path('configMap/..data'))
  symlinkSync('..data/brake.yaml', path('configMap/brake.yaml'))
  const mounts: Record<string, string> = { '/scenario': path('configMap'), '/results': path('kubernetes') }
  const pod = (job: typeof merge, environment = {}) => {
    const [{ command: words, volumeMounts }] = job.spec.template.spec.containers
    const placed = (word: string) =>
      volumeMounts.reduce(
        (text: string, { mountPath }: { mountPath: string }) => text.replaceAll(mountPath, mounts[mountPath]),
        word,
      )
    return run(words.map(placed), environment)
  }
  expect(shards.spec.completionMode).toBe('Indexed')
  await all(counted(shards.spec.completions), (i) => pod(shards, { JOB_COMPLETION_INDEX: String(i) }))
  await pod(merge)
  expectMerged('kubernetes')
})

test('slurm.sh: submits an array and the merge behind it; its tasks', async () => {
  command('sbatch', `printf '%s\\n' "$@" >> '${path('submitted')}'; echo >> '${path('submitted')}'; echo '17;cluster'`)
  folder.write('slurm.sh', example('slurm.sh'))
  const [out, n] = [path('it is slurm'), 3]
  await run(['sh', 'slurm.sh', scenario, out, String(n)])
  const [array, merge] = readFileSync(path('submitted'), 'utf8')
    .split('\n\n')
    .map((words) => words.split('\n'))
  expect(array).toEqual(['--parsable', '--array=1-3', 'slurm.sh', scenario, out, '3'])
  expect(merge).toContain('--dependency=afterok:17')
  // Slurm runs a copy of the script
  cpSync(path('slurm.sh'), path('spooled'))
  const task = (id: number) =>
    run(['sh', path('spooled'), ...array.slice(3)], { SLURM_ARRAY_TASK_ID: String(id), SLURM_CPUS_PER_TASK: '1' })
  // the lock of a node that died while this task ran there
  mkdirSync(join(out, 'shards/2'), { recursive: true })
  writeFileSync(join(out, 'shards/2/.featherbed.lock'), '{"process":"0badbabe-7-7","pid":7,"host":"node9","since":"now"}')
  await all([1, 2, 3], task)
  await run(['sh', '-c', merge[merge.indexOf('--wrap') + 1]])
  expectMerged('it is slurm')
})

test('ci-matrix.yaml: jobs of the matrix, their artifacts, the job that merges', async () => {
  const { jobs } = parse(example('ci-matrix.yaml'))
  interface Step {
    readonly run?: string
    readonly uses?: string
    readonly with?: Readonly<Record<string, string>>
  }
  const { shard: values } = jobs.shard.strategy.matrix as { readonly shard: readonly number[] }
  const job = async (name: string, value: string) => {
    const cwd = path('ci', `${name}${value}`)
    cpSync(scenario, join(cwd, 'docs/examples/scale/brake.yaml'))
    const given: Record<string, string> = { 'matrix.shard': value, 'strategy.job-total': String(values.length) }
    const filled = (text: string) => text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => given[expression])
    for (const { run: line, uses = '', with: inputs = {} } of jobs[name].steps as Step[]) {
      if (line?.startsWith('featherbed')) await run(['bash', '-e', '-c', filled(line)], {}, cwd)
      if (uses.startsWith('actions/upload-artifact'))
        cpSync(join(cwd, inputs.path), path('artifacts', filled(inputs.name)), { recursive: true })
      if (uses.startsWith('actions/download-artifact')) cpSync(path('artifacts'), join(cwd, inputs.path), { recursive: true })
    }
  }
  await all(values, (value) => job('shard', String(value)))
  await job('merge', '')
  expectMerged('artifacts', 'results')
})

test('Dockerfile: packages of the versions that are tested', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const named = [...example('Dockerfile').matchAll(/([\w-]+)@([\d.]+)/g)].map(([, name, version]) => [name, version])
  expect(named).toEqual(['bullmq', 'ioredis', 'hyparquet-writer'].map((name) => [name, packages[`node_modules/${name}`].version]))
})
