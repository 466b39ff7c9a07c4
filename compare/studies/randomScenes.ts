/** Random scenes of free and fixed bodies, and the simpler ones beside each. All numbers are from short lists, so that bodies often lie flush. */
import type { RawScenario } from '../scenario/index.ts'
import type { Random } from '../scenario/world/random.ts'
import { rotationOfRpy } from '../scenario/world/surroundings.ts'

const LONGEST = 40
/** How many steps are taken. */
const durations = [1, 2, 3, 5, 10, 20, LONGEST] as const
/** Values in the order of simplicity. Lengths in m, angles in degrees, of roll, pitch and yaw; speeds in m/s and rad/s. */
const ofScene = {
  dt: [0.01, 0.005, 0.02, 0.002, 0.05],
  ground: [true, false],
  /** Angle by which gravity is turned about y. */
  slope: [0, 30, 15, 45],
  friction: [0.8, 0, 0.5, 1.2],
  restitution: [0, 0.5, 1],
} as const
const ofBody = {
  fixed: [false, true],
  /** Boxes first: every model treats them by its own law, and round shapes perhaps by a special case. */
  shape: ['box', 'sphere', 'capsule', 'wedge'],
  mass: [1, 10, 0.1, 100],
  /** Extents along its own axes; a sphere has the first, and a capsule is longer by that. */
  x: [0.2, 0.1, 0.4],
  y: [0.2, 0.1, 0.4],
  z: [0.2, 0.1, 0.4],
  /** On the body before it, or beside it along x. */
  beside: [false, true],
  gap: [0, 0.1, 0.02],
  /** Tangential offsets from the body before it. */
  dx: [0, 0.1, -0.05],
  dy: [0, 0.1, -0.05],
  roll: [0, 90, 45, 20],
  pitch: [0, 90, 45, -30],
  yaw: [0, 90, 45, 10],
  vx: [0, 1, -2, 4],
  vy: [0, 1, -2, 4],
  vz: [0, -1, 2, -4],
  wx: [0, 5, -10],
  wy: [0, 5, -10],
  wz: [0, 5, -10],
} as const
type Values<Lists> = { readonly [Key in keyof Lists]: Lists[Key] extends readonly (infer Value)[] ? Value : never }
type RandomBody = Values<typeof ofBody>
export interface RandomScene extends Omit<Values<typeof ofScene>, 'dt'> {
  readonly dt: number
  readonly steps: number
  readonly bodies: readonly RandomBody[]
}

const MOST_BODIES = 4
/** One more body is possible from each so many scenes on. */
const SCENES_A_BODY = 10
/** Parts of a body's values that are not the simplest, one part a scene. */
const parts = [0.05, 0.15, 0.3]

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random.next() * list.length)]

/** Scene `k` of a sequence: one body at first, up to four later. */
export function drawScene(random: Random, k: number): RandomScene {
  const draw = (lists: Readonly<Record<string, readonly unknown[]>>, part: number) =>
    Object.fromEntries(
      Object.entries(lists).map(([key, list]) => [key, random.next() < part ? pick(random, list.slice(1)) : list[0]]),
    )
  for (;;) {
    const count = 1 + Math.floor(random.next() * Math.min(MOST_BODIES, 1 + k / SCENES_A_BODY))
    const part = pick(random, parts)
    const shapes = pick(random, [['box'], ofBody.shape] as const)
    const bodies = Array.from({ length: count }, () => ({ ...draw(ofBody, part), shape: pick(random, shapes) }))
    const own = { ...draw(ofScene, 0.5), ground: random.next() < 0.8, steps: pick(random, durations.slice(3)) }
    const scene = { ...own, bodies } as unknown as RandomScene
    if (isPossible(scene)) return scene
  }
}

/** The scenes with one value earlier on its list. */
const earlier = <T extends object>(lists: Readonly<Record<string, readonly unknown[]>>, of: T): T[] =>
  Object.entries(lists).flatMap(([key, list]) =>
    list.slice(0, list.indexOf(of[key as keyof T])).map((value) => ({ ...of, [key]: value })),
  )

/** Scenes that are simpler by one move: a body less, perhaps with ground in its place; or an earlier value, of all bodies, one, or the scene. */
export function simplerScenes(scene: RandomScene): RandomScene[] {
  const { bodies } = scene
  const uniform = Object.entries(ofBody).map(([key, [value]]) => bodies.map((body) => ({ ...body, [key]: value })))
  const changed = [
    ...(bodies.length > 1 ? uniform : []),
    ...bodies.flatMap((body, i) => earlier(ofBody, body).map((own) => bodies.with(i, own))),
  ]
  const fewer = bodies.map((_, i) => ({ ...scene, bodies: bodies.toSpliced(i, 1) }))
  return [
    ...fewer.flatMap((less) => [{ ...less, ground: true }, less]),
    ...changed.map((own) => ({ ...scene, bodies: own })),
    ...earlier(ofScene, scene),
  ].filter((simpler) => isPossible(simpler) && JSON.stringify(simpler) !== JSON.stringify(scene))
}

/** Scenes that differ by a shorter duration. */
export const shorterScenes = (scene: RandomScene): RandomScene[] => earlier({ steps: durations }, scene)

type Fails = (scene: RandomScene) => Promise<boolean>

/** A scene that still fails and has no simpler or shorter one that does; shorter ones count last: simpler ones may take longer to fail. */
export async function simplest(start: RandomScene, fails: Fails): Promise<RandomScene> {
  const longest = { ...start, steps: LONGEST }
  for (let last = start, scene = (await fails(longest)) ? longest : start; ; last = scene) {
    for (const candidates of [simplerScenes, shorterScenes]) scene = await descended(scene, candidates, fails)
    if (scene === last) return scene
  }
}

/** Takes the next candidate that fails, in passes through the list until one without any. */
async function descended(start: RandomScene, candidates: typeof simplerScenes, fails: Fails): Promise<RandomScene> {
  let scene = start
  for (let from = 0; ; ) {
    const list = candidates(scene)
    let i = from
    while (i < list.length && !(await fails(list[i]))) i++
    if (i < list.length) scene = list[i]
    else if (from === 0) return scene
    from = i < list.length ? i : 0
  }
}

/** What a report counts of scenes. */
export const kinds: Readonly<Record<string, (scene: RandomScene) => boolean>> = {
  'of one body': ({ bodies }) => bodies.length === 1,
  'of two': ({ bodies }) => bodies.length === 2,
  'of three or four': ({ bodies }) => bodies.length > 2,
  'with flush boxes': ({ bodies }) =>
    bodies.some(({ gap, shape }, i) => i > 0 && gap === 0 && shape === 'box' && bodies[i - 1].shape === 'box'),
  'with round shapes': ({ bodies }) => bodies.some(({ shape }) => shape === 'sphere' || shape === 'capsule'),
  'with fixed bodies': ({ bodies }) => bodies.some(({ fixed }) => fixed),
  'on slopes': ({ slope, ground }) => ground && slope > 0,
  'without ground': ({ ground }) => !ground,
  'with restitution': ({ restitution }) => restitution > 0,
}

type Vector = readonly [number, number, number]

/** Radius about the corners of its core, and these corners, in the body's axes. */
function coreOf({ shape, x, y, z }: RandomBody): { radius: number; corners: Vector[] } {
  if (shape === 'sphere') return { radius: x / 2, corners: [[0, 0, 0]] }
  const ends = [-z / 2, z / 2]
  if (shape === 'capsule') return { radius: x / 2, corners: ends.map((end) => [0, 0, end]) }
  const corners = ends.flatMap((c) => [-y / 2, y / 2].flatMap((b) => [-x / 2, x / 2].map((a): Vector => [a, b, c])))
  // of the upper corners of a wedge those behind are left
  return { radius: 0, corners: shape === 'wedge' ? corners.filter(([a, , c]) => a > 0 || c < 0) : corners }
}

const radians = (degrees: number) => (degrees * Math.PI) / 180
/** Nanometres are rounding. */
const rounded = (x: number) => Number(x.toFixed(9)) + 0

/** Origins of all bodies, and the boxes around them: the first stands on z = 0, each other on or beside the one before. */
function placesOf(bodies: readonly RandomBody[]) {
  const places: { origin: number[]; low: number[]; high: number[] }[] = []
  for (const body of bodies) {
    const { radius, corners } = coreOf(body)
    const R = rotationOfRpy([radians(body.roll), radians(body.pitch), radians(body.yaw)])
    const along = [0, 3, 6].map((row) => corners.map((c) => R[row] * c[0] + R[row + 1] * c[1] + R[row + 2] * c[2]))
    const low = along.map((all) => Math.min(...all) - radius)
    const last = places.at(-1)
    const middle = last === undefined ? [0, 0] : [0, 1].map((k) => (last.low[k] + last.high[k]) / 2)
    const beside = body.beside && last !== undefined
    const x = beside ? last.high[0] + body.gap - low[0] : middle[0] + body.dx
    const z = beside ? last.low[2] + body.dx : (last?.high[2] ?? 0) + body.gap
    const origin = [x, middle[1] + body.dy, z - low[2]].map(rounded)
    const high = along.map((all, k) => origin[k] + Math.max(...all) + radius)
    places.push({ origin, low: low.map((least, k) => origin[k] + least), high })
  }
  return places
}

/** Overlap of boxes that is rounding [m]. */
const ROUNDING = 1e-8

/** Whether something moves, and the boxes around bodies do not overlap, nor reach below the ground. */
function isPossible({ bodies, ground }: RandomScene): boolean {
  if (bodies.every(({ fixed }) => fixed)) return false
  const places = placesOf(bodies)
  if (ground && places.some(({ low }) => low[2] < -ROUNDING)) return false
  return places.every((a, i) =>
    places.slice(0, i).every((b) => [0, 1, 2].some((k) => a.low[k] > b.high[k] - ROUNDING || b.low[k] > a.high[k] - ROUNDING)),
  )
}

/** Fields of the scenario; what a scenario has by default is left out. */
export function rawOf({ bodies, steps, dt, ground, slope, friction, restitution }: RandomScene): RawScenario {
  const places = placesOf(bodies)
  const all = bodies.map((body, i) => {
    const { shape, x, y, z, fixed, mass } = body
    const solids = {
      sphere: { type: shape, radius: x / 2 },
      box: { type: shape, size: [x, y, z] },
      capsule: { type: shape, radius: x / 2, length: z },
      wedge: { type: 'hull', points: coreOf(body).corners },
    }
    const name = String.fromCharCode(97 + i)
    const turned = [body.roll, body.pitch, body.yaw].map((angle) => (angle === 0 ? 0 : `${angle} deg`))
    const place = { position: places[i].origin, ...stated('rpy', turned) }
    if (fixed) return { name, ...solids[shape], ...place }
    const velocity = stated('linearVelocity', [body.vx, body.vy, body.vz])
    return { name, shape: solids[shape], mass, ...place, ...velocity, ...stated('angularVelocity', [body.wx, body.wy, body.wz]) }
  })
  const physical = { ...(friction !== 0.8 && { friction }), ...(restitution > 0 && { restitution }) }
  return {
    ...(!ground && { ground }),
    ...(slope > 0 && { gravity: [`9.81*sin(${slope} deg)`, 0, `-9.81*cos(${slope} deg)`] }),
    ...(Object.keys(physical).length > 0 && { physical }),
    ...(bodies.some(({ fixed }) => fixed) && { obstacles: all.filter((_, i) => bodies[i].fixed) }),
    bodies: all.filter((_, i) => !bodies[i].fixed),
    duration: rounded(steps * dt),
    dt,
  }
}

const stated = (key: string, vector: readonly unknown[]) => (vector.some((x) => x !== 0) ? { [key]: vector } : {})
