export * from './placedShape.ts'
export * from './shape.ts'
