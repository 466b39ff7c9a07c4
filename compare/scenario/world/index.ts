/** From a scenario to a world, in Node and in a page; files.ts reads robots, controllers and logs from disk. */
export { asMujoco } from './asMujoco.ts'
export {
  createWorld,
  mapPaths,
  type Prepared,
  prepare,
  prepareWorld,
  type Sources,
  subjectsOf,
  withoutTrust,
} from './assemble.ts'
export { type Logged, readLogOf, unmatched } from './log.ts'
