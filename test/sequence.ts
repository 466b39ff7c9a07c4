import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, in their order, so that no processor waits at the end for a long one that was begun last. */
const longest = [
  'contact/laws/severalBodies',
  'browser/determinism',
  'compare/runs',
  'contact/laws/laws',
  'compare/cli',
  'browser/page',
  'allocations/allocations',
  'compare/realRobots',
  'compare/failures',
  'simulation/manyBodies',
  'robots/fuzz/urdfHostile',
  'simulation/loops',
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
