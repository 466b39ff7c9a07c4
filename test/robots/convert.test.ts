import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createRandom, JointType, type Model } from '../../dynamics/index.ts'
import { openRobotFile, ownRobotPath } from '../../robots/files.ts'
import {
  type LoadOptions,
  loadExamined,
  loadRobot,
  lostInUrdf,
  type Robot,
  writeMjcf,
  writeSdf,
  writeUrdf,
} from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { full, hasRobots } from '../dailyModels.ts'
import { randomState, randomVector } from '../dynamics/randomTree.ts'
import { isDear, robotFiles } from '../oracle/corpus.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'
import { differences, ourAnswers } from '../oracle/mujoco.ts'

const folder = fileURLToPath(new URL('./mjcf/', import.meta.url))
const mjcf = readdirSync(folder).filter((file) => file.endsWith('.xml'))

function open(path: string): {
  robot: Robot
  loading: LoadOptions
  mjcf: ReturnType<typeof writeMjcf>
  urdf: string
  lost: string[]
} {
  const { text, options } = openRobotFile(path)
  const { robot, examined } = loadExamined(text, options)
  const { repaired, semantic } = examined
  return {
    robot,
    loading: options,
    mjcf: writeMjcf(repaired, { semantic }),
    urdf: writeUrdf(repaired, { declareWorld: true }),
    lost: lostInUrdf(repaired, semantic),
  }
}

/** Largest scaled difference of M, bias, inverse and forward dynamics, at 10 states. */
function difference(a: Model, b: Model): number {
  // the joint of a free body is named by its link in SDF
  const names = ({ jointName, jointType }: Model) =>
    [...jointName].map((name, k) => (jointType[k] === JointType.floating ? '' : name))
  expect([b.nv, [...b.jointType], names(b)]).toEqual([a.nv, [...a.jointType], names(a)])
  const random = createRandom(8)
  let worst = 0
  for (let n = 0; n < 10; n++) {
    const state = randomState(random, a)
    const [x, tau] = [randomVector(random, a.nv, 5), randomVector(random, a.nv, 5)]
    const found = differences(ourAnswers(a, state, x, tau), ourAnswers(b, state, x, tau))
    worst = Math.max(worst, found.M, found.bias, found.inverse)
  }
  return worst
}

const entries = ({ stiffness, springReference, damping, friction, armature, lower, upper, effortLimit }: Model) =>
  [stiffness, springReference, damping, friction, armature, lower, upper, effortLimit].flatMap((list) => [...list])

/** Both robots are the same mechanism with the same shapes at the same places. */
function expectSame(again: Robot, robot: Robot): void {
  expect(difference(robot.model, again.model)).toBeLessThan(1e-12)
  const [mine, theirs] = [entries(robot.model), entries(again.model)]
  mine.forEach((x, k) => {
    if (Number.isFinite(x)) expect(Math.abs(theirs[k] - x)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(x)))
  })
  expect(again.home.length).toBe(robot.home.length)
  again.home.forEach((x, k) => {
    expect(Math.abs(x - robot.home[k])).toBeLessThan(1e-9)
  })
  expect(again.shapes.map(({ link, shape, friction }) => [link, shape.type, friction])).toEqual(
    robot.shapes.map(({ link, shape, friction }) => [link, shape.type, friction]),
  )
  again.shapes.forEach(({ R, p }, s) => {
    const own = robot.shapes[s]
    for (let k = 0; k < 9; k++) expect(Math.abs(R[k] - own.R[k])).toBeLessThan(1e-12)
    for (let k = 0; k < 3; k++) expect(Math.abs(p[k] - own.p[k])).toBeLessThan(1e-12)
  })
}

/** Friction that a file does not state is 1 in MJCF where a world states none. */
const physical = { friction: 0.8 }

/** Contacts with the ground and of links with each other, at states near home: places, normals, gaps and friction. */
function expectSameContacts(again: Robot, robot: Robot): void {
  const random = createRandom(9)
  let count = 0
  for (let n = 0; n < 20; n++) {
    // the base up to 2 cm in the ground, and level
    const q = robot.home.map((x, k) => (k === 2 ? x - random.between(0, 0.02) : k < 7 ? x : x + random.between(-0.02, 0.02)))
    const [mine, theirs] = [robot, again].map((one) => {
      const world = new World({ robot: one, dt: 1e-4, contactModel: 'lcp', selfCollision: 'all', q, physical })
      world.step()
      return world.contacts
    })
    count += mine.count
    expect(theirs.count).toBe(mine.count)
    for (const key of ['bodyA', 'bodyB', 'pair', 'feature', 'mu', 'muStatic'] as const)
      expect(theirs[key].slice(0, mine.count)).toEqual(mine[key].slice(0, mine.count))
    for (const key of ['point', 'normal', 'gap'] as const)
      for (let i = 0; i < mine[key].length; i++) expect(Math.abs(theirs[key][i] - mine[key][i])).toBeLessThan(1e-12)
  }
  expect(count).toBeGreaterThan(50)
}

describe('our own robots as MJCF and back are the same', () => {
  test.each(['diffdrive', 'humanoid'] as const)('%s, dynamics, shapes and a second of contact', async (name) => {
    const { robot, loading, mjcf } = open(ownRobotPath(name))
    const again = loadRobot(mjcf.text, { ...loading, file: loading.file.replace('.urdf', '.xml') })
    expect(
      mjcf.lost.filter((text) => !/^(names of fixed joints|limits of speed|restitution|soft limits|stiffness)/.test(text)),
    ).toEqual([])
    expectSame(again, robot)
    const { model: theirs } = await mjcfModelOf(mjcf.text)
    expect([theirs.nv, theirs.nu]).toEqual([robot.model.nv, robot.joints.length])
    theirs.delete()
    expectSameContacts(again, robot)
    const run = (one: Robot) => {
      const world = new World({ robot: one, dt: 1e-3, contactModel: 'stewart-trinkle', selfCollision: 'none', physical })
      for (let n = 0; n < 1000; n++) world.step()
      return world.state.q
    }
    const [a, b] = [run(robot), run(again)]
    a.forEach((x, k) => {
      expect(Math.abs(x - b[k])).toBeLessThan(1e-8)
    })
  })
})

describe('MJCF written and read again loses nothing:', () => {
  test.each(mjcf)('%s', (file) => {
    const { robot, loading, mjcf: written } = open(join(folder, file))
    const again = loadRobot(written.text, loading)
    expectSame(again, robot)
    expect(again.poses.map(({ name, q }) => [name, [...q].map((x) => x.toFixed(12))])).toEqual(
      robot.poses.map(({ name, q }) => [name, [...q].map((x) => x.toFixed(12))]),
    )
    expect(again.disabledCollisions).toEqual(robot.disabledCollisions)
    expect(again.mimics.map(({ name, follows }) => [name, follows])).toEqual(
      robot.mimics.map(({ name, follows }) => [name, follows]),
    )
    expect(again.loops ?? []).toEqual(robot.loops ?? [])
    const around = ({ surroundings = [] }: Robot) =>
      surroundings.map(({ shape, R, p, friction }) => [
        ...[shape.type, friction, ...[...R, ...p].map((x) => (x + 0).toFixed(12))],
        ...(shape.type === 'heightfield' ? [shape.rows, ...shape.spacing, ...shape.heights] : []).map((x) => x.toFixed(12)),
      ])
    expect(around(again)).toEqual(around(robot))
  })
})

describe('as URDF what is lost is named, and the rest is the same:', () => {
  test.each(['angles-and-euler.xml', 'inertials.xml', 'followers.xml', 'free-bodies.xml'])('%s', (file) => {
    const { robot, loading, urdf, lost } = open(join(folder, file))
    const again = loadRobot(urdf, loading)
    if (lost.length === 0 || file !== 'free-bodies.xml') expect(difference(robot.model, again.model)).toBeLessThan(1e-12)
    expect(lost.every((text) => text.endsWith('.'))).toBe(true)
  })
})

test.each([
  'condim="4"',
  'priority="1"',
  'solref=".05 1"',
  'solimp=".5 .9 .01"',
  'margin=".01"',
  'contype="2"',
  'surfacevel="1"',
  'adhesion="1"',
])('URDF and SDF name the %s of a geom as lost', (surface) => {
  const text = `<mujoco><worldbody><body name="b"><joint/><geom size=".1" ${surface}/></body></worldbody></mujoco>`
  const { repaired } = loadExamined(text, { file: 'm.xml' }).examined
  for (const lost of [lostInUrdf(repaired), writeSdf(repaired).lost])
    expect(lost).toContainEqual('condim, priority, softness, margins, bits, pairs, adhesion and surfaces that run: "b".')
})

hasRobots('conversion of real robots')

describe('real robots as MJCF and back have the same dynamics:', () => {
  if (!full) console.log('not run: R1 as MJCF and back; set FEATHERBED_FULL')
  test.each(robotFiles().filter(([file]) => full || !isDear(file)))('%s', (_, path) => {
    const { robot, loading, mjcf: written } = open(path)
    if (robot.model.nv === 0) return
    const again = loadRobot(written.text, { ...loading, maxLinks: 2000 })
    if (written.lost.some((text) => text.startsWith('a planar') || text.startsWith('a floating'))) return
    expect(difference(robot.model, again.model)).toBeLessThan(1e-9)
  })
})

describe('real robots as SDF and back have the same dynamics and shapes:', () => {
  test.each(robotFiles().filter(([file]) => full || !isDear(file)))('%s', (_, path) => {
    const { text, options } = openRobotFile(path)
    const { robot, examined } = loadExamined(text, options)
    if (robot.model.nv === 0) return
    const { text: written, lost } = writeSdf(examined.repaired)
    const again = loadRobot(written, { ...options, maxLinks: 2000 })
    if (lost.some((loss) => /^(a planar|names of floating)/.test(loss))) return
    expect(difference(robot.model, again.model)).toBeLessThan(1e-9)
    const limits = ({ model: { lower, upper, effortLimit, velocityLimit } }: Robot) => [lower, upper, effortLimit, velocityLimit]
    expect(limits(again)).toEqual(limits(robot))
    expect(again.mimics).toEqual(robot.mimics)
    const shapes = ({ shapes }: Robot) => shapes.map(({ body, shape: { type } }) => `${body} ${type}`).sort()
    if (!lost.some((loss) => loss.startsWith('hulls of points'))) expect(shapes(again)).toEqual(shapes(robot))
  })
})
