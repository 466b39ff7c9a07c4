import type { MaterialDescription } from '../description.ts'
import { parseNumbers } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Defaults } from './document.ts'
import type { Compiler } from './options.ts'

/** The looks of a geom by its name of a material, if it has one, and its own colour. */
export type Looks = (geom: XmlElement, fallback?: string) => MaterialDescription

type Rgba = MaterialDescription['rgba']

/** MuJoCo's of a geom without a material, and so of one that states none. */
const plain = '0.5 0.5 0.5 1'

/** Geoms of these groups are shown by MuJoCo's viewer. */
export const mostShownGroup = 2

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
    const tint = image?.builtin === undefined || image.builtin === 'none' ? [1, 1, 1] : meanColor(image)
    const [r, g, b, a] = rgbaOf(rgba ?? '1 1 1 1')
    const isWrapped = image?.type === '2d' && image.file !== undefined
    materials.set(name ?? '', {
      rgba: [r * tint[0], g * tint[1], b * tint[2], a],
      ...(isWrapped && { texture: texturePath(image.file as string) }),
      place: material,
    })
  }
  return (geom, fallback = '') => {
    const { material = fallback, rgba } = geom.attributes
    const found = materials.get(material)
    const own = rgbaOf(rgba ?? plain)
    if (!found) return { rgba: own, place: geom }
    // one that states the default says nothing, as in MuJoCo
    return own.join(' ') === plain ? found : { ...found, rgba: own }
  }
}

function rgbaOf(text: string): Rgba {
  const [r = 0.5, g = 0.5, b = 0.5, a = 1] = [parseNumbers(text, undefined)].flat() as number[]
  return typeof r === 'number' ? [r, g, b, a] : [0.5, 0.5, 0.5, 1]
}

/** Of MuJoCo's `flat`, or of two colours in equal parts. */
function meanColor({ builtin, rgb1 = '0.8 0.8 0.8', rgb2 = '0.5 0.5 0.5' }: Readonly<Record<string, string>>): Rgba {
  const [first, second] = [rgbaOf(rgb1), rgbaOf(builtin === 'flat' ? rgb1 : rgb2)]
  return [0, 1, 2, 3].map((k) => 0.5 * (first[k] + second[k])) as unknown as Rgba
}
