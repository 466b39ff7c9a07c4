import { type Collider, coreDistance, createCollider, place } from '../../contact/geometry/index.ts'
import { createData, createState, kinematics, type Model } from '../../dynamics/index.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import { Pairs } from '../pairs.ts'
import type { CollisionShape, Place, Robot } from '../robot.ts'
import { listedTexts } from './gather.ts'

/** Pairs of shapes whose balls meet and which are then measured; a robot of more of them is not looked at to the end. */
const mostPairs = 20_000
/** Pairs of balls around shapes that are compared. */
const mostLooks = 2_000_000
/** Gaps below this fraction of the size of the pair count as touching. */
const touching = 1e-6

export interface Overlap {
  readonly links: readonly [string, string]
  /** Whether nothing but joints lies between the two: a joint, or several with bodies that collide with nothing. */
  readonly neighbours: boolean
}

/** The collision shapes of one link, with a ball around them all. */
interface LinkShapes {
  readonly name: string
  readonly body: number
  readonly colliders: Collider[]
  /** 3, in world axes [m]. */
  readonly center: Float64Array
  radius: number
}

/**
 * Links on different bodies whose collision shapes touch or overlap in a pose, each pair once, in the order of the shapes.
 *
 * @returns `complete` false if there were too many near pairs to measure them all
 */
export function overlapsAt(
  model: Model,
  q: Float64Array,
  shapes: readonly CollisionShape[],
): { readonly overlaps: readonly Overlap[]; readonly complete: boolean } {
  const links = linksAt(model, q, shapes)
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
      if (!overlapping(a, b, budget)) continue
      const neighbours = above(a.body) === b.body || above(b.body) === a.body
      overlaps.push({ links: [a.name, b.name], neighbours })
    }
  }
  return { overlaps, complete: budget.left > 0 && budget.looks > 0 }
}

/** Tells of overlaps: neighbours usually do so, others should not unless they are not to collide anyway. */
export function reportOverlaps(
  { overlaps, complete }: ReturnType<typeof overlapsAt>,
  disabled: Robot['disabledCollisions'],
  place: Place,
  robot: string,
  findings: Findings,
): void {
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
      `${count(joined.length)} that joints connect overlap in the home pose: ${listedTexts(joined)}.`,
      'Such pairs are not meant to collide.',
    )
  }
  if (apart.length > 0) {
    findings.warning(
      'overlap',
      place,
      element,
      `${count(apart.length)} that other parts lie between overlap in the home pose: ${listedTexts(apart)}.`,
      'Such pairs are never apart: correct the collision shapes, or disable the pairs in an SRDF.',
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

const count = (pairs: number) => (pairs === 1 ? '1 pair of links' : `${pairs} pairs of links`)

function linksAt(model: Model, q: Float64Array, shapes: readonly CollisionShape[]): LinkShapes[] {
  const state = createState(model)
  state.q.set(q)
  const { R_WB, p_WB } = placedBodies(model, state)
  const links = new Map<string, LinkShapes>()
  for (const shape of shapes) {
    let link = links.get(shape.link)
    if (!link) {
      link = { name: shape.link, body: shape.body, colliders: [], center: new Float64Array(3), radius: 0 }
      links.set(shape.link, link)
    }
    const collider = createCollider(shape.shape)
    place(collider, R_WB[shape.body], p_WB[shape.body], shape)
    link.colliders.push(collider)
  }
  for (const link of links.values()) {
    const { center, colliders } = link
    for (const { centerW } of colliders) for (let k = 0; k < 3; k++) center[k] += centerW[k] / colliders.length
    for (const {
      centerW: [x, y, z],
      radius,
    } of colliders) {
      link.radius = Math.max(link.radius, Math.hypot(x - center[0], y - center[1], z - center[2]) + radius)
    }
  }
  return [...links.values()]
}

function placedBodies(model: Model, state: ReturnType<typeof createState>) {
  const data = createData(model)
  kinematics(model, state, data)
  return data
}

const noShift = new Float64Array(3)
const measured = new Float64Array(10)

function overlapping(a: LinkShapes, b: LinkShapes, budget: { left: number; looks: number }): boolean {
  for (const A of a.colliders) {
    budget.looks -= 1 + b.colliders.length
    if (budget.looks <= 0) return false
    if (!ballsMeet(A.centerW, A.radius, b.center, b.radius)) continue
    for (const B of b.colliders) {
      if (!ballsMeet(A.centerW, A.radius, B.centerW, B.radius)) continue
      if (budget.left === 0) return false
      budget.left--
      coreDistance(A, B, noShift, measured)
      if (measured[0] - A.rounding - B.rounding <= touching * (A.radius + B.radius)) return true
    }
  }
  return false
}

function ballsMeet(a: Float64Array, ra: number, b: Float64Array, rb: number): boolean {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= (1 + touching) * (ra + rb)
}
