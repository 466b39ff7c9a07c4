import { rotate3, rotateTransposed3 } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings, World } from '../../simulation/index.ts'

/** Links of a robot whose surfaces run, in the order of its shapes. */
export const runningLinks = ({ shapes }: Pick<Robot, 'shapes'>): string[] => [
  ...new Set(shapes.flatMap(({ surfaceVelocity, link }) => (surfaceVelocity ? [link] : []))),
]

/** A running surface of the world, on a link. */
interface OnLink {
  readonly surface: NonNullable<World['surfaces']>['list'][number]
  /** Index in `runningLinks`; and the rotations of the link and of the shape into their body. */
  readonly link: number
  readonly R: Float64Array
  readonly S: Float64Array
}

/** Velocities of a robot's surfaces, between its world and a controller. */
export class SurfaceSpeeds {
  /** 3 a link of `runningLinks`, in its axes [m/s]; handed out, so that it may come to be empty. */
  readonly speeds: Float64Array
  readonly length: number
  private readonly names: readonly string[]
  private readonly before: Float64Array
  private readonly v = new Float64Array(3)
  private surfaces: readonly OnLink[] = []

  constructor(robot: Robot) {
    this.names = runningLinks(robot)
    this.length = 3 * this.names.length
    this.speeds = new Float64Array(this.length)
    this.before = new Float64Array(this.length)
  }

  connect({ shapes, frames }: Robot, { world, index }: Surroundings): void {
    const { start } = world.robots[index]
    this.surfaces = shapes.flatMap(({ link: name }, k): OnLink[] => {
      const shape = world.robot.shapes[start.shape + k]
      const surface = world.surfaces?.list.find((one) => one.shape === shape)
      const frame = frames.find((one) => one.name === name)
      return surface && frame ? [{ surface, link: this.names.indexOf(name), R: frame.R, S: shapes[k].R }] : []
    })
  }

  /** Where a link has several surfaces, that of the last. */
  read(): void {
    const { v, speeds, before } = this
    for (let k = 0; k < this.surfaces.length; k++) {
      const { surface, link, R, S } = this.surfaces[k]
      rotate3(v, S, surface.velocity)
      rotateTransposed3(v, R, v)
      for (let d = 0; d < 3; d++) speeds[3 * link + d] = v[d]
    }
    before.set(speeds)
  }

  /** Gives what was written to the surfaces. @returns why not, or '' */
  write(): string {
    const { v, speeds, before, names } = this
    for (let k = 0; k < this.surfaces.length; k++) {
      const { surface, link, R, S } = this.surfaces[k]
      let isNew = false
      for (let d = 0; d < 3; d++) {
        v[d] = speeds[3 * link + d]
        if (v[d] !== before[3 * link + d]) isNew = true
        if (v[d] - v[d] !== 0) return `surfaces has ${v.join(', ')} for "${names[link]}"; it must be three finite numbers`
      }
      if (!isNew) continue
      rotate3(v, R, v)
      rotateTransposed3(surface.given, S, v)
    }
    return ''
  }
}
