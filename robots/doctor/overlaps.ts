import {
  CollisionPairs,
  ConcaveContacts,
  createFieldShape,
  hasInside,
  placeFieldShape,
  type SelfCollision,
} from '../../contact/detection/index.ts'
import {
  bitsMeet,
  type Collider,
  convexOf,
  coreDistance,
  createCollider,
  place,
  type Shape,
} from '../../contact/geometry/index.ts'
import { createState, type Data, kinematics, listed, type Model } from '../../dynamics/index.ts'
import { Pairs } from '../compile/pairs.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import type { CollisionShape, Place, Robot } from '../robot.ts'

/** Most pairs of shapes with overlapping bounding spheres that are measured; of a robot with more the rest is skipped. */
const mostPairs = 20_000
/** Most pairs of bounding spheres compared. */
const mostLooks = 2_000_000
/** Gaps below this fraction of the size of the pair count as touching. */
const touching = 1e-6

export interface Overlap {
  readonly links: readonly [string, string]
  /** Whether only joints lie between the two: one joint, or several with bodies that collide with nothing. */
  readonly neighbours: boolean
}

/** A collision shape with its bounding sphere. */
interface Placed {
  readonly shape: CollisionShape
  /** 3, in world axes [m]. */
  readonly center: Float64Array
  readonly radius: number
}

/** The collision shapes of one link, with a bounding sphere of all. */
interface LinkShapes {
  readonly name: string
  readonly body: number
  readonly shapes: Placed[]
  /** 3, in world axes [m]. */
  readonly center: Float64Array
  radius: number
}

/**
 * Links on different bodies whose collision shapes touch or overlap in a pose, each pair once, in the order of the shapes.
 *
 * @param data scratch of this model
 * @returns `complete` false if there were too many near pairs to measure them all
 */
export function overlapsAt(
  model: Model,
  q: Float64Array,
  shapes: readonly CollisionShape[],
  data: Data,
): { readonly overlaps: readonly Overlap[]; readonly complete: boolean } {
  kinematics(model, { ...createState(model), q }, data)
  const colliders = new Colliders(data)
  const links = linksAt(shapes, colliders)
  const overlaps: Overlap[] = []
  const budget = { left: mostPairs, looks: mostLooks }
  const solid = new Set(links.map(({ body }) => body))
  const above = (body: number) => {
    let next = model.parent[body]
    while (next > 0 && !solid.has(next)) next = model.parent[next]
    return next
  }
  for (let i = 0; i < links.length; i++) {
    for (let j = i + 1; j < links.length; j++) {
      const [a, b] = [links[i], links[j]]
      if (a.body === b.body || !ballsMeet(a.center, a.radius, b.center, b.radius)) continue
      if (!overlapping(a, b, colliders, budget)) continue
      const neighbours = above(a.body) === b.body || above(b.body) === a.body
      overlaps.push({ links: [a.name, b.name], neighbours })
    }
  }
  return { overlaps, complete: budget.left > 0 && budget.looks > 0 }
}

/**
 * Reports overlaps: neighbours usually overlap, others should not unless they are not to collide anyway. Where the file has a rule for which
 * links touch, those that do by it count as the others.
 */
export function reportOverlaps(
  { overlaps: found, complete }: ReturnType<typeof overlapsAt>,
  {
    model,
    shapes,
    disabledCollisions: disabled,
    selfCollision,
  }: Pick<Robot, 'model' | 'shapes' | 'disabledCollisions' | 'selfCollision'>,
  place: Place,
  robot: string,
  findings: Findings,
): void {
  const overlaps = selfCollision === undefined ? found : sorted(found, model, shapes, selfCollision)
  const element = `<robot name=${quote(robot)}>`
  const known = new Pairs()
  if (overlaps.length > 0) for (const [a, b] of disabled) known.add(a, b)
  const told = overlaps.filter(({ links: [a, b] }) => !known.has(a, b))
  const pairs = (neighbours: boolean) =>
    told.filter((overlap) => overlap.neighbours === neighbours).map(({ links: [a, b] }) => `${quote(a)} with ${quote(b)}`)
  const [joined, apart] = [pairs(true), pairs(false)]
  if (joined.length > 0) {
    findings.info(
      'overlap-neighbours',
      place,
      element,
      `${count(joined.length)} that joints connect overlap in the home pose: ${listed(joined, 5)}.`,
      'Such pairs are not meant to collide.',
    )
  }
  if (apart.length > 0) {
    findings.warning(
      'overlap',
      place,
      element,
      `${count(apart.length)} ${selfCollision === undefined ? 'that other parts lie between overlap' : 'overlap'} in the home pose: ${listed(apart, 5)}.`,
      selfCollision === undefined
        ? 'Such pairs are never apart: correct the collision shapes, or disable the pairs in an SRDF.'
        : 'They touch, as in MuJoCo, and are pushed apart from the first step on: correct the geoms, or exclude the pairs.',
    )
  }
  if (!complete) {
    findings.info(
      'overlap-incomplete',
      place,
      element,
      'too many collision shapes are near each other in the home pose.',
      'The rest was not checked for overlaps; use fewer and simpler collision shapes.',
    )
  }
}

/** Overlaps by whether they touch by a rule: those that do not are neighbours. */
function sorted(
  overlaps: readonly Overlap[],
  model: Model,
  all: readonly CollisionShape[],
  selfCollision: SelfCollision,
): Overlap[] {
  const links = new Set(overlaps.flatMap((overlap) => overlap.links))
  const shapes = all.filter(({ link }) => links.has(link))
  const pairs = new CollisionPairs(model, shapes, [], { selfCollision })
  const on = (link: string) => shapes.flatMap((shape, i) => (shape.link === link ? [i] : []))
  return overlaps.map(({ links }) => {
    const [a, b] = links.map(on)
    return { links, neighbours: !a.some((i) => b.some((j) => pairs.allows(Math.min(i, j), Math.max(i, j)))) }
  })
}

const count = (pairs: number) => (pairs === 1 ? '1 pair of links' : `${pairs} pairs of links`)

/** Most colliders of primitive shapes that are kept at once: they are large. */
const mostKept = 1000

/** Many shapes may share one mesh: of each hull there are two colliders, placed where they are needed; likewise of the primitive shapes used last. */
class Colliders {
  private readonly made = [new Map<Shape, Collider>(), new Map<Shape, Collider>()]
  private readonly last = [new Map<Shape, Collider>(), new Map<Shape, Collider>()]
  private readonly bodies: Data

  constructor(bodies: Data) {
    this.bodies = bodies
  }

  /** @param which 0 or 1: either of a pair */
  at(shape: CollisionShape, which: 0 | 1): Collider {
    const isHull = shape.shape.type === 'hull' || shape.shape.type === 'mesh'
    const known = (isHull ? this.made : this.last)[which]
    let collider = known.get(shape.shape)
    if (!collider) {
      if (!isHull && known.size === mostKept) known.clear()
      known.set(shape.shape, (collider = createCollider(convexOf(shape.shape))))
    }
    place(collider, this.bodies.R_WB[shape.body], this.bodies.p_WB[shape.body], shape)
    return collider
  }

  /** Of two shapes of which one is a mesh. */
  solidsMeet(one: CollisionShape, other: CollisionShape): boolean {
    if (!hasInside(one) || !hasInside(other)) return false
    const [a, b] = [one, other].map((shape) => {
      const field = createFieldShape(shape.shape)
      placeFieldShape(field, this.bodies.R_WB[shape.body], this.bodies.p_WB[shape.body], shape.R, shape.p)
      return field
    })
    const contacts = new ConcaveContacts()
    contacts.find(a, b, Float64Array.of(touching * (a.halfExtent + b.halfExtent)))
    return contacts.points.normalCount > 0
  }
}

function linksAt(shapes: readonly CollisionShape[], colliders: Colliders): LinkShapes[] {
  const links = new Map<string, LinkShapes>()
  for (const shape of shapes) {
    let link = links.get(shape.link)
    if (!link) {
      link = { name: shape.link, body: shape.body, shapes: [], center: new Float64Array(3), radius: 0 }
      links.set(shape.link, link)
    }
    const { centerW, radius } = colliders.at(shape, 0)
    link.shapes.push({ shape, center: centerW.slice(), radius })
  }
  for (const link of links.values()) {
    const { center, shapes: all } = link
    for (const one of all) for (let k = 0; k < 3; k++) center[k] += one.center[k] / all.length
    for (const {
      center: [x, y, z],
      radius,
    } of all) {
      link.radius = Math.max(link.radius, Math.hypot(x - center[0], y - center[1], z - center[2]) + radius)
    }
  }
  return [...links.values()]
}

const noShift = new Float64Array(3)
const measured = new Float64Array(10)

function overlapping(a: LinkShapes, b: LinkShapes, colliders: Colliders, budget: { left: number; looks: number }): boolean {
  for (const one of a.shapes) {
    budget.looks -= 1 + b.shapes.length
    if (budget.looks <= 0) return false
    if (!ballsMeet(one.center, one.radius, b.center, b.radius)) continue
    const A = colliders.at(one.shape, 0)
    for (const other of b.shapes) {
      if (!bitsMeet(one.shape, other.shape) || !ballsMeet(one.center, one.radius, other.center, other.radius)) continue
      if (budget.left === 0) return false
      budget.left--
      if (one.shape.shape.type === 'mesh' || other.shape.shape.type === 'mesh') {
        if (colliders.solidsMeet(one.shape, other.shape)) return true
        continue
      }
      const B = colliders.at(other.shape, 1)
      coreDistance(A, B, noShift, measured)
      if (measured[0] - A.rounding - B.rounding <= touching * (A.radius + B.radius)) return true
    }
  }
  return false
}

function ballsMeet(a: Float64Array, ra: number, b: Float64Array, rb: number): boolean {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= (1 + touching) * (ra + rb)
}
