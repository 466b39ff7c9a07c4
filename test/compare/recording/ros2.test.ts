/** Bags of ROS 2 that are written, and logs of ROS 2 that are read; those in logs/ are by the mcap-ros2-support of Python. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from '@foxglove/rosmsg'
import { MessageReader } from '@foxglove/rosmsg2-serialization'
import { McapIndexedReader } from '@mcap/core'
import { decompress } from 'fzstd'
import { describe, expect, test } from 'vitest'
import { mcapFormat, openRecording } from '../../../compare/recording/files.ts'
import { readMcap, rosLogOf } from '../../../compare/scenario/logs/index.ts'
import { readLogOf } from '../../../compare/scenario/world/index.ts'
import { kinematics } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { World } from '../../../simulation/index.ts'
import { ended, featherbed, refusal, temporaryFolder } from '../command.ts'

const folder = temporaryFolder()
const logs = fileURLToPath(new URL('logs/', import.meta.url))

async function recorded(name: string, steps: number, names: Parameters<typeof mcapFormat>[0]) {
  const world = new World({ robot: loadOwnRobot('quadruped'), contactModel: 'ncp', dt: 1e-3 })
  const path = join(folder.path, name)
  const recording = openRecording(path, world, { flushSeconds: Infinity, ...(await mcapFormat(names)) })
  const states: { q: Float64Array; v: Float64Array }[] = []
  for (let i = 0; i <= steps; i++) {
    if (i > 0) world.step()
    recording.record()
    states.push({ q: world.state.q.slice(), v: world.state.v.slice() })
  }
  recording.close()
  return { world, states, bytes: readFileSync(path) }
}

/** By the library's own reader, and each message by the schema that the file has for it. */
async function messagesOf(bytes: Uint8Array) {
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (from, length) => bytes.slice(Number(from), Number(from + length)),
    },
    decompressHandlers: { zstd: (packed, size) => decompress(packed, new Uint8Array(Number(size))) },
  })
  // biome-ignore lint/suspicious/noExplicitAny: what a schema says
  const messages: { topic: string; time: bigint; value: any }[] = []
  for await (const { channelId, logTime, data } of reader.readMessages()) {
    const { topic, schemaId, messageEncoding } = reader.channelsById.get(channelId) as never as Record<string, never>
    const schema = reader.schemasById.get(schemaId)
    expect([messageEncoding, schema?.encoding]).toEqual(['cdr', 'ros2msg'])
    const definitions = parse(Buffer.from(schema?.data ?? []).toString(), { ros2: true })
    messages.push({ topic, time: logTime, value: new MessageReader(definitions).readMessage(data) })
  }
  return { reader, of: (topic: string) => messages.filter((message) => message.topic === topic) }
}

test('a bag of ROS 2 has the profile ros2, all of it in CDR, with joints and base bit for bit', async () => {
  const { world, states, bytes } = await recorded('bag.mcap', 50, { profile: 'ros2' })
  const { reader, of } = await messagesOf(bytes)
  expect(reader.header.profile).toBe('ros2')
  const { joints } = world.robot
  of('/joint_states').forEach(({ time, value }, i) => {
    expect(time).toBe(BigInt(i) * 1_000_000n)
    expect(value.header.stamp).toEqual({ sec: 0, nanosec: i * 1_000_000 })
    expect(value.name).toEqual(joints.map(({ name }) => name))
    expect(Array.from(value.position)).toEqual(joints.map(({ qIndex }) => states[i].q[qIndex]))
    expect(Array.from(value.velocity)).toEqual(joints.map(({ vIndex }) => states[i].v[vIndex]))
  })
  const odometry = of('/odom')
  expect(odometry.length).toBe(51)
  const { pose, twist, child_frame_id } = odometry[50].value
  const { q, v } = states[50]
  expect(child_frame_id).toBe(world.model.bodyName[1])
  expect(Object.values(pose.pose.position)).toEqual(Array.from(q.subarray(0, 3)))
  expect(Object.values(twist.twist.angular)).toEqual(Array.from(v.subarray(0, 3)))
  expect(Object.values(twist.twist.linear)).toEqual(Array.from(v.subarray(3, 6)))
  expect(
    of('/tf')
      .at(-1)
      ?.value.transforms.map((one: { child_frame_id: string }) => one.child_frame_id),
  ).toEqual(world.model.bodyName.slice(1))
  expect(of('/tf_static').length).toBe(1)
})

test('forces on the links of a bag, turned back into the world, change the momentum', async () => {
  const { world, states, bytes } = await recorded('forces.mcap', 20, { profile: 'ros2' })
  const { of } = await messagesOf(bytes)
  const at = 20_000_000n
  const { model, robot } = world
  kinematics(model, world.state, world.data)
  const sum = [0, 0, 0]
  for (const { name, body, R } of robot.frames) {
    const message = of(`/contacts/${name}`).find(({ time }) => time === at)
    if (message === undefined) continue
    expect(message.value.header.frame_id).toBe(name)
    const { x, y, z } = message.value.wrench.force
    const inBody = [0, 1, 2].map((k) => R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z)
    for (let k = 0; k < 3; k++) for (let j = 0; j < 3; j++) sum[k] += world.data.R_WB[body][3 * k + j] * inBody[j]
  }
  const impulses = [0, 0, 0]
  const { count, normal, tangent1, tangent2, impulse, bodyB } = world.contacts
  for (let c = 0; c < count; c++) {
    const sign = bodyB[c] > 0 ? 1 : -1
    for (let k = 0; k < 3; k++) {
      const i = 3 * c + k
      impulses[k] += sign * (impulse[3 * c] * normal[i] + impulse[3 * c + 1] * tangent1[i] + impulse[3 * c + 2] * tangent2[i])
    }
  }
  expect(impulses[2]).toBeGreaterThan(0)
  for (let k = 0; k < 3; k++) expect(sum[k] * world.dt).toBeCloseTo(impulses[k], 12)
  expect(states.length).toBe(21)
})

describe('compressed', () => {
  for (const compression of ['zstd', 'lz4'])
    test(`${compression}: the same messages in fewer bytes`, async () => {
      const { bytes: plain } = await recorded('plain.mcap', 30, {})
      const { bytes } = await recorded(`${compression}.mcap`, 30, { compression })
      expect(bytes.length).toBeLessThan(0.6 * plain.length)
      const all = (file: Uint8Array) =>
        readMcap('a.mcap', file, () => true).messages.map(({ time, data }) => [time, Buffer.from(data).toString()])
      expect(all(bytes)).toEqual(all(plain))
    })

  test('a chunk that says it is larger than a file of its size may be is refused before memory is taken for it', async () => {
    const { bytes } = await recorded('bomb.mcap', 5, { compression: 'zstd' })
    const at = bytes.indexOf('zstd') - 4 // its length; before it the checksum and the size unpacked
    for (const size of [10n ** 9n, 2n ** 62n]) {
      const bomb = Buffer.from(bytes)
      bomb.writeBigUInt64LE(size, at - 12)
      expect(() => readMcap('bomb.mcap', bomb, () => true)).toThrow(
        /^bomb\.mcap is no recording that can be read: it unpacks to more than \d+ bytes/,
      )
    }
  })

  test('bytes of zstd and lz4 that were damaged anywhere are an error or the same messages, and take no time', async () => {
    for (const name of ['log-zstd.mcap', 'log-lz4.mcap']) {
      const whole = readFileSync(join(logs, name))
      const told = (bytes: Uint8Array) => {
        try {
          return rosLogOf(name, bytes).length
        } catch (error) {
          return (error as Error).message.includes(name)
        }
      }
      for (let at = 8; at < whole.length; at += 37) {
        const bytes = Buffer.from(whole)
        for (const value of [0x00, 0xff]) {
          bytes[at] = value
          expect([41, true]).toContain(told(bytes))
        }
      }
    }
  })
})

describe('a log of ROS 2', () => {
  for (const name of ['log-zstd.mcap', 'log-lz4.mcap'])
    test(`${name}: joints and base by the stamps of its headers`, () => {
      const states = rosLogOf(name, readFileSync(join(logs, name)))
      expect(Object.keys(states[0].positions)).toEqual(['shoulder', 'gripper'])
      expect(states.length).toBe(41)
      states.forEach(({ t, positions, base }, i) => {
        expect(t).toBeCloseTo(0.025 * i, 12)
        expect(positions.shoulder).toBe(0.1 * Math.sin(i / 20))
        expect(base).toEqual([Math.floor(i / 4) * 4 / 100, 0, 0, 0, 0, 0, 1]) // biome-ignore format: one message in four
      })
    })

  test('is a table of waypoints, of which those of joints that the robot has are followed; the others are named', async () => {
    const path = folder.write('arm.urdf', arm)
    const scenario = folder.write(
      'follow.yaml',
      `name: follow\nrobot: ${path}\nbase: fixed\nground: false\nduration: 1 s\ndt: 1 ms\nmodels: [ncp]\n` +
        `controller: { name: computed-torque, options: { trajectory: { kind: cubic-spline, file: ${join(logs, 'log-zstd.mcap')} } } }\n`,
    )
    const { stdout, stderr } = await ended(0, featherbed(['run', scenario, '--json']))
    expect(stderr).toContain('log-zstd.mcap: arm has no joint gripper; nothing is logged of elbow')
    expect(JSON.parse(stdout).metrics.trackingRms_rad).toBeLessThan(1e-3)
    const compared = await ended(0, featherbed(['compare', scenario]))
    expect(compared.stderr).toContain('arm has no joint gripper; nothing is logged of elbow')
  })

  test('one without joints, or with several topics of them, is refused by name', async () => {
    const { bytes } = await recorded('own.mcap', 3, {})
    await expect(readLogOf('own.mcap', bytes)).rejects.toThrow(
      'own.mcap: cannot be read as a log of ROS 2 (no message of sensor_msgs/msg/JointState',
    )
  })

  test('view refuses a file that the page cannot play, before it says that it opens', async () => {
    await recorded('bag2.mcap', 3, { profile: 'ros2' })
    const bag = join(folder.path, 'bag2.mcap')
    expect(await refusal(['view', bag, '--out', join(folder.path, 'page.html')])).toMatch(
      /bag2\.mcap holds no run of ours.*log of ROS 2/,
    )
    const noise = folder.write('noise.mcap', 'no recording at all')
    expect(await refusal(['view', noise, '--no-open'])).toMatch(/noise\.mcap is no recording that can be read/)
  })
})

test('options of a recording that is none, or is no MCAP, are refused', async () => {
  const path = (name: string) => join(folder.path, name)
  expect(await refusal(['run', 'diffdrive', '--profile', 'ros2'])).toContain('name its file with --record')
  expect(await refusal(['run', 'diffdrive', '--record', path('x.csv'), '--profile', 'ros2'])).toContain('end in .mcap')
  expect(await refusal(['run', 'diffdrive', '--record', path('x.mcap'), '--profile', 'ros1'])).toContain(
    'there is no profile "ros1"',
  )
  expect(await refusal(['run', 'diffdrive', '--record', path('x.mcap'), '--compression', 'bz2'])).toContain(
    'there is no compression "bz2"',
  )
})

const link = (name: string) =>
  `<link name="${name}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>`
const hinge = (name: string, parent: string, child: string) =>
  `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="100" velocity="10"/></joint>`
const arm = `<robot name="arm">${link('base')}${link('upper')}${link('lower')}${hinge('shoulder', 'base', 'upper')}${hinge('elbow', 'upper', 'lower')}</robot>`
