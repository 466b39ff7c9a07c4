import type { ShownParameter } from '../contactModel.ts'
import type { OptionReader } from '../options.ts'
import type { ConstraintRule, FeatureReading } from './featureReading.ts'
import { defaultEpsilon } from './featureSet.ts'

export interface FeatureOption {
  readonly features: FeatureReading
  readonly used: readonly ShownParameter[]
}

/** Options of the reading 'features': shapeSides, roundOnPlanes, epsilon. */
export function readFeatureOptions(reader: OptionReader, rule: ConstraintRule): FeatureOption {
  const sides = reader.integer('shapeSides', 32, 3, 128)
  const roundOnPlanes = reader.choice<'exact' | 'prism'>('roundOnPlanes', 'exact', ['exact', 'prism'])
  const epsilon = reader.number('epsilon', defaultEpsilon, 0, 1)
  return {
    features: { rule, sides, roundOnPlanes, epsilon },
    used: [
      { name: 'shapeSides', value: sides, unit: '1', meaning: 'sides of the prism that stands for a curved shape' },
      { name: 'roundOnPlanes', value: roundOnPlanes, unit: '', meaning: 'curved shapes on planes as they are, or as prisms' },
      { name: 'epsilon', value: epsilon, unit: '1', meaning: 'sine of the angle by which features may miss applicability' },
    ],
  }
}
