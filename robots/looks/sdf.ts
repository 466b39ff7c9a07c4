import type { MaterialDescription } from '../description.ts'
import { parseColor } from '../elements/index.ts'
import { descend } from '../sdf/values.ts'
import type { XmlElement } from '../xml.ts'

/** Diffuse colours of Gazebo's standard materials, those of its pictures as their means. */
const standard: Readonly<Record<string, string>> = {
  ...{ White: '1 1 1', Grey: '0.7 0.7 0.7', DarkGrey: '0.175 0.175 0.175', FlatBlack: '0.1 0.1 0.1', Black: '0 0 0' },
  ...{ Red: '1 0 0', Green: '0 1 0', Blue: '0 0 1', SkyBlue: '0.13 0.44 0.7', Yellow: '1 1 0', DarkYellow: '0.7 0.7 0' },
  ...{ Orange: '1 0.51 0.05', Purple: '1 0 1', Turquoise: '0 1 1', Indigo: '0.33 0 0.5', Gold: '0.8 0.65 0.29' },
  ...{ Wood: '0.5 0.33 0.18', Bricks: '0.5 0.3 0.25' },
}

/**
 * The looks of a `<visual>`: its diffuse colour, else the ambient one, else that of the standard material that a script names, and the image
 * of its base colour. Values that are none are passed by: no motion depends on them.
 */
export function readMaterial(visual: XmlElement): MaterialDescription | undefined {
  const textOf = (...names: readonly string[]) => descend(visual, names)?.at(-1)?.text
  const place = visual.children.find(({ name }) => name === 'material')
  const opacity = 1 - Math.min(1, Math.max(0, Number(textOf('transparency')) || 0))
  if (!place) return opacity < 1 ? { rgba: [1, 1, 1, opacity], place: visual } : undefined
  const texture = ['metal', 'specular'].map((kind) => textOf('material', 'pbr', kind, 'albedo_map')).find(Boolean)
  const script = textOf('material', 'script', 'name')?.replace(/^Gazebo\//, '') ?? ''
  const named = Object.hasOwn(standard, script) ? standard[script] : undefined
  const stated = textOf('material', 'diffuse') ?? textOf('material', 'ambient') ?? named
  if (stated === undefined && texture === undefined) return undefined
  const [r, g, b, a] = parseColor(stated)
  return { rgba: [r, g, b, a * opacity], ...(texture && { texture }), replaces: true, place }
}
