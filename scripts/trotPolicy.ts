/** The policy that `train-policy.ts` trains: one linear layer and tanh, as a network and as controllers of a batch of worlds. */
import { type Controller, createControllerLoop } from '../control/index.ts'
import type { Graph } from '../control/policy/onnx.ts'
import { type PolicyDescription, policy } from '../control/policy/policy.ts'
import { loadOwnRobot } from '../robots/files.ts'
import type { CreateControllers } from '../simulation/threads.ts'

export const robot = loadOwnRobot('quadruped')
export const joints = robot.joints.map(({ name }) => name)
export const description: PolicyDescription = {
  rate: 50,
  servoRate: 500,
  joints,
  stiffness: 40,
  damping: 1,
  pose: robot.joints.map(({ qIndex }) => Number(robot.home[qIndex].toFixed(4))),
  actionScale: 0.5,
  observations: [
    { name: 'phase' },
    { name: 'projected_gravity' },
    { name: 'base_lin_vel' },
    { name: 'base_ang_vel', scale: 0.25 },
    { name: 'joint_pos' },
    { name: 'joint_vel', scale: 0.05 },
  ],
  phasePeriod: 0.5,
}
export const columns = 2 + 3 * 3 + 2 * joints.length
export const size = joints.length * (columns + 1)

export function graphOf(parameters: ArrayLike<number>): Graph {
  const data = Array.from(parameters)
  const weights = { type: 'float' as const, shape: [joints.length, columns], data: data.slice(0, joints.length * columns) }
  const bias = { type: 'float' as const, shape: [joints.length], data: data.slice(joints.length * columns) }
  return {
    nodes: [
      { op: 'Gemm', inputs: ['obs', 'w', 'b'], outputs: ['a'], attributes: new Map([['transB', 1]]) },
      { op: 'Tanh', inputs: ['a'], outputs: ['actions'], attributes: new Map() },
    ],
    weights: new Map(Object.entries({ w: weights, b: bias })),
    inputs: new Map([['obs', { type: 'float', shape: [1, columns] }]]),
    outputs: ['actions'],
    metadata: new Map(),
  }
}

/** A trot by the clock: diagonal legs swing together, and bend their knees while they swing forward. */
export function begin(): Float64Array {
  const parameters = new Float64Array(size)
  joints.forEach((name, j) => {
    const side = name.startsWith('front_left') || name.startsWith('rear_right') ? 1 : -1
    if (name.includes('thigh')) parameters[j * columns + 1] = 0.35 * side
    if (name.includes('knee')) parameters[j * columns] = -0.5 * side
  })
  return parameters
}

/** A policy for each world, of the parameters of all, one after the other. */
export default ((options, parameters) => (world) => {
  const own = (parameters as Float64Array).subarray(world * size, (world + 1) * size)
  return createControllerLoop(policy(graphOf(own), description, 'policy') as Controller, options.robot ?? robot)
}) satisfies CreateControllers
