/** Robots as people bring them. FEATHERBED_ROBOTS names a folder that holds them; without it only our own are tried. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Results } from '../../compare/compare.ts'
import { featherbed } from './command.ts'

const root = process.env.FEATHERBED_ROBOTS
const files = [
  'turtlebot3/turtlebot3_description/urdf/turtlebot3_burger.urdf',
  'a1/a1_description/urdf/a1.urdf',
  'atlas/drake_models/atlas/atlas_minimal_contact.urdf',
]
const found = root === undefined ? [] : files.map((file) => join(root, file)).filter((file) => existsSync(file))
if (found.length < files.length)
  console.log(`not run: compare on ${files.join(', ')}; set FEATHERBED_ROBOTS to the folder that holds them`)

describe('compare ends in a verdict', () => {
  for (const robot of ['diffdrive', ...found]) {
    test(robot.replace(root ?? '', ''), async () => {
      const { code, stdout } = await featherbed(['compare', robot, '--duration', '0.1', '--json', '--quiet'])
      expect(code).toBe(0)
      const { verdicts, runs } = JSON.parse(stdout) as Results
      expect(verdicts).toHaveLength(1)
      const [{ model, missed, sentence }] = verdicts
      expect(sentence.length).toBeGreaterThan(0)
      if (model === null) expect(missed).toHaveLength(runs.length)
      // at 1 ms every model can do it: these robots stand or roll
      for (const run of runs.filter(({ dt }) => dt === 1e-3)) expect(run).toMatchObject({ status: 'ok', failure: null })
    })
  }
})
