export { type FrictionKind, type FrictionOptions, readFrictionOptions, shownFriction } from './frictionOptions.ts'
export { StickingSystem } from './stickingSystem.ts'
export { TangentialSprings } from './tangentialSprings.ts'
