export * from './bounds.ts'
export * from './collider.ts'
export { closestFeatures, Feature } from './distance/closestFeatures.ts'
export { pointToEllipsoid } from './distance/ellipsoidDistance.ts'
export { coreDistance, supportCore } from './distance/gjk.ts'
export { MeshFeature, type MeshTree, meshDistance, meshTreeOf } from './distance/meshDistance.ts'
export { refineMesh } from './distance/refine.ts'
export {
  pairMemorySize,
  place,
  separationAlong,
  separationCold,
  separationWarm,
  signedDistance,
  signedDistanceAlong,
  signedDistanceWarm,
} from './distance/signedDistance.ts'
export { type MovingPair, timeOfContact } from './distance/timeOfContact.ts'
export { addDistanceIntegral } from './distanceIntegral.ts'
export * from './extent.ts'
export * from './geometryError.ts'
export { heightAt, heightFieldSurface, trianglesUnder } from './mesh/heightField.ts'
export { boxPolyhedron, convexOf, hullOf, polyhedronOf } from './mesh/hull.ts'
export {
  adjacencyOf,
  checkClosed,
  closedMesh,
  type MeshAdjacency,
  mendMesh,
  meshOfPolyhedron,
  meshVolume,
  nextInTriangle,
} from './mesh/mesh.ts'
export { planarHull } from './mesh/planarHull.ts'
export { type SampledField, sampledDistance, sampledFieldOf } from './mesh/sampledField.ts'
export { type Topology, topologyOf } from './mesh/topology.ts'
export { weldVertices } from './mesh/weld.ts'
export * from './placedShape.ts'
export { RayTarget } from './rayCast.ts'
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
