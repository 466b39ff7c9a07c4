import { at, dot, minus, plus, type Vector } from '../../../compare/inspect/picture/vector.ts'
import { createCollider, type Polyhedron, place, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { type ContactSet, constraintKind, FeatureContactSet, featureKind } from '../../../contact/index.ts'
import { createData, kinematics } from '../../../dynamics/index.ts'
import { World } from '../../../simulation/index.ts'
import { fixture } from '../baraff/scene.ts'
import type { PaperModel } from './models.ts'
import { linearGap, type Place, placed, placedBack, turnedBack } from './place.ts'
import { type Scene, type SceneBody, worldParts } from './scenes.ts'

export type Role = 'idle' | 'passed by' | 'active'

/** A contact of the step and its outcome. Points and normals in world axes. */
export interface StepContact {
  readonly kind: 'vertex-face' | 'face-vertex' | 'edge-edge' | 'point'
  /** Features; of polygons by name. */
  readonly what: string
  /** From A to B, where the model last saw it. */
  readonly normal: Vector
  /** At the start of the step, and truly at its end: along the normal of the face as it is then turned [m]. Of two edges null. */
  readonly gapStart: number | null
  readonly gapEnd: number | null
  /** At the end to first order, from the geometry of the start [m]; null where the model looked again. */
  readonly gapLinear: number | null
  /**
   * At the end of the step: where it acts [m]. Of a model that answers with forces, where it acted: such forces are those of the start.
   */
  readonly point: Vector
  /** From there to the surface of the farther of the two bodies [m]. */
  readonly offSurface: number
  /** Along the normal [N s]. */
  readonly impulse: number
  readonly role: Role
  /** The constraints that name it, as `I1` or `X2`, with a prime where it may not push. */
  readonly constraints: readonly string[]
}

/** One scene under one model. */
export type Outcome = Readonly<ReturnType<typeof run>>

export type StepConstraint = ReturnType<typeof constraintsOf>[number]

export function worldOf(scene: Scene, model: PaperModel): World {
  return new World({
    ...worldParts(scene),
    contactModel: scene.isPlanar ? model.inPlane : model.inSpace,
    contactOptions: model.contactOptions,
    physical: { friction: 0, restitution: 0 },
    dt: scene.dt,
  })
}

/** The deepest overlap at the end of any step over some time [m]. */
export function deepestOver(scene: Scene, model: PaperModel, seconds: number): number {
  const world = worldOf(scene, model)
  const bodies = [scene.a, scene.b] as const
  let deepest = 0
  for (let k = Math.round(seconds / scene.dt); k > 0; k--) {
    world.step()
    deepest = Math.max(deepest, -separationOf(bodies, placesOf(world, bodies)))
  }
  return deepest
}

/** @param steps of which the last is reported; default 1, or 2 in scenes with a push */
export function run(scene: Scene, model: PaperModel, steps = scene.push === undefined ? 1 : 2) {
  const { a, b } = scene
  const world = worldOf(scene, model)
  const bodies = [a, b] as const
  for (let k = 1; k < steps; k++) world.step()
  const start = placesOf(world, bodies)
  world.step()
  const end = placesOf(world, bodies)
  const seen = { bodies, start, end, isForce: world.contactModel.level === 'force', isPlanar: scene.isPlanar }
  const constraints = world.contacts instanceof FeatureContactSet ? constraintsOf(world.contacts) : []
  return {
    scene: scene.id,
    model: model.id,
    /** Where A and B are before the last step, and after it. */
    start,
    end,
    /** Of the world: velocities after the step, as its joints have them. */
    v: [...world.state.v],
    /** From surface to surface; below 0 when they overlap [m]. By a query that no model takes part in. */
    separationStart: separationOf(bodies, start),
    separation: separationOf(bodies, end),
    contacts: contactsOf(world.contacts, seen, constraints),
    /** The constraints, as `I1: C1 C2`; by the contacts' places in `contacts`. */
    constraints,
    failures: world.events.failures,
    fallbacks: world.events.fallbacks,
    hash: world.hash(),
  }
}

export function placesOf(world: World, bodies: readonly [SceneBody, SceneBody], q = world.state.q): [Place, Place] {
  const data = createData(world.model)
  kinematics(world.model, { ...world.state, q }, data)
  let next = 1
  const place = (body: SceneBody): Place => {
    if (body.robot === undefined) return { R: unturned, p: [body.q[0], body.q[1], body.q[2]] }
    const i = next++
    return { R: [...data.R_WB[i]], p: at(data.p_WB[i], 0) }
  }
  return [place(bodies[0]), place(bodies[1])]
}

const unturned = [1, 0, 0, 0, 1, 0, 0, 0, 1]
const colliderAt = (shape: Shape, { R, p }: Place) => {
  const collider = createCollider(shape)
  place(collider, Float64Array.from(R), Float64Array.from(p), fixture('', shape))
  return collider
}

export function separationOf([a, b]: readonly [SceneBody, SceneBody], [placeA, placeB]: readonly [Place, Place]): number {
  const out = new Float64Array(10)
  const hull = ({ polyhedron }: SceneBody) => ({ type: 'hull' as const, polyhedron })
  signedDistance(colliderAt(hull(a), placeA), colliderAt(hull(b), placeB), out)
  return out[0]
}

/** How far a point is from a body's surface, on either side of it; of a prism in the plane of its polygon. */
function fromSurface({ polyhedron, polygon }: SceneBody, place: Place, { 0: x, 1: y, 2: z }: Vector): number {
  const point: Vector = [x, y, polygon.length > 0 ? 0 : z]
  const out = new Float64Array(10)
  const ball = colliderAt({ type: 'sphere', radius: 0 }, { R: unturned, p: point })
  signedDistance(colliderAt({ type: 'hull', polyhedron }, place), ball, out)
  return Math.abs(out[0])
}

interface Seen {
  readonly bodies: readonly [SceneBody, SceneBody]
  readonly start: readonly [Place, Place]
  readonly end: readonly [Place, Place]
  readonly isForce: boolean
  readonly isPlanar: boolean
}

const kindNames = ['unilateral', 'inter', 'cross'] as const
const roleNames: readonly Role[] = ['idle', 'passed by', 'active']

function constraintsOf({ constraints }: FeatureContactSet) {
  const { kind, disjunctStart, pushing, contactStart, contact } = constraints
  const numbers = [0, 0, 0]
  return Array.from({ length: constraints.count }, (_, g) => ({
    name: `${'UIX'[kind[g]]}${++numbers[kind[g]]}`,
    kind: kindNames[kind[g]],
    members: Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, k) => {
      const m = disjunctStart[g] + k
      return {
        mayPush: kind[g] !== constraintKind.cross && k < pushing[g],
        contacts: [...contact.subarray(contactStart[m], contactStart[m + 1])],
      }
    }),
  }))
}

function contactsOf(contacts: ContactSet, seen: Seen, constraints: readonly StepConstraint[]): StepContact[] {
  const features = contacts instanceof FeatureContactSet && constraints.length > 0 ? contacts : undefined
  const hasFeatures = features !== undefined
  const { bodies, start, end, isForce, isPlanar } = seen
  // a model may have looked again where the step ends: its contacts are then of there
  const list = Array.from({ length: contacts.count }, (_, i) => {
    const normal = at(contacts.normal, i)
    const middle = at(contacts.point, i)
    const gap = contacts.gap[i]
    return {
      i,
      normal,
      middle,
      onA: plus(middle, normal, -0.5 * gap),
      onB: plus(middle, normal, 0.5 * gap),
      kind: features?.kind[i] ?? featureKind.vertexFace,
    }
  })
  const missOf = (places: readonly [Place, Place]) =>
    Math.max(
      0,
      ...list.map(({ kind, onA, onB }) => {
        if (kind === featureKind.edgeEdge) return 0
        const [side, point] = kind === featureKind.vertexFace ? [0, onA] : [1, onB]
        return cornerNear(bodies[side], placedBack(places[side], point), isPlanar).distance
      }),
    )
  const where = !hasFeatures || missOf(start) <= missOf(end) ? start : end
  return list.map(({ i, normal, middle, onA, onB, kind }): StepContact => {
    const impulse = contacts.impulse[3 * i]
    const named = constraints.filter(({ members }) => members.some((m) => m.contacts.includes(i)))
    const common = {
      normal,
      impulse,
      gapLinear: where === start ? linearGap(start, end, onA, onB, normal) : null,
      // models that choose nothing write no role
      role: impulse > 0 ? ('active' as const) : features ? roleNames[features.role[i]] : ('idle' as const),
      constraints: named.map(({ name, members }) =>
        members.some((m) => m.mayPush && m.contacts.includes(i)) ? name : `${name}′`,
      ),
    }
    if (hasFeatures && kind !== featureKind.edgeEdge) {
      // of a vertex and a face
      const [v, f] = kind === featureKind.vertexFace ? [0, 1] : [1, 0]
      const corner = cornerNear(bodies[v], placedBack(where[v], v === 0 ? onA : onB), isPlanar)
      const outward = turnedBack(where[f], v === 0 ? [-normal[0], -normal[1], -normal[2]] : normal)
      const face = faceAlong(bodies[f].polyhedron, outward)
      const gapAt = (places: readonly [Place, Place]) =>
        dot(face.normal, minus(placedBack(places[f], placed(places[v], corner.point)), face.point))
      const point = placed(end[v], corner.point)
      return {
        ...common,
        kind: v === 0 ? 'vertex-face' : 'face-vertex',
        what: isPlanar
          ? `${bodies[v].corners[corner.index]}, ${edgeName(bodies[f], face.normal)}`
          : `corner of ${bodies[v].name}, ${faceName(face.normal)} of ${bodies[f].name}`,
        gapStart: gapAt(start),
        gapEnd: gapAt(end),
        point,
        offSurface: fromSurface(bodies[f], end[f], point),
      }
    }
    // the point of B, which moves with it; of forces where they acted
    const point = isForce ? middle : placed(end[1], placedBack(where[1], onB))
    const places = isForce ? start : end
    return {
      ...common,
      kind: hasFeatures ? 'edge-edge' : 'point',
      what: hasFeatures ? `edge of ${bodies[0].name}, edge of ${bodies[1].name}` : 'point of a manifold',
      gapStart: where === start ? contacts.gap[i] : null,
      gapEnd: where === end ? contacts.gap[i] : null,
      point,
      offSurface: Math.max(...bodies.map((body, k) => fromSurface(body, places[k], point))),
    }
  })
}

/** The vertex that is nearest to a point of the body's own axes; of a prism the corner of its polygon. */
function cornerNear(
  { polyhedron, polygon }: SceneBody,
  point: Vector,
  isPlanar: boolean,
): { index: number; point: Vector; distance: number } {
  const { vertices } = polyhedron
  const corners: Vector[] = isPlanar
    ? polygon.map(([x, y]) => [x, y, 0])
    : Array.from({ length: vertices.length / 3 }, (_, i) => at(vertices, i))
  let best = { index: -1, point, distance: Number.POSITIVE_INFINITY }
  corners.forEach((corner, index) => {
    const [x, y, z] = minus(corner, point)
    const distance = isPlanar ? Math.hypot(x, y) : Math.hypot(x, y, z)
    if (distance < best.distance) best = { index, point: corner, distance }
  })
  return best
}

/** The name of the edge of a polygon that has this outward normal. */
function edgeName({ polygon, edges }: SceneBody, normal: Vector): string {
  const along = polygon.map(([x, y], i) => {
    const [u, v] = polygon[(i + 1) % polygon.length]
    return ((v - y) * normal[0] - (u - x) * normal[1]) / Math.hypot(u - x, v - y)
  })
  return edges[along.indexOf(Math.max(...along))]
}

/** The face whose outward normal is nearest to a direction of the body's own axes. */
function faceAlong({ vertices, faces, faceNormals }: Polyhedron, direction: Vector): { normal: Vector; point: Vector } {
  let best = 0
  for (let f = 1; f < faces.length; f++) if (dot(at(faceNormals, f), direction) > dot(at(faceNormals, best), direction)) best = f
  return { normal: at(faceNormals, best), point: at(vertices, faces[best][0]) }
}

const axes = 'xyz'
/** Of a block, as `+z face`. */
function faceName(normal: Vector): string {
  const k = normal.findIndex((x) => Math.abs(x) > 0.5)
  return `${normal[k] > 0 ? '+' : '\u2212'}${axes[k]} face`
}
