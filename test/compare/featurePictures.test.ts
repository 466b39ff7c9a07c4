/** Feature contacts in pictures: of runs, and of the report. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { describePair, featurePairs, featurePicture } from '../../compare/picture/features.ts'
import { robotSheet } from '../../compare/picture/robotSheet.ts'
import { reportOf } from '../../compare/report/report.ts'
import { type Snapshot, takeSnapshot } from '../../compare/snapshot.ts'
import { contactRole, type FeatureMoment, featureKind } from '../../contact/index.ts'
import { createFreeBody, parseXml, type XmlElement } from '../../robots/index.ts'
import { createGround, World } from '../../simulation/index.ts'
import { featherbed, temporaryFolder } from './command.ts'
import { made } from './reportFixtures.ts'

function withClass(element: XmlElement, ...names: string[]): XmlElement[] {
  const own = (element.attributes.class ?? '').split(' ')
  const here = names.every((name) => own.includes(name)) ? [element] : []
  return [...here, ...element.children.flatMap((child) => withClass(child, ...names))]
}

/** A crate of 2 kg that lies on a step and reaches over its edge, turned by 30 degrees about z: on two corners and two crossings of edges. */
function lying(contactModel: string): World {
  const step = {
    name: 'step',
    body: 0,
    shape: { type: 'box', size: [0.6, 0.8, 0.1] },
    R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    p: Float64Array.of(-0.3, 0, 0.05),
  } as const
  const size = [0.3, 0.24, 0.16] as const
  const crate = createFreeBody({ name: 'crate', shape: { type: 'box', size }, mass: 2, position: [-0.05, 0.05, 0.1801] })
  const turned = Float64Array.from(crate.home)
  turned.set([0, 0, Math.sin(Math.PI / 12), Math.cos(Math.PI / 12)], 3)
  return new World({
    robots: [{ robot: crate, q: turned }],
    fixtures: [createGround(), step],
    contactModel,
    dt: 1e-3,
  })
}

let moment: FeatureMoment
let snapshot: Snapshot
beforeAll(() => {
  const world = lying('peg')
  for (let k = 0; k < 120; k++) world.step()
  snapshot = structuredClone(takeSnapshot(world))
  moment = snapshot.features as FeatureMoment
})

describe('a pair close up', () => {
  test('has a mark for each contact, by form and by what became of it', () => {
    const pairs = featurePairs(snapshot, moment)
    expect(pairs.flatMap(({ contacts }) => contacts).length).toBe(moment.count)
    const [pair] = pairs
    expect([pair.a, pair.b]).toEqual(['step', 'crate'])
    const root = parseXml(featurePicture(snapshot, moment, pair, { width: 400, height: 300 }, { id: 'p', title: 'p' }), 'p.svg')
    const count = (test: (i: number) => boolean) => pair.contacts.filter(test).length
    const { kind, role, force } = moment
    expect(withClass(root, 'f-contact')).toHaveLength(pair.contacts.length)
    expect(withClass(root, 'f-mark', 'bar')).toHaveLength(count((i) => kind[i] === featureKind.edgeEdge))
    expect(withClass(root, 'f-contact', 'pushing')).toHaveLength(count((i) => force[i] > 0))
    expect(withClass(root, 'f-contact', 'passed-by')).toHaveLength(count((i) => role[i] === contactRole.passedBy))
    expect(count((i) => force[i] > 0)).toBeGreaterThan(0)
  })

  test('forces that are told are those of the contacts, and carry the crate', () => {
    const [pair] = featurePairs(snapshot, moment)
    const root = parseXml(featurePicture(snapshot, moment, pair, { width: 400, height: 300 }, { id: 'p', title: 'p' }), 'p.svg')
    const told = withClass(root, 'f-label').map(({ text }) => Number.parseFloat(text))
    const most = Array.from(moment.force)
      .filter((force) => force > 0)
      .sort((p, q) => q - p)
    expect(told.length).toBe(Math.min(4, most.length))
    // to the three digits that are told
    told.sort((p, q) => q - p)
    for (const [k, force] of told.entries()) expect(Math.abs(force / most[k] - 1)).toBeLessThan(5e-3)
    // at rest; 1 % is more than what is left of settling
    const up = most.reduce((sum, force) => sum + force, 0)
    expect(Math.abs(up / (2 * 9.81) - 1)).toBeLessThan(0.01)
  })

  test('words tell what its constraints are of', () => {
    const [pair] = featurePairs(snapshot, moment)
    expect(describePair(pair, moment)).toMatch(
      /^\d+ contacts, .*(unilateral|inter-contact).* constraints? with \d+ members?; \d+ active, .* push/,
    )
  })

  test('members that one constraint joins have lines; the active member has a thick one', () => {
    const { count } = moment
    // three contacts in a row of one constraint: two members, the first of two contacts, of which the second member is active
    const joined: FeatureMoment = {
      ...moment,
      role: Uint8Array.from({ length: count }, (_, i) => (i === 2 ? contactRole.active : contactRole.passedBy)),
      constraints: {
        kind: Uint8Array.of(1),
        memberStart: Int32Array.of(0, 2),
        pushing: Int32Array.of(2),
        contactStart: Int32Array.of(0, 2, 3),
        contact: Int32Array.of(0, 1, 2),
      },
    }
    const [pair] = featurePairs(snapshot, joined)
    const root = parseXml(featurePicture(snapshot, joined, pair, { width: 400, height: 300 }, { id: 'p', title: 'p' }), 'p.svg')
    expect(withClass(root, 'f-link')).toHaveLength(4)
    expect(withClass(root, 'f-link', 'of-active')).toHaveLength(1)
    const crossing = { ...joined, constraints: { ...joined.constraints, kind: Uint8Array.of(2), pushing: Int32Array.of(0) } }
    const dashed = parseXml(
      featurePicture(snapshot, crossing, pair, { width: 400, height: 300 }, { id: 'p', title: 'p' }),
      'p.svg',
    )
    expect(withClass(dashed, 'f-link', 'cross')).toHaveLength(4)
  })

  test('an overlap has another colour than a gap', () => {
    const [pair] = featurePairs(snapshot, moment)
    for (const [gap, look] of [
      [0.01, 'f-gap'],
      [-0.01, 'f-overlap'],
    ] as const) {
      const moved = { ...moment, gap: new Float32Array(moment.count).fill(gap) }
      const root = parseXml(featurePicture(snapshot, moved, pair, { width: 400, height: 300 }, { id: 'p', title: 'p' }), 'p.svg')
      expect(withClass(root, look)).toHaveLength(pair.contacts.length)
    }
  })
})

describe('the sheet of a step', () => {
  test('shows the whole, each pair with its title, and what marks mean; the same bits each time', () => {
    const { svg, left } = robotSheet(snapshot, 'a <crate>', 'peg')
    const root = parseXml(svg, 'sheet.svg')
    expect(left).toBe(0)
    const pairs = featurePairs(snapshot, moment)
    expect(withClass(root, 'feature-picture')).toHaveLength(pairs.length)
    expect(withClass(root, 'pair-title').map(({ text }) => text)).toEqual(pairs.map(({ a, b }) => `${b} on ${a}`))
    expect(withClass(root, 'feature-legend')).toHaveLength(1)
    expect(withClass(root, 'head')[0].text).toBe('a <crate>')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    expect(robotSheet(snapshot, 'a <crate>', 'peg').svg).toBe(svg)
  })

  test('of a model that reads no features has forces alone', () => {
    const world = lying('penalty')
    for (let k = 0; k < 20; k++) world.step()
    const plain = takeSnapshot(world)
    expect(plain.features).toBeUndefined()
    const root = parseXml(robotSheet(plain, 'crate', 'penalty').svg, 'sheet.svg')
    expect(withClass(root, 'feature-picture')).toHaveLength(0)
    expect(withClass(root, 'feature-legend')).toHaveLength(0)
    expect(withClass(root, 'contact')).toHaveLength(plain.contacts.filter(({ force }) => Math.hypot(...force) > 0).length)
  })
})

describe('the report', () => {
  test('has close-ups of the models that read features, with a legend, and of no others', () => {
    const shown = made({ plotsOf: (model) => (model === 'rigid' ? { snapshots: [snapshot] } : {}) })
    const page = reportOf(shown.results, shown.plots, 'featherbed compare cart')
    const [, block] = /<details class="card feature-block">(.*?)<\/details>/s.exec(page) ?? []
    expect(block).toBeDefined()
    const pairs = Math.min(2, featurePairs(snapshot, moment).length)
    expect(block.match(/<figcaption>rigid: crate on step/g)).toHaveLength(1)
    expect(block.match(/<svg class="robot-picture feature-picture"/g)).toHaveLength(pairs)
    expect(block).toContain('aria-label="Legend of feature contacts"')
    expect(block).not.toContain('spring')

    const plain = made()
    expect(reportOf(plain.results, plain.plots, 'featherbed compare cart')).not.toContain('<details class="card feature-block">')
  })
})

describe('featherbed run --picture', () => {
  const folder = temporaryFolder()

  test('writes the step that ends at --at', async () => {
    const file = join(folder.path, 'step.svg')
    const words = ['run', 'diffdrive', '--model', 'peg', '--duration', '0.2', '--dt', '1 ms', '--no-timing', '--quiet']
    const { code, stderr } = await featherbed([...words, '--picture', file, '--at', '0.1'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const root = parseXml(readFileSync(file, 'utf8'), file)
    expect(withClass(root, 'sheet-words')[0].text).toContain('t = 0.1 s')
    // both wheels and the caster stand on the ground
    expect(withClass(root, 'feature-picture')).toHaveLength(3)
  })

  test('needs a file that can be written, and --at needs one of the files', async () => {
    const { code, stderr } = await featherbed(['run', 'diffdrive', '--picture', join(folder.path, 'no', 'where', 'step.svg')])
    expect(code).toBe(2)
    expect(stderr).toContain('--picture')
    expect((await featherbed(['run', 'diffdrive', '--at', '1'])).stderr).toContain('--picture')
  })
})
