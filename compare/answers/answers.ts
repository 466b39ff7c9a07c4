/** All solutions of a problem: output of `featherbed answers`. */
import {
  ANSWER_TOLERANCE,
  type AnswerSet,
  answerSets,
  associatedGroup,
  Certifier,
  coneGroup,
  contactGroup,
  directionsOf,
  exactLinear,
  type FaceGroup,
  type FaceProblem,
  FaceSearch,
  FINEST_SLIP,
  GroupKind,
  isVerified,
  powerOfTwo,
  pyramidSides,
  rowGroup,
  type SavedProblem,
  type SearchNode,
} from '../../contact/index.ts'
import { ContactSystem, type LinearProblem, type Problem, SIDES } from './contactSystem.ts'

/** Most linear programs of one search. */
const MOST = 200_000

/** All solutions of one problem. */
export interface Answers {
  /** The nearest to the free velocity first. */
  readonly sets: readonly (AnswerSet & {
    /** Of a cone: whether intervals prove a solution in it; its ranges enclose all that there are. True of linear problems. */
    readonly isVerified: boolean
  })[]
  readonly search: FaceSearch
  readonly faces: FaceProblem
  /** False if the limit was reached first: there may be more. */
  readonly complete: boolean
}

const largest = (values: Iterable<number>) => {
  let most = 0
  for (const x of values) most = Math.max(most, Math.abs(x))
  return most
}
const inverse = (own: number) => powerOfTwo(own > 0 ? 1 / own : 1)

/** w = A z + b with one group a row. */
function linearFaces({ A, b, free }: LinearProblem): FaceProblem {
  const kindOf = (i: number) => (free.includes(i) ? GroupKind.bilateral : GroupKind.unilateral)
  return {
    rowCount: b.length,
    W: Float64Array.from(A.flat()),
    rhs: Float64Array.from(b),
    groups: b.map((_, i) => rowGroup(i, i, kindOf(i), 0, inverse(A[i][i]))),
    scale: powerOfTwo(largest(b)),
  }
}

/** Why a contact problem has no faces that are polyhedra, if so. */
export function whyNotFaces({ law, bounds, constraints }: SavedProblem): string | undefined {
  if (bounds !== undefined) return 'friction of given size has no faces in polyhedra'
  if (law === 'lagged' || law === 'similar' || law === 'tamsi')
    return `the law "${law}" is compliant: its impulses are functions of the velocity`
  return constraints && 'a problem under constraints with alternatives has no faces'
}

/** A contact problem under the law of pyramids, or the associated one with pyramids. */
function contactFaces(saved: SavedProblem, { problem }: ContactSystem): FaceProblem {
  const { rowCount, W, rhs, first, kind, limit } = problem
  const sides = pyramidSides(saved.sides ?? SIDES)
  const fine = pyramidSides(FINEST_SLIP)
  const groups = Array.from(kind, (own, g): FaceGroup => {
    const row = first[g]
    const unit = inverse(W[row * rowCount + row])
    if (own !== GroupKind.frictional) return rowGroup(g, row, own as GroupKind, limit[g], unit)
    const isPlanar = saved.J[3 * g + 2].every((x) => x === 0)
    if (saved.law === 'cone' && !isPlanar) return coneGroup(g, row, limit[g], fine, unit)
    const corners = directionsOf(sides, isPlanar)
    return (saved.law === 'associated' ? associatedGroup : contactGroup)(g, row, limit[g], corners, unit)
  })
  return { rowCount, W, rhs, groups, scale: powerOfTwo(largest(rhs)) }
}

/** The search of a problem, with a certificate for each empty choice if `proofs`. @throws RangeError for one without faces, see `whyNotFaces` */
function searchOf(problem: Problem, proofs: boolean, most: number): Pick<Answers, 'search' | 'faces' | 'complete'> {
  const why = problem.kind === 'contact' ? whyNotFaces(problem) : undefined
  if (why !== undefined) throw new RangeError(why)
  const system = problem.kind === 'contact' ? new ContactSystem(problem) : undefined
  const faces = problem.kind === 'contact' ? contactFaces(problem, system as ContactSystem) : linearFaces(problem)
  const exact = () => (problem.kind === 'contact' ? (system as ContactSystem).exact() : exactLinear(problem.A, problem.b))
  const search = new FaceSearch(faces, most, proofs ? new Certifier(faces, exact()) : undefined)
  return { search, faces, complete: search.run() }
}

/** @throws RangeError for a problem without faces, see `whyNotFaces` */
export function answersOf(problem: Problem, most = MOST): Answers {
  const { search, faces, complete } = searchOf(problem, false, most)
  const isCone = problem.kind === 'contact' && problem.law === 'cone'
  const isProven = (set: AnswerSet) => !isCone || set.polyhedra.some((one) => isVerified(faces, one))
  const sets = answerSets(faces, search.found).map((set) => ({ ...set, isVerified: isProven(set) }))
  return { sets, search, faces, complete }
}

/** Modes of each group in a set, in words; of contacts first. Slip at many angles is one. */
export const modesOf = ({ polyhedra }: AnswerSet): string[] =>
  polyhedra[0].choice.map((_, g) => {
    const names = [...new Set(polyhedra.map(({ choice }) => choice[g]?.name ?? ''))]
    const slips = names.filter((name) => name.startsWith('slip'))
    return [
      ...names.filter((name) => !name.startsWith('slip')).sort(),
      ...(slips.length > 2 ? ['slip at several angles'] : slips),
    ].join(' or ')
  })

/** Answers with the proof of every mode that is empty, as a document for other programs; docs/answers.md has the format. */
export function certificatesOf(problem: Problem, most = MOST): unknown {
  const { search, faces } = searchOf(problem, true, most)
  const given =
    problem.kind === 'contact'
      ? { ...new ContactSystem(problem).given(), corners: directionsOf(pyramidSides(problem.sides ?? SIDES), false) }
      : { A: problem.A, b: problem.b }
  const tree = treeOf(search.root as SearchNode, faces)
  return { ...given, groups: groupsOf(problem, faces), unit: faces.scale * ANSWER_TOLERANCE, tree }
}

/** What a reader has to know of each group: its first row, its kind, and the bound of friction. */
function groupsOf(problem: Problem, { groups }: FaceProblem): unknown[] {
  if (problem.kind !== 'contact')
    return groups.map(({ first }) => ({ first, kind: problem.free.includes(first) ? 'bilateral' : 'unilateral' }))
  const { mu, rows = [] } = problem
  return groups.map(({ first, whole }, g) => {
    if (g >= mu.length) return { first, kind: rows[g - mu.length].kind, limit: rows[g - mu.length].limit }
    const kind = ['unilateral', 'planar', 'pyramid'][whole.generators[0].length - 1]
    return { first, kind, limit: mu[g] }
  })
}

/** The tree of a search as data: of each split all parts, of each empty choice its proof, of each other one of its answers. */
function treeOf(node: SearchNode, faces: FaceProblem): unknown {
  if (node.kind === 'split') return { group: node.group, parts: node.children.map((child) => treeOf(child, faces)) }
  const { polyhedron, certificate } = node
  if (certificate !== undefined && polyhedron !== undefined)
    return {
      proof: polyhedron.conditions.flatMap((condition, i) =>
        certificate.amounts[i] > 0n ? [{ ...condition, amount: String(certificate.amounts[i]) }] : [],
      ),
    }
  if (node.amounts === undefined || polyhedron === undefined) return {}
  const amounts: number[][] = faces.groups.map(() => [])
  for (const [j, { group, unit }] of polyhedron.columns.entries()) amounts[group].push(node.amounts[j] * unit * faces.scale)
  return { amounts }
}
