import type { MaterialDescription, ShapeDescription } from '../description.ts'
import { parseColor } from '../elements/index.ts'
import type { Defaults } from '../mjcf/document.ts'
import type { Compiler } from '../mjcf/options.ts'
import type { XmlElement } from '../xml.ts'

/** The material of a geom, by its name and its own colour, and whether its group is shown. */
export type Looks = (geom: XmlElement, fallback?: string) => Required<Pick<ShapeDescription, 'material' | 'isShown'>>

type Rgba = MaterialDescription['rgba']

/** MuJoCo's of a geom without a material, and so of one that states none. */
const grey: Rgba = [0.5, 0.5, 0.5, 1]

/** The last of the groups that MuJoCo's viewer shows. */
const lastShown = 2

/**
 * The materials of `<asset>`. A flat image is wrapped around; one that MuJoCo makes has its mean colour; cube maps, which surround things,
 * leave a material its colour. Values that are none have MuJoCo's default: no motion depends on them.
 */
export function readMaterials(root: XmlElement, defaults: Defaults, { texturePath }: Compiler): Looks {
  const assets = root.children.filter(({ name }) => name === 'asset').flatMap(({ children }) => children)
  const of = (tag: string) => assets.filter(({ name }) => name === tag).map((one) => defaults.filled(one, undefined))
  const stem = (file: string | undefined) => file?.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
  const textures = new Map(of('texture').map((one) => [one.attributes.name ?? stem(one.attributes.file), one]))
  const materials = new Map<string, MaterialDescription>()
  for (const material of of('material')) {
    const { name, rgba, texture } = material.attributes
    const layer = material.children.find((child) => child.name === 'layer' && child.attributes.role === 'rgb')
    const image = textures.get(texture ?? layer?.attributes.texture)?.attributes
    const tint = meanColor(image)
    const [r, g, b, a] = parseColor(rgba)
    const isWrapped = image?.type === '2d' && image.file !== undefined
    materials.set(name ?? '', {
      rgba: [r * tint[0], g * tint[1], b * tint[2], a],
      ...(isWrapped && { texture: texturePath(image.file as string) }),
      place: material,
    })
  }
  return (geom, fallback = '') => {
    const { material = fallback, rgba, group = 0 } = geom.attributes
    const found = materials.get(material)
    const own = parseColor(rgba, grey)
    // one that states the default says nothing, as in MuJoCo
    const look = !found ? { rgba: own, place: geom } : own.join() === grey.join() ? found : { ...found, rgba: own }
    return { material: look, isShown: !(Number(group) > lastShown) }
  }
}

/** Of MuJoCo's `flat`, or of two colours in equal parts; white of an image. */
function meanColor({
  builtin = 'none',
  rgb1 = '0.8 0.8 0.8',
  rgb2 = '0.5 0.5 0.5',
}: Readonly<Record<string, string>> = {}): Rgba {
  if (builtin === 'none') return [1, 1, 1, 1]
  const [first, second] = [parseColor(rgb1), parseColor(builtin === 'flat' ? rgb1 : rgb2)]
  return [0, 1, 2, 3].map((k) => 0.5 * (first[k] + second[k])) as unknown as Rgba
}
