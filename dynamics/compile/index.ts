// The entry featherbed/compile.

export { CompiledDynamics, compileDynamics } from './compiledDynamics.ts'
export { evaluationNames, type ProgramName, stepNames } from './programs.ts'
export { programText } from './programText.ts'
export { TraceError } from './trace.ts'
