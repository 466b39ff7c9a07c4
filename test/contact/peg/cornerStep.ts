import type { PlacedShape } from '../../../contact/geometry/index.ts'
import type { ContactModelName, ContactModelOptions, CreateContactModel, SolverEvents } from '../../../contact/index.ts'
import { quaternionOfRotation, rotationOfQuaternion } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World, type WorldRobot } from '../../../simulation/index.ts'
import { exactSeparation, place } from '../geometry/exactOverlap.ts'
import { product, rotation, turned, turnedBack } from '../geometry/poses.ts'
import { type Corner, cornerOf } from './corners.ts'

/*
 * One step of one contact model from a configuration of `corners.ts`, and tests of it that belong to no model: of poses, velocities and
 * impulses alone.
 */

type Model = ContactModelName | CreateContactModel

/** Bodies of a corner, moved along x. */
export function partsOf({ bodies }: Corner, name = '', along = 0) {
  const robots: WorldRobot[] = []
  const fixtures: PlacedShape[] = []
  bodies.forEach(({ shape, mass, inertia, R, p, omega, v, fixed }, i) => {
    const at = Float64Array.of(p[0] + along, p[1], p[2])
    if (fixed) fixtures.push({ name: `${name} ${i}`, body: 0, shape, R, p: at })
    else {
      const q = new Float64Array(7)
      q.set(at)
      quaternionOfRotation(q, 3, R)
      const robot = createFreeBody({ name: `${name} ${i}`, shape, mass, inertia, gravity: [0, 0, 0] })
      robots.push({ robot, q, v: [...omega, ...turnedBack(R, v)] })
    }
  })
  return { robots, fixtures }
}

/** The world of some corners after a step. */
export function stepped(
  { dt, friction }: Pick<Corner, 'dt' | 'friction'>,
  parts: readonly ReturnType<typeof partsOf>[],
  contactModel: Model,
  contactOptions: ContactModelOptions = {},
): World {
  const world = new World({
    robots: parts.flatMap(({ robots }) => robots),
    fixtures: parts.flatMap(({ fixtures }) => fixtures),
    contactModel,
    contactOptions,
    physical: { friction, restitution: 0 },
    dt,
  })
  world.step()
  return world
}

/** Poses of the two bodies at a share of the step: each turns about one axis and moves straight. */
type Motion = (share: number) => readonly { readonly R: Float64Array; readonly p: Float64Array }[]

/** The motion from the start of the step to configurations at its end, 7 a body that is free. */
function motionTo({ bodies }: Corner, q: ArrayLike<number>): Motion {
  let at = -7
  const moves = bodies.map(({ R, p, fixed }) => {
    if (fixed) return () => ({ R, p })
    at += 7
    const end = Float64Array.from({ length: 7 }, (_, k) => q[at + k])
    const R1 = new Float64Array(9)
    rotationOfQuaternion(R1, end, 3)
    const T = product(R1, Float64Array.of(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))
    const twice = Float64Array.of(T[7] - T[5], T[2] - T[6], T[3] - T[1])
    const sine = Math.hypot(...twice) / 2
    const angle = Math.atan2(sine, (T[0] + T[4] + T[8] - 1) / 2)
    const axis = sine > 0 ? twice.map((x) => x / 2 / sine) : Float64Array.of(0, 0, 1)
    return (t: number) => ({ R: product(rotation(axis, t * angle), R), p: p.map((x, k) => x + t * (end[k] - x)) })
  })
  return (share) => moves.map((move) => move(share))
}

/** By the exact test. */
export function separationAt({ bodies: [a, b] }: Corner, motion: Motion, share: number): number {
  const [placeA, placeB] = motion(share)
  place(a.collider, placeA.R, placeA.p)
  place(b.collider, placeB.R, placeB.p)
  return exactSeparation(a.collider, b.collider)
}

/** The least separation at so many equal parts of the step, its end left out. */
function leastOnTheWay(corner: Corner, motion: Motion, parts: number): number {
  return Math.min(...Array.from({ length: parts - 1 }, (_, k) => separationAt(corner, motion, (k + 1) / parts)))
}

/** The motion without contact, and the velocities at its end. */
export function freeMotion(corner: Corner): { readonly motion: Motion; readonly v: number[] } {
  const { robots } = partsOf(corner)
  const alone = robots.map((robot) => stepped(corner, [{ robots: [robot], fixtures: [] }], 'stewart-trinkle').state)
  const motion = motionTo(
    corner,
    alone.flatMap(({ q }) => [...q]),
  )
  return { motion, v: alone.flatMap(({ v }) => [...v]) }
}

export interface CornerStep {
  /** Separation at the end, and the least on the way there [m]. */
  readonly end: number
  readonly way: number
  /** Whether the free motion is legal all along; the change of the velocity, as a share of the free one. */
  readonly isFree: boolean
  readonly change: number
  /** Change of the momentum of two free bodies, as a share of its terms; 0 where one is fixed. */
  readonly momentum: number
  readonly pushes: boolean
  readonly events: SolverEvents
}

/** Takes the step. */
export function cornerStep(corner: Corner, model: Model, options: ContactModelOptions): CornerStep {
  const { bodies } = corner
  const free = freeMotion(corner)
  const world = stepped(corner, [partsOf(corner)], model, options)
  const { state, contacts, events } = world
  const motion = motionTo(corner, state.q)
  const moving = bodies.flatMap(({ fixed }, i) => (fixed ? [] : [i]))
  // in world axes: with a contact in reach the body turns by another angle, of second order
  const turnedBy = (own: Motion, v: ArrayLike<number>) =>
    moving.flatMap((i, n) => {
      const part = Array.from({ length: 6 }, (_, k) => v[6 * n + k])
      return [...part.slice(0, 3), ...turned(own(1)[i].R, part.slice(3))]
    })
  const freeV = turnedBy(free.motion, free.v)
  const [sum, size] = [new Float64Array(3), new Float64Array(1)]
  if (bodies.every(({ fixed }) => !fixed)) {
    motion(1).forEach(({ R }, i) => {
      const { mass, v } = bodies[i]
      turned(R, state.v.subarray(6 * i + 3, 6 * i + 6)).forEach((x, d) => {
        sum[d] += mass * (x - v[d])
        size[0] += mass * (Math.abs(x) + Math.abs(v[d]))
      })
    })
  }
  return {
    end: separationAt(corner, motion, 1),
    way: leastOnTheWay(corner, motion, 16),
    isFree: separationAt(corner, free.motion, 1) >= 0 && leastOnTheWay(corner, free.motion, 64) >= 0,
    change: Math.hypot(...turnedBy(motion, state.v).map((x, k) => x - freeV[k])) / Math.hypot(...freeV),
    momentum: size[0] > 0 ? Math.hypot(...sum) / size[0] : 0,
    pushes: contacts.impulse.subarray(0, 3 * contacts.count).some((p, k) => k % 3 === 0 && p > 0),
    events,
  }
}

/** Overlap, or a gap under a push, counts from here on [m]. */
const VISIBLE = 1e-8

/** Counts over many steps under one model, as seeds. */
export function tallyOf(seeds: readonly number[], model: Model, options: ContactModelOptions) {
  const tally = {
    pushed: [] as number[],
    overlap: [] as number[],
    legal: [] as number[],
    changed: [] as number[],
    apart: [] as number[],
    through: [] as number[],
    momentum: [] as number[],
    fallbacks: [] as number[],
    failures: [] as number[],
  }
  for (const seed of seeds) {
    const { end, way, isFree, change, momentum, pushes, events } = cornerStep(cornerOf(seed), model, options)
    const count = (list: number[], isCounted: boolean) => {
      if (isCounted) list.push(seed)
    }
    count(tally.pushed, pushes)
    count(tally.overlap, end < -VISIBLE)
    count(tally.legal, isFree)
    count(tally.changed, isFree && change > 1e-9)
    // of two bodies alone: what pushes has to touch
    count(tally.apart, pushes && end > VISIBLE)
    count(tally.through, end > -VISIBLE && way < -1e-3)
    count(tally.momentum, momentum > 1e-9)
    count(tally.fallbacks, events.fallbacks + events.failures > 0)
    count(tally.failures, events.failures > 0)
  }
  return tally
}
