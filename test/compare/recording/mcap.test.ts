import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openRecording, type RecordingOptions } from '../../../compare/recording/files.ts'
import { contactModelNames, hullOf, type Shape } from '../../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import { rotationOfQuaternion } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { contactsHeader, FrameSource, Recorder, stateHeader, World } from '../../../simulation/index.ts'
import { rotate } from '../../contact/laws/scenes.ts'
import { dataAt, stateOf } from '../../dynamics/at.ts'
import { type ReadMessage, readIndexed, readStream, schemaFaults } from './reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-mcap-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const robot = loadOwnRobot('humanoid')
const model = contactModelNames[0]

function humanoid(): World {
  return new World({ robot, contactModel: model, dt: 1e-3, controller: createControllerLoop(defaultControllerFor(robot), robot) })
}

/** Records a run, in memory too, and reads it back. */
async function recorded(name: string, world: World, steps: number, options: RecordingOptions = {}) {
  const path = join(folder, `${name}.mcap`)
  const recording = openRecording(path, world, options)
  const recorder = new Recorder(world, { every: options.every })
  const keep = () => {
    recording.record()
    recorder.record()
  }
  keep()
  for (let i = 0; i < steps; i++) {
    world.step()
    keep()
  }
  const end = recording.close()
  return { path, end, recorder, world, ...(await readIndexed(path)) }
}

const on = (messages: readonly ReadMessage[], topic: string) => messages.filter((message) => message.topic === topic)

const run = await recorded('humanoid', humanoid(), 250, {
  info: {
    command: 'featherbed run humanoid',
    version: '0.1.0',
    scenario: { name: 'walk.yaml', text: 'robots: [humanoid]\n# Grüße\n' },
    files: [{ name: 'humanoid.urdf', text: '<robot name="humanoid"/>' }],
  },
})

describe('a recording of a humanoid', () => {
  const { messages, recorder, world } = run

  test('reads back, by the index of the file, as the bits of every step', () => {
    const states = on(messages, '/humanoid/state')
    expect(states).toHaveLength(251)
    for (const [i, { json, logTime }] of states.entries()) {
      const frame = recorder.frame(i)
      expect(json.step).toBe(i)
      expect(logTime).toBe(BigInt(i) * 1_000_000n)
      for (const name of ['q', 'v', 'tau'] as const) expect(sameBits(json[name], frame[name])).toBe(true)
      expect(json.t).toBe(frame.t[0])
    }
    expect(sameBits(states[250].json.q, world.state.q)).toBe(true)
  })

  test('has the contacts of every step with bodies, points, forces and impulses, bit for bit', () => {
    const lists = on(messages, '/contacts')
    expect(lists).toHaveLength(251)
    let count = 0
    for (const [i, { json }] of lists.entries()) {
      const { contacts } = recorder.frame(i)
      expect(json.contacts).toHaveLength(contacts.count)
      expect(json.detectedAt).toBe(Math.max(0, i - 1) * world.dt)
      for (const [c, contact] of json.contacts.entries()) {
        const { x, y, z } = contact.force
        expect(sameBits([x, y, z], contacts.force.subarray(3 * c, 3 * c + 3))).toBe(true)
        const { x: px, y: py, z: pz } = contact.point
        expect(sameBits([px, py, pz], contacts.point.subarray(3 * c, 3 * c + 3))).toBe(true)
        expect(contact.gap).toBe(contacts.gap[c])
        expect(contact.linkA).toBe('world')
        expect(contact.shapeA).toBe(world.fixtures[0].name)
        expect(world.shapes.map(({ name }) => name)).toContain(contact.shapeB)
        count++
      }
    }
    expect(count).toBeGreaterThan(100)
  })

  test('every message follows the schema that the file holds for it, Foxglove’s among them', () => {
    const schemas = new Map(
      [...run.reader.schemasById.values()].map(({ name, data }) => [name, JSON.parse(Buffer.from(data).toString())]),
    )
    expect([...schemas.keys()].filter((name) => name.startsWith('foxglove.')).sort()).toEqual([
      'foxglove.FrameTransforms',
      'foxglove.JointStates',
      'foxglove.Log',
      'foxglove.SceneUpdate',
    ])
    expect(messages.flatMap(({ topic, schema, json }) => schemaFaults(json, schemas.get(schema), topic))).toEqual([])
    expect(new Set(messages.map(({ schema }) => schema)).size).toBe(schemas.size)
  })

  test('shows all collision shapes once, and poses of all links at the picture rate', () => {
    expect(on(messages, '/shapes')).toHaveLength(1)
    const { entities } = on(messages, '/shapes')[0].json
    expect(entities).toHaveLength(world.shapes.length + world.fixtures.length)
    const poses = on(messages, '/tf')
    expect(poses).toHaveLength(Math.floor(250 / 17) + 1) // 60 a second are every 17 steps of 1 ms
    const framed = new Set(
      [...poses[0].json.transforms, ...on(messages, '/tf_static')[0].json.transforms].map((t) => t.child_frame_id),
    )
    for (const { name, body } of robot.frames) if (body > 0) expect(framed).toContain(name)
    for (const entity of entities) expect(framed.has(entity.frame_id) || entity.frame_id === 'world').toBe(true)
  })

  test('a pose turns and moves points as the kinematics of its step do', () => {
    const data = dataAt(world.model, stateOf(world.model, recorder.frame(17).q))
    const { transforms } = on(messages, '/tf')[1].json
    expect(transforms).toHaveLength(world.model.nb - 1)
    for (const { child_frame_id, translation, rotation } of transforms) {
      const body = world.model.bodyName.indexOf(child_frame_id)
      const { x, y, z, w } = rotation
      const R = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)] // first row of the rotation of a unit quaternion
      for (let k = 0; k < 3; k++) expect(R[k]).toBeCloseTo(data.R_WB[body][k], 12)
      expect([translation.x, translation.y, translation.z]).toEqual([...data.p_WB[body]])
    }
  })

  test('arrows point along the forces, from the contact points', () => {
    const frame = recorder.frame(238) // 14 pictures on
    const { arrows, spheres } = on(messages, '/contact_arrows')[14].json.entities[0]
    const { count, force, point } = frame.contacts
    expect(spheres).toHaveLength(count)
    const pushing = Array.from({ length: count }, (_, c) => c).filter((c) => Math.hypot(...force.subarray(3 * c, 3 * c + 3)) > 0)
    expect(arrows).toHaveLength(pushing.length)
    expect(pushing.length).toBeGreaterThan(0)
    for (const [k, c] of pushing.entries()) {
      const { x, y, z, w } = arrows[k].pose.orientation
      const along = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)] // what the turn makes of x
      const f = force.subarray(3 * c, 3 * c + 3)
      for (let i = 0; i < 3; i++) expect(along[i]).toBeCloseTo(f[i] / Math.hypot(...f), 12)
      expect(arrows[k].pose.position).toEqual({ x: point[3 * c], y: point[3 * c + 1], z: point[3 * c + 2] })
    }
  })

  test('says what was run and how it ended, and carries the files it was given', () => {
    const facts = run.metadata.get('featherbed.run')
    expect(facts?.get('command')).toBe('featherbed run humanoid')
    expect(JSON.parse(facts?.get('robots') as string)).toEqual(['humanoid'])
    expect(facts?.get('contactModel')).toBe(model)
    expect(Number(facts?.get('dt_s'))).toBe(1e-3)
    expect(run.metadata.get('featherbed.end')?.get('hash')).toBe(world.hash())
    expect(run.metadata.get('featherbed.end')?.get('status')).toBe('ok')
    expect(run.attachments.get('walk.yaml')).toEqual({ mediaType: 'application/yaml', text: 'robots: [humanoid]\n# Grüße\n' })
    expect(run.attachments.get('humanoid.urdf')?.mediaType).toBe('application/xml')
  })

  test('statistics, checksums and the number of chunks are those of what is in it', () => {
    const { statistics, chunkIndexes } = run.reader
    expect(statistics?.messageCount).toBe(BigInt(messages.length))
    expect(statistics?.chunkCount).toBe(chunkIndexes.length)
    expect(statistics?.messageEndTime).toBe(250_000_000n)
    for (const [id, count] of statistics?.channelMessageCounts ?? [])
      expect(count).toBe(BigInt(on(messages, run.reader.channelsById.get(id)?.topic as string).length))
    const stream = readStream(readFileSync(run.path)) // checks every checksum on its way
    expect(stream.done).toBe(true)
    expect(stream.messages).toHaveLength(messages.length)
  })

  test('watching does not change the run', () => {
    const alone = humanoid()
    for (let i = 0; i < 250; i++) alone.step()
    expect(world.hash()).toBe(alone.hash())
  })

  test('of a file that was cut anywhere, all complete chunks are readable', () => {
    const bytes = readFileSync(run.path)
    const { chunkIndexes, channelsById } = run.reader
    const states = [...channelsById.values()].find(({ topic }) => topic === '/humanoid/state')?.id as number
    const complete = chunkIndexes.map(({ chunkStartOffset, chunkLength, messageEndTime, messageIndexOffsets }) => ({
      end: Number(chunkStartOffset + chunkLength),
      frames: messageIndexOffsets.has(states) ? Number(messageEndTime / 1_000_000n) + 1 : 0,
    }))
    expect(complete.length).toBeGreaterThan(3)
    for (const share of [0.05, 0.3, 0.5, 0.77, 0.95]) {
      const cut = Math.floor(share * bytes.length)
      const { kinds, messages: read, done } = readStream(bytes.subarray(0, cut))
      expect(done).toBe(false)
      const found = read.filter(({ topic }) => topic === '/humanoid/state')
      expect(found).toHaveLength(complete.findLast(({ end }) => end <= cut)?.frames ?? 0)
      for (const [i, { json }] of found.entries()) expect(sameBits(json.q, recorder.frame(i).q)).toBe(true)
      expect(kinds.get('Metadata')).toBe(1)
    }
  })
})

describe('several robots and free bodies', async () => {
  const shapes: Record<string, Shape> = {
    ball: { type: 'sphere', radius: 0.1 },
    can: { type: 'cylinder', radius: 0.05, length: 0.2 },
    pill: { type: 'capsule', radius: 0.05, length: 0.2 },
  }
  const bodies = Object.entries(shapes).map(([name, shape], i) => ({
    name,
    robot: createFreeBody({ name, shape, mass: 1 + i, position: [i, 0, 0.2] }),
  }))
  const world = new World({
    robots: [
      ...bodies,
      {
        name: 'under, "it"',
        robot: createFreeBody({
          name: 'brick',
          shape: { type: 'box', size: [0.4, 0.4, 0.099] },
          mass: 5,
          position: [0, 0, 0.049],
        }),
      },
    ],
    contactModel: model,
    dt: 1e-3,
  })
  const { messages, recorder } = await recorded('several', world, 300)

  test('each has a topic of its own with its part of the state', () => {
    for (const { name, start } of world.robots) {
      const states = on(messages, `/${name}/state`)
      expect(states).toHaveLength(301)
      for (const i of [0, 100, 300]) {
        expect(sameBits(states[i].json.q, recorder.frame(i).q.subarray(start.q, start.q + 7))).toBe(true)
        expect(sameBits(states[i].json.v, recorder.frame(i).v.subarray(start.v, start.v + 6))).toBe(true)
      }
    }
  })

  test('a contact of two bodies names both, the one with the smaller number first', () => {
    const pairs = new Set(
      on(messages, '/contacts').flatMap(({ json }) =>
        json.contacts.map((c: { linkA: string; linkB: string }) => `${c.linkA} | ${c.linkB}`),
      ),
    )
    expect(pairs).toContain('ball/ball | under, "it"/brick')
    expect(pairs).toContain('world | can/can')
  })

  test('every body’s contacts add up to what its momentum gained and gravity took, m dv / dt + m g', () => {
    const { model, dt } = world
    let pushed = 0
    for (const i of [50, 150, 300]) {
      const { contacts, q, v } = recorder.frame(i)
      const before = recorder.frame(i - 1)
      for (const [k, { start }] of world.robots.entries()) {
        const force = Float64Array.of(0, 0, 0)
        for (let c = 0; c < contacts.count; c++) {
          const sign = contacts.bodyB[c] === k + 1 ? 1 : contacts.bodyA[c] === k + 1 ? -1 : 0
          for (let n = 0; n < 3; n++) force[n] += (sign * contacts.impulse[3 * c + n]) / dt
        }
        const mass = model.I[k + 1][0]
        const speed = velocityW(q, v, start)
        const speedBefore = velocityW(before.q, before.v, start)
        const gravity = [0, 0, -9.81 * mass]
        // 1e-6 of the weight: within a step the axes of a body turn by less than that
        for (let n = 0; n < 3; n++)
          expect(Math.abs((mass * (speed[n] - speedBefore[n])) / dt - gravity[n] - force[n])).toBeLessThan(1e-6 * mass * 9.81)
        pushed += Math.hypot(...force)
      }
    }
    expect(pushed).toBeGreaterThan(100) // N
  })
})

/** World velocity of a free body's origin. */
const velocityW = (q: Float64Array, v: Float64Array, start: { q: number; v: number }) =>
  rotate(q, start.q + 3, [v[start.v + 3], v[start.v + 4], v[start.v + 5]])

test('every type of shape is drawn where it is', async () => {
  const tetrahedron = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
  const faces = Int32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
  const shapes: Record<string, Shape> = {
    plane: { type: 'halfspace', normal: [0.6, 0, 0.8], offset: -2 },
    box: { type: 'box', size: [0.1, 0.2, 0.3] },
    rounded: { type: 'box', size: [0.1, 0.2, 0.3], rounding: 0.02 },
    point: { type: 'sphere', radius: 0 },
    ellipsoid: { type: 'ellipsoid', radii: [0.1, 0.2, 0.3] },
    cylinder: { type: 'cylinder', radius: 0.1, length: 0.5 },
    capsule: { type: 'capsule', radius: 0.1, length: 0.5 },
    hull: { type: 'hull', polyhedron: hullOf(tetrahedron, 4) },
    mesh: { type: 'mesh', mesh: { vertices: tetrahedron, triangles: faces } },
    field: { type: 'heightfield', rows: 2, columns: 3, spacing: [1, 2], heights: Float64Array.of(0, 1, 2, 3, 4, 5) },
  }
  // a quarter turn about x, so that z is -y of the world, and 10 m up the y axis
  const R = Float64Array.of(1, 0, 0, 0, 0, -1, 0, 1, 0)
  const fixtures = Object.entries(shapes).map(([name, shape]) => ({ name, body: 0, shape, R, p: Float64Array.of(0, 10, 0) }))
  const far = createFreeBody({ name: 'far', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [500, 500, 500] })
  const { messages, reader } = await recorded('shapes', new World({ robot: far, fixtures, contactModel: 'ncp', dt: 1e-3 }), 1)
  const [{ json }] = on(messages, '/shapes')
  const schema = [...reader.schemasById.values()].find(({ name }) => name === 'foxglove.SceneUpdate')
  expect(schemaFaults(json, JSON.parse(Buffer.from(schema?.data as Uint8Array).toString()))).toEqual([])
  const entity = (id: string) => json.entities.find((found: { id: string }) => found.id === id)
  const near = (point: { x: number; y: number; z: number }, expected: number[]) => {
    for (const [k, x] of [point.x, point.y, point.z].entries()) expect(x).toBeCloseTo(expected[k], 12)
  }

  expect(entity('far')).toMatchObject({ frame_id: 'far', frame_locked: true })
  near(entity('box').cubes[0].size, [0.1, 0.2, 0.3])
  near(entity('box').cubes[0].pose.position, [0, 10, 0])
  near(entity('box').cubes[0].pose.orientation, [Math.SQRT1_2, 0, 0])
  expect(entity('rounded').cubes).toHaveLength(0)
  const xs = entity('rounded').triangles[0].points.map(({ x }: { x: number }) => x)
  expect([Math.min(...xs), Math.max(...xs)]).toEqual([-0.05, 0.05])
  expect(entity('point').spheres[0].size.x).toBeGreaterThan(0)
  expect(entity('ellipsoid').spheres[0].size).toEqual({ x: 0.2, y: 0.4, z: 0.6 })
  near(entity('cylinder').cylinders[0].size, [0.2, 0.2, 0.5])
  expect(entity('capsule').cylinders).toHaveLength(1)
  near(entity('capsule').spheres[0].pose.position, [0, 10.25, 0])
  near(entity('capsule').spheres[1].pose.position, [0, 9.75, 0])
  expect(entity('hull').triangles[0].indices).toHaveLength(12)
  expect(entity('mesh').triangles[0].indices).toEqual([...faces])
  near(entity('field').triangles[0].points[5], [1, 1, 5])

  // of the slab: the upper face is the plane, 2 m below the shape's origin along the turned normal (0.6, -0.8, 0)
  const { pose, size } = entity('plane').cubes[0]
  const turn = new Float64Array(9)
  rotationOfQuaternion(
    turn,
    Float64Array.from(['x', 'y', 'z', 'w'], (k) => pose.orientation[k]),
    0,
  )
  const up = [turn[2], turn[5], turn[8]]
  for (const [k, x] of [0.6, -0.8, 0].entries()) expect(up[k]).toBeCloseTo(x, 12)
  const top = ['x', 'y', 'z'].map((k, i) => pose.position[k] + 0.5 * size.z * up[i])
  expect(0.6 * top[0] - 0.8 * (top[1] - 10)).toBeCloseTo(-2, 12)
})

test('docs/recording.md names every topic with its schema, and every table’s columns', () => {
  const text = readFileSync(new URL('../../../docs/recording.md', import.meta.url), 'utf8')
  const rows = text
    .slice(0, text.indexOf('### ROS 2'))
    .split('\n')
    .filter((line) => line.startsWith('| `/') && !line.includes('with `--ranges`'))
  for (const { topic, schemaId } of run.reader.channelsById.values()) {
    const row = rows.find((line) => line.startsWith(`| \`${topic.replace('humanoid', 'NAME')}\` |`))
    expect(row, topic).toContain(`\`${run.reader.schemasById.get(schemaId)?.name}\``)
  }
  expect(rows).toHaveLength(run.reader.channelsById.size)
  for (const column of contactsHeader.trim().split(',')) expect(text).toContain(`\`${column}\``)
  for (const column of stateHeader(new FrameSource(humanoid()))
    .trim()
    .split(',')
    .filter((name) => !name.includes('.')))
    expect(text).toContain(`\`${column}\``)
})

test('every n-th step is recorded, pictures at whole numbers of those', async () => {
  const { messages, end } = await recorded('sparse', humanoid(), 100, { every: 7, pictureRate: 30 })
  expect(end.frames).toBe(15)
  expect(on(messages, '/humanoid/state').map(({ json }) => json.step)).toEqual(Array.from({ length: 15 }, (_, i) => 7 * i))
  expect(on(messages, '/tf').map(({ logTime }) => logTime)).toEqual([0n, 35n, 70n].map((ms) => ms * 1_000_000n))
})

test('two recordings of one run hold the same bytes', async () => {
  const options = { flushSeconds: 3600 } // chunks by count alone
  const a = await recorded('a', humanoid(), 120, options)
  const b = await recorded('b', humanoid(), 120, options)
  expect(readFileSync(a.path).equals(readFileSync(b.path))).toBe(true)
})

/** Object.is tells 0 from -0. */
function sameBits(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.from(a).every((x, i) => Object.is(x, b[i]))
}
