/** What a run did that a verdict on contact has to know first. */

export interface RunHealth {
  /** Deepest overlap of two shapes of one robot that contact models do not see, beyond that of the start. */
  readonly selfOverlap: {
    readonly robot: string
    readonly a: string
    readonly b: string
    readonly depth_m: number
    readonly t: number
  } | null
  readonly acted: { readonly limits: readonly string[]; readonly dryJoints: readonly string[]; readonly loops: number }
  readonly fell: { readonly robot: string; readonly t: number } | null
  readonly saturated: { readonly joint: string; readonly part: number } | null
  readonly missedTarget: {
    readonly joint: string
    readonly distance: number
    readonly unit: 'rad' | 'm'
    readonly robot: string
  } | null
  readonly creep: { readonly of: string; readonly speed: number; readonly unit: 'm/s' | 'rad/s' } | null
  readonly indeterminate: number
}
