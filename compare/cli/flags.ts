/** Flags that every verb has. */
export interface CommonFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly debug?: boolean
}
