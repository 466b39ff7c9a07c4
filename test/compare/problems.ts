import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Problem, parseProblem } from '../../compare/inspect/problemFile.ts'
import type { SavedProblem } from '../../contact/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { fixedBox } from '../contact/laws/scenes.ts'

/** The folder of examples of problems. */
export const examples = fileURLToPath(new URL('../../docs/examples/problems', import.meta.url))
export const example = <P extends Problem = Problem>(name: string) =>
  parseProblem(readFileSync(join(examples, `${name}.json`), 'utf8'), name) as P

/** A point of 2 kg on the ground. */
export const pointOnGround: SavedProblem = {
  kind: 'contact',
  M: [
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
  ],
  J: [
    [0, 0, 1],
    [1, 0, 0],
    [0, 1, 0],
  ],
  vFree: [1, 0, -0.01],
  gap: [0],
  mu: [0.5],
  dt: 1e-3,
}

/** A block that comes to the corner of another within a step of 0.1 s. */
export const atCorner = {
  robot: createFreeBody({
    name: 'block',
    shape: { type: 'box', size: [0.4, 0.4, 0.4] },
    mass: 1,
    position: [0.72, 0.72, 0.66],
    gravity: [0, 0, -9.81],
  }),
  v: [0.1, 0.2, 0, -1.2, -1, -0.5],
  fixtures: [fixedBox('below', [0, 0, 0], [1, 1, 1])],
  dt: 0.1,
}

/** A test of each case, whose text is refused with these lines. */
export function refuses<Given>(
  cases: readonly (readonly [name: string, given: Given, ...lines: (string | RegExp)[]])[],
  read: (given: Given) => unknown,
  kind: new (...args: never[]) => Error,
): void {
  for (const [name, given, ...expected] of cases) {
    test(name, () => {
      let error: unknown
      try {
        read(given)
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(kind)
      const lines = (error as Error).message.split('\n')
      expect(lines).toHaveLength(expected.length)
      expected.forEach((line, i) => {
        if (typeof line === 'string') expect(lines[i]).toBe(line)
        else expect(lines[i]).toMatch(line)
      })
    })
  }
}
