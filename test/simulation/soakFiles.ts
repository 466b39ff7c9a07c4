import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { robotFiles } from '../oracle/corpus.ts'

const mjcf = [
  'kinova/jaco_hand',
  'kinova/jaco_arm',
  ...['stacker', 'finger', 'cheetah', 'humanoid', 'quadruped', 'hopper', 'cartpole', 'acrobot', 'walker'].map(
    (name) => `suite/${name}`,
  ),
]

/** Files of all robots, or of our own alone. */
export function soakFiles(): string[] {
  const own = OWN_ROBOTS.map((name) => ownRobotPath(name))
  const folder = process.env.FEATHERBED_ROBOTS
  if (folder === undefined) return own
  const models = mjcf.map((name) => join(folder, `mjcf/${name}.xml`)).filter((path) => existsSync(path))
  return [...new Set([...own, ...robotFiles().map(([, path]) => path), ...models])]
}
