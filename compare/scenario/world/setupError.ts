/** A scenario that asks for something that its robots or files do not have. */
export class SetupError extends Error {
  override name = 'SetupError'
}
