export * from './bounds.ts'
export { closestFeatures, Feature } from './closestFeatures.ts'
export * from './collider.ts'
export { addDistanceIntegral } from './distanceIntegral.ts'
export { pointToEllipsoid } from './ellipsoidDistance.ts'
export * from './extent.ts'
export * from './geometryError.ts'
export { coreDistance, supportCore } from './gjk.ts'
export { heightAt, heightFieldSurface, trianglesUnder } from './heightField.ts'
export { boxPolyhedron, convexOf, hullOf, polyhedronOf } from './hull.ts'
export {
  adjacencyOf,
  checkClosed,
  closedMesh,
  type MeshAdjacency,
  mendMesh,
  meshOfPolyhedron,
  meshVolume,
  nextInTriangle,
} from './mesh.ts'
export { MeshFeature, type MeshTree, meshDistance, meshTreeOf } from './meshDistance.ts'
export * from './placedShape.ts'
export { planarHull } from './planarHull.ts'
export { RayTarget } from './rayCast.ts'
export { refineMesh } from './refine.ts'
export { type SampledField, sampledDistance, sampledFieldOf } from './sampledField.ts'
export {
  type Box,
  boundingRadius,
  type Capsule,
  type ConvexShape,
  Core,
  type Cylinder,
  checkShape,
  cornersOf,
  type Ellipsoid,
  type HalfSpace,
  type HeightField,
  type Hull,
  halfExtentOfShape,
  lowestPoint,
  type MeshShape,
  type PolyhedralOptions,
  type Polyhedron,
  polyhedralVersion,
  type Shape,
  type Solid,
  type Sphere,
  sizeOf,
  solidOf,
  supportPoint,
  surfaceOf,
  type TriangleMesh,
  thicknessOf,
  trianglesOf,
  writeShapeBounds,
} from './shapes/index.ts'
export {
  pairMemorySize,
  place,
  separationAlong,
  separationWarm,
  signedDistance,
  signedDistanceAlong,
  signedDistanceWarm,
} from './signedDistance.ts'
export { type MovingPair, timeOfContact } from './timeOfContact.ts'
export { type Topology, topologyOf } from './topology.ts'
export { weldVertices } from './weld.ts'
