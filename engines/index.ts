export { adaptersOf, EngineMissing, engineNames } from './adapters.ts'
export { type Engine, type EngineAdapter, type EngineScene, UnsupportedScene } from './engine.ts'
export { byFile, type OutsideModel, outsideModel } from './outsideModel.ts'
export {
  install,
  installedVersion,
  installing,
  type PythonEngine,
  pythonEngines,
  pythonOf,
  pythonPackages,
} from './python/installation.ts'
export { type OutsideSolvers, outsideSolvers, type Timed } from './solvers.ts'
