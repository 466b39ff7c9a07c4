/** Ranges of torques and forces in recordings: one more table, and one more topic. */
import { cellOf, quotedCell } from '../../simulation/index.ts'
import type { RangesMeter } from '../measure/rangesMeter.ts'

/** A row per torque, and three per contact: along its normal and tangents, whose directions in the world are the axes. */
export const rangesHeader = 't_s,step,excess_N,relaxation_N,kind,joint,pair,feature,axisX,axisY,axisZ,value,min,max\r\n'

const kinds = ['normal', 'friction1', 'friction2'] as const

/** Rows of the last step; an end without bounds is an empty cell. */
export function rangesRows({ ranges, at }: RangesMeter): string {
  const { torques, contacts, excess, relaxation } = ranges.frame()
  const head = [ranges.world.state.t[0], at, excess, relaxation].map(cellOf).join(',')
  const ends = ({ value, min, max }: { value: number; min: number; max: number }) => [value, min, max].map(cellOf).join(',')
  const rows = [
    ...torques.map((own) => `torque,${quotedCell(own.name)},,,,,,${ends(own)}`),
    ...contacts.flatMap(({ pair, feature, forces }) =>
      forces.map((own, r) => `${kinds[r]},,${pair},${feature},${own.axis.map(cellOf).join(',')},${ends(own)}`),
    ),
  ]
  return rows.map((row) => `${head},${row}\r\n`).join('')
}

/** A message of featherbed.Ranges; an end without bounds is null. */
export const rangesText = (head: string, { ranges }: RangesMeter): string => head + JSON.stringify(ranges.frame()).slice(1)
