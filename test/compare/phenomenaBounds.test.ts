/** Bounds of scenes see an error of 2 %: a scene that is broken by so much, nature's values being as they are, is missed at each of its steps. */
import { describe, expect, test } from 'vitest'
import { furthestOff, sceneFiles } from '../../cases/phenomena.ts'
import { parseScene, type Scene } from '../../cases/scene.ts'
import { trialOf } from '../../cases/trial.ts'

interface Break {
  readonly what: string
  readonly of: (source: string) => string
  /** Which cases are missed; default: all. */
  readonly cases?: number[]
}

/** Other texts in the place of some that have to be there. */
const replacing =
  (...texts: readonly (readonly [string, string])[]) =>
  (source: string) =>
    texts.reduce((text, [from, to]) => {
      expect(text).toContain(from)
      return text.replaceAll(from, to)
    }, source)

const friction = (share: number, cases?: number[]): Break => ({
  what: `friction times ${share}`,
  of: replacing(['friction: $mu', `friction: ${share}*$mu`]),
  cases,
})
const heavier: Break = {
  what: 'gravity 2 % stronger',
  of: replacing(['scenario:\n', 'scenario:\n  gravity: [0, 0, -1.02*9.81]\n']),
}

/** A length of the four-bar is 2 % longer, with the angles of coupler and rocker at which it closes then. */
function longer(name: 'a' | 'b' | 'c' | 'd'): Break {
  const lengths = { a: 0.1, b: 0.26, c: 0.2, d: 0.24 }
  const { a, b, c, d }: typeof lengths = { ...lengths, [name]: 1.02 * lengths[name] }
  const [x, z] = [a * Math.cos(Math.PI / 3), a * Math.sin(Math.PI / 3)]
  const diagonal = Math.hypot(x - d, z)
  const rocker = Math.atan2(z, x - d) - Math.acos((c ** 2 + diagonal ** 2 - b ** 2) / (2 * c * diagonal))
  const coupler = Math.atan2(c * Math.sin(rocker) - z, d + c * Math.cos(rocker) - x)
  return {
    what: `length ${name} 2 % longer`,
    of: replacing(
      [` ${name}: ${lengths[name]},`, ` ${name}: ${1.02 * lengths[name]},`],
      ['coupler: 0.4279614330', `coupler: ${coupler}`],
      ['rocker: 1.3358839362', `rocker: ${rocker}`],
    ),
  }
}

/** A corner of an arch whose middle line has the radius 1. */
function thicker(corner: string): string {
  const [x, y, z] = JSON.parse(corner) as number[]
  const r = Math.hypot(x, z)
  const share = (1 + 1.02 * (r - 1)) / r
  return JSON.stringify([share * x, y, share * z])
}

/** Each stone is moved along the arch's axis, beyond the one before. */
function apart(source: string): string {
  let stones = 0
  return source.replaceAll('position: [0, 0, 0]', () => `position: [0, ${0.25 * ++stones}, 0]`)
}

const breaks: Readonly<Record<string, readonly Break[]>> = {
  'stopping-distance': [
    friction(1.02),
    friction(0.98),
    { what: 'thrown 2 % faster', of: replacing(['["$v*0.8", "$v*0.6", 0]', '["1.02*$v*0.8", "1.02*$v*0.6", 0]']), cases: [2] },
  ],
  'nut-on-a-thread': [
    friction(1.02, [0]),
    friction(0.98),
    {
      what: 'lead 2 % steeper',
      // and the height at which it touches then
      of: replacing(['0.148889948', 'atan(1.02*0.15)'], ['0.004044750 - 0.0075*', '0.0040501 - 0.00765*']),
      cases: [0],
    },
  ],
  'four-bar': [longer('a'), longer('b'), longer('c'), longer('d'), heavier],
  'shaken-sideways': [
    friction(1.02, [1]),
    friction(0.98, [1]),
    { what: 'shaken 2 % farther', of: replacing(['["$amplitude*', '["1.02*$amplitude*']), cases: [1] },
    { what: 'a period 1 % shorter, 2 % less slip', of: replacing(['omega: "4*pi"', 'omega: "1.01*4*pi"']), cases: [1] },
  ],
  'arch-too-thin': [
    { what: 'stones that do not touch each other', of: apart },
    { what: 'stones 2 % thicker', of: (source) => source.replaceAll(/\[-?[\d.]+, -?0\.1, [\d.e-]+\]/g, thicker) },
    heavier,
  ],
}

/** Of each case at each step under an exact model: its largest error over its bound. */
async function errorsOf(scene: Scene, cases = [...scene.cases.keys()]): Promise<{ at: number; dt: number; error: number }[]> {
  const found = []
  for (const at of cases) {
    const one = scene.cases[at]
    for (const dt of one.scenario.dt) {
      const { status, values, why } = await trialOf({ scene, at, column: 'ncp', dt })
      expect(`${status} ${why}`).toBe('measured ')
      found.push({ at, dt, error: furthestOff({ cases: [one], values: [values] }).error })
    }
  }
  return found
}

describe.each(Object.entries(breaks))('%s', (name, list) => {
  const [{ file, source }] = sceneFiles([name])

  test('holds as it is', async () => {
    for (const { at, dt, error } of await errorsOf(await parseScene(source, file)))
      expect(error, `case ${at} at ${dt} s`).toBeLessThanOrEqual(1)
  })

  test.each(list)('is missed with $what', async ({ of, cases }) => {
    const whole = await parseScene(source, file)
    const broken = await parseScene(of(source), file)
    const scene = { ...whole, cases: whole.cases.map((one, at) => ({ ...one, scenario: broken.cases[at].scenario })) }
    for (const { at, dt, error } of await errorsOf(scene, cases)) expect(error, `case ${at} at ${dt} s`).toBeGreaterThan(1)
  })
})
