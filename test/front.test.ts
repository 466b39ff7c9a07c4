import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { ContactModelName, StewartTrinkleOptions } from '../contact/index.ts'
import { loadOwnRobot } from '../robots/files.ts'
import { createGround, World } from '../simulation/index.ts'
import { createController } from '../viewer/controllers.ts'
import { frontScenes } from '../viewer/front/scenes.ts'
import { degree, playScene, yawOf } from './compare/playScene.ts'

const dt = 5e-3

/** Time at which the quadruped's base is below two thirds of its height as it starts [s], or undefined; and its deepest penetration [m]. */
function bend(contactModel: ContactModelName, options: StewartTrinkleOptions = {}) {
  const robot = loadOwnRobot('quadruped')
  const { friction, controller } = frontScenes[0].settings
  const world = new World({
    ...{ robot, dt, contactModel, contactOptions: options, physical: { friction }, fixtures: [createGround()] },
    controller: createController(controller as 'usual', robot),
  } as ConstructorParameters<typeof World>[0])
  const height = world.state.q[2]
  let [fell, deepest]: [number | undefined, number] = [undefined, 0]
  while (world.stepCount * dt < 3) {
    world.step()
    for (let i = 0; i < world.contacts.count; i++) deepest = Math.max(deepest, -world.contacts.gap[i])
    if (world.state.q[2] < 0.67 * height) fell ??= world.stepCount * dt
  }
  return { fell, deepest }
}

test('round the bend the pyramid of four sides falls at 1.1 s, that of six, the cone and the springs trot on', () => {
  expect(bend('stewart-trinkle').fell).toBeCloseTo(1.1, 1)
  expect(bend('stewart-trinkle', { sides: 6 }).fell).toBe(undefined)
  expect(bend('ncp').fell).toBe(undefined)
  const { fell, deepest } = bend('penalty')
  expect(fell).toBe(undefined)
  expect(1e3 * deepest).toBeCloseTo(10, 0)
})

/** Of a body in a scene, after so many seconds: the number q[i] of its seven. */
const bodyAt = async (scene: string, model: string, seconds: number, index: number, first = 0) =>
  (await playScene(scene, model, dt, () => {}, {}, Math.round(seconds / dt))).state.q[first + index]

test('the bar swings down under one contact point a pad, slips by 18 mm under mujoco, and is held under ncp', async () => {
  const bars = await Promise.all(
    ['penalty-deepest', 'mujoco', 'ncp'].map((model) => playScene('default/grip', model, dt, () => {}, {}, 600)),
  )
  const [deepest, mujoco, ncp] = bars.map(({ state: { q } }) => q.slice(q.length - 7))
  const turned = ([, , , x, y, z]: Float64Array) => 2 * Math.asin(Math.hypot(x, y, z)) * (1 / degree)
  expect(turned(deepest)).toBeGreaterThan(80)
  expect(turned(ncp)).toBeLessThan(1)
  expect(1e3 * Math.hypot(...[0, 1, 2].map((k) => mujoco[k] - ncp[k]))).toBeCloseTo(18, 0)
})

test('the cards stand, but under penalty lie flat within a second', async () => {
  expect(await bodyAt('cards', 'ncp', 1, 2)).toBeCloseTo(0.047, 3)
  expect(await bodyAt('cards', 'mujoco', 1, 2)).toBeCloseTo(0.047, 3)
  expect(await bodyAt('cards', 'penalty', 1, 2)).toBeLessThan(2e-3)
})

test('the kicked box is thrown up by 30 cm under convex, and slides v²/(2 mu g) under the others', async () => {
  for (const [model, top] of [
    ['convex', 0.3],
    ['penalty', 0],
    ['ncp', 0],
  ] as const) {
    let highest = 0
    const world = await playScene('kick', model, dt, ({ state }) => {
      highest = Math.max(highest, state.q[2] - 0.1)
    })
    expect(highest).toBeCloseTo(top, 2)
    expect(world.state.q[0]).toBeCloseTo(25 / (2 * 0.8 * 9.80665), 1)
  }
})

test('the ball comes back to 0.64 of its fall under ncp, and not under mujoco and hunt-crossley at this step', async () => {
  const rebounds = ['ncp', 'mujoco', 'hunt-crossley'].map(async (model) => {
    let [lowest, rebound] = [1, 0]
    await playScene('bounce', model, dt, ({ state }) => {
      lowest = Math.min(lowest, state.q[2])
      if (state.v[5] > 0 && lowest < 0.12) rebound = Math.max(rebound, state.q[2] - 0.1)
    })
    return rebound
  })
  const [ncp, mujoco, huntCrossley] = await Promise.all(rebounds)
  expect(ncp).toBeCloseTo(0.64 * 0.9, 1)
  expect(mujoco).toBeLessThan(0.01)
  expect(huntCrossley).toBeLessThan(0.2)
})

test('the braking humanoid turns by 33 degrees under ncp, lcp and penalty, by 23 under convex and by 17 under mujoco', async () => {
  const turns = { ncp: 33, lcp: 33, penalty: 32, convex: 23, mujoco: 17 }
  for (const [model, turn] of Object.entries(turns)) {
    const world = await playScene('default/brake', model, dt, () => {}, {}, 300)
    expect(Math.abs(Math.abs(yawOf(world)) / degree - turn), model).toBeLessThan(1)
  }
})

test('each first scene has its moving picture, and three models', () => {
  const folder = fileURLToPath(new URL('../viewer/front/', import.meta.url))
  const pictures = readdirSync(folder).filter((name) => name.endsWith('.webp'))
  expect(pictures.sort()).toEqual(frontScenes.map(({ name }) => `${name}.webp`).sort())
  expect(pictures.reduce((sum, name) => sum + readFileSync(folder + name).length, 0)).toBeLessThan(120_000)
  for (const { settings } of frontScenes) expect(settings.models.length).toBe(3)
})
