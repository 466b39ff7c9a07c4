import type { FrameDescription, RobotDescription, SemanticDescription } from '../description.ts'
import { Reader } from '../elements/index.ts'
import { countOf } from '../files/includes.ts'
import type { Resolver } from '../files/resolve.ts'
import { readMaterials } from '../looks/mjcf.ts'
import { checkCount } from '../urdf/tree.ts'
import type { XmlElement } from '../xml.ts'
import { type Bodies, BodyReader } from './bodies.ts'
import { findContradictions } from './contradictions.ts'
import { Defaults, withIncludes } from './document.ts'
import { readFreeBodies } from './freeBodies.ts'
import { readHeightFields } from './geoms.ts'
import { readMedium } from './medium.ts'
import { readMeshes } from './meshAssets.ts'
import { readOptions } from './options.ts'
import { RelationReader, readPairs } from './relations.ts'
import { mjcfVocabulary } from './schema.ts'
import { readSensors } from './sensors.ts'

export interface DescribedMjcf {
  /** The file's elements, with included ones. */
  readonly root: XmlElement
  readonly description: RobotDescription
  /** Its keyframes as named poses. */
  readonly semantic: SemanticDescription
}

/**
 * Reads MJCF, MuJoCo's format: bodies become links, and each joint between body and parent one of our joints with massless frames
 * between them, so that coordinates are those of MuJoCo. Geoms of the world are surroundings; joints that an equality couples to
 * another follow it; points and welds are loops. Anything without a counterpart is a repair that names it.
 *
 * @throws RobotError with every error of the file
 */
export function describeMjcf(
  source: XmlElement,
  file: string,
  resolver?: Resolver,
  { maxLinks = 1000 }: { readonly maxLinks?: number } = {},
): DescribedMjcf {
  const root = withIncludes(source, file, resolver)
  const reader = new Reader()
  const { account, findings } = reader
  // a body is a link at least, before there are copies
  checkLinks(reader, root, Math.max(1, countOf(root, 'body')), maxLinks)
  account.use(root)
  findContradictions(reader, root)
  const defaults = new Defaults(
    reader,
    root.children.filter(({ name }) => name === 'default'),
  )
  const compiler = readOptions(reader, root)
  const meshes = readMeshes(reader, root, defaults, compiler, file, resolver)
  const pairs = compiler.off.has('contact') ? new Map() : readPairs(reader, defaults, root)
  const looks = readMaterials(root, defaults, compiler)
  const context = { compiler, meshes, looks, heightFields: readHeightFields(reader, root), pairs }
  const bodies = new BodyReader(reader, defaults, compiler, context).read(root)
  // the following stages compare them with each other
  checkLinks(reader, root, bodies.links.length, maxLinks)
  const relations = new RelationReader(reader, defaults, root, bodies, compiler)
  relations.readTendons()
  const loops = relations.readEqualities()
  const actuators = relations.readActuators()
  const { paths: tendons, controls } = relations
  const fluid = readMedium(reader, compiler.options, bodies.elements.immersed)
  const tendonsOf = [...bodies.elements.tendons, ...relations.descriptions]
  const measured = { root, bodies, tendons, actuators, magnetic: compiler.magnetic, hasLoops: loops.length > 0 }
  const sensors = readSensors(reader, measured)
  const freeBodies = readFreeBodies(bodies.joints, actuators, relations.descriptions)
  const disabledCollisions = relations.readContacts()
  const poses = relations.readKeyframes()
  const frames = renamed(bodies)
  const tags = account.settle(root, mjcfVocabulary, findings, 'mjcf-unsupported', (element) => defaults.lastFilled(element))
  reader.finish()
  const description: RobotDescription = {
    name: root.attributes.model ?? '',
    file,
    place: root,
    links: bodies.links,
    joints: bodies.joints,
    freeBodies,
    frames,
    root: 'world',
    worldUndeclared: true,
    disabledCollisions,
    selfCollide: new Map(),
    selfCollision: compiler.filterParent ? 'all-but-parent' : 'all',
    surroundings: bodies.surroundings,
    actuators,
    ...(controls.length > 0 && { controls }),
    ...(sensors.length > 0 && { sensors }),
    loops,
    ...(tendonsOf.length > 0 && { tendons: tendonsOf }),
    ...(relations.lengths.length > 0 && { lengths: relations.lengths }),
    ...(fluid && { fluid }),
    gravity: compiler.gravity,
    solver: compiler.solver,
    tags,
    diagnostics: findings.list,
  }
  const none = { used: [], carried: [], ignored: [] }
  return { root, description, semantic: { disabledCollisions: [], poses, virtualJoints: [], tags: none, diagnostics: [] } }
}

/** @throws RobotError with all findings so far, if there are too many, or none */
function checkLinks(reader: Reader, root: XmlElement, links: number, maxLinks: number): void {
  const bare = 'it has no <body>, so there is no robot in it.'
  const isLoadable = checkCount(reader.findings, root, '<mujoco>', links, maxLinks, bare, 'Load the file that includes it.')
  if (!isLoadable) reader.finish()
}

/** Its frames, under names that no link has. */
function renamed({ links, frames }: Bodies): FrameDescription[] {
  const taken = new Set(links.map(({ name }) => name))
  const copies = new Map<string, number>()
  return frames.map((frame) => {
    let { name } = frame
    let n = copies.get(name) ?? 0
    while (taken.has(name)) name = `${frame.name}_site${++n === 1 ? '' : `_${n}`}`
    copies.set(frame.name, n)
    taken.add(name)
    return { ...frame, name }
  })
}
