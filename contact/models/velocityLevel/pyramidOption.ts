import type { ShownParameter } from '../../contactModel.ts'
import type { OptionReader } from '../../options.ts'

/** Option `sides`, as a parameter that a result shows. */
export function readSides(reader: OptionReader): ShownParameter {
  const value = reader.choice('sides', 4, [4, 6, 8, 12, 16])
  return { name: 'sides', value, unit: '1', meaning: 'sides of the friction pyramid' }
}
