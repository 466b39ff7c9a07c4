import type { GeometryDescription, RobotDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import type { Place } from '../robot.ts'

/** Above these nothing is computed: sums and squares of such numbers along a chain still stay far from infinity. */
const most = { length: 1e9, mass: 1e12, inertia: 1e15, resistance: 1e15 }

/** Refuses numbers that no robot has and with which no result would be finite. */
export function examineMagnitudes({ links, joints, frames }: RobotDescription, findings: Findings): void {
  const check = (kind: keyof typeof most, what: string, numbers: readonly number[], place: Place, element: string) => {
    const found = numbers.find((x) => !(Math.abs(x) <= most[kind]))
    if (found === undefined) return
    findings.error('magnitude', place, element, `${what} ${found} is beyond ${most[kind]}.`, 'Check the digits and the units.')
  }
  for (const { name, inertial, visuals, collisions } of links) {
    const element = `<link name="${name}">`
    if (inertial) {
      const { mass, inertia, origin, place, inertiaPlace } = inertial
      check('mass', 'mass', [mass], place, element)
      check('inertia', 'moment of inertia', inertia, inertiaPlace, element)
      check('length', 'position', origin.xyz, place, element)
    }
    for (const { origin, geometry, place } of [...visuals, ...collisions]) {
      check('length', 'position', origin.xyz, place, element)
      check('length', 'size', sizesOf(geometry), place, element)
    }
  }
  for (const { name, origin, damping, friction, armature, place } of joints) {
    const element = `<joint name="${name}">`
    check('length', 'position', origin.xyz, place, element)
    check('resistance', 'damping, friction or rotor inertia', [damping, friction, armature], place, element)
  }
  for (const { name, origin, place } of frames) check('length', 'position', origin.xyz, place, `<frame name="${name}">`)
}

function sizesOf(geometry: GeometryDescription): readonly number[] {
  switch (geometry.type) {
    case 'box':
      return geometry.size
    case 'sphere':
      return [geometry.radius]
    case 'cylinder':
    case 'capsule':
      return [geometry.radius, geometry.length]
    case 'mesh':
      return geometry.scale
  }
}
