import { mulMatrix3, rotate3 } from '../math/index.ts'
import { movedFluidPart, movedLength, movedTendon } from '../passive/moved.ts'
import { views } from './data.ts'
import { JointType, type Model } from './model.ts'

/** One of several mechanisms that share a world. */
export interface ModelPart {
  readonly model: Model
  /** Prefix of the names of its bodies and joints. */
  readonly prefix: string
  /**
   * Pose of everything attached to the world: R (9, row-major) rotates its axes into the world's, p is its origin [m]. Floating joints,
   * whose pose is in q, are not moved. Default: the world's axes and origin.
   */
  readonly R?: Float64Array
  readonly p?: Float64Array
}

/**
 * One model of several mechanisms: trees with the world as common root. Bodies and the entries of q and v are in the order of the parts. @unchecked
 *
 * @throws RangeError if there is no part, or gravity differs between parts
 */
export function combineModels(name: string, parts: readonly ModelPart[]): Model {
  if (parts.length === 0) throw new RangeError(`model "${name}" has no parts; a world holds at least one robot or body`)
  const [{ model: first }] = parts
  for (const { model } of parts) {
    if (model.gravity.every((g, k) => g === first.gravity[k])) continue
    throw new RangeError(
      `gravity is [${model.gravity.slice(3)}] for "${model.name}" and [${first.gravity.slice(3)}] for "${first.name}"; a world has one`,
    )
  }
  let bodies = 0
  const shift = parts.map(({ model }) => {
    const body = bodies
    bodies += model.nb - 1 // body 0, the world, is shared
    return body
  })
  const nb = bodies + 1
  const counted = (size: (model: Model) => number) => {
    const starts: number[] = []
    let sum = 0
    for (const { model } of parts) {
      starts.push(sum)
      sum += size(model)
    }
    return { starts, sum }
  }
  const q = counted(({ nq }) => nq)
  const v = counted(({ nv }) => nv)
  const s = counted(({ ns }) => ns)

  /** Entries of all bodies but the world, which keeps those of the first part. */
  const perBody = <A extends Int32Array | Uint8Array | Float64Array>(
    out: A,
    width: number,
    of: (model: Model) => ArrayLike<number>,
    moved: (part: number, value: number) => number = (_, value) => value,
  ): A => {
    for (let k = 0; k < width; k++) out[k] = of(first)[k]
    parts.forEach(({ model }, part) => {
      const from = of(model)
      for (let k = width; k < width * model.nb; k++) out[width * shift[part] + k] = moved(part, from[k])
    })
    return out
  }
  const perEntry = <A extends Int32Array | Float64Array>(
    out: A,
    starts: readonly number[],
    of: (model: Model) => ArrayLike<number>,
    moved: (part: number, value: number) => number = (_, value) => value,
  ): A => {
    parts.forEach(({ model }, part) => {
      const from = of(model)
      for (let k = 0; k < from.length; k++) out[starts[part] + k] = moved(part, from[k])
    })
    return out
  }
  /** nb + 1 entries: the first index of each body. */
  const starting = (starts: readonly number[], of: (model: Model) => Int32Array): Int32Array => {
    const out = new Int32Array(nb + 1)
    parts.forEach(({ model }, part) => {
      for (let i = 1; i <= model.nb; i++) out[shift[part] + i] = starts[part] + of(model)[i]
    })
    return out
  }
  const body = (part: number, i: number) => (i > 0 ? i + shift[part] : i)
  const entry = (starts: readonly number[]) => (part: number, k: number) => (k < 0 ? k : k + starts[part])
  const viewsOf = (width: number, of: (model: Model) => readonly Float64Array[]): Float64Array[] => {
    const out = views(nb, width)
    out[0].set(of(first)[0])
    parts.forEach(({ model }, part) => {
      for (let i = 1; i < model.nb; i++) out[shift[part] + i].set(of(model)[i])
    })
    return out
  }
  const names = (of: (model: Model) => readonly string[]): string[] => [
    of(first)[0],
    ...parts.flatMap(({ model, prefix }) =>
      of(model)
        .slice(1)
        .map((own) => prefix + own),
    ),
  ]

  const nv = v.sum
  const XT = viewsOf(12, (model) => model.XT)
  parts.forEach((part, k) => {
    place(part, shift[k], XT)
  })
  return {
    name,
    nb,
    nq: q.sum,
    nv,
    ns: s.sum,
    parent: perBody(new Int32Array(nb), 1, ({ parent }) => parent, body),
    jointType: perBody(new Uint8Array(nb), 1, ({ jointType }) => jointType),
    jointAxis: perBody(new Float64Array(3 * nb), 3, ({ jointAxis }) => jointAxis),
    planeAxis: perBody(new Float64Array(3 * nb), 3, ({ planeAxis }) => planeAxis),
    qStart: starting(q.starts, ({ qStart }) => qStart),
    vStart: starting(v.starts, ({ vStart }) => vStart),
    bodyOfV: perEntry(new Int32Array(nv), v.starts, ({ bodyOfV }) => bodyOfV, body),
    vParent: perEntry(new Int32Array(nv), v.starts, ({ vParent }) => vParent, entry(v.starts)),
    vLast: perBody(new Int32Array(nb), 1, ({ vLast }) => vLast, entry(v.starts)),
    follows: perBody(new Int32Array(nb), 1, ({ follows }) => follows, body),
    multiplier: perBody(new Float64Array(nb), 1, ({ multiplier }) => multiplier),
    offset: perBody(new Float64Array(nb), 1, ({ offset }) => offset),
    sStart: starting(s.starts, ({ sStart }) => sStart),
    vOfS: perEntry(new Int32Array(s.sum), s.starts, ({ vOfS }) => vOfS, entry(v.starts)),
    sParent: perEntry(new Int32Array(s.sum), s.starts, ({ sParent }) => sParent, entry(s.starts)),
    sLast: perBody(new Int32Array(nb), 1, ({ sLast }) => sLast, entry(s.starts)),
    XT,
    I: viewsOf(10, (model) => model.I),
    damping: perEntry(new Float64Array(nv), v.starts, ({ damping }) => damping),
    friction: perEntry(new Float64Array(nv), v.starts, ({ friction }) => friction),
    armature: perEntry(new Float64Array(nv), v.starts, ({ armature }) => armature),
    stiffness: perEntry(new Float64Array(nv), v.starts, ({ stiffness }) => stiffness),
    springReference: perEntry(new Float64Array(nv), v.starts, ({ springReference }) => springReference),
    lower: perEntry(new Float64Array(nv), v.starts, ({ lower }) => lower),
    upper: perEntry(new Float64Array(nv), v.starts, ({ upper }) => upper),
    effortLimit: perEntry(new Float64Array(nv), v.starts, ({ effortLimit }) => effortLimit),
    velocityLimit: perEntry(new Float64Array(nv), v.starts, ({ velocityLimit }) => velocityLimit),
    bodyName: names(({ bodyName }) => bodyName),
    jointName: names(({ jointName }) => jointName),
    ...(parts.some(({ model }) => model.compensation) && {
      compensation: {
        moments: perBody(new Float64Array(4 * nb), 4, (one) => one.compensation?.moments ?? new Float64Array(4 * one.nb)),
        ranges: Float64Array.from(
          parts.flatMap(({ model }) => [...(model.compensation?.ranges ?? new Float64Array(2 * model.nv).fill(NaN))]),
        ),
      },
    }),
    ...elementsOf(parts, shift),
    gravity: first.gravity.slice(),
  }
}

/** Tendons and constraints of lengths of all parts, and what a medium acts on; the medium is that of the first part that has one. */
function elementsOf(
  parts: readonly ModelPart[],
  shift: readonly number[],
): Pick<Model, 'tendons' | 'lengths' | 'fluid' | 'dampingPolynomial'> {
  const moveOf = (k: number) => ({ ...parts[k], body: (own: number) => (own > 0 ? own + shift[k] : own) })
  const tendons = parts.flatMap(({ model, prefix }, k) => (model.tendons ?? []).map((own) => movedTendon(own, prefix, moveOf(k))))
  const lengths = parts.flatMap(({ model, prefix }, k) => (model.lengths ?? []).map((own) => movedLength(own, prefix, moveOf(k))))
  const medium = parts.find(({ model }) => model.fluid !== undefined)?.model.fluid
  const inMedium = parts.flatMap(({ model }, k) => (model.fluid?.parts ?? []).map((own) => movedFluidPart(own, moveOf(k))))
  return {
    ...(tendons.length > 0 && { tendons }),
    ...(lengths.length > 0 && { lengths }),
    ...(parts.some(({ model }) => model.dampingPolynomial) && {
      dampingPolynomial: Float64Array.from(
        parts.flatMap(({ model }) => [...(model.dampingPolynomial ?? new Float64Array(2 * model.nv))]),
      ),
    }),
    ...(medium && { fluid: { ...medium, parts: inMedium } }),
  }
}

/** Moves the joints attached to the world: [E, r] becomes [E Rᵀ, p + R r]. */
function place({ model, R, p }: ModelPart, shift: number, XT: readonly Float64Array[]): void {
  if (R === undefined && p === undefined) return
  const turn = R ?? Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const back = Float64Array.from({ length: 9 }, (_, k) => turn[3 * (k % 3) + Math.floor(k / 3)])
  const E = new Float64Array(9)
  const r = new Float64Array(3)
  for (let i = 1; i < model.nb; i++) {
    if (model.parent[i] !== 0 || model.jointType[i] === JointType.floating || model.jointType[i] === JointType.mocap) continue
    const X = XT[shift + i]
    mulMatrix3(E, X.slice(0, 9), back)
    rotate3(r, turn, X.slice(9, 12))
    X.set(E)
    for (let k = 0; k < 3; k++) X[9 + k] = r[k] + (p?.[k] ?? 0)
  }
}
