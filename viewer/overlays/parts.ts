import { type Robot, startsOf } from '../../robots/index.ts'

/** The bodies of one robot among all that share a world: its first, and the one after its last. */
export type Part = readonly [first: number, end: number]

/** Of each of several robots that were combined in this order, and move. */
export function partsOf(members: readonly { readonly robot: Robot }[]): Part[] {
  return members.flatMap(({ robot }, i): Part[] => {
    const { body } = startsOf(members, i)
    return robot.model.nb > 1 ? [[body + 1, body + robot.model.nb]] : []
  })
}

export const isWithin = (body: number, [first, end]: Part): boolean => body >= first && body < end
