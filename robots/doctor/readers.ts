import type { MeshStore } from '../compile/meshStore.ts'
import type { JointDescription, LinkDescription, RobotDescription } from '../description.ts'
import { Findings } from '../diagnostics.ts'
import { extensionOf } from '../meshes/index.ts'
import type { Diagnostic } from '../robot.ts'
import type { XmlElement } from '../xml.ts'
import { type Case, report } from './gather.ts'

/** The versions in which the readings of `rows` were seen, each by its command in docs/importers.md. */
const versions = {
  ...{ urdfdom: '3.0.1', sdformat: '12.3.0', DART: '6.20.0', Pinocchio: '4.1.0', Drake: '1.51.1', MuJoCo: '4.0.0' },
  ...{
    PyBullet: '3.2.7',
    Newton: '1.8.0',
    SAPIEN: '3.0.3',
    yourdfpy: '0.0.60',
    urchin: '0.0.30',
    kinpy: '0.6.1',
    ikpy: '4.2.1',
    pytransform3d: '3.17.0',
  },
  ...{ roboticstoolbox: '1.5.0', urdf_parser_py: '0.0.4', trimesh: '5.2.0' },
}
type Tool = keyof typeof versions

/** An element of a link or a joint, or the root. */
interface Part {
  readonly element: XmlElement
  readonly of: { readonly name: string } & Partial<Pick<JointDescription, 'type' | 'axis'> & Pick<LinkDescription, 'inertial'>>
  /** The child of the link or joint that it is or stands in; empty for these themselves. */
  readonly within: string
}

interface Source {
  /** Of URDF. */
  readonly version: number
  /** Links at a joint that moves, without mass of their own and of what is fixed behind them. */
  readonly massless: ReadonlySet<string>
  /** First characters of a mesh's file. */
  readonly headOf: (mesh: XmlElement) => string
}

/**
 * A property of elements with a tag that tools read otherwise. A finding is `tool: property reading. Remedy`; `has` may
 * return the wording of the property. Of a tool that refuses the file other readings are left out.
 */
type Row = readonly [
  element: string,
  property: string,
  remedy: string,
  has: (part: Part, source: Source) => boolean | string,
  ...readings: (readonly [reading: string, ...tools: Tool[]])[],
]

const child = (element: XmlElement, name: string) => element.children.find((one) => one.name === name)
const states = ({ attributes }: XmlElement, ...names: string[]) => names.every((name) => name in attributes)
const sides = ({ attributes }: XmlElement) => ['lower', 'upper'].filter((side) => side in attributes).length
const isRanged = ({ of: { type } }: Part) => type === 'revolute' || type === 'prismatic'
const isCollision = ({ element, within }: Part, format: RegExp) =>
  within === 'collision' && format.test(extensionOf(element.attributes.filename ?? ''))

const axisLength = ({ element: { attributes } }: Part) => {
  const length = Math.hypot(...(attributes.xyz ?? '1').trim().split(/\s+/).map(Number))
  return Math.abs(length - 1) > 1e-3 && `of length ${Number(length.toPrecision(4))}, so`
}
const otherUnit = ({ element }: Part, { headOf }: Source) => {
  if (extensionOf(element.attributes.filename ?? '') !== 'dae') return false
  const unit = /<unit\b[^<>]*?\smeter\s*=\s*["']([^"']+)/.exec(headOf(element).split('<library_')[0])?.[1] ?? '1'
  return Number(unit) !== 1 && `its unit of ${unit} m, applied here, is passed by, so`
}

const refused = 'the file is refused'
// biome-ignore format: a table, a row a property
const rows: readonly Row[] = [
  ['robot', 'of this version, so', 'State 1.0 where nothing of a later one is used.',
    ({ element }) => (element.attributes.version ?? '1.0') !== '1.0', [refused, 'urdfdom', 'sdformat', 'DART', 'urdf_parser_py']],
  ['<inertia> of link', 'without all of ixy, ixz and iyz', 'State them.', ({ element }) => !states(element, 'ixy', 'ixz', 'iyz'),
    ['the link has inertia 0 and loses its shapes', 'urdfdom', 'sdformat', 'DART', 'Pinocchio'],
    [refused, 'MuJoCo', 'SAPIEN', 'urchin', 'kinpy', 'roboticstoolbox', 'urdf_parser_py']],
  ['<inertial> of link', 'without <mass> or <inertia>', 'State both.', ({ element }) => !(child(element, 'mass') && child(element, 'inertia')),
    ['the link loses its shapes', 'urdfdom', 'sdformat', 'DART', 'Pinocchio'],
    ['it has the inertia of its shapes in water', 'Newton'],
    [refused, 'MuJoCo', 'PyBullet', 'SAPIEN', 'urchin', 'roboticstoolbox']],
  ['link', 'without <inertial>', 'State one.', ({ element, of }) => of.name !== 'world' && !child(element, 'inertial'),
    ['it weighs 1 kg', 'PyBullet', 'DART', 'urchin']],
  ['link', 'without <inertial>, with shapes, so', 'State one.',
    ({ element, of }) => of.name !== 'world' && !child(element, 'inertial') && child(element, 'collision') !== undefined,
    ['it weighs what they do in water', 'MuJoCo', 'Newton', 'SAPIEN']],
  ['link', 'without mass at a joint that moves', 'State a mass; a gram will do.', ({ of }, { massless }) => massless.has(of.name),
    ['it is left out with its joints and all links behind it', 'sdformat']],
  ['<inertial> of link', 'of mass 0 with an inertia, so', 'State a mass, or an inertia of 0.',
    ({ of: { inertial } }) => inertial?.mass === 0 && inertial.inertia.some((one) => one !== 0),
    ['a ball of 1 kg is put in', 'Drake']],
  ['<capsule> of link', 'before version 1.1', 'Write a cylinder and two spheres.', (_, { version }) => version < 1.1,
    ['it is lost with the shapes of the link behind it', 'urdfdom', 'sdformat', 'DART'],
    ['all collision shapes of the link are lost', 'Pinocchio']],
  ['<capsule> of link', 'no shape there, so', 'Write a cylinder and two spheres.', () => true,
    [refused, 'yourdfpy', 'urchin', 'kinpy', 'roboticstoolbox', 'urdf_parser_py']],
  ['<mesh> of link', 'of this format, so', 'Convert it to OBJ.', (part) => isCollision(part, /^(stl|dae|ply|glb)$/), [refused, 'Drake']],
  ['<mesh> of link', 'of this format, so', 'Convert it to OBJ.', (part) => isCollision(part, /^(dae|ply|glb)$/), [refused, 'MuJoCo']],
  ['<mesh> of link', 'of this format, so', 'Convert it to OBJ.', (part) => isCollision(part, /^(ply|glb)$/), [refused, 'PyBullet']],
  ['<mesh> of link', 'in text, so', 'Write the STL in binary.',
    (part, { headOf }) => isCollision(part, /^stl$/) && /^\s*solid\s[^\0]*?\sfacet\s/.test(headOf(part.element)),
    ['the shape is left out', 'PyBullet'], [refused, 'MuJoCo']],
  ['<mesh> of link', '', 'Export it in metres.', otherUnit, ['its numbers are taken as they are', 'Pinocchio', 'Newton', 'trimesh', 'yourdfpy', 'urchin']],
  ['joint', 'without <limit>', 'State one, or type continuous.', (part) => isRanged(part) && !child(part.element, 'limit'),
    [refused, 'urdfdom', 'sdformat', 'DART', 'Pinocchio', 'PyBullet', 'SAPIEN', 'urchin', 'roboticstoolbox']],
  ['<limit> of joint', 'without effort or velocity', 'State both.', ({ element }) => !states(element, 'effort', 'velocity'),
    [refused, 'urdfdom', 'sdformat', 'DART', 'urchin', 'kinpy', 'roboticstoolbox', 'urdf_parser_py']],
  ['<limit> of joint', 'without effort or velocity', 'State both.',
    ({ element }, { version }) => version < 1.2 && !states(element, 'effort', 'velocity'), [refused, 'Pinocchio']],
  ['<limit> of joint', 'without lower and upper', 'State both, or type continuous.',
    (part, { version }) => version < 1.2 && isRanged(part) && sides(part.element) === 0,
    ['the joint is locked at 0', 'sdformat', 'DART', 'Pinocchio', 'urdf_parser_py']],
  ['<limit> of joint', 'without lower or upper', 'State both.', (part, { version }) => version < 1.2 && isRanged(part) && sides(part.element) === 1,
    ['that side is free', 'Drake', 'Newton', 'SAPIEN', 'ikpy', 'pytransform3d'], ['both sides are free', 'MuJoCo']],
  ['<limit> of joint', 'without lower or upper', 'State both.', ({ element, of }) => of.type === 'revolute' && sides(element) < 2,
    ['the joint goes from -pi to pi', 'roboticstoolbox']],
  ['<limit> of joint', 'without lower or upper', 'State both.', ({ element, of }) => of.type === 'prismatic' && sides(element) < 2,
    [refused, 'roboticstoolbox']],
  ['<limit> of joint', 'without upper', 'State it.', (part) => isRanged(part) && sides(part.element) === 1 && states(part.element, 'lower'),
    ['it is -1', 'PyBullet']],
  ['<limit> of joint', 'of a continuous joint, so', 'Leave out lower and upper, or type revolute.',
    ({ element, of }) => of.type === 'continuous' && sides(element) === 2,
    ['its range is kept', 'Drake', 'Newton', 'pytransform3d', 'roboticstoolbox']],
  ['<safety_controller> of joint', 'without k_velocity', 'State it.', ({ element }) => !states(element, 'k_velocity'),
    [refused, 'urdfdom', 'sdformat', 'DART', 'Pinocchio', 'SAPIEN', 'urchin', 'kinpy', 'roboticstoolbox', 'urdf_parser_py']],
  ['<axis> of joint', '', 'Write it at length 1.', (part) => part.of.type === 'prismatic' && axisLength(part),
    ['the joint travels that many times as far', 'PyBullet', 'yourdfpy', 'kinpy', 'ikpy']],
  ['<axis> of joint', '', 'Write it at length 1.', (part) => (part.of.type === 'revolute' || part.of.type === 'continuous') && axisLength(part),
    ['the rotation stretches', 'ikpy']],
  ['<mimic> of joint', 'passed by, so', 'Drive the joint as it says.', ({ of }) => of.type !== 'fixed',
    ['the joint moves on its own', 'sdformat', 'PyBullet', 'kinpy', 'ikpy', 'pytransform3d', 'roboticstoolbox'],
    ['the joint moves on its own, unless read with mimic=True', 'Pinocchio']],
  ['joint', 'planar, so', 'Write two prismatic joints and a continuous one.', ({ of }) => of.type === 'planar',
    [refused, 'sdformat', 'SAPIEN', 'kinpy', 'pytransform3d'], ['no chain leads through it', 'ikpy'],
    ['it is held fixed', 'roboticstoolbox'], ['it cannot turn', 'Newton']],
  ['joint', 'planar, and', 'Turn its <origin> so that the normal is z.', ({ of }) => of.type === 'planar' && of.axis![2] < 1,
    ['its normal is z, whatever the axis', 'Pinocchio', 'urchin']],
  ['joint', 'floating, so', 'Let the root float.', ({ of }) => of.type === 'floating',
    [refused, 'sdformat', 'SAPIEN', 'kinpy', 'pytransform3d'], ['no chain leads through it', 'ikpy'],
    ['it is held fixed', 'PyBullet', 'roboticstoolbox'], ["its link is free and begins at the world's origin", 'Drake']],
  ['joint', 'spherical, which is not of URDF, so', 'Write three revolute joints.', ({ of }) => of.type === 'spherical',
    [refused, 'urdfdom', 'sdformat', 'DART', 'Pinocchio', 'Drake', 'Newton', 'SAPIEN', 'urchin', 'kinpy', 'pytransform3d', 'roboticstoolbox', 'urdf_parser_py'],
    ['no chain leads through it', 'ikpy']],
]

function masslessLinks({ links, joints }: RobotDescription): ReadonlySet<string> {
  const masses = new Map(links.map(({ name, inertial }) => [name, inertial?.mass ?? 0]))
  const fixed = new Map<string, string[]>()
  const moving = new Set<string>()
  for (const { type, parent, child } of joints) {
    if (type === 'fixed') fixed.set(parent, [...(fixed.get(parent) ?? []), child])
    else moving.add(parent).add(child)
  }
  const hasMass = (link: string): boolean => masses.get(link) !== 0 || (fixed.get(link) ?? []).some(hasMass)
  return new Set([...moving].filter((link) => link !== 'world' && !hasMass(link)))
}

/** Children of links and joints that others read; elements of other programs may hold shapes too. */
const inner = ['inertial', 'visual', 'collision', 'limit', 'axis', 'mimic', 'safety_controller']

function partsOf(of: Part['of'], element: XmlElement, within = ''): Part[] {
  const known = element.children.filter(({ name }) => within !== '' || inner.includes(name))
  return [{ element, of, within }, ...known.flatMap((one) => partsOf(of, one, within || one.name))]
}

/** Parts of a URDF that other tools read otherwise, or for which they refuse it: a finding a tool and kind. @unchecked */
export function readOtherwise(
  { root, description }: { readonly root: XmlElement; readonly description: RobotDescription },
  meshes?: MeshStore,
): Diagnostic[] {
  if (root.name !== 'robot') return []
  const headOf = (mesh: XmlElement) => meshes?.headOf(mesh.attributes.filename ?? '', mesh) ?? ''
  const source = { version: Number(root.attributes.version ?? 1) || 1, massless: masslessLinks(description), headOf }
  const joints = description.joints.filter(({ place }) => (place as XmlElement).name === 'joint')
  const owners = [...description.links, ...joints].flatMap((of) => partsOf(of, of.place as XmlElement))
  const parts: Part[] = [{ element: root, of: description, within: '' }, ...owners]
  const readings = rows.flatMap(([element, common, remedy, has, ...byReading]) => {
    const tag = /\w+/.exec(element)![0]
    const casesOf = new Map<string, Case[]>()
    for (const part of parts) {
      const found = part.element.name === tag && has(part, source)
      if (found === false) continue
      const property = found === true ? common : found
      if (!casesOf.has(property)) casesOf.set(property, [])
      casesOf.get(property)!.push({ name: part.of.name, place: part.element, message: '' })
    }
    return [...casesOf].flatMap(([property, cases]) =>
      byReading.flatMap(([reading, ...tools]) => tools.map((tool) => ({ element, remedy, property, cases, reading, tool }))),
    )
  })
  const refusing = new Set(readings.filter(({ reading }) => reading === refused).map(({ tool }) => tool))
  const findings = new Findings()
  for (const { element, remedy, property, cases, reading, tool } of readings) {
    if (reading !== refused && refusing.has(tool)) continue
    const message = `${tool} ${versions[tool]}: ${property} ${reading}.`
    report(
      findings,
      { severity: 'info', code: 'read-otherwise', element, message, remedy },
      cases.map((one) => ({ ...one, message })),
    )
  }
  return findings.list
}
