/**
 * Cases whose law is a bound: each model that a case names gives nature's value within it, at each step of the scenario. Those in `deviations`
 * say how far models depart from rigid contact with Coulomb friction, as docs/contact-models.md has it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { asset } from '../assets.ts'
import { type Measure, parseScene, type Scene } from '../cases/scene.ts'
import { trialOf } from '../cases/trial.ts'
import { type ContactModelName, contactModelNames } from '../contact/index.ts'

const folder = fileURLToPath(asset('cases/deviations/'))

/** A row of the table: one measure of one case. */
export interface Deviation {
  readonly scene: Scene
  readonly at: number
  readonly measure: Measure
  readonly models: readonly ContactModelName[]
  /** Effect, and its conditions; its formula; its value, with a unit. */
  readonly effect: string
  readonly formula: string
  readonly figure: string
}

export async function deviations(): Promise<Deviation[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  const scenes = await Promise.all(files.sort().map((file) => parseScene(readFileSync(folder + file, 'utf8'), folder + file)))
  return scenes.flatMap((scene) =>
    scene.cases.flatMap(({ measures, nature, law }, at) =>
      measures.map((measure) => ({
        scene,
        at,
        measure,
        models: law?.of ?? contactModelNames,
        effect: measure.name,
        formula: nature,
        figure: measure.figure ?? '',
      })),
    ),
  )
}

/** How a model misses the bound, or the last digit of the figure; undefined where it does not. */
export async function missOf({ scene, at, measure }: Deviation, model: ContactModelName): Promise<string | undefined> {
  const { scenario, measures, law } = scene.cases[at]
  for (const dt of scenario.dt) {
    const { status, why, values } = await trialOf({ scene, at, column: model, dt })
    if (status !== 'measured') return `${status}: ${why}`
    const value = values[measures.indexOf(measure)]
    const { nature, scale, figure } = measure
    if (law?.within !== undefined && !(Math.abs(value - nature) <= law.within * scale))
      return `${value} in place of ${nature}, at ${dt} s`
    if (figure !== undefined && !agrees(value, figure)) return `${value} is shown as ${figure}`
  }
  return undefined
}

const units: Readonly<Record<string, number>> = { m: 1, mm: 1e-3, µm: 1e-6, nm: 1e-9, '%': 1e-2, '': 1 }

/** Whether a value is, to its last digit, a figure. */
export function agrees(value: number, figure: string): boolean {
  const [, sign, digits, unit] = /^([<>] )?(-?[\d.]+) ?(.*)$/.exec(figure) as RegExpExecArray
  const shown = value / units[unit.replace('/s', '')]
  if (sign === '< ') return shown < Number(digits)
  if (sign === '> ') return shown > Number(digits)
  const decimals = digits.includes('.') ? digits.length - digits.indexOf('.') - 1 : 0
  return Math.abs(shown - Number(digits)) < 0.5001 * 10 ** -decimals
}
