import { hullOf } from '../../../contact/geometry/index.ts'
import { ContactConstraints } from '../../../contact/index.ts'
import type { FeatureBody } from '../../../contact/peg/features/featureBody.ts'
import {
  FeatureContactSet,
  type FeatureOptions,
  featureKind,
  featureLimits,
} from '../../../contact/peg/features/featureContactSet.ts'
import { featureContacts } from '../../../contact/peg/features/featureContacts.ts'
import { rotation } from '../geometry/poses.ts'
import { type Constraint, constraintsOf, type RuleName, rules } from './constraintScene.ts'
import { bodyAt, type Listed, listed } from './featureScene.ts'

/** A convex polygon in the plane. Edge i leads from corner i to the next. */
export interface Polygon {
  /** Counter-clockwise, x and y of each. */
  readonly vertices: Float64Array
  /** x, y, angle. */
  readonly pose: Float64Array
}

/** Higher than anything overlaps. */
const height = 4

/** The contacts of two polygons, as prisms on them have them, and the constraints of a rule. Corners and edges are numbered as given. */
export function polygonContacts(
  a: Polygon,
  b: Polygon,
  rule: RuleName,
  options: FeatureOptions,
): { contacts: Listed[]; constraints: Constraint[] } {
  const [bodyA, bodyB] = [prismOf(a), prismOf(b)]
  const out = new FeatureContactSet()
  const limits = featureLimits({ choice: rules[rule].choice, ...options })
  featureContacts(bodyA, bodyB, limits, out)
  const lists = new ContactConstraints()
  rules[rule].constrain(bodyA, bodyB, out, limits, 0, lists)
  const contacts = listed(out).map((contact): Listed => {
    const isVertexOfA = contact.kind === featureKind.vertexFace
    return {
      ...contact,
      a: isVertexOfA ? cornerOf(a, bodyA, contact.a) : edgeOf(a, bodyA, contact.a),
      b: isVertexOfA ? edgeOf(b, bodyB, contact.b) : cornerOf(b, bodyB, contact.b),
      point: contact.point.subarray(0, 2),
      normal: contact.normal.subarray(0, 2),
    }
  })
  const constraints = constraintsOf(lists, contacts)
  return { contacts: contacts.sort((c, d) => c.kind - d.kind || c.a - d.a || c.b - d.b), constraints }
}

function prismOf({ vertices, pose: [x, y, angle] }: Polygon): FeatureBody {
  const points: number[] = []
  for (let i = 0; i < vertices.length; i += 2) {
    for (const z of [-0.5 * height, 0.5 * height]) points.push(vertices[i], vertices[i + 1], z)
  }
  const shape = { type: 'hull', polyhedron: hullOf(Float64Array.from(points)) } as const
  return bodyAt(shape, rotation([0, 0, 1], angle), [x, y, 0])
}

const cornersOf = ({ vertices }: Polygon) =>
  Array.from({ length: vertices.length / 2 }, (_, i) => vertices.subarray(2 * i, 2 * i + 2))

function cornerOf(polygon: Polygon, { collider }: FeatureBody, v: number): number {
  const at = collider.core!.vertices.subarray(3 * v, 3 * v + 2)
  return least(cornersOf(polygon).map(([x, y]) => Math.hypot(x - at[0], y - at[1])))
}

function edgeOf(polygon: Polygon, { collider }: FeatureBody, f: number): number {
  const normal = collider.core!.faceNormals.subarray(3 * f, 3 * f + 2)
  const corners = cornersOf(polygon)
  return least(
    corners.map(([x, y], i) => {
      const [u, w] = corners[(i + 1) % corners.length]
      return ((u - x) * normal[1] - (w - y) * normal[0]) / Math.hypot(u - x, w - y)
    }),
  )
}

const least = (list: readonly number[]) => list.indexOf(Math.min(...list))
