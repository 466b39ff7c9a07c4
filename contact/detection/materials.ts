import * as is from '../../dynamics/math/arguments.ts'
import { surfaceKinds } from '../geometry/expected.ts'
import { type GeomSurface, geomPairOf, type PlacedShape, type Surface } from '../geometry/index.ts'
import { FrictionAxes } from './frictionAxes.ts'

/** Combination rules: the value of a pair from those of its two surfaces. */
export const combinations = {
  min: (a: number, b: number) => Math.min(a, b),
  max: (a: number, b: number) => Math.max(a, b),
  product: (a: number, b: number) => a * b,
  average: (a: number, b: number) => 0.5 * (a + b),
  'geometric-mean': (a: number, b: number) => Math.sqrt(a * b),
  'harmonic-mean': (a: number, b: number) => (a + b > 0 ? (2 * a * b) / (a + b) : 0),
} satisfies Record<string, (a: number, b: number) => number>

export type Combination = keyof typeof combinations

/**
 * Combination rules for pairs of surfaces. Other simulators, for friction: MuJoCo uses the larger (between geoms of equal priority, as
 * here for its own), Gazebo with ODE the smaller, Bullet the product, Rapier the average, Box2D the geometric mean, Drake the harmonic
 * mean.
 */
export interface MaterialRules {
  /** For sliding, static and viscous friction. Default 'min', between geoms of MuJoCo 'max'. */
  readonly friction?: Combination
  /** Default 'max'. */
  readonly restitution?: Combination
  /**
   * Value of a surface that states none, paired with one that does: the other's (default), or the world's default, as in simulators in
   * which every surface has a value.
   */
  readonly unstated?: 'other' | 'default'
  /** Friction of a geom of MuJoCo that states none. Default 1. */
  readonly geomFriction?: number
}

/** Values of pairs in which neither surface states its own. */
export interface MaterialDefaults {
  readonly friction: number
  /** Default: `friction`. */
  readonly staticFriction?: number
  /** Default 0 [s/m]. */
  readonly viscousFriction?: number
  /** Default 0 [m/s]. */
  readonly stribeckVelocity?: number
  readonly restitution: number
}

type Value = number | undefined

function paired(a: Value, b: Value, byDefault: number, { unstated = 'other' }: MaterialRules, combination: Combination): number {
  if (a === undefined && b === undefined) return byDefault
  if (unstated === 'other' && (a === undefined || b === undefined)) return a ?? (b as number)
  return combinations[combination](a ?? byDefault, b ?? byDefault)
}

/** Sliding friction of a pair; by default the smaller of two stated values, the only stated one, or the world's default. @unchecked */
export function pairFriction(
  a: Pick<Surface, 'friction'>,
  b: Pick<Surface, 'friction'>,
  byDefault: number,
  rules: MaterialRules = {},
): number {
  return paired(a.friction, b.friction, byDefault, rules, rules.friction ?? 'min')
}

/** Restitution of a pair; by default the larger of two stated values, the only stated one, or the world's default. @unchecked */
export function pairRestitution(
  a: Pick<Surface, 'restitution'>,
  b: Pick<Surface, 'restitution'>,
  byDefault: number,
  rules: MaterialRules = {},
): number {
  return paired(a.restitution, b.restitution, byDefault, rules, rules.restitution ?? 'max')
}

/** The material of a pair of surfaces, as in `Surface`. */
export interface PairMaterial {
  /** Coefficient along `frictionAxis`, if friction has directions. */
  readonly friction: number
  /** Coefficient across the axis; and the surface that has the axis. Undefined if friction is equal in all directions. */
  readonly frictionAcross?: number
  readonly axisOf?: 'a' | 'b' | 'pair'
  /** At least `friction`. */
  readonly staticFriction: number
  readonly viscousFriction: number
  readonly stribeckVelocity: number
  readonly torsionRadius: number
  readonly rollingLength: number
  readonly restitution: number
  /** Undefined if neither surface states one. */
  readonly stiffness?: number
  readonly damping?: number
  readonly solvedStaticFriction: boolean
}

/**
 * The material of a pair. Sliding, static and viscous friction follow the rule for friction, restitution its own; a Stribeck velocity is
 * the mean of two. Stiffnesses act in series, 1/k = 1/ka + 1/kb, an unstated one counting as rigid; dampings are weighted by their
 * surfaces' fractions of the deformation, d = (kb da + ka db) / (ka + kb), halves if a stiffness is unstated (as Drake's compliant point
 * contact combines dissipation). Geoms of MuJoCo have MuJoCo's rules for friction: `geomMaterial`. @unchecked
 */
export function pairMaterial(a: Surface, b: Surface, defaults: MaterialDefaults, rules: MaterialRules = {}): PairMaterial {
  if (a.geom || b.geom) return geomMaterial(a, b, defaults, rules)
  if (hasDirections(a) || hasDirections(b)) return directedMaterial(a, b, defaults, rules)
  const rule = rules.friction ?? 'min'
  const friction = pairFriction(a, b, defaults.friction, rules)
  const sticking = paired(
    a.staticFriction ?? a.friction,
    b.staticFriction ?? b.friction,
    defaults.staticFriction ?? defaults.friction,
    rules,
    rule,
  )
  return {
    friction,
    staticFriction: Math.max(friction, sticking),
    viscousFriction: paired(a.viscousFriction, b.viscousFriction, defaults.viscousFriction ?? 0, rules, rule),
    stribeckVelocity: paired(a.stribeckVelocity, b.stribeckVelocity, defaults.stribeckVelocity ?? 0, rules, 'average'),
    torsionRadius: paired(a.torsionRadius, b.torsionRadius, 0, rules, rule),
    rollingLength: paired(a.rollingLength, b.rollingLength, 0, rules, rule),
    restitution: pairRestitution(a, b, defaults.restitution, rules),
    solvedStaticFriction: a.solvedStaticFriction === true || b.solvedStaticFriction === true,
    ...compliance(a, b),
  }
}

/** MuJoCo's lower bound of friction. */
const LEAST_FRICTION = 1e-5

/**
 * The material of a pair with a geom of MuJoCo. Of two geoms the one of higher priority states condim and coefficients; of equal
 * priority each is the larger one (MuJoCo documentation, Computation, Contact parameters). Another surface has condim 3 and priority 0;
 * its friction is combined with the geom's as with that of any surface, and of two that state none it is the geom's.
 */
function geomMaterial(a: Surface, b: Surface, defaults: MaterialDefaults, rules: MaterialRules): PairMaterial {
  const { geomFriction = 1 } = rules
  if (a.geom && b.geom) {
    const [x, y] = [a.geom, b.geom]
    const [first, second] = x.priority > y.priority ? [a, a] : x.priority < y.priority ? [b, b] : [a, b]
    const rule = first === second ? 'max' : (rules.friction ?? 'max')
    const larger = (key: 'condim' | 'spin' | 'roll') => Math.max(first.geom![key], second.geom![key])
    const friction = combinations[rule](first.friction ?? geomFriction, second.friction ?? geomFriction)
    const surface = geomMoments(larger('condim'), friction, { spin: larger('spin'), roll: larger('roll') })
    const own = { friction: larger('condim') === 1 ? 0 : friction, ...surface }
    return pairMaterial({ ...a, ...own }, { ...b, ...own }, defaults, { ...rules, friction: 'min' })
  }
  const [own, other] = a.geom ? [a, b] : [b, a]
  const geom = own.geom!
  const condim = geom.priority > 0 ? geom.condim : Math.max(geom.condim, 3)
  const stated = own.friction ?? (other.friction === undefined ? geomFriction : undefined)
  const friction = condim === 1 ? 0 : stated
  const sliding = pairFriction({ friction }, other, defaults.friction, rules)
  const surface = { ...own, friction, ...geomMoments(condim, sliding, geom) }
  return own === a ? pairMaterial(surface, b, defaults, rules) : pairMaterial(a, surface, defaults, rules)
}

/** The moments of a geom as properties of a surface; `torsionRadius` for a pair of this friction. */
function geomMoments(condim: number, friction: number, { spin, roll }: Pick<GeomSurface, 'spin' | 'roll'>): Surface {
  return {
    geom: undefined,
    torsionRadius: condim > 3 ? spin / Math.max(friction, LEAST_FRICTION) : undefined,
    rollingLength: condim > 4 ? roll : undefined,
  }
}

/** The material of two shapes: that of their surfaces, or with the friction of the `GeomPair` that names both. @unchecked */
export function shapePairMaterial(
  a: PlacedShape,
  b: PlacedShape,
  defaults: MaterialDefaults,
  rules: MaterialRules = {},
): PairMaterial {
  const stated = a.geom && b.geom && geomPairOf(a, b)?.surface
  if (!stated) return pairMaterial(a, b, defaults, rules)
  const { friction, frictionAcross = friction } = stated
  const own = { ...stated, friction: Math.max(friction, frictionAcross), frictionAcross: undefined }
  const material = pairMaterial({ ...a, ...own }, { ...b, ...own }, defaults, { ...rules, friction: undefined })
  return friction === frictionAcross || material.friction === 0
    ? material
    : { ...material, friction, frictionAcross, axisOf: 'pair' }
}

/** The shape that has the axis of friction of a `GeomPair`: a capsule on a plane, or the world. */
function ofPair(a: PlacedShape, b: PlacedShape): PlacedShape {
  const capsule = [a, b].find(({ shape }) => shape.type === 'capsule')
  const isOnPlane = a.shape.type === 'halfspace' || b.shape.type === 'halfspace'
  return capsule && isOnPlane ? { ...capsule, frictionAxis: [0, 0, 1] } : { ...a, frictionAxis: 'world' }
}

/** Whether friction of a surface differs by direction. */
const hasDirections = ({ friction, frictionAcross }: Surface) => frictionAcross !== undefined && frictionAcross !== friction

/**
 * The material of a pair of which a surface states friction by direction. Along and across its axis friction follows the rule for friction,
 * with one value of the other surface. Of two surfaces with axes, the one with the least coefficient keeps both; the other counts with its
 * smaller one, the largest circle in its ellipse, since ellipses with different axes do not combine to one.
 *
 * @throws RangeError with viscous or Stribeck friction
 */
function directedMaterial(a: Surface, b: Surface, defaults: MaterialDefaults, rules: MaterialRules): PairMaterial {
  const ofA = hasDirections(a) && !(hasDirections(b) && least(b) < least(a))
  const [own, other] = ofA ? [a, inAllDirections(b)] : [b, inAllDirections(a)]
  const along: Surface = { ...own, frictionAcross: undefined }
  const material = pairMaterial(along, other, defaults, rules)
  if (material.viscousFriction > 0 || material.stribeckVelocity > 0) {
    const found = material.viscousFriction > 0 ? 'viscousFriction' : 'stribeckVelocity'
    throw new RangeError(
      `frictionAcross of a surface together with ${found}: friction by direction does not change with the speed`,
    )
  }
  const frictionAcross = pairFriction({ friction: own.frictionAcross }, other, defaults.friction, rules)
  return frictionAcross === material.friction ? material : { ...material, frictionAcross, axisOf: ofA ? 'a' : 'b' }
}

const least = ({ friction = 0, frictionAcross = friction }: Surface) => Math.min(friction, frictionAcross)

/** The surface with its smaller coefficient in all directions. */
function inAllDirections(surface: Surface): Surface {
  const { friction, staticFriction } = surface
  if (!hasDirections(surface) || friction === undefined) return surface
  const smaller = least(surface)
  const share = friction > 0 ? smaller / friction : 1
  return {
    ...surface,
    friction: smaller,
    frictionAcross: undefined,
    staticFriction: staticFriction === undefined ? undefined : Math.max(smaller, share * staticFriction),
  }
}

function compliance(a: Surface, b: Surface): Pick<PairMaterial, 'stiffness' | 'damping'> {
  const { stiffness: ka, damping: da } = a
  const { stiffness: kb, damping: db } = b
  const stiffness = ka !== undefined && kb !== undefined ? inSeries(ka, kb) : (ka ?? kb)
  if (da === undefined || db === undefined) return { stiffness, damping: da ?? db }
  const shareA = ka !== undefined && kb !== undefined && ka + kb > 0 ? kb / (ka + kb) : 0.5
  return { stiffness, damping: shareA * da + (1 - shareA) * db }
}

const inSeries = (a: number, b: number) => (a + b > 0 ? (a * b) / (a + b) : 0)

/**
 * The coefficient of friction at a speed of sliding (Stribeck 1902, in the form of Bo and Pavelescu 1982):
 * mu + (muStatic - mu) exp(-(speed / stribeck)²) + viscous speed. With `stribeck` 0 the static coefficient applies at rest alone. @unchecked
 */
export function frictionAtSpeed(mu: number, muStatic: number, viscous: number, stribeck: number, speed: number): number {
  const x = stribeck > 0 ? speed / stribeck : speed > 0 ? Infinity : 0
  return mu + (muStatic - mu) * Math.exp(-x * x) + viscous * speed
}

/** What depends on the friction of surfaces that state none. */
export type PairFriction = Pick<PairMaterials, 'friction' | 'staticFriction' | 'torsionRadius' | 'axes'>

/** The materials of all pairs of a detector, by pair number. NaN for unstated stiffness and damping. @unchecked */
export class PairMaterials {
  friction: Float64Array
  staticFriction: Float64Array
  readonly viscousFriction: Float64Array
  readonly stribeckVelocity: Float64Array
  torsionRadius: Float64Array
  readonly rollingLength: Float64Array
  readonly restitution: Float64Array
  readonly stiffness: Float64Array
  readonly damping: Float64Array
  readonly solvedStatic: Uint8Array
  /** Axes of friction; with directions, `friction` and `staticFriction` are those of the stronger axis. */
  axes: FrictionAxes
  readonly #defaults: MaterialDefaults
  readonly #rules: MaterialRules

  constructor(pairCount: number, defaults: MaterialDefaults, rules: MaterialRules = {}) {
    this.#defaults = defaults
    this.#rules = rules
    this.friction = new Float64Array(pairCount)
    this.staticFriction = new Float64Array(pairCount)
    this.viscousFriction = new Float64Array(pairCount)
    this.stribeckVelocity = new Float64Array(pairCount)
    this.torsionRadius = new Float64Array(pairCount)
    this.rollingLength = new Float64Array(pairCount)
    this.restitution = new Float64Array(pairCount)
    this.stiffness = new Float64Array(pairCount).fill(Number.NaN)
    this.damping = new Float64Array(pairCount).fill(Number.NaN)
    this.solvedStatic = new Uint8Array(pairCount)
    this.axes = new FrictionAxes(pairCount)
  }

  /** Takes the friction of other materials of the same pairs, without copying. */
  useFriction({ friction, staticFriction, torsionRadius, axes }: PairFriction): void {
    this.friction = friction
    this.staticFriction = staticFriction
    this.torsionRadius = torsionRadius
    this.axes = axes
  }

  set(pair: number, a: PlacedShape, b: PlacedShape): void {
    const material = shapePairMaterial(a, b, this.#defaults, this.#rules)
    const { friction, frictionAcross = friction, staticFriction, axisOf } = material
    this.friction[pair] = Math.max(friction, frictionAcross)
    this.staticFriction[pair] =
      frictionAcross > friction ? frictionAcross * (friction > 0 ? staticFriction / friction : 1) : staticFriction
    if (axisOf !== undefined)
      this.axes.set(pair, axisOf === 'pair' ? ofPair(a, b) : axisOf === 'a' ? a : b, friction, frictionAcross)
    this.viscousFriction[pair] = material.viscousFriction
    this.stribeckVelocity[pair] = material.stribeckVelocity
    this.torsionRadius[pair] = material.torsionRadius
    this.rollingLength[pair] = material.rollingLength
    this.restitution[pair] = material.restitution
    this.stiffness[pair] = material.stiffness ?? Number.NaN
    this.damping[pair] = material.damping ?? Number.NaN
    this.solvedStatic[pair] = material.solvedStaticFriction ? 1 : 0
  }
}

const surfaceKind = is.fields<Surface>({}, surfaceKinds, true)

/**
 * Checks the surface values of a shape, and leaves its other fields alone.
 *
 * @throws RangeError with the name of the shape and the value
 */
export function checkSurface(surface: Surface, name: string): void {
  is.check(surface, surfaceKind, `shape "${name}": `)
  const { friction, staticFriction, frictionAcross, frictionAxis } = surface
  if (
    (frictionAcross === undefined) !== (frictionAxis === undefined) ||
    (frictionAcross !== undefined && friction === undefined)
  ) {
    throw new RangeError(`shape "${name}": friction by direction is friction, frictionAcross and frictionAxis, all three`)
  }
  if (frictionAxis !== undefined && frictionAxis !== 'world' && !(Math.hypot(...frictionAxis) > 0))
    throw new RangeError(`frictionAxis of shape "${name}" is [${frictionAxis.join(', ')}]; it has no direction`)
  if (friction !== undefined && staticFriction !== undefined && staticFriction < friction) {
    throw new RangeError(
      `staticFriction of shape "${name}" is ${staticFriction}, below its friction ${friction}; nothing slides harder than it sticks`,
    )
  }
}
