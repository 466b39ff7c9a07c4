import type { World } from '../../simulation/index.ts'

/**
 * Friction and restitution of surfaces and physical inputs that change the motion by the laws of contact, and that the world's
 * contact model names as unused. Stiffness and damping are no part of it: to be rigid is an idealisation that a user chooses with the
 * model, to drop stated friction is another motion. An impact's restitution of 0 requests nothing.
 */
export function ignoredInputs({ robot, fixtures, physical, contactModel }: World): string[] {
  const surfaces = [...robot.shapes, ...fixtures]
  const { unused } = contactModel.parameters
  const states: Readonly<Record<string, boolean>> = {
    friction: true,
    restitution: physical.restitution > 0 || surfaces.some(({ restitution = 0 }) => restitution > 0),
    limitRestitution: (physical.limitRestitution ?? 0) > 0,
    staticFriction: surfaces.some(({ friction, staticFriction = 0 }) => staticFriction > (friction ?? physical.friction)),
    viscousFriction: surfaces.some(({ viscousFriction = 0 }) => viscousFriction > 0),
    stribeckVelocity: surfaces.some(({ stribeckVelocity = 0 }) => stribeckVelocity > 0),
    torsionRadius: surfaces.some(({ torsionRadius = 0 }) => torsionRadius > 0),
    rollingLength: surfaces.some(({ rollingLength = 0 }) => rollingLength > 0),
    adhesion: true,
    adhesionRange: true,
  }
  return Object.keys(states).filter((name) => states[name] && unused.some((u) => u === name || u.startsWith(`${name} of `)))
}
