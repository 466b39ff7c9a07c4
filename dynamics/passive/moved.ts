import { mulMatrix3, place3 } from '../math/index.ts'
import type { FluidPart } from './fluid.ts'
import type { LengthConstraint } from './lengthConstraint.ts'
import type { BodyPoint, LengthPart, Tendon } from './tendons.ts'

/** Where a model stands in another one: numbers of its bodies, and the pose of what is fixed to its world. */
export interface Move {
  readonly body: (own: number) => number
  readonly R?: Float64Array
  readonly p?: Float64Array
}

/** A tendon in another numbering of bodies; points of body 0 in the other world. */
export const movedTendon = (tendon: Tendon, prefix: string, move: Move): Tendon => ({
  ...tendon,
  name: prefix + tendon.name,
  parts: tendon.parts.map((part) => movedPart(part, move)),
})

/** The same of a constraint. */
export const movedLength = (length: LengthConstraint, prefix: string, move: Move): LengthConstraint => ({
  ...length,
  name: prefix + length.name,
  parts: length.parts.map((part) => movedPart(part, move)),
  ...(length.other && { other: length.other.map((part) => movedPart(part, move)) }),
})

export const movedFluidPart = (part: FluidPart, move: Move): FluidPart => moved(part, move)

/** @unchecked */
export function movedPart(part: LengthPart, move: Move): LengthPart {
  switch (part.type) {
    case 'pulley':
      return part
    case 'wrap':
      return { ...moved(part, move), ...(part.side && { side: moved(part.side, move) }) }
    case 'offset':
      return { ...moved(part, move), from: moved(part.from, move) }
    case 'crank':
      return { ...moved(part, move), pin: moved(part.pin, move) }
    case 'site':
    case 'wrench':
      return moved(part, move)
    default:
      return { ...part, body: move.body(part.body) }
  }
}

function moved<P extends BodyPoint & { readonly rotation?: readonly number[] }>(part: P, { body, R, p }: Move): P {
  if (part.body !== 0 || (R === undefined && p === undefined)) return { ...part, body: body(part.body) }
  const turn = R ?? Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const point = new Float64Array(3)
  place3(point, turn, p ?? new Float64Array(3), Float64Array.from(part.point))
  const at = { ...part, point: [point[0], point[1], point[2]] as const }
  if (part.rotation === undefined) return at
  const rotation = new Float64Array(9)
  mulMatrix3(rotation, turn, Float64Array.from(part.rotation))
  return { ...at, rotation: [...rotation] }
}
