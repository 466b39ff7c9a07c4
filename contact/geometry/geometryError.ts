/** An invalid shape, or a query that a shape does not support. */
export class GeometryError extends Error {
  override readonly name = 'GeometryError'
}
