import { significant } from '../../../compare/measure/numbers.ts'
import { millimetre, type SceneResult } from './claims.ts'
import { depthOf, farthestOff, impulsesPerManifold } from './measures.ts'
import { type ModelId, modelIds, models } from './models.ts'
import type { Outcome } from './step.ts'
import type { scanSteps } from './stepScan.ts'

/** One attribute of one model: measurement, conclusion, and the paper's entry. */
export interface TableCell {
  readonly model: ModelId
  readonly measured: number
  readonly unit: string
  /** The scene of the figure. */
  readonly scene: string
  readonly text: string
  readonly follows: boolean
  /** Null for ours, of which the paper says nothing. */
  readonly paper: boolean | null
  /** Reason for disagreement, where there is one; or a remark. */
  readonly note: string
}

export interface TableRow {
  readonly attribute: string
  /** Measure, its scenes, and the condition of a tick. */
  readonly measure: string
  readonly cells: readonly TableCell[]
}

/** Ticks of table 1. */
const ticks: readonly (readonly ModelId[])[] = [
  ['pm', 'lnc', 'literal'],
  ['st', 'ap', 'literal'],
  ['lnc', 'literal'],
]

/** An impulse this near to a surface acts on it: first-order errors, at the steps of the figures, are larger [m]. */
const atSurface = 1e-6
/** Overlap that counts as prevented, as a part of that of free motion. */
export const prevented = 0.02

/**
 * Table 1 of the paper, each cell with its measurement in the scenes of figures 1, 11 and 12.
 *
 * @param springs PM's second steps: in the first its springs do not act
 * @param scans   of steps: the largest at which the paper's PEG prevents overlap in each
 */
export function tableOf(
  results: readonly SceneResult[],
  springs: readonly SceneResult[],
  scans: ReturnType<typeof scanSteps>,
): TableRow[] {
  const scenesOf = (id: ModelId) => (id === 'pm' ? springs : results)
  const worst = (id: ModelId, list: readonly SceneResult[], measure: (result: SceneResult, outcome: Outcome) => number) => {
    let found = { value: 0, scene: '' }
    for (const result of list) {
      const value = measure(result, result.outcomes[id])
      if (value > found.value || found.scene === '') found = { value, scene: result.scene.id }
    }
    return found
  }
  const row = (
    k: number,
    attribute: string,
    measure: string,
    cell: (id: ModelId) => Omit<TableCell, 'model' | 'paper' | 'note'> & { note?: string },
  ): TableRow => ({
    attribute,
    measure,
    cells: modelIds.map((id) => {
      const { note = '', ...found } = cell(id)
      const paper = id === 'peg' ? null : ticks[k].includes(id)
      const words = paper === null || found.follows === paper ? '' : 'The paper has it the other way.'
      return { model: id, ...found, paper, note: [words, note].filter((w) => w !== '').join(' ') }
    }),
  })
  const collisions = results.filter(({ scene }) => scene.id === '11' || scene.id === '12')
  const freeDepth = (scene: string) => depthOf(results.find((result) => result.scene.id === scene)!.outcomes.pm)
  return [
    row(
      0,
      'Applies only one impulse per contact manifold',
      'The most impulses that two corners share in any scene; those at one point in one direction are one.',
      (id) => {
        const list = scenesOf(id)
        const { value, scene } = worst(id, list, ({ scene }, outcome) => impulsesPerManifold(scene, outcome).distinct)
        const listed = worst(id, list, ({ scene }, outcome) => impulsesPerManifold(scene, outcome).listed)
        const shared = `At an exact corner up to ${listed.value} contacts stand at one point with one normal, and share what is one impulse.`
        const each = 'Not by construction: equation 15 lets every contact push whose gap ends at 0 together with its constraint.'
        const note = [...(listed.value > value ? [shared] : []), ...(id === 'literal' ? [each] : [])].join(' ')
        return { measured: value, unit: '', scene, text: `at most ${value}`, follows: value === 1, note }
      },
    ),
    row(
      1,
      'Prevents inter-penetration for reasonable time steps',
      `Overlap at the end of the steps of figures 11 and 12, as a part of that of free motion; a yes asks for ${100 * prevented} % at most.`,
      (id) => {
        const { value } = worst(id, collisions, (result, outcome) => depthOf(outcome) / freeDepth(result.scene.id))
        const deepest = worst(id, collisions, (_, outcome) => depthOf(outcome))
        return {
          measured: value,
          unit: '',
          scene: deepest.scene,
          text: deepest.value < 1e-9 ? 'none' : `${millimetre(deepest.value)}, ${significant(100 * value, 2)} %`,
          follows: value <= prevented,
          note: id === 'literal' ? `At steps of up to ${1e3 * reasonableFor(id, scans)} ms it holds, by these sizes.` : '',
        }
      },
    ),
    row(
      2,
      'Applies impulses only at body surfaces',
      `The farthest that an impulse acts from the surface of either body, where bodies are at the end of the step; for springs where they are when it acts. A yes asks for ${1e6 * atSurface} µm at most.`,
      (id) => {
        const { value, scene } = worst(id, scenesOf(id), (_, outcome) => farthestOff(outcome))
        const text = value < 1e-9 ? 'all on it' : `up to ${millimetre(value)} off`
        return { measured: value, unit: 'm', scene, text, follows: value <= atSurface }
      },
    ),
  ]
}

/** The largest step at which a model prevents overlap in each scene, as at all smaller ones [s]. */
const reasonableFor = (id: ModelId, scans: ReturnType<typeof scanSteps>) =>
  Math.min(...scans.map(({ models }) => models.find(({ model }) => model === id)?.reasonable ?? 0))

export const columnNames = modelIds.map((id) => models[id].short)
