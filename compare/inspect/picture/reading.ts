/** Sentence and marks of each reading. */
import { counted } from '../../measure/numbers.ts'
import {
  type Contacts,
  type FeatureContact,
  type FeatureGroup,
  featureKinds,
  groupKinds,
  groupRules,
  type Vector,
} from '../contactsAt.ts'
import { plus } from './vector.ts'

/** One reading, as a column of the picture. */
export interface Reading {
  readonly id: string
  readonly title: string
  /** Its result, or why it is empty. */
  readonly sentence: string
  readonly marks: readonly Mark[]
  /** Which contacts belong together. */
  readonly links: readonly Link[]
  /** Which features of A and of B are highlighted. */
  readonly featuresA: Features
  readonly featuresB: Features
}

export interface Features {
  readonly vertices: ReadonlySet<number>
  readonly edges: ReadonlySet<number>
  readonly faces: ReadonlySet<number>
}

export interface Mark {
  readonly point: Vector
  readonly normal: Vector
  /** Printed at the point; undefined where another mark has it. */
  readonly gap: number | undefined
  /** From surface to surface. */
  readonly bar: readonly [Vector, Vector] | undefined
  /** Also the class of the element. */
  readonly kind: 'on-a' | 'on-b' | 'manifold-point' | 'deepest' | 'bottom-point' | FeatureContact['kind']
  readonly hasArrow: boolean
  readonly isFaint: boolean
}

/** A line from the middle of a constraint to that of a member, or from there to a contact. */
export interface Link {
  readonly from: Vector
  readonly to: Vector
  /** Whether the member may push. */
  readonly pushes: boolean
  /** Within a member. */
  readonly isWithin: boolean
}

/** A length in millimetres, to a hundredth or three digits. */
export function millimetres(m: number): string {
  const mm = 1e3 * m
  const size = Math.abs(mm)
  if (size < 1e-6) return '0 mm'
  const digits = size < 1e-3 ? mm.toExponential(1) : size < 0.1 ? mm.toPrecision(2) : mm.toFixed(2)
  return `${digits.replace('-', '\u2212')} mm`
}

const noFeatures: Features = { vertices: new Set(), edges: new Set(), faces: new Set() }

const none = { featuresA: noFeatures, featuresB: noFeatures, marks: [], links: [] }

export const readingsOf = (contacts: Contacts): Reading[] => [
  distanceReading(contacts),
  manifoldReading(contacts),
  penaltyReading(contacts),
  featuresReading(contacts),
  groupsReading(contacts),
]

function distanceReading({ distance, normal, pointA, pointB, closest, notes }: Contacts): Reading {
  return {
    ...none,
    id: 'distance',
    title: '1  Closest features',
    sentence:
      distance === null || closest === null
        ? (notes.distance ?? '')
        : `${distance < 0 ? 'overlap, distance' : 'distance'} ${millimetres(distance)}: ${closest.a} of A, ${closest.b} of B`,
    marks:
      normal === null || pointA === null || pointB === null
        ? []
        : [
            { point: pointA, normal, gap: undefined, bar: [pointA, pointB], kind: 'on-a', hasArrow: true, isFaint: false },
            {
              point: pointB,
              normal,
              gap: distance ?? undefined,
              bar: undefined,
              kind: 'on-b',
              hasArrow: false,
              isFaint: false,
            },
          ],
  }
}

function manifoldReading({ manifold, notes }: Contacts): Reading {
  return {
    ...none,
    id: 'manifold',
    title: '2  Manifold',
    sentence: manifold.length === 0 ? (notes.manifold ?? '') : `${counted(manifold.length, 'point')}, one normal`,
    marks: manifold.map((m) => ({ ...m, bar: barOf(m), kind: 'manifold-point', hasArrow: true, isFaint: false })),
  }
}

function penaltyReading({ penalty, notes }: Contacts): Reading {
  const deep = penalty?.bottom ?? []
  const mark = (point: Vector, gap: number | undefined, kind: Mark['kind'], of: 'A' | 'B', depth: number): Mark => {
    // a point of A lies beyond B's surface along the normal, and the other way round
    const n = penalty!.normal
    const bar = [point, plus(point, n, of === 'A' ? -depth : depth)] as const
    return { point, normal: n, gap, bar, kind, hasArrow: false, isFaint: false }
  }
  return {
    ...none,
    id: 'penalty',
    title: '3  Penalty',
    sentence:
      penalty === null
        ? (notes.penalty ?? '')
        : `deepest ${millimetres(penalty.deepest.depth)}; ${counted(deep.length, 'point')} on the bottom of the volume`,
    marks:
      penalty === null
        ? []
        : [
            ...deep.map(({ point, of, depth }) => mark(point, -depth, 'bottom-point', of, depth)),
            {
              ...mark(penalty.deepest.point, undefined, 'deepest', penalty.deepest.of, penalty.deepest.depth),
              hasArrow: true,
            },
          ],
  }
}

function featuresReading({ features, notes }: Contacts): Reading {
  const good = features.filter(({ applicable }) => applicable)
  const kinds = featureKinds
    .map((kind) => ({ kind, count: good.filter((f) => f.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`)
  const others = features.length - good.length
  return {
    id: 'features',
    title: '4  Features',
    sentence:
      features.length === 0
        ? (notes.features ?? '')
        : `${good.length} applicable${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}${others > 0 ? `; ${others} near that ${others === 1 ? 'is' : 'are'} not` : ''}`,
    marks: [...features]
      .sort((f, g) => Number(f.applicable) - Number(g.applicable))
      .map((f) => ({
        ...f,
        gap: f.applicable ? f.gap : undefined,
        bar: f.applicable ? barOf(f) : undefined,
        hasArrow: f.applicable,
        isFaint: !f.applicable,
      })),
    links: [],
    featuresA: {
      vertices: new Set(good.filter(({ kind }) => kind === 'vertex-face').map(({ a }) => a)),
      faces: new Set(good.filter(({ kind }) => kind === 'face-vertex').map(({ a }) => a)),
      edges: new Set(good.filter(({ kind }) => kind === 'edge-edge').map(({ a }) => a)),
    },
    featuresB: {
      vertices: new Set(good.filter(({ kind }) => kind === 'face-vertex').map(({ b }) => b)),
      faces: new Set(good.filter(({ kind }) => kind === 'vertex-face').map(({ b }) => b)),
      edges: new Set(good.filter(({ kind }) => kind === 'edge-edge').map(({ b }) => b)),
    },
  }
}

function groupsReading({ features, groups, notes }: Contacts): Reading {
  return {
    ...none,
    id: 'groups',
    title: '5  Groups',
    sentence: groups.length === 0 ? (notes.groups ?? '') : groupRules.map((rule) => groupWords(rule, groups)).join('; '),
    marks: groupMarks(features, groups),
    links: linksOf(features, groups),
  }
}

/** The rule whose constraints are drawn. */
const drawnRule = 'exact'

/** Such as `exact (drawn): 1 inter-contact of 3 members`. */
function groupWords(rule: FeatureGroup['rule'], groups: Contacts['groups']): string {
  const told = groupKinds.flatMap((kind) => {
    const own = groups.filter((group) => group.rule === rule && group.kind === kind)
    if (own.length === 0) return []
    const members = own.reduce((sum, group) => sum + group.members.length, 0)
    return [kind === 'unilateral' ? `${own.length} unilateral` : `${own.length} ${kind}-contact of ${members} members`]
  })
  return `${rule}${rule === drawnRule ? ' (drawn)' : ''}: ${told.join(', ') || 'none'}`
}

/** Of the contacts that a constraint names, once each. */
function groupMarks(features: Contacts['features'], groups: Contacts['groups']): Mark[] {
  const members = groups.filter(({ rule }) => rule === drawnRule).flatMap((group) => group.members)
  const named = [...new Set(members.flatMap(({ contacts }) => contacts))]
  const pushing = new Set(members.filter(({ pushes }) => pushes).flatMap(({ contacts }) => contacts))
  return named.map((i) => ({ ...features[i], gap: undefined, bar: undefined, hasArrow: false, isFaint: !pushing.has(i) }))
}

/** Of constraints with something to choose; a constraint on one contact has no line. */
function linksOf(features: Contacts['features'], groups: Contacts['groups']): Link[] {
  const links: Link[] = []
  for (const { members } of groups.filter(({ rule }) => rule === drawnRule)) {
    const points = members.map(({ contacts }) => contacts.map((i) => features[i].point))
    const middles = points.map(middleOf)
    const center = middleOf(middles)
    members.forEach(({ pushes }, m) => {
      const add = (from: Vector, to: Vector, isWithin: boolean) => {
        if (from.some((x, k) => x !== to[k])) links.push({ from, to, pushes, isWithin })
      }
      add(center, middles[m], false)
      for (const p of points[m]) add(middles[m], p, true)
    })
  }
  return links
}

function middleOf(points: readonly Vector[]): Vector {
  if (points.length === 1) return points[0]
  return points.reduce<Vector>((sum, p) => plus(sum, p, 1 / points.length), [0, 0, 0])
}

/** From surface to surface through a point midway. */
const barOf = ({ point, normal, gap }: { point: Vector; normal: Vector; gap: number }) =>
  [plus(point, normal, -0.5 * gap), plus(point, normal, 0.5 * gap)] as const
