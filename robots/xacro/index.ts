export { isSecret } from './commands.ts'
export { type ExpandedXacro, expandXacro, type XacroOptions } from './expand.ts'
export { isXacro, refuseOldXacro, withoutStrayCalls } from './isXacro.ts'
