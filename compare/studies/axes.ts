/** The axes of a map: inputs and values. */
import { didYouMean } from '../../dynamics/index.ts'
import { quantity } from '../scenario/fields.ts'
import { ScenarioError } from '../scenario/index.ts'

export interface Axis {
  /** `dt`, or the path of a field of the scenario, such as `physical.stiffness`. */
  readonly path: string
  readonly label: string
  readonly unit: string
  /** Rising. */
  readonly values: readonly number[]
}

/** Short names of paths, with their units and default ranges. Of stiffness the range follows from the load. */
const known: Readonly<Record<string, { path: string; unit: string; range?: readonly [number, number]; count?: number }>> = {
  dt: { path: 'dt', unit: 's', range: [2.5e-4, 6.4e-2], count: 9 },
  stiffness: { path: 'physical.stiffness', unit: 'N/m' },
  damping: { path: 'physical.damping', unit: 'N s/m' },
  friction: { path: 'physical.friction', unit: '', range: [0.1, 1.6] },
  // the one solver that counts its passes by an option
  iterations: { path: 'models.peg.passes', unit: '', range: [1, 256] },
}

const COUNT = 5

/**
 * Reads `dt,stiffness`, `dt=0.1ms..50ms/12,stiffness=1e3..1e6/7` or a path as a sweep has it, `dt,models.mujoco.timeConstant=1e-3..0.1`:
 * values at equal ratios from the first to the last, as many as stand behind the stroke.
 *
 * @param carried stiffness at which the weight presses as deep as it may [N/m]: that of the range's middle, two decades either way
 * @throws ScenarioError
 */
export async function axesOf(text: string, carried: number): Promise<[Axis, Axis]> {
  const axes: Axis[] = []
  for (const item of text.split(',').map((part) => part.trim())) {
    const [, name, from, to, count] = /^([\w.-]+?)(?:=(.+?)\.\.(.+?))?(?:\/(\d+))?$/.exec(item) ?? []
    if (name === undefined)
      throw new ScenarioError([`--over found "${item}", expected an axis such as stiffness or dt=0.1ms..50ms/12`])
    const { path, unit, range, count: usual = COUNT } = known[name] ?? { path: name, unit: '' }
    const ends =
      from !== undefined
        ? [await end(item, name, from), await end(item, name, to)]
        : name === 'stiffness'
          ? [carried / 100, carried * 100]
          : range
    if (ends === undefined) {
      const choice = `expected one of ${Object.keys(known).join(', ')}, or a field and its range, ${name}=FROM..TO`
      throw new ScenarioError([`--over found "${item}", ${choice}${didYouMean(name, Object.keys(known))}`])
    }
    const [low, high] = ends
    if (!(low > 0 && high > low))
      throw new ScenarioError([`--over ${item}: runs from ${low} to ${high}; expected two rising numbers above 0`])
    const n = count === undefined ? usual : Number(count)
    if (n < 2 || n > 100) throw new ScenarioError([`--over ${item}: has ${n} values; expected 2 to 100`])
    const values = Array.from({ length: n }, (_, i) => round(low * (high / low) ** (i / (n - 1)), name === 'iterations'))
    axes.push({ path, label: name, unit, values: [...new Set(values)] })
  }
  const [dt, other, ...more] = axes
  if (dt?.path !== 'dt' || other === undefined || other.path === 'dt' || more.length > 0)
    throw new ScenarioError([`--over found "${text}", expected dt and one more, such as dt,stiffness`])
  return [dt, other]
}

async function end(item: string, name: string, text: string): Promise<number> {
  const checked = await quantity(name === 'dt' ? 'duration' : name === 'stiffness' ? 'stiffness' : 'number').safeParseAsync(text)
  if (!checked.success) throw new ScenarioError([`--over ${item}: ${checked.error.issues[0].message}`])
  return checked.data
}

/** Four digits are enough for a grid, and read well. */
const round = (value: number, isWhole: boolean) => (isWhole ? Math.round(value) : Number(value.toPrecision(4)))
