/** A world as MJCF: bodies and joints by model.ts, and here its shapes, surfaces and loops. */
import type { PlacedShape } from '../../contact/geometry/index.ts'
import { crba, createData, JointType, kinematics, type Model } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { UnsupportedScene } from '../engine.ts'
import { lacksOf as without } from '../lacks.ts'
import type { GivenBody } from '../prescribed.ts'
import { geomElement, meshElements } from './geoms.ts'
import { followers, isFree, type MjcfExtras } from './model.ts'

export interface Settings {
  /** Attributes of <option>, and the tolerance of its solver; 1e-8 by default. */
  readonly option: string
  readonly tolerance?: number
  /** Whether solref is set from the restitution; by default it is not. */
  readonly restitution: boolean
  /** solref of all other contacts, limits and equalities, in place of MuJoCo's own. */
  readonly solref?: string
}

/** What its settings are, and how they are set. */
type Described = readonly [words: string, how: Settings]
export const defaults: Described = [
  'as it comes: Newton, pyramidal cones, solref 0.02 1, impratio 1, Euler',
  { option: '', restitution: false },
]
export const manual: Described = [
  'against slip as its manual says (Modeling, Solver settings): elliptic cones, impratio 10, tolerance 1e-10; restitution by a spring of solref whose half period is ten steps, with the damping that makes it, and solimp 0.99 0.99',
  { option: 'cone="elliptic" impratio="10" iterations="200"', tolerance: 1e-10, restitution: true },
]

/** Pairs of geoms with surfaces of their own, at most: MuJoCo checks each of them in each step. */
const MOST_PAIRS = 5000
/** Mass and moment of a body whose motion is prescribed [kg, kg m²]. */
const IMMOVABLE = 1e7

/** @throws UnsupportedScene */
export function extrasOf(
  world: World,
  given: readonly GivenBody[],
  { option, tolerance = 1e-8, restitution, solref }: Settings,
): MjcfExtras {
  const { model, loops, dt } = world
  check(model)
  const all = world.touching.placed
  const named = all.map((shape, k) => ({ ...shape, name: `g${k}` }))
  const isGiven = (body: number) => given.some((one) => one.body === body)
  const { common, pairs } = contactsOf(world, all, restitution)
  const geom = (shape: PlacedShape) => geomElement(shape, `name="${shape.name}" ${common ?? 'contype="0" conaffinity="0"'}`)
  // by sites: an anchor in one body would be taken to the other as the bodies lie in the file, which is not where they start
  const equality = loops.map(({ kind }, k) => {
    if (kind !== 'point') throw new UnsupportedScene(`loops closed by a ${kind}`)
    return `<connect site1="a${k}" site2="b${k}"/>`
  })
  const sites = (body: number) =>
    loops
      .flatMap(({ bodyA, bodyB, pointA, pointB }, k) => [
        ...(bodyA === body ? [`<site name="a${k}" pos="${pointA.join(' ')}"/>`] : []),
        ...(bodyB === body ? [`<site name="b${k}" pos="${pointB.join(' ')}"/>`] : []),
      ])
      .join('')
  return {
    option: `timestep="${dt}" tolerance="${tolerance * shareOfMeanInertia(world, given)}" ${option}`,
    flags: 'autoreset="disable"',
    assets: meshElements(named),
    world: named
      .filter(({ body }) => body === 0)
      .map(geom)
      .join('')
      .concat(sites(0)),
    geoms: (body) =>
      named
        .filter((shape) => shape.body === body)
        .map(geom)
        .join('')
        .concat(sites(body)),
    inertial: (body) =>
      isGiven(body)
        ? `<inertial pos="0 0 0" mass="${IMMOVABLE}" diaginertia="${IMMOVABLE} ${IMMOVABLE} ${IMMOVABLE}"/>`
        : undefined,
    attributes: (body) => (isGiven(body) ? 'gravcomp="1"' : ''),
    behind: `${defaultsOf(solref)}<contact>${pairs}</contact><equality>${equality.join('')}${followers(model)}</equality><size memory="200M"/>`,
  }
}

/** MuJoCo scales its tolerance by the mean of M's diagonal: with bodies that are next to immovable in the mean its solver would end early. */
function shareOfMeanInertia({ model, state }: World, given: readonly GivenBody[]): number {
  if (given.length === 0) return 1
  const data = createData(model)
  kinematics(model, state, data)
  crba(model, data)
  let [own, count] = [0, 0]
  for (let i = 1; i < model.nb; i++) {
    if (given.some(({ body }) => body === i)) continue
    for (let k = model.vStart[i]; k < model.vStart[i + 1]; k++, count++) own += data.M[k * (model.nv + 1)] + model.armature[k]
  }
  const mean = (own + 6 * given.length * IMMOVABLE) / (count + 6 * given.length)
  return count === 0 ? 1 : own / count / mean
}

const defaultsOf = (solref: string | undefined): string =>
  solref === undefined
    ? ''
    : `<default><geom solref="${solref}"/><pair solref="${solref}"/><joint solreflimit="${solref}"/><equality solref="${solref}"/></default>`

/** @throws UnsupportedScene for parts of the model that are not translated to MuJoCo here */
function check(model: Model): void {
  const { jointType, nb } = model
  for (let i = 1; i < nb; i++) {
    if (jointType[i] === JointType.mocap) throw new UnsupportedScene('mocap bodies')
    const isPlain = jointType[i] !== JointType.planar && jointType[i] !== JointType.spherical
    if (!isPlain || (jointType[i] === JointType.floating && !isFree(model, i)))
      throw new UnsupportedScene('joints of several coordinates other than a floating base')
  }
}

/** Surfaces as <pair> elements, each pair with its own; or as attributes of all geoms, where pairs are many and alike. */
function contactsOf(
  { pairs, touching, dt }: World,
  all: readonly PlacedShape[],
  restitution: boolean,
): { readonly common?: string; readonly pairs: string } {
  const { friction: frictions, restitution: bounces, torsionRadius: radii, rollingLength: lengths } = touching.materials
  const surfaceOf = (a: number, b: number) => {
    const pair = pairs.numberOf(a, b)
    const [friction, e, torsionRadius, rollingLength] = [frictions[pair], bounces[pair], radii[pair], lengths[pair]]
    const condim = rollingLength > 0 ? 6 : torsionRadius > 0 ? 4 : friction > 0 ? 3 : 1
    const slide = Math.max(friction, 1e-5)
    const turn = Math.max(friction * torsionRadius, 1e-8)
    const roll = Math.max(rollingLength, 1e-8)
    return { condim, friction: [slide, turn, roll] as const, bounce: restitution && e > 0 ? bounceOf(e, dt) : '' }
  }
  const meeting: [number, number][] = []
  for (let b = 0; b < all.length; b++) for (let a = 0; a < b; a++) if (pairs.allows(a, b)) meeting.push([a, b])
  if (meeting.length <= MOST_PAIRS)
    return {
      pairs: meeting
        .map(([a, b]) => {
          const { condim, friction, bounce } = surfaceOf(a, b)
          const [slide, turn, roll] = friction
          return `<pair geom1="g${a}" geom2="g${b}" condim="${condim}" friction="${slide} ${slide} ${turn} ${roll} ${roll}" ${bounce}/>`
        })
        .join(''),
    }
  const kinds = new Set(meeting.map(([a, b]) => JSON.stringify(surfaceOf(a, b))))
  if (kinds.size > 1) throw new UnsupportedScene(`more than ${MOST_PAIRS} pairs of shapes whose surfaces differ`)
  const { condim, friction, bounce } = surfaceOf(...meeting[0])
  return { common: `condim="${condim}" friction="${friction.join(' ')}" ${bounce}`, pairs: '' }
}

/** Features of a world that no MJCF of ours has. */
export const lacksOf = (world: World, { restitution }: Settings): string[] =>
  without(
    world,
    new Set(['rotor inertia', 'joint limits', 'torsional friction', 'rolling resistance', restitution ? 'restitution' : '']),
  )

/** Stiffness and damping over mass in MuJoCo's direct format, of a spring that a body leaves after ten steps with e of its speed. */
function bounceOf(e: number, dt: number): string {
  const halfPeriod = 10 * dt
  const rate = -Math.log(Math.max(e, 1e-3)) / halfPeriod
  const stiffness = (Math.PI / halfPeriod) ** 2 + rate * rate
  return `solref="${-stiffness} ${-2 * rate}" solimp="0.99 0.99 0.001"`
}
