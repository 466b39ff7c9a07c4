export { type ExpandedXacro, expandXacro, type XacroOptions } from './expand.ts'
export { isXacro } from './isXacro.ts'
