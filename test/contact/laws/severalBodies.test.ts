import { describe } from 'vitest'
import { type ContactModelName, contactModels } from '../../../contact/index.ts'
import { exceptions } from './exceptions.ts'
import { full } from './law.ts'
import { contactLaws } from './laws.ts'

/** One of each kind: springs at points, at one level and the other, cones, pyramids, the laws of others, polyhedra. */
const daily: readonly ContactModelName[] = ['penalty', 'hunt-crossley', 'lcp', 'stewart-trinkle', 'ncp', 'mujoco', 'peg']

const names = (Object.keys(contactModels) as ContactModelName[]).filter((name) => full || daily.includes(name))
if (!full) console.log(`not run: laws of several bodies under other models than ${daily.join(', ')}; set FEATHERBED_FULL`)

for (const name of names) {
  describe(name, () => contactLaws(name, 'several bodies', exceptions[name]))
}
