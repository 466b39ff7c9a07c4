import { describe, expect, test } from 'vitest'
import { checkScenario, type Scenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, subjectsOf } from '../../compare/scenario/world/files.ts'
import { createLocalLaw, type LocalLawChoice } from '../../contact/index.ts'

/** A block that slides on the ground, friction 0.3. */
async function block(laws: readonly object[], model: string, speed = 1): Promise<number> {
  const raw = {
    bodies: [
      {
        name: 'block',
        shape: { type: 'box', size: [0.2, 0.2, 0.05] },
        mass: 1,
        position: [0, 0, 0.025],
        linearVelocity: [speed, 0, 0],
      },
    ],
    physical: { friction: 0.3 },
    localLaws: laws,
    duration: 1,
    dt: 1e-3,
  }
  const scenario: Scenario = await checkScenario(raw, String)
  const { controllers, ...prepared } = await prepare(scenario, subjectsOf(scenario)[0])
  const idle = controllers.map(() => undefined)
  const { world } = createWorld(scenario, { ...prepared, controllers: idle }, { name: model, options: {} } as never, 1e-3)
  for (let k = 0; k < 1000; k++) world.step()
  return world.state.q[0]
}
const way = (mu: number, v = 1) => v ** 2 / (2 * mu * 9.81)

describe('laws of single contacts', () => {
  for (const model of ['ncp', 'convex', 'penalty', 'stewart-trinkle']) {
    test(`${model}: a block that lies on a face slides by the friction of faces`, async () => {
      const found = await block([{ law: 'by-feature', faceFriction: 1.5, cornerFriction: 0.1, edgeFriction: 0.1 }], model)
      expect(Math.abs(found - way(0.45))).toBeLessThan(0.02 * way(0.45))
    })
  }

  test('friction that falls with slip stops a block by the closed form', async () => {
    // dv/dt = -mu g (1 + r s / (s + v)) has the way v dv / that, integrated by Simpson's rule
    const [mu, rise, s] = [0.3, 0.8, 0.2]
    const rate = (v: number) => v / (mu * 9.81 * (1 + (rise * s) / (s + v)))
    let expected = 0
    for (let k = 0; k < 1000; k++) expected += (rate(k / 1000) + 4 * rate((k + 0.5) / 1000) + rate((k + 1) / 1000)) / 6000
    const found = await block([{ law: 'by-slip', rise, speed: s }], 'ncp')
    expect(Math.abs(found - expected)).toBeLessThan(0.01 * expected)
  })

  test('a law of impacts leaves what only slides alone', async () => {
    const found = await block([{ law: 'by-approach', slip: 0.9, fall: 1, speed: 0.5 }], 'ncp')
    expect(Math.abs(found - (await block([], 'ncp')))).toBeLessThan(1e-8)
  })

  test('laws whose factors are one change no bit', async () => {
    expect(await block([{ law: 'by-feature' }, { law: 'by-slip' }, { law: 'by-approach' }], 'ncp')).toBe(await block([], 'ncp'))
  })

  test.each([
    [{ law: 'by-corner' }, 'law of contacts'],
    [{ law: 'by-slip', fall: 1 }, 'fall'],
    [{ law: 'by-slip', speed: 0 }, 'by-slip: speed'],
    [{ law: 'by-feature', faceFriction: -1 }, 'by-feature: faceFriction'],
  ])('%j is refused by name', (choice, message) => {
    expect(() => createLocalLaw(choice as unknown as LocalLawChoice)).toThrow(message)
  })
})
