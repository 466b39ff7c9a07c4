import type { PlacedShape } from '../contact/geometry/index.ts'
import { geomElement, meshElements } from '../engines/mujoco/geoms.ts'
import type { MjcfExtras } from '../engines/mujoco/model.ts'
import type { Robot } from '../robots/index.ts'
import { mujocoOf, qposOf } from '../test/oracle/mujoco.ts'

/** A robot on the ground inside MuJoCo, under constant efforts. */
export type MujocoScene = Awaited<ReturnType<typeof mujocoScene>>

/** What a robot's MJCF has besides its bodies. */
export const onGround = ({ shapes }: Robot, dt: number): MjcfExtras => ({
  option: `timestep="${dt}" integrator="Euler"`,
  flags: 'autoreset="disable"',
  world: '<geom name="ground" type="plane" size="0 0 1" contype="1" conaffinity="2" friction="0.8 0 0"/>',
  geoms: geomsOf(shapes),
})

/** The robot with its collision shapes, joint damping, friction and limits on a plane, at home; no self-collision. */
export async function mujocoScene(robot: Robot, dt: number, efforts: Float64Array) {
  const { model } = robot
  const mujoco = await mujocoOf(model, onGround(robot, dt))
  const { mj, model: mjModel, data } = mujoco
  const home = qposOf(mujoco, model, { q: robot.home })
  // a floating base takes no effort, so only the joints' places in MuJoCo's list matter
  const applied = new Float64Array(model.nv)
  for (const joint of robot.joints) applied[mujoco.dofStart[joint.body]] = efforts[joint.vIndex]
  return {
    reset() {
      mj.mj_resetData(mjModel, data)
      data.qpos.set(home)
      data.qfrc_applied.set(applied)
    },
    step: () => mj.mj_step(mjModel, data),
    contactCount: () => data.ncon,
    delete: () => mujoco.delete(),
  }
}

/** A robot's shape, which collides with the surroundings, and with its own kind on request. */
function geomOf(placed: PlacedShape, touchesItsLike: boolean): string {
  return geom(placed, touchesItsLike ? 'contype="3" conaffinity="3"' : 'contype="2" conaffinity="1"')
}

/** Of each body, by its number. */
export const geomsOf =
  (shapes: readonly PlacedShape[], touchesItsLike = false) =>
  (body: number) =>
    shapes.map((shape) => (shape.body === body ? geomOf(shape, touchesItsLike) : '')).join('')

/** What stands around. */
export function fixtureGeoms(fixtures: readonly PlacedShape[]): string {
  return fixtures.map((fixture) => geom(fixture, 'contype="1" conaffinity="2"')).join('')
}

/** The hulls among what stands around. */
export const meshAssets = meshElements

function geom(placed: PlacedShape, mask: string): string {
  const { friction } = placed
  // MuJoCo takes the larger friction of a pair unless priorities differ; the robot's own word goes first, as with us
  const surface = friction === undefined ? 'friction="0.8 0 0"' : `friction="${friction} 0 0" priority="1"`
  return geomElement(placed, `${mask} ${surface}`)
}
