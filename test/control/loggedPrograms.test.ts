import { expect, test } from 'vitest'
import {
  balance,
  type Controller,
  createControllerLoop,
  type QuadraticProgram,
  type WholeBodyMemory,
} from '../../control/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { full } from '../dailyModels.ts'
import { quadprogForm, solveByQuadprog } from '../oracle/quadprog.ts'
import { optimality } from './optimality.ts'

const count = full ? 10_000 : 100

/** ½ xᵀ H x + gᵀ x. */
function cost({ n, H, g }: QuadraticProgram, x: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < n; i++) {
    sum += g[i] * x[i] + 0.5 * H[i * n + i] * x[i] * x[i]
    for (let j = 0; j < i; j++) sum += H[i * n + j] * x[i] * x[j]
  }
  return sum
}

test('the programs of a quadruped that is pushed time and again have the cost that another implementation finds, tick after tick', () => {
  const robot = loadOwnRobot('quadruped')
  const { next: random } = createRandom(1)
  const pushes = Array.from({ length: count / 100 }, (_, k) => ({
    link: robot.model.bodyName[1],
    impulse: [8 * (random() - 0.5), 8 * (random() - 0.5), 0],
    at: 0.02 + 0.2 * k,
    duration: 0.05,
  }))
  let [logged, limited] = [0, 0]
  const controller = balance()
  const watched: Controller<WholeBodyMemory> = {
    ...controller,
    update(seen, dt) {
      const efforts = controller.update(seen, dt)
      const program = seen.memory.program as QuadraticProgram
      logged++
      if (program.u.some((u, row) => u !== 0 && program.lower[row] !== program.upper[row])) limited++
      expect(optimality(program)).toBeLessThan(1e-9)
      const truth = solveByQuadprog(quadprogForm(program))
      expect(truth).toBeDefined()
      const best = cost(program, truth as number[])
      expect(Math.abs(cost(program, program.x) - best)).toBeLessThan(1e-8 * (1 + Math.abs(best)))
      return efforts
    },
  }
  const world = new World({
    robot,
    contactModel: 'ncp',
    dt: 2e-3,
    pushes,
    controller: createControllerLoop(watched as Controller, robot),
  })
  for (let k = 0; k < count; k++) world.step()
  expect(logged).toBe(count)
  expect(limited).toBeGreaterThan(count / 50)
  // it still stands
  expect(Math.abs(world.state.q[2] - robot.home[2])).toBeLessThan(0.01)
})
