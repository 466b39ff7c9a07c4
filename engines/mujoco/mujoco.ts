import type { PlacedShape } from '../../contact/geometry/index.ts'
import { shapePairMaterial } from '../../contact/index.ts'
import { JointType, type Model, rotateTransposed3, rotationOfQuaternion, type State } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { type Engine, type EngineAdapter, type EngineScene, UnsupportedScene } from '../engine.ts'
import { type GivenBody, givenBodies } from '../prescribed.ts'
import { MujocoCoordinates } from './coordinates.ts'
import { geomElement, meshElements } from './geoms.ts'
import { isFree, type MjcfExtras, type Mujoco, mujocoOf } from './model.ts'

interface Settings {
  /** Attributes of <option>. */
  readonly option: string
  /** Whether solref is set from the restitution; by default it is not. */
  readonly restitution: boolean
}

const adapter = (name: string, settings: string, how: Settings): EngineAdapter => ({
  name,
  packageName: '@mujoco/mujoco',
  settings,
  create: async (scene) => {
    const given = givenBodies(scene)
    for (const one of given) one.aim(0)
    return new MujocoEngine(scene, given, await mujocoOf(scene.world.model, extrasOf(scene.world, given, how)), how)
  },
})

export const adapters: readonly EngineAdapter[] = [
  adapter('MuJoCo', 'as it comes: Newton, pyramidal cones, solref 0.02 1, impratio 1, Euler', { option: '', restitution: false }),
  adapter(
    'MuJoCo, manual',
    'against slip as its manual says (Modeling, Solver settings): elliptic cones, impratio 10, tolerance 1e-10; restitution by a spring of solref whose half period is ten steps, with the damping that makes it',
    { option: 'cone="elliptic" impratio="10" tolerance="1e-10" iterations="200"', restitution: true },
  ),
]

/** Pairs of geoms with surfaces of their own, at most: MuJoCo checks each of them in each step. */
const MOST_PAIRS = 5000
/** Mass and moment of a body whose motion is prescribed [kg, kg m²]. */
const IMMOVABLE = '<inertial pos="0 0 0" mass="1e7" diaginertia="1e7 1e7 1e7"/>'

function extrasOf(world: World, given: readonly GivenBody[], { option, restitution }: Settings): MjcfExtras {
  const { model, shapes, fixtures, loops, dt } = world
  check(model)
  const all: readonly PlacedShape[] = [...shapes, ...fixtures]
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
    option: `timestep="${dt}" ${option}`,
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
    inertial: (body) => (isGiven(body) ? IMMOVABLE : undefined),
    attributes: (body) => (isGiven(body) ? 'gravcomp="1"' : ''),
    behind: `<contact>${pairs}</contact><equality>${equality.join('')}</equality><size memory="200M"/>`,
  }
}

/** @throws UnsupportedScene for parts of the model that are not translated to MuJoCo here */
function check(model: Model): void {
  const { follows, jointType, nb } = model
  if (follows.some((body) => body >= 0)) throw new UnsupportedScene('joints that follow others')
  for (let i = 1; i < nb; i++) {
    if (jointType[i] === JointType.mocap) throw new UnsupportedScene('mocap bodies')
    const isPlain = jointType[i] !== JointType.planar && jointType[i] !== JointType.spherical
    if (!isPlain || (jointType[i] === JointType.floating && !isFree(model, i)))
      throw new UnsupportedScene('joints of several coordinates other than a floating base')
  }
}

/** Surfaces as <pair> elements, each pair with its own; or as attributes of all geoms, where pairs are many and alike. */
function contactsOf(
  { pairs, physical, dt }: World,
  all: readonly PlacedShape[],
  restitution: boolean,
): { readonly common?: string; readonly pairs: string } {
  const surfaceOf = (a: PlacedShape, b: PlacedShape) => {
    const { friction, restitution: e, torsionRadius, rollingLength } = shapePairMaterial(a, b, physical)
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
          const { condim, friction, bounce } = surfaceOf(all[a], all[b])
          const [slide, turn, roll] = friction
          return `<pair geom1="g${a}" geom2="g${b}" condim="${condim}" friction="${slide} ${slide} ${turn} ${roll} ${roll}" ${bounce}/>`
        })
        .join(''),
    }
  const kinds = new Set(meeting.map(([a, b]) => JSON.stringify(surfaceOf(all[a], all[b]))))
  if (kinds.size > 1) throw new UnsupportedScene(`more than ${MOST_PAIRS} pairs of shapes whose surfaces differ`)
  const { condim, friction, bounce } = surfaceOf(all[meeting[0][0]], all[meeting[0][1]])
  return { common: `condim="${condim}" friction="${friction.join(' ')}" ${bounce}`, pairs: '' }
}

/** Stiffness and damping over mass in MuJoCo's direct format, of a spring that a body leaves after ten steps with e of its speed. */
function bounceOf(e: number, dt: number): string {
  const halfPeriod = 10 * dt
  const rate = -Math.log(Math.max(e, 1e-3)) / halfPeriod
  const stiffness = (Math.PI / halfPeriod) ** 2 + rate * rate
  return `solref="${-stiffness} ${-2 * rate}" solimp="0.99 0.99 0.001"`
}

class MujocoEngine implements Engine {
  readonly lacks: readonly string[]
  private readonly mujoco: Mujoco
  private readonly model: Model
  private readonly dt: number
  private readonly given: readonly GivenBody[]
  private readonly R = new Float64Array(9)
  private readonly own = new Float64Array(3)
  private readonly coordinates: MujocoCoordinates
  private steps = 0

  constructor({ world }: EngineScene, given: readonly GivenBody[], mujoco: Mujoco, { restitution }: Settings) {
    const { model, shapes, fixtures, physical, state, dt } = world
    this.mujoco = mujoco
    this.model = model
    this.dt = dt
    this.given = given
    const all: readonly PlacedShape[] = [...shapes, ...fixtures]
    const bounces = all.some((shape) => (shape.restitution ?? physical.restitution) > 0)
    const statics = all.some(({ staticFriction, friction }) => staticFriction !== undefined && staticFriction !== friction)
    this.lacks = [
      ...(model.compensation ? ['gravity compensation'] : []),
      ...(bounces && !restitution ? ['restitution'] : []),
      ...(all.some(({ friction, frictionAcross = friction }) => frictionAcross !== friction) ? ['friction by direction'] : []),
      ...(statics ? ['static friction of its own'] : []),
      ...(all.some(({ viscousFriction = 0 }) => viscousFriction > 0) ? ['viscous friction'] : []),
      ...(all.some(({ surfaceVelocity }) => surfaceVelocity) ? ['surfaces that run'] : []),
      ...(all.some(({ adhesion = 0, geom }) => adhesion > 0 || geom?.adhesion) ? ['adhesion'] : []),
    ]
    const { data } = mujoco
    this.coordinates = new MujocoCoordinates(model, mujoco.qposStart, mujoco.dofStart)
    this.coordinates.write(state, data.qpos, data.qvel)
  }

  step(tau: Float64Array): void {
    const { mujoco, model, given, dt } = this
    const { mj, data, dofStart, qposStart } = mujoco
    const applied = data.qfrc_applied
    for (let i = 1; i < model.nb; i++)
      if (model.vStart[i + 1] === model.vStart[i] + 1) applied[dofStart[i]] = tau[model.vStart[i]]
    if (given.length > 0) {
      const { qpos, qvel } = data
      for (const { body, pose, velocity, aim } of given) {
        aim(this.steps * dt)
        const at = qposStart[body]
        for (let k = 0; k < 3; k++) qpos[at + k] = pose[k]
        qpos[at + 3] = pose[6]
        for (let k = 0; k < 3; k++) qpos[at + 4 + k] = pose[3 + k]
        rotationOfQuaternion(this.R, pose, 3)
        rotateTransposed3(this.own, this.R, velocity.subarray(0, 3))
        for (let k = 0; k < 3; k++) {
          qvel[dofStart[body] + k] = velocity[3 + k]
          qvel[dofStart[body] + 3 + k] = this.own[k]
        }
      }
    }
    mj.mj_step(mujoco.model, data)
    this.steps++
  }

  read(state: State): void {
    const { qpos, qvel } = this.mujoco.data
    this.coordinates.read(qpos, qvel, state)
    for (const one of this.given) one.write(state)
  }

  contacts(): number {
    return this.mujoco.data.ncon
  }

  delete(): void {
    this.mujoco.delete()
  }
}
