import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, in their order, so that no processor waits at the end for a long one that was begun last. */
const longest = [
  'simulation/allocation',
  'contact/laws/severalBodies',
  'contact/laws/laws',
  'browser/determinism',
  'compare/realRobots',
  'compare/runs',
  'compare/cli',
  'compare/failures',
  'simulation/endurance',
  'simulation/loops',
  'browser/page',
  'simulation/manyBodies',
  'robots/fuzz/urdfHostile',
].map((name) => `/test/${name}.test.ts`)

/** The longest files first; all others as usual, by what they took the last time that they were run here. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(name))
      return place < 0 ? longest.length : place
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
