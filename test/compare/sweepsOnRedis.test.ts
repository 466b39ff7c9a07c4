import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { ended, featherbed, featherbedProcess, temporaryFolder } from './command.ts'
import { OwnRedis, OwnWorker, redisServer } from './redis.ts'

if (redisServer === undefined) console.log('not run: sweeps by workers of a queue; install redis-server')
const onRedis = test.runIf(redisServer !== undefined)

const { path, write } = temporaryFolder()
const workers: OwnWorker[] = []
let redis: OwnRedis | undefined
afterAll(async () => {
  for (const worker of workers) await worker.kill()
  await redis?.kill()
})
const started = async () => {
  redis ??= await OwnRedis.start(mkdtempSync(join(tmpdir(), 'featherbed-redis-')))
  return redis
}
const bytes = (folder: string) => readFileSync(join(path, folder, 'runs.parquet'))

/** 1600 runs in 8 chunks, of a robot with a file of its own and a script. */
const urdf =
  '<robot name="slab"><link name="slab"><inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link></robot>'
const drop = `
name: slab
robot: slab.urdf
duration: 0.01 s
dt: [1 ms]
models: [ncp, convex]
seeds: 20
perturb: { linearVelocity: 0.5 }
sweep: { physical.friction: [0.2, 0.5] }
sample: { count: 20, method: latin-hypercube, over: { vary.mass: { from: 0.5, to: 2 } } }
`

onRedis('a sweep by workers has the bytes of one by threads, while workers and the server are killed and come back', async () => {
  write('slab.urdf', urdf)
  const scenario = write('slab.yaml', drop)
  await ended(0, featherbed(['sweep', scenario, '--out', join(path, 'whole'), '--quiet']))
  const server = await started()
  workers.push(new OwnWorker(server.url, 1), new OwnWorker(server.url, 1))
  const queued = featherbedProcess(['sweep', scenario, '--redis', server.url, '--out', join(path, 'queued'), '--quiet'])
  let isDone = false
  queued.finally(() => (isDone = true))
  const random = createRandom(7)
  for (let k = 0; k < 6 && !isDone; k++) {
    await sleep(500 * random.next())
    const victims = [...workers, server]
    await victims[random.index(victims.length)].killAndRestart()
  }
  await ended(0, queued)
  expect(bytes('queued').equals(bytes('whole'))).toBe(true)
  // nothing is left on the server
  const client = new Redis(server.url)
  const keys = await client.keys('*')
  client.disconnect()
  expect(keys.filter((key) => key.includes('bundle') || /:[0-9a-f]{32}-\d+$/.test(key))).toEqual([])
  for (const worker of workers.splice(0)) expect(await worker.stop()).toBe(0)
})

onRedis('a bundle that is not what its name says is refused, and the chunks that need it are named', async () => {
  const scenario = write(
    'forged.yaml',
    'robot: diffdrive\nduration: 0.01 s\ndt: [1 ms]\nmodels: [ncp]\nsweep: { vary.mass: [1, 2] }\n',
  )
  await ended(0, featherbed(['sweep', scenario, '--out', join(path, 'true'), '--quiet']))
  const { digest } = JSON.parse(readFileSync(join(path, 'true', 'sweep.json'), 'utf8')) as { digest: string }
  const server = await started()
  const client = new Redis(server.url)
  await client.set(`featherbed:bundle:${digest}`, 'forged')
  client.disconnect()
  const worker = new OwnWorker(server.url, 1)
  workers.push(worker)
  const { stderr } = await ended(
    1,
    featherbed(['sweep', scenario, '--redis', server.url, '--out', join(path, 'forged'), '--quiet']),
  )
  expect(stderr).toContain('chunk 0: it cannot be unpacked')
  await worker.stop()
  workers.pop()
})

onRedis("a stranger's script runs in a sandbox of the worker, unless it is trusted", async () => {
  write(
    'peek.ts',
    "export default { init() {}, update() { return [typeof process === 'undefined' ? 0 : 1] }, metrics() { return { sees: typeof process === 'undefined' ? 0 : 1 } } }\n",
  )
  write(
    'arm.urdf',
    '<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>',
  )
  const scenario = write(
    'arm.yaml',
    'robot: arm.urdf\nbase: fixed\ncontroller: peek.ts\nduration: 0.01 s\ndt: [1 ms]\nmodels: [ncp]\nground: false\nsweep: { vary.mass: [1, 2] }\n',
  )
  const server = await started()
  const worker = new OwnWorker(server.url, 1)
  workers.push(worker)
  await ended(0, featherbed(['sweep', scenario, '--redis', server.url, '--out', join(path, 'stranger'), '--quiet']))
  const { columns, rows } = JSON.parse(readFileSync(join(path, 'stranger', 'runs.json'), 'utf8')) as {
    columns: { name: string }[]
    rows: unknown[][]
  }
  const seen = rows.map((row) => row[columns.findIndex(({ name }) => name === 'controllerMetrics')])
  expect(seen).toEqual(['{"sees":0}', '{"sees":0}'])
  await ended(0, featherbed(['sweep', scenario, '--out', join(path, 'own'), '--quiet']))
  expect(readFileSync(join(path, 'own', 'runs.json'), 'utf8')).toContain('sees\\":1')
})
