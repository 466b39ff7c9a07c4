import type { Shape } from '../../contact/geometry/index.ts'
import type { ConvexCutter } from '../compile/convexParts.ts'
import { hullCorners, hullError, type MeshDescription, type MeshStore, shown } from '../compile/meshStore.ts'
import { compose, poseOfOrigin, poseToOrigin } from '../compile/pose.ts'
import { shapeOf } from '../compile/shapes.ts'
import type { LinkDescription, ShapeDescription } from '../description.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import { boundsOf } from './bounds.ts'
import { type Case, kindsOf, report } from './gather.ts'
import type { DoctorOptions } from './index.ts'

/** A part this much larger than half of the others was drawn in other units, as is one of this size [m]. */
const suspiciousRatio = 100
const suspiciousSize = 50

/** Leaves out collision meshes that cannot be loaded; reports missing visual ones, and suspicious sizes. */
export function examineMeshes(
  links: readonly LinkDescription[],
  meshes: MeshStore,
  findings: Findings,
  { fit = false, concave = false, cut }: Pick<DoctorOptions, 'fit' | 'concave' | 'cut'>,
): LinkDescription[] {
  const sizes: { link: LinkDescription; shape: ShapeDescription; size: number }[] = []
  const oddCase: Case[] = []
  const elsewhere: Case[] = []
  const mended: Case[] = []
  const thinned: Case[] = []
  const fits: Case[] = []
  const solids: Case[] = []
  const open: Case[] = []
  const cuts: Case[] = []
  const isReadable = (link: LinkDescription, shape: ShapeDescription): boolean => {
    if (shape.geometry.type === 'mesh') {
      const { shape: hull, problem, warnings, thinned: thin } = meshes.hull(shape.geometry, shape.place)
      if (!hull && problem) {
        const what = `<mesh> in the <collision> of link ${quote(link.name)}`
        findings.repair(problem.code, shape.place, what, problem.message, `The collision is left out. ${problem.remedy}`)
        return false
      }
      const found = problem && { place: shape.place, name: link.name, message: problem.message }
      if (found) (problem.code === 'mesh-elsewhere' ? elsewhere : oddCase).push(found)
      const { filename } = shape.geometry
      if (thin) {
        const { corners, kept, deviation, relative } = thin
        const figures = `${(1000 * deviation).toPrecision(2)} mm, ${(100 * relative).toPrecision(2)} % of its size`
        const message = `${shown(filename)}: its hull has ${corners} corners; with ${kept} of them it is ${figures}, smaller.`
        thinned.push({ place: shape.place, name: link.name, message })
      }
      for (const warning of warnings)
        mended.push({ place: shape.place, name: link.name, message: `${shown(filename)}: ${warning}.` })
    }
    const solid = shapeOf(shape, meshes)
    if (solid) sizes.push({ link, shape, size: diagonalOf(solid) })
    return true
  }
  const kept = links.map((link) => {
    const collisions = link.collisions
      .filter((shape) => isReadable(link, shape))
      .map((shape) => fitted(link, meshes.refound(shape), meshes, fit, fits))
      .map((shape) => (concave ? asSolid(link, shape, { meshes, concave, solids, open }) : shape))
      .flatMap((shape) => (cut ? partsOf(link, shape, meshes, cut, cuts) : shape))
    const visuals = link.visuals.map((shape) => meshes.refound(shape))
    return { ...link, visuals, collisions }
  })
  report(findings, kindOf('mesh-case'), oddCase)
  report(findings, kindOf('mesh-elsewhere'), elsewhere)
  report(findings, kindOf('mesh-mended'), mended)
  // each has figures of its own
  for (const one of thinned) report(findings, thinnedKind, [one])
  for (const one of fits) report(findings, fit ? fittedKind : fitsKind, [one])
  for (const one of solids) report(findings, solidKind, [one])
  report(findings, kindOf('mesh-open'), open)
  for (const one of cuts) report(findings, cutKind, [one])
  examineVisuals(links, meshes, findings)
  examineSizes(sizes, findings)
  return kept
}

const kindOf = kindsOf(`
warning mesh-case | <mesh> in the <collision> of link | the meshes are there only in another letter case. | Used; correct the letter case.
repair mesh-elsewhere | <mesh> in the <collision> of link | meshes are not where the file says; for each, one file near the robot has a path that ends like it. | Used; correct the references.
warning mesh-open | <mesh> in the <collision> of link | concave meshes bound no solid. | They stay their hulls; close them where they are drawn, or cut them.
info mesh-mended | <mesh> in the <collision> of link | parts of the meshes were passed by. | The rest is used.
warning mesh-remote | <mesh> in the <visual> of link | the meshes are not on this machine. | Not shown.
warning mesh-scale | <collision> of link | shapes far larger than the other parts of the robot. | Used as they are; if they are drawn in millimetres, set scale="0.001 0.001 0.001".
`)

/** A kind for replacements of meshes: each place is reported by itself. */
const inPlaceOf = (code: string, remedy: string) =>
  ({ severity: 'info', code, element: '<mesh> in the <collision> of link', message: '', remedy }) as const

const thinnedKind = inPlaceOf(
  'hull-thinned',
  `Corners beyond ${hullCorners} that change a hull by less than ${100 * hullError} % are left out; a coarser mesh or a plain shape costs less.`,
)
const fitsKind = inPlaceOf('mesh-fits', '--fit uses the plain shape.')
const fittedKind = inPlaceOf('mesh-fitted', 'Used in place of the mesh, as asked.')
const solidKind = inPlaceOf('mesh-concave', 'Kept as the solid that it bounds, as asked.')
const cutKind = inPlaceOf('mesh-cut', 'Cut as asked.')

/** The shape with a primitive in place of its mesh, if requested and one is near enough. Boxes are no better than hulls. */
function fitted(link: LinkDescription, shape: ShapeDescription, meshes: MeshStore, fit: boolean, fits: Case[]): ShapeDescription {
  const { geometry, place } = shape
  if (geometry.type !== 'mesh') return shape
  const near = meshes.fit(geometry, place)
  if (!near || (!fit && near.geometry.type === 'box')) return shape
  const { type } = near.geometry
  const figures = `${(1000 * near.deviation).toPrecision(2)} mm, ${(100 * near.relative).toPrecision(2)} % of its size`
  fits.push({ place, name: link.name, message: `${shown(geometry.filename)} is a ${type} to ${figures}.` })
  return fit ? { ...shape, geometry: near.geometry, origin: poseToOrigin(compose(poseOfOrigin(shape.origin), near.pose)) } : shape
}

/** The shape, marked as a solid where its mesh is concave and closed. */
function asSolid(
  link: LinkDescription,
  shape: ShapeDescription,
  to: { readonly meshes: MeshStore; readonly concave: true | number; readonly solids: Case[]; readonly open: Case[] },
): ShapeDescription {
  const { meshes, concave, solids, open } = to
  const { geometry, place } = shape
  const solid = geometry.type === 'mesh' ? meshes.solid(geometry, place, concave) : undefined
  if (geometry.type !== 'mesh' || solid === undefined) return shape
  if (solid.shape === undefined) {
    open.push({ place, name: link.name, message: `${shown(geometry.filename)}: ${solid.reason}.` })
    return shape
  }
  const { triangles } = solid.shape.mesh
  const figures = `${triangles.length / 3} triangles, which fill ${(100 * solid.volume).toFixed(1)} % of its hull`
  solids.push({ place, name: link.name, message: `${shown(geometry.filename)}: ${figures}.` })
  return { ...shape, geometry: { ...geometry, concave } }
}

/** The shape, or convex parts in its place where its mesh is concave. */
function partsOf(link: LinkDescription, shape: ShapeDescription, meshes: MeshStore, cut: ConvexCutter, cuts: Case[]) {
  const { geometry, place, name } = shape
  const cutting = geometry.type === 'mesh' ? meshes.parts(geometry, place, cut) : undefined
  if (geometry.type !== 'mesh' || !cutting) return [shape]
  const { parts, volume, meshVolume } = cutting
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const itself = meshVolume === undefined ? 'it is not closed' : `it fills ${percent(meshVolume)}`
  const made =
    parts.length === 0 ? 'it could not be cut and stays its hull' : `${parts.length} parts fill ${percent(volume)} of its hull`
  cuts.push({ place, name: link.name, message: `${shown(geometry.filename)}: ${made}; ${itself}.` })
  if (parts.length === 0) return [shape]
  return parts.map((points, k) => ({
    ...shape,
    name: name === '' ? '' : `${name}/${k + 1}`,
    geometry: { type: 'points' as const, points: [...points] },
  }))
}

function examineVisuals(links: readonly LinkDescription[], meshes: MeshStore, findings: Findings): void {
  const cases = {
    'mesh-missing': [] as Case[],
    'mesh-remote': [] as Case[],
    'mesh-case': [] as Case[],
    'mesh-elsewhere': [] as Case[],
  }
  let remedy: string | undefined
  const missing = new Set<string>()
  for (const { name, visuals } of links) {
    for (const { geometry, place } of visuals) {
      if (geometry.type !== 'mesh') continue
      const { problem } = meshes.find(geometry, place)
      if (!problem) continue
      if (problem.code === 'mesh-missing') {
        missing.add(geometry.filename)
        remedy ??= problem.remedy
      }
      cases[problem.code as keyof typeof cases]?.push({ place, name, message: problem.message })
    }
  }
  const element = '<mesh> in the <visual> of link'
  const files = [...missing].map(shown)
  report(
    findings,
    {
      severity: 'warning',
      code: 'visual-mesh-missing',
      element,
      message: `${files.length === 1 ? `${files[0]} was` : `${files.length} meshes were`} not found${files.length === 1 ? '' : `, the first is ${files[0]}`}.`,
      remedy: `Not shown, which changes no motion. ${remedy}`,
    },
    cases['mesh-missing'],
  )
  report(findings, kindOf('mesh-remote'), cases['mesh-remote'])
  report(findings, { ...kindOf('mesh-case'), element }, cases['mesh-case'])
  report(findings, { ...kindOf('mesh-elsewhere'), severity: 'warning', element }, cases['mesh-elsewhere'])
}

function examineSizes(
  sizes: readonly { readonly link: LinkDescription; readonly shape: ShapeDescription; readonly size: number }[],
  findings: Findings,
): void {
  const sorted = sizes.map(({ size }) => size).sort((a, b) => a - b)
  const usual = sorted[Math.floor((sorted.length - 1) / 2)]
  const cases = sizes.flatMap(({ link: { name }, shape: { place, geometry }, size }): Case[] => {
    const tooLarge = size > suspiciousSize || (sizes.length > 2 && usual > 0 && size > suspiciousRatio * usual)
    if (!tooLarge) return []
    const what = geometry.type === 'mesh' ? meshName(geometry) : `the ${geometry.type}`
    return [{ place, name, message: `${what} measures ${Number(size.toPrecision(3))} m across, ${sizeBeside(size, usual)}.` }]
  })
  report(findings, kindOf('mesh-scale'), cases)
}

const meshName = ({ filename, scale }: MeshDescription) => `${shown(filename)} at scale ${scale.join(' ')}`

function sizeBeside(size: number, usual: number): string {
  return size > suspiciousRatio * usual ? `other parts ${Number(usual.toPrecision(3))} m` : 'more than a robot does'
}

const identity = { R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p: new Float64Array(3) }

function diagonalOf(shape: Shape): number {
  const { low, high } = boundsOf([{ shape, ...identity }])
  return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2])
}
