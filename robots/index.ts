export { combineRobots, type PartStarts, placeRobot, type RobotPart, startsOf } from './combineRobots.ts'
export { type CompileOptions, compileRobot } from './compile.ts'
export type * from './description.ts'
export { type FindingKind, formatDiagnostic, kindsOf, RobotError } from './diagnostics.ts'
export { type DoctorContext, type DoctorOptions, type Examination, estimateDensity, examine } from './doctor/index.ts'
export { visible } from './elements/index.ts'
export { createFreeBody, type FreeBodyOptions } from './freeBody.ts'
export { type Base, type BaseOption, baseOf } from './groups.ts'
export { setOnGround } from './home.ts'
export { type Inspection, inspectRobot, lacksOf } from './inspect.ts'
export {
  describeRobot,
  type ExaminedRobot,
  examineRobot,
  type LoadOptions,
  loadExamined,
  loadRobot,
  type TextFile,
} from './load.ts'
export { lostInUrdf } from './lostInUrdf.ts'
export { eigenSymmetric3 } from './massProperties.ts'
export { readMesh } from './meshes/index.ts'
export { MeshStore } from './meshStore.ts'
export { placedShapes, placesAt, sizeOf } from './places.ts'
export { createPrescribedBody, type PrescribedBodyOptions } from './prescribedBody.ts'
export { isRemote, memoryResolver, type Resolved, type Resolver, resolveReference, withPackages } from './resolve.ts'
export type * from './robot.ts'
export { describeSrdf } from './srdf.ts'
export { type DescribeOptions, describeUrdf } from './urdf/index.ts'
export { type WriteMjcfOptions, type Written, writeMjcf } from './writeMjcf.ts'
export { type WriteUrdfOptions, writeUrdf } from './writeUrdf.ts'
export { expandXacro, isXacro, type XacroOptions } from './xacro/index.ts'
export { decodeXml, parseXml, type XmlElement } from './xml.ts'
