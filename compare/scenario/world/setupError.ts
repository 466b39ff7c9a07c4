/** A scenario that requests something that its robots or files lack. */
export class SetupError extends Error {
  override name = 'SetupError'
}
