import { contactModelNames } from '../../contact/index.ts'

/**
 * A colour for each contact model, in the order of the registry. They are as far from each other as they can be in Oklab (Ottosson 2020)
 * with a contrast of 3 : 1 at least to the page's light and dark fields; the first three are near Okabe and Ito's (2008), which people with
 * any common colour vision deficiency tell apart.
 */
const laneColors = [
  '#349ae1',
  '#de7c00',
  '#c2559a',
  '#0d7c1c',
  '#604ef7',
  '#3baa18',
  '#ab5200',
  '#3d7295',
  '#e850f7',
  '#f21a1c',
  '#9a6af5',
  '#8b864b',
  '#fc5884',
] as const

/** Of a lane that is no model's, as a log. */
const OTHER = '#7c8590'

/** The colour of a model; of a further run of it a darker or lighter shade, which no other model has. */
export function laneColor(contactModel: string, taken: readonly string[] = []): string {
  const own = laneColors[(contactModelNames as readonly string[]).indexOf(contactModel)] ?? OTHER
  const shades = [own, ...[0.45, -0.45, 0.7, -0.7].map((by) => shaded(own, by))]
  return shades.find((color) => !taken.includes(color)) ?? own
}

/** Towards white, or black below zero. @param by from -1 to 1 */
function shaded(color: string, by: number): string {
  const part = (k: number) => Number.parseInt(color.slice(k, k + 2), 16)
  const mixed = [1, 3, 5].map((k) => Math.round(part(k) + Math.abs(by) * ((by > 0 ? 255 : 0) - part(k))))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
