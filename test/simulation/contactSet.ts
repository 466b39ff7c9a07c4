import type { ImpulseProblem } from '../../contact/constraints/index.ts'
import { GroupKind } from '../../contact/solvers/index.ts'
import { type Projection, slot } from '../../contact/solvers/newton/slot.ts'
import type { World } from '../../simulation/index.ts'

/*
 * Contact sets of steps, which are internal to contact models: a test of derivatives has to know on which side of a kink a step is.
 */

/** Part of p below which an impulse and its bound count as equal. */
const EQUAL = 1e-11

interface Solved {
  readonly impulses: {
    readonly problem: ImpulseProblem
    readonly flight: { readonly isFlying: Uint8Array; readonly isHeld: Uint8Array; readonly treeOf: Int32Array }
    readonly vFree: Float64Array
  }
  readonly impacts: { readonly resolved: World['contacts']; readonly given: Float64Array } | undefined
  readonly options: { readonly correctionSpeed: number; readonly compliant?: unknown }
  readonly vNext: Float64Array
}
const solvedBy = (world: World) => world.contactModel.tangent!() as unknown as Solved
type System = ImpulseProblem['system']

/** Visits the islands of the last step at its solution; `laws` has their P and D. */
function forIslands(world: World, visit: (system: System, laws: { readonly blocks: Float64Array }) => void): void {
  const { problem } = solvedBy(world).impulses
  const { islands, system, solver, step } = problem
  const { newton } = solver
  for (let i = 0; i < islands.count; i++) {
    if (islands.count > 1) problem.build(step!, i)
    newton.map(system, system.w, system.p)
    visit(system, newton as unknown as { blocks: Float64Array })
  }
}

/**
 * The contact set of the last step: of all rows with an impulse, contacts, limits and dry joints,
 *
 *   sides  on which side of its kink the target of each is, and the choices that are made from these
 *   modes  of each, sticking, slipping or at which edge of the pyramid, at which bound; also impacts and what flies free
 *
 * `all` names the contacts that were detected and all rows, with their sides.
 */
export function contactSetOf(world: World): Readonly<Record<'all' | 'sides' | 'modes', string>> {
  const { impulses, impacts, options, vNext } = solvedBy(world)
  const { problem, flight, vFree } = impulses
  const { pair, feature, count } = world.contacts
  // springs have no kink at touching from below, and no contact above
  const isApart = (d: number) => (options.compliant ? d > 0 : d >= 0)
  const all = [Array.from({ length: count }, (_, i) => `${pair[i]}/${feature[i]}`).join(' ')]
  const sides: string[] = []
  const modes: string[] = []
  forIslands(world, (system) => {
    const { first, index, distance, added, corner, groupCount, contactCount } = system
    for (let g = 0; g < groupCount; g++) {
      const n = index[g]
      const isTurned = corner[2 * g + 1] === 0 ? '' : 'turned'
      const name =
        g < contactCount
          ? `contact ${pair[n]}/${feature[n]} of ${problem.contacts.pointsOf(n)} ${isTurned}`
          : `joint ${problem.joints.coordinate[n]} ${problem.joints.sign[n]}`
      const side = `${name} ${isApart(distance[first[g]]) ? 'apart' : 'touching'} ${added[first[g]] === -options.correctionSpeed ? 'fast' : ''}`
      const mode = modeOf(system, g, problem.solver.method.friction)
      all.push(side)
      if (mode === 'open') continue
      sides.push(side)
      modes.push(mode)
    }
  })
  const { treeOf } = flight
  const flies = world.model.parent.map((parent, body) => {
    const at = world.model.vStart[body]
    const isFree = vNext.slice(at, at + 6).every((x, k) => x === vFree[at + k])
    return parent === 0 && body > 0 && (flight.isHeld[treeOf[body]] === 0 || isFree) ? 1 : 0
  })
  modes.push(`flights ${flight.isFlying} ${flies}`)
  for (let n = 0; n < (impacts?.resolved.count ?? 0); n++) {
    const { resolved, given } = impacts!
    const [pn, p1, p2] = given.subarray(7 * n)
    const slips = Math.hypot(p1, p2) >= resolved.mu[n] * pn * (1 - 1e-9)
    modes.push(`impact ${resolved.pair[n]}/${resolved.feature[n]} ${slips} ${given[7 * n + 3] > 0}`)
  }
  return { all: all.join('; '), sides: sides.join('; '), modes: modes.join('; ') }
}

/** Mode of a group of rows at the solution. */
function modeOf({ first, kind, w, p, corner }: System, g: number, law: string): string {
  const r = first[g]
  const off = (k: number) => w[k] - p[k]
  if (kind[g] === GroupKind.bilateral) return 'closed'
  if (kind[g] === GroupKind.bounded) return `bound ${Math.sign(off(r))}`
  if (!(p[r] > 0)) return 'open'
  // friction of these is smooth
  if (first[g + 1] - r !== 3 || law === 'similar' || law === 'lagged' || law === 'tamsi') return 'pressed'
  const size = EQUAL * (Math.abs(p[r]) + Math.abs(w[r + 1]) + Math.abs(w[r + 2]))
  if (law !== 'pyramid') return Math.hypot(off(r + 1), off(r + 2)) > size ? 'slip' : 'stick'
  const [c, d] = [corner[2 * g] - corner[2 * g + 1], corner[2 * g] + corner[2 * g + 1]]
  const sign = (x: number) => (Math.abs(x) > size ? Math.sign(x) : 0)
  return `edges ${sign(c * off(r + 1) + d * off(r + 2))} ${sign(c * off(r + 2) - d * off(r + 1))}`
}

/** Laws of a step, by island and group: w, and the derivative of P there, row by row. */
export type Laws = readonly (readonly { readonly w: Float64Array; readonly D: Float64Array }[])[]

/** The laws of the last step at its solution. */
export function lawsOf(world: World): Laws {
  const laws: { w: Float64Array; D: Float64Array }[][] = []
  forIslands(world, ({ first, groupCount, w }, { blocks }) => {
    laws.push(
      Array.from({ length: groupCount }, (_, g) => ({
        w: w.slice(first[g], first[g + 1]),
        D: blocks.slice(slot.size * g + slot.D, slot.size * g + slot.D + 9),
      })),
    )
  })
  return laws
}

/**
 * Holds the modes of all rows of a world: the law of each is P(w0) + D (w - w0), with its own parameters in P, w0 and D those of `laws`.
 *
 * @returns what ends it
 */
export function holdLaws(world: World, laws: Laws): () => void {
  const { problem } = solvedBy(world).impulses
  const newton = problem.solver.newton as unknown as { projections: readonly Projection[] }
  const before = newton.projections
  newton.projections = before.map((law) => (b, o) => {
    const g = o / slot.size
    const own = laws[problem.island]?.[g]
    if (own === undefined) return law(b, o)
    const { w, D } = own
    const root = Math.sqrt(problem.system.scale[g])
    const now = b.slice(o, o + w.length)
    for (let k = 0; k < w.length; k++) b[o + k] = w[k] * root
    law(b, o)
    for (let k = 0; k < w.length; k++) {
      for (let j = 0; j < w.length; j++) b[o + slot.P + k] += D[w.length * k + j] * (now[j] - w[j] * root)
    }
    b.set(now, o)
    b.set(D, o + slot.D)
  })
  return () => {
    newton.projections = before
  }
}
