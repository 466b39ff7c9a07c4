import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Matrix4,
  Mesh,
  MeshLambertMaterial,
  SphereGeometry,
} from 'three'
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js'
import { type Shape, type TriangleMesh, trianglesOf } from '../../contact/geometry/index.ts'

/** The surface of a collision shape in the shape's own axes; `pointSize` [m] is how large a contact point is drawn. */
export function shapeGeometry(shape: Shape, pointSize: number): BufferGeometry {
  switch (shape.type) {
    case 'sphere':
      return new SphereGeometry(shape.radius || pointSize, 32, 20).rotateX(Math.PI / 2)
    case 'ellipsoid':
      return new SphereGeometry(1, 32, 20).rotateX(Math.PI / 2).scale(...shape.radii)
    case 'box':
      return shape.rounding ? new RoundedBoxGeometry(...shape.size, 6, shape.rounding) : new BoxGeometry(...shape.size)
    case 'cylinder':
      return new CylinderGeometry(shape.radius, shape.radius, shape.length, 48).rotateX(Math.PI / 2)
    case 'capsule':
      return new CapsuleGeometry(shape.radius, shape.length, 10, 32).rotateX(Math.PI / 2)
    case 'halfspace':
      return new BufferGeometry()
    default:
      return meshGeometry(trianglesOf(shape))
  }
}

/** Flat triangles, each with corners of its own, so that edges show. */
function meshGeometry({ vertices, triangles }: TriangleMesh): BufferGeometry {
  const positions = new Float32Array(3 * triangles.length)
  for (let k = 0; k < triangles.length; k++) {
    for (let d = 0; d < 3; d++) positions[3 * k + d] = vertices[3 * triangles[k] + d]
  }
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(positions, 3))
  geometry.computeVertexNormals()
  return geometry
}

const isRound = (shape: Shape): boolean =>
  /^(sphere|capsule|ellipsoid)$/.test(shape.type) || (shape.type === 'box' && Number(shape.rounding) > 0)

/** A collision shape as a translucent solid with its edges drawn. */
export function createShapeMesh(shape: Shape, color: string, pointSize: number): Group {
  const geometry = shapeGeometry(shape, pointSize)
  const fill = new MeshLambertMaterial({
    color,
    transparent: true,
    opacity: 0.25,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: -2,
    polygonOffsetUnits: -8,
  })
  const lines = new LineBasicMaterial({ color, transparent: true, opacity: 0.9 })
  const group = new Group()
  const body = new Mesh(geometry, fill)
  body.renderOrder = 30
  const edges = new LineSegments(new EdgesGeometry(geometry, isRound(shape) ? 8 : 20), lines)
  edges.renderOrder = 31
  group.add(body, edges)
  return group
}

/** Rotation (row-major 3 x 3) and position as a matrix of three's. */
export function placement(out: Matrix4, R: ArrayLike<number>, p: ArrayLike<number>): Matrix4 {
  return out.set(R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1], R[6], R[7], R[8], p[2], 0, 0, 0, 1)
}
