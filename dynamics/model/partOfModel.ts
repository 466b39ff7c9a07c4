import { movedFluidPart, movedLength, movedTendon } from '../passive/moved.ts'
import { bodiesOf, type LengthPart } from '../passive/tendons.ts'
import { views } from './data.ts'
import type { Model } from './model.ts'

/**
 * The bodies `from` to `to` - 1 of a model as a model of their own: whole trees, which follow one another, with all that their joints follow.
 * The reverse of `combineModels`. @unchecked
 */
export function partOfModel(name: string, model: Model, from: number, to: number): Model {
  const moments = model.compensation?.moments
  const starts = (start: Int32Array) =>
    Int32Array.from([0, ...start.subarray(from, to + 1)], (k, i) => (i > 0 ? k - start[from] : 0))
  const [v0, s0] = [model.vStart[from], model.sStart[from]]
  const [v1, s1] = [model.vStart[to], model.sStart[to]]
  /** Entries of the world and of the part. */
  const perBody = <A extends Float64Array | Int32Array | Uint8Array>(all: A, width = 1, shift = 0): A => {
    const out = all.slice(0, width * (1 + to - from)) as A
    out.set(all.subarray(width * from, width * to), width)
    // what is below 0 is none, and body 0 the world
    if (shift > 0) for (let i = 1; i < out.length; i++) out[i] -= out[i] > 0 ? shift : 0
    return out
  }
  const rows = (all: Int32Array, start: number, first: number, end: number) =>
    all.slice(first, end).map((k) => (k < 0 ? k : k - start))
  const perV = (all: Float64Array) => all.slice(v0, v1)
  const last = (all: Int32Array, start: number) => perBody(all).map((k) => (k < 0 ? k : k - start))
  const viewsOf = (all: readonly Float64Array[], width: number) => {
    const out = views(1 + to - from, width)
    listed(all).forEach((row, i) => {
      out[i].set(row)
    })
    return out
  }
  const listed = <T>(all: readonly T[]) => [all[0], ...all.slice(from, to)]
  return {
    name,
    nb: 1 + to - from,
    nq: model.qStart[to] - model.qStart[from],
    nv: v1 - v0,
    ns: s1 - s0,
    parent: perBody(model.parent, 1, from - 1),
    jointType: perBody(model.jointType),
    jointAxis: perBody(model.jointAxis, 3),
    planeAxis: perBody(model.planeAxis, 3),
    qStart: starts(model.qStart),
    vStart: starts(model.vStart),
    sStart: starts(model.sStart),
    bodyOfV: rows(model.bodyOfV, from - 1, v0, v1),
    vParent: rows(model.vParent, v0, v0, v1),
    vLast: last(model.vLast, v0),
    follows: perBody(model.follows, 1, from - 1),
    multiplier: perBody(model.multiplier),
    offset: perBody(model.offset),
    vOfS: rows(model.vOfS, v0, s0, s1),
    sParent: rows(model.sParent, s0, s0, s1),
    sLast: last(model.sLast, s0),
    XT: viewsOf(model.XT, 12),
    I: viewsOf(model.I, 10),
    damping: perV(model.damping),
    friction: perV(model.friction),
    armature: perV(model.armature),
    stiffness: perV(model.stiffness),
    springReference: perV(model.springReference),
    lower: perV(model.lower),
    upper: perV(model.upper),
    effortLimit: perV(model.effortLimit),
    velocityLimit: perV(model.velocityLimit),
    bodyName: listed(model.bodyName),
    jointName: listed(model.jointName),
    ...(moments && { compensation: { moments: perBody(moments, 4), ranges: model.compensation!.ranges.slice(2 * v0, 2 * v1) } }),
    ...elementsOf(model, from, to),
    gravity: model.gravity,
  }
}

/** Tendons and constraints of lengths all of whose bodies are in the part or fixed, and what a medium acts on there. */
function elementsOf(model: Model, from: number, to: number): Pick<Model, 'tendons' | 'lengths' | 'fluid' | 'dampingPolynomial'> {
  const { tendons, lengths, fluid, dampingPolynomial, vStart } = model
  const has = (body: number) => body === 0 || (body >= from && body < to)
  const move = { body: (own: number) => (own > 0 ? own - from + 1 : 0) }
  const isWithin = (parts: readonly LengthPart[]) => {
    const bodies = parts.flatMap(bodiesOf)
    return bodies.every(has) && bodies.some((body) => body > 0)
  }
  const own = tendons?.filter(({ parts }) => isWithin(parts))
  const ownLengths = lengths?.filter(({ parts, other = [] }) => isWithin([...parts, ...other]))
  return {
    ...(dampingPolynomial && { dampingPolynomial: dampingPolynomial.slice(2 * vStart[from], 2 * vStart[to]) }),
    ...(own && own.length > 0 && { tendons: own.map((one) => movedTendon(one, '', move)) }),
    ...(ownLengths && ownLengths.length > 0 && { lengths: ownLengths.map((one) => movedLength(one, '', move)) }),
    ...(fluid && {
      fluid: { ...fluid, parts: fluid.parts.filter(({ body }) => has(body)).map((one) => movedFluidPart(one, move)) },
    }),
  }
}
