export { combineRobots, type PartStarts, placeRobot, type RobotPart, startsOf } from './combineRobots.ts'
export { type CompileOptions, compileRobot } from './compile/compile.ts'
export { type Base, type BaseOption, baseOf } from './compile/groups.ts'
export { setOnGround } from './compile/home.ts'
export { eigenSymmetric3 } from './compile/massProperties.ts'
export { inMedium } from './compile/medium.ts'
export { MeshStore } from './compile/meshStore.ts'
export { compose, inversePose, type Pose, poseOfOrigin } from './compile/pose.ts'
export { shapeOf } from './compile/shapes.ts'
export type * from './description.ts'
export { shownShapes } from './description.ts'
export { type FindingKind, formatDiagnostic, kindsOf, RobotError } from './diagnostics.ts'
export {
  type DoctorContext,
  type DoctorOptions,
  type Examination,
  estimateDensity,
  examine,
  readOtherwise,
} from './doctor/index.ts'
export { visible } from './elements/index.ts'
export {
  isRemote,
  memoryResolver,
  type Resolved,
  type Resolver,
  readerBeside,
  resolveReference,
  withPackages,
} from './files/resolve.ts'
export { createFreeBody, type FreeBodyOptions } from './freeBody.ts'
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
export { readMesh } from './meshes/index.ts'
export { floorOf, groundedShapes, placedShapes, placesAt, shapePairsOf, sizeOf } from './places.ts'
export { createPrescribedBody, type PrescribedBodyOptions } from './prescribedBody.ts'
export type * from './robot.ts'
export { type Separated, separated } from './separated.ts'
export { describeSrdf } from './srdf.ts'
export { type DescribeOptions, describeUrdf } from './urdf/index.ts'
export { lostInUrdf } from './write/lostInUrdf.ts'
export { type WriteMjcfOptions, type Written, writeMjcf } from './write/writeMjcf.ts'
export { type WriteSdfOptions, writeSdf } from './write/writeSdf.ts'
export { type WriteUrdfOptions, writeUrdf } from './write/writeUrdf.ts'
export { expandXacro, isXacro, type XacroOptions } from './xacro/index.ts'
export { decodeXml, parseXml, type XmlElement } from './xml.ts'
