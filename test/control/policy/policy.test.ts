import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { controllerFiles, loadController } from '../../../control/files.ts'
import { type Controller, createControllerLoop } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { World } from '../../../simulation/index.ts'
import { temporaryFolder } from '../../compare/command.ts'
import { dailyModels } from '../../dailyModels.ts'
import { pendulum } from '../../simulation/robots.ts'
import { writeOnnx } from './writeOnnx.ts'

const example = fileURLToPath(new URL('../../../docs/examples/trot-policy.yaml', import.meta.url))
const robot = loadOwnRobot('quadruped')
const folder = temporaryFolder()

function worldOf(controller: Controller, model: string, options = {}): World {
  const loop = createControllerLoop(controller, robot, { options })
  return new World({ robot, contactModel: model as never, dt: 2e-3, controller: loop })
}

describe('the trained policy', () => {
  test.each(dailyModels)('trots forward at 0.3 m/s to a fifth or so of it under %s', async (model) => {
    const world = worldOf(await loadController(example), model)
    let lowest = Infinity
    for (let k = 0; k < 2500; k++) {
      world.step()
      lowest = Math.min(lowest, 1 - 2 * (world.state.q[3] ** 2 + world.state.q[4] ** 2))
    }
    expect(lowest).toBeGreaterThan(0.9)
    // feet that `anitescu-potra` holds above the ground slip less: a quarter farther
    expect(Math.abs(world.state.q[0] / (5 * 0.3) - 1)).toBeLessThan(model === 'anitescu-potra' ? 0.3 : 0.2)
  })

  test('goes on from a checkpoint with the same bits', async () => {
    const whole = worldOf(await loadController(example), 'ncp')
    const half = worldOf(await loadController(example), 'ncp')
    for (let k = 0; k < 333; k++) {
      whole.step()
      half.step()
    }
    const saved = structuredClone(half.checkpoint())
    const again = worldOf(await loadController(example), 'ncp')
    again.restore(saved)
    for (let k = 0; k < 333; k++) {
      whole.step()
      again.step()
    }
    expect(again.hash()).toBe(whole.hash())
  })
})

describe('what a policy sees and does', () => {
  /** A network that gives `joints` of what it observes, from the given place on. */
  const lookingAt = (place: number, size: number, metadata = {}) =>
    writeOnnx({
      nodes: [{ op: 'Gemm', inputs: ['x', 'w'], outputs: ['y'], attributes: { transB: 1 } }],
      weights: {
        w: {
          shape: [12, size],
          data: Array.from({ length: 12 * size }, (_, i) => (i % size === place + Math.floor(i / size) ? 1 : 0)),
        },
      },
      inputs: { x: [1, size] },
      outputs: { y: [1, 12] },
      metadata,
    })
  const names = robot.joints.map(({ name }) => name)
  const base = { joints: names, stiffness: 40, damping: 1, pose: 0, actionScale: 1 }
  const described = (bytes: Uint8Array, stated: object) => {
    writeFileSync(join(folder.path, 'net.onnx'), bytes)
    return folder.write('net.yaml', JSON.stringify({ network: 'net.onnx', ...stated }))
  }

  test('positions of joints less the pose, in its own order of joints, by names of other programs too', async () => {
    const backwards = names.toReversed()
    const pose = backwards.map((_, j) => 0.01 * j)
    const file = described(lookingAt(3, 15), {
      ...base,
      joints: backwards,
      pose,
      observations: [{ name: 'projected_gravity' }, { name: 'joint_pos_rel' }],
    })
    const world = worldOf(await loadController(file), 'ncp')
    world.step()
    // the targets are the pose plus what is observed: where the joints are, so that the servos do nothing at rest
    expect(Math.max(...world.tau.map(Math.abs))).toBeLessThan(1e-5)
  })

  test('the last ticks of a term, oldest first, scaled and cut', async () => {
    const file = described(lookingAt(0, 9), {
      ...base,
      rate: 500,
      observations: [{ name: 'base_lin_vel', scale: [0, 0, 1], clip: 0.02, history: 3 }],
    })
    const world = worldOf(await loadController(file), 'ncp')
    world.state.v[5] = 0.05
    const seen: number[] = []
    let actions: number[] = []
    for (let k = 0; k < 4; k++) {
      const { q, v } = world.state
      seen.push(Math.max(-0.02, Math.min(0.02, v[5])))
      const before = robot.joints.map(({ qIndex, vIndex }) => ({ q: q[qIndex], v: v[vIndex] }))
      world.step()
      // tau = 40 (action - q) - v
      actions = robot.joints.map(({ vIndex }, j) => (world.tau[vIndex] + before[j].v) / 40 + before[j].q)
    }
    expect(seen[0]).toBe(0.02)
    for (const [tick, joint] of [2, 5, 8].entries()) expect(Math.abs(actions[joint] - seen[1 + tick])).toBeLessThan(1e-7)
  })

  test.each([1e-3, 2e-3, 2.5e-3, 5e-3, 1e-2])('it is asked 50 times a second at steps of %d s', async (dt) => {
    const file = described(lookingAt(0, 14), {
      ...base,
      phasePeriod: 0.7,
      observations: [{ name: 'phase' }, { name: 'actions' }],
    })
    const loop = createControllerLoop(await loadController(file), robot)
    const world = new World({ robot, contactModel: 'ncp', dt, controller: loop })
    let [asked, last] = [0, NaN]
    for (let k = 0; k < Math.round(0.4 / dt); k++) {
      world.step()
      if (loop.target.joints[0] !== last) asked++
      last = loop.target.joints[0]
    }
    expect(asked).toBe(20)
  })

  test('actions that are speeds, of servos of damping alone, and efforts', async () => {
    const wheels = loadOwnRobot('diffdrive')
    const [left, right] = ['left_wheel_joint', 'right_wheel_joint']
    const graph = {
      nodes: [{ op: 'Gemm', inputs: ['x', 'w', 'b'], outputs: ['y'] }],
      weights: { w: { shape: [3, 2], data: [0, 0, 0, 0, 0, 0] }, b: { shape: [2], data: [1, 2] } },
      inputs: { x: [1, 3] },
      outputs: { y: [1, 2] },
    }
    const stated = { joints: [right, left], actionScale: 2, actionOffset: [0, 0.5], observations: [{ name: 'base_lin_vel' }] }
    const efforts = async (more: object) => {
      const controller = await loadController(described(writeOnnx(graph), { ...stated, ...more }))
      const world = new World({
        robot: wheels,
        contactModel: 'ncp',
        dt: 2e-3,
        controller: createControllerLoop(controller, wheels),
      })
      const { vIndex } = wheels.joints.find(({ name }) => name === left)!
      world.state.v[vIndex] = 1
      world.step()
      return world.tau[vIndex]
    }
    // of the left wheel, the second of its joints, whose action is 2: 0.1 (0.5 + 2 * 2 - 1)
    expect(await efforts({ actionType: 'velocity', damping: 0.1 })).toBeCloseTo(0.35, 6)
    expect(await efforts({ actionType: 'effort', actionScale: 0.1 })).toBeCloseTo(0.7, 6)
    await expect(efforts({ actionType: 'velocity' })).rejects.toThrow(/actionType: velocity, and no damping/)
    await expect(efforts({ actionType: 'effort', stiffness: 3 })).rejects.toThrow(
      /stiffness, which actionType: effort has no use for/,
    )
    await expect(efforts({ actionType: 'effort', output: 'ctrl' })).rejects.toThrow(
      /actionType: effort of joints, and output: ctrl/,
    )
  })

  test('frames: of each tick all terms, oldest first', async () => {
    const history = (order: string, place: number) =>
      described(lookingAt(place, 18), {
        ...base,
        rate: 500,
        historyOrder: order,
        observations: [
          { name: 'base_ang_vel', history: 3 },
          { name: 'projected_gravity', history: 3 },
        ],
      })
    const first = async (file: string) => {
      const world = worldOf(await loadController(file), 'ncp')
      world.state.v[0] = 0.25
      const { qIndex, vIndex } = robot.joints[0]
      const [q, v] = [world.state.q[qIndex], world.state.v[vIndex]]
      world.step()
      return (world.tau[vIndex] + v) / 40 + q
    }
    // three numbers behind the first: by terms the speed of the second tick, by frames gravity of the first
    expect(await first(history('terms', 3))).toBeCloseTo(0.25, 6)
    expect(Math.abs(await first(history('frames', 3)))).toBeLessThan(1e-6)
    expect(await first(history('frames', 6))).toBeCloseTo(0.25, 6)
    const uneven = described(lookingAt(0, 9), {
      ...base,
      historyOrder: 'frames',
      observations: [{ name: 'base_ang_vel', history: 2 }, { name: 'projected_gravity' }],
    })
    await expect(loadController(uneven)).rejects.toThrow(/base_ang_vel 2, projected_gravity 1; a frame has all terms/)
  })

  test('a policy of a bolted arm, which observes joints alone', async () => {
    const arm = pendulum()
    const [{ name }] = arm.joints
    const graph = {
      nodes: [{ op: 'MatMul', inputs: ['x', 'w'], outputs: ['y'] }],
      weights: { w: { shape: [2, 1], data: [-3, -0.5] } },
      inputs: { x: [1, 2] },
      outputs: { y: [1, 1] },
    }
    const observations = [{ name: 'joint_pos' }, { name: 'joint_vel' }]
    const stated = { joints: [name], actionType: 'effort', actionScale: 1, observations }
    const controller = await loadController(described(writeOnnx(graph), stated))
    const world = new World({ robot: arm, contactModel: 'ncp', dt: 2e-3, controller: createControllerLoop(controller, arm) })
    world.state.q[0] = 0.1
    world.state.v[0] = 0.2
    world.step()
    expect(world.tau[0]).toBeCloseTo(-0.4, 6)
  })

  test('the metadata of a network describe it', async () => {
    const file = join(folder.path, 'told.onnx')
    const metadata = {
      joint_names: names.join(','),
      joint_stiffness: '40',
      joint_damping: names.map(() => '1').join(','),
      default_joint_pos: names.map(() => '0').join(', '),
      action_scale: '1',
      observation_names: 'projected_gravity,joint_pos',
      observation_history_lengths: '2,0',
    }
    writeFileSync(file, lookingAt(6, 18, metadata))
    const world = worldOf(await loadController(file), 'ncp')
    world.step()
    expect(Math.max(...world.tau.map(Math.abs))).toBeLessThan(1e-5)
  })

  test.each<[string, object, RegExp]>([
    [
      'an observation that is not known',
      { observations: [{ name: 'height_scan' }] },
      /net\.yaml.*observes "height_scan", which is not known; there are base_lin_vel/,
    ],
    ['another size', { observations: [{ name: 'joint_pos' }] }, /observes 12 numbers \(joint_pos 12\), and its network takes 15/],
    [
      'joints that are not there',
      { joints: [...names.slice(1), 'tail'], observations: [{ name: 'projected_gravity' }, { name: 'joint_pos' }] },
      /moves tail, which robot "quadruped" does not have/,
    ],
    [
      'a list of another length',
      { stiffness: [1, 2], observations: [{ name: 'projected_gravity' }, { name: 'joint_pos' }] },
      /has 2 numbers of stiffness, and takes 1 or 12/,
    ],
    [
      'a list of scales of another length',
      { observations: [{ name: 'projected_gravity', scale: [1, 2] }, { name: 'joint_pos' }] },
      /has 2 numbers of the scale of projected_gravity, and takes 1 or 3/,
    ],
    [
      'a rate that is no part of the servos',
      { rate: 150, observations: [{ name: 'projected_gravity' }, { name: 'joint_pos' }] },
      /rate 150 Hz is no whole part of servoRate 500 Hz/,
    ],
    ['a field that is none', { stifness: 3 }, /net\.yaml.*stifness/],
    ['nothing of it', { joints: undefined }, /says nothing of joints, observations/],
  ])('%s is an error that says what to do', async (_, stated, words) => {
    const file = described(lookingAt(3, 15), { ...base, ...stated })
    const load = async () => worldOf(await loadController(file), 'ncp')
    await expect(load()).rejects.toThrow(words)
  })
})

describe('a script that imports a network', () => {
  const graph = {
    nodes: [{ op: 'MatMul', inputs: ['x', 'w'], outputs: ['y'] }],
    weights: { w: { shape: [2, 1], data: [0.5, -0.25] } },
    inputs: { x: [1, 2] },
    outputs: { y: [1, 1] },
  }
  const text = `import brain from './brain.onnx'
    export default {
      init: () => ({}),
      update({ q, v }) {
        const x = brain.inputs.get('x')
        x[0] = q[0]
        x[1] = v[0]
        brain.run()
        return brain.outputs.get('y')
      },
    }`
  writeFileSync(join(folder.path, 'brain.onnx'), writeOnnx(graph))
  const file = folder.write('brain.ts', text)

  test.each([false, true])('gets its outputs, in a sandbox too: %s', async (isUntrusted) => {
    const arm = pendulum()
    const controller = await loadController(file, isUntrusted ? { patience: 5, memory: 2e8 } : undefined)
    const world = new World({ robot: arm, contactModel: 'ncp', dt: 2e-3, controller: createControllerLoop(controller, arm) })
    world.state.q[0] = 0.5
    world.state.v[0] = 0.2
    world.step()
    expect(world.tau[0]).toBeCloseTo(0.2, 7)
    expect(
      [...(await controllerFiles(file, isUntrusted ? [folder.path] : undefined)).files.keys()]
        .map((path) => path.replace(/.*\//, ''))
        .sort(),
    ).toEqual(['brain.onnx', 'brain.ts'])
  })

  test('is refused where the network is', async () => {
    const bad = { ...graph, nodes: [{ ...graph.nodes[0], op: 'Einsum' }] }
    writeFileSync(join(folder.path, 'bad.onnx'), writeOnnx(bad))
    await expect(loadController(folder.write('bad.ts', text.replace('brain.onnx', 'bad.onnx')))).rejects.toThrow(
      /bad\.onnx.*operators Einsum, which are not known/,
    )
  })
})

test('the policy in docs is the one that its script writes, in size', () => {
  expect(readFileSync(example.replace('.yaml', '.onnx')).length).toBeLessThan(200_000)
})
