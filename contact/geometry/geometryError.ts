/** A shape that cannot be, or a question that a shape has no answer to. */
export class GeometryError extends Error {
  override readonly name = 'GeometryError'
}
