import { JointType } from '../../dynamics/index.ts'
import { statedMimic, type TreeBody, turnedInertia } from './randomTree.ts'

const types: Record<number, string> = {
  [JointType.fixed]: 'fixed',
  [JointType.revolute]: 'continuous',
  [JointType.prismatic]: 'prismatic',
  [JointType.floating]: 'floating',
  [JointType.planar]: 'planar',
  [JointType.spherical]: 'spherical',
}

/** The tree as URDF, every digit kept, on a root link `world`. A first body that floats from the world is the root itself. */
export function urdfOfTree(bodies: readonly TreeBody[]): string {
  const floats = bodies[0].jointType === JointType.floating && bodies[0].rotation === undefined
  const lines = ['<robot name="tree" xmlns:drake="http://drake.mit.edu">']
  if (!floats) lines.push('<link name="world"/>')
  bodies.forEach((body, index) => {
    const i = index + 1
    lines.push(`<link name="${body.name}">${inertialOf(body)}</link>`)
    if (floats && i === 1) return
    const { jointName, jointType, axis = [1, 0, 0], position = [0, 0, 0], rotation = identity, [statedMimic]: mimic } = body
    const parent = body.parent === 0 ? 'world' : bodies[body.parent - 1].name
    lines.push(
      `<joint name="${jointName}" type="${types[jointType]}">`,
      `<origin xyz="${position.join(' ')}" rpy="${rollPitchYaw(rotation).join(' ')}"/>`,
      `<parent link="${parent}"/><child link="${body.name}"/><axis xyz="${axis.join(' ')}"/>`,
    )
    if (jointType === JointType.prismatic) lines.push('<limit lower="-100" upper="100" effort="1000" velocity="1000"/>')
    if (mimic) {
      const { multiplier, offset } = mimic
      lines.push(`<mimic joint="${bodies[mimic.body - 1].jointName}" multiplier="${multiplier}" offset="${offset}"/>`)
    }
    lines.push('</joint>')
    if (body.armature && jointType !== JointType.fixed) {
      lines.push(
        `<transmission name="t${i}"><type>transmission_interface/SimpleTransmission</type><joint name="${jointName}"/>`,
        `<actuator name="m${i}"><drake:gear_ratio value="1"/><drake:rotor_inertia value="${body.armature}"/></actuator></transmission>`,
      )
    }
  })
  lines.push('</robot>')
  return lines.join('\n')
}

const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1]

/** In the axes of an origin that is turned, as files have it. */
function inertialOf({ mass, centerOfMass = [0, 0, 0], inertia }: TreeBody): string {
  if (mass === 0) return ''
  const rpy = [0.3, -0.7, 1.9]
  const R = rotationOf(rpy)
  const back = [R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]]
  const [xx, yy, zz, xy, xz, yz] = turnedInertia(inertia, back)
  return (
    `<inertial><origin xyz="${centerOfMass.join(' ')}" rpy="${rpy.join(' ')}"/><mass value="${mass}"/>` +
    `<inertia ixx="${xx}" iyy="${yy}" izz="${zz}" ixy="${xy}" ixz="${xz}" iyz="${yz}"/></inertial>`
  )
}

/** Of R = Rz(yaw) Ry(pitch) Rx(roll), row-major. */
function rollPitchYaw(R: ArrayLike<number>): [number, number, number] {
  return [Math.atan2(R[7], R[8]), Math.atan2(-R[6], Math.hypot(R[0], R[3])), Math.atan2(R[3], R[0])]
}

function rotationOf([roll, pitch, yaw]: readonly number[]): number[] {
  const [sr, cr, sp, cp, sy, cy] = [roll, pitch, yaw].flatMap((angle) => [Math.sin(angle), Math.cos(angle)])
  return [
    ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
    ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
    ...[-sp, cp * sr, cp * cr],
  ]
}
