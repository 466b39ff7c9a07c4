import type { World } from '../simulation/index.ts'

/** Features of a world that an engine leaves out, by the words for those that it has. */
export function lacksOf({ model, touching }: World, has: ReadonlySet<string>): string[] {
  const { placed, materials } = touching
  const some = (values: ArrayLike<number>) => Array.from(values).some((x) => x !== 0)
  const limited = Array.from(model.lower).some(Number.isFinite) || Array.from(model.upper).some(Number.isFinite)
  return Object.entries({
    'rotor inertia': some(model.armature),
    'joint limits': limited,
    'gravity compensation': model.compensation !== undefined,
    'damping by powers of the speed': model.dampingPolynomial !== undefined,
    'limits and couplings of lengths': model.lengths !== undefined && model.lengths.length > 0,
    restitution: some(materials.restitution),
    'friction by direction': placed.some(({ friction, frictionAcross = friction }) => frictionAcross !== friction),
    'static friction of its own': materials.staticFriction.some((x, k) => x !== materials.friction[k]),
    'torsional friction': some(materials.torsionRadius),
    'rolling resistance': some(materials.rollingLength),
    'viscous friction': some(materials.viscousFriction),
    'surfaces that run': placed.some(({ surfaceVelocity }) => surfaceVelocity),
    adhesion: placed.some(({ adhesion = 0, geom }) => adhesion > 0 || geom?.adhesion),
  }).flatMap(([word, isThere]) => (isThere && !has.has(word) ? [word] : []))
}
