import type { GeometryDescription, RobotDescription, SemanticDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import type { Place } from '../robot.ts'

/** Above these nothing is computed: sums and squares of such numbers along a chain still stay far from infinity. */
const most = { length: 1e9, position: 1e9, mass: 1e12, inertia: 1e15, resistance: 1e15 }

/** Below this the inverse of a mass would overflow [kg]. */
const leastMass = 1e-30

/** Refuses numbers that no robot has and with which no result would be finite. */
export function examineMagnitudes(
  { links, joints, frames, surroundings = [], gravity = [0, 0, 0], place: file }: RobotDescription,
  semantic: SemanticDescription | undefined,
  findings: Findings,
): void {
  const check = (kind: keyof typeof most, what: string, numbers: readonly number[], place: Place, element: string) => {
    const found = numbers.find((x) => !(Math.abs(x) <= most[kind]))
    if (found === undefined) return
    findings.error('magnitude', place, element, `${what} ${found} is beyond ${most[kind]}.`, 'Check the digits and the units.')
  }
  const checked = new Set<readonly number[]>() // many shapes may share one list of points
  for (const { name, inertial, visuals, collisions } of links) {
    if (inertial) {
      const { mass, inertia, origin, place, inertiaPlace } = inertial
      const what = `<inertial> of link ${quote(name)}`
      check('mass', 'mass', [mass], place, what)
      check('inertia', 'moment of inertia', inertia, inertiaPlace, `<inertia> of link ${quote(name)}`)
      check('length', 'position', origin.xyz, place, what)
      if (mass > 0 && mass < leastMass) {
        const message = `mass ${mass} kg is less than can be computed with, ${leastMass} kg.`
        findings.error('magnitude', place, what, message, 'Check the digits; 0 means no mass.')
      }
    }
    for (const [tag, shapes] of Object.entries({ visual: visuals, collision: collisions })) {
      for (const { origin, geometry, place } of shapes) {
        const what = `<${tag}> of link ${quote(name)}`
        check('length', 'position', origin.xyz, place, what)
        const sizes = sizesOf(geometry)
        if (!checked.has(sizes)) check('length', 'size', sizes, place, what)
        if (geometry.type === 'points') checked.add(sizes)
      }
    }
  }
  for (const { name, origin, damping, friction, armature, lower, upper, place } of joints) {
    const element = `<joint name=${quote(name)}>`
    check('length', 'position', origin.xyz, place, element)
    check('resistance', 'damping, friction or rotor inertia', [damping, friction, armature], place, element)
    // a limit may be far away and mean none, but not on the side of 0 on which it moves the joint
    check('position', 'position', [Math.max(0, lower), Math.min(0, upper)], place, element)
  }
  for (const { name, initial = [], stiffness = 0, springReference = 0, place } of joints) {
    const what = `<joint name=${quote(name)}>`
    check('position', 'start', initial, place, what)
    check('resistance', 'stiffness', [stiffness], place, what)
    check('position', 'position', [springReference], place, what)
  }
  for (const { name, origin, place } of surroundings) check('length', 'position', origin.xyz, place, `<collision> ${quote(name)}`)
  check('length', 'gravity', gravity, file, '<option>')
  for (const { name, origin, place } of frames) check('length', 'position', origin.xyz, place, `<frame name=${quote(name)}>`)
  for (const { name, joints: values, place } of semantic?.poses ?? []) {
    for (const position of values.values()) check('position', 'position', position, place, `<group_state name=${quote(name)}>`)
  }
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
    case 'ellipsoid':
      return geometry.radii
    case 'points':
      return geometry.points
    case 'mesh':
      return geometry.scale
  }
}
