import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkScenario } from '../../compare/scenario/index.ts'
import { prepare } from '../../compare/scenario/world/files.ts'
import { temporaryFolder } from './command.ts'

const arm = fileURLToPath(new URL('../../docs/examples/identify/arm.xml', import.meta.url))
const folder = temporaryFolder()
/** The arm's, with more said of it. */
const robotOf = async (robot: string, payloads: unknown[], base?: string) =>
  (await prepare(await checkScenario({ robot, payloads, ground: false, ...(base && { base }) }), robot)).members[0].robot

test('a payload has the inertia and the mass that the same body of the file has', async () => {
  const place = 'pos="0.05 -0.02 0.1"'
  const body = `<body name="load" ${place}><inertial pos="0 0 0" mass="0.8" diaginertia="0.001 0.002 0.0025"/></body>`
  const bolted = folder.write('bolted.xml', readFileSync(arm, 'utf8').replace(/(name="flange"[\s\S]*?\/>)/, `$1${body}`))
  const own = await robotOf(bolted, [])
  const loaded = await robotOf(arm, [
    { link: 'flange', mass: '800 g', position: ['5 cm', '-2 cm', 0.1], inertia: [0.001, 0.002, 0.0025] },
  ])
  expect(loaded.massUsed).toBeCloseTo(own.massUsed, 12)
  for (const [b, I] of own.model.I.entries()) for (const [k, x] of I.entries()) expect(loaded.model.I[b][k]).toBeCloseTo(x, 12)
})

test('a payload of an unknown link, or of one that does not move, is an error that names it', async () => {
  await expect(robotOf(arm, [{ link: 'flang', mass: 1 }])).rejects.toThrow(
    'payloads: "arm" has no link "flang". Did you mean flange?',
  )
  await expect(robotOf('diffdrive', [{ link: 'base_link', mass: 1 }], 'fixed')).rejects.toThrow(
    'payloads: link "base_link" of "diffdrive" does not move',
  )
  await expect(checkScenario({ robot: arm, payloads: [{ link: 'flange', mass: -1 }] })).rejects.toThrow('mass')
})
