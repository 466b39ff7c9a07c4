/** A comparison that is run again from its report alone. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { BundleError, bundleIn, bundleOf, layOut, packBundle, unpackBundle } from '../../compare/judge/bundle.ts'
import { compare, resultsFile } from '../../compare/judge/compare.ts'
import { reportOf } from '../../compare/report/report.ts'
import { checkSent, parseScenario } from '../../compare/scenario/index.ts'
import { type RobotCache, resolvePaths, takenFromFile } from '../../compare/scenario/world/files.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-bundle-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, text: string) => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), text)
}

const tetrahedron = `solid t
${[
  ['0 0 0', '0 .1 0', '.1 0 0'],
  ['0 0 0', '.1 0 0', '0 0 .1'],
  ['0 0 0', '0 0 .1', '0 .1 0'],
  ['.1 0 0', '0 .1 0', '0 0 .1'],
]
  .map((corners) => `facet normal 0 0 0\nouter loop\n${corners.map((c) => `vertex ${c}`).join('\n')}\nendloop\nendfacet`)
  .join('\n')}
endsolid t`

// a package with a xacro that includes another, and a mesh by package://; a controller with an import; a mesh of a body
write('home/pkg/package.xml', '<package><name>pkg</name></package>')
write('home/pkg/meshes/t.stl', tetrahedron)
write('home/pkg/meshes/unused.stl', tetrahedron)
write(
  'home/pkg/urdf/sizes.xacro',
  '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="mass" value="2"/></robot>',
)
write(
  'home/pkg/urdf/arm.xacro',
  `<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="$(find pkg)/urdf/sizes.xacro"/>
<link name="foot"><inertial><mass value="\${mass}"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="package://pkg/meshes/t.stl"/></geometry></collision></link>
<link name="lever"><inertial><origin xyz="0 0 .1"/><mass value=".5"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="foot"/><child link="lever"/><axis xyz="0 1 0"/></joint></robot>`,
)
write('home/scripts/gain.ts', 'export const gain = 0.7')
write(
  'home/scripts/push.ts',
  `import { gain } from './gain.ts'
import { sin } from 'featherbed/dynamics'
export default { init: () => new Float64Array(1), update({ memory, t }: any) { memory[0] = gain * sin(9 * (t?.[0] ?? 0)); return memory } }`,
)
write('home/scenes/stone.stl', tetrahedron)
write(
  'home/scenes/scene.yaml',
  `name: all kinds of files
robot: ../pkg/urdf/arm.xacro
controller: { file: ../scripts/push.ts }
bodies: [{ name: stone, shape: { type: hull, file: stone.stl }, mass: 1, position: [0.5, 0, 0.05] }]
models: [penalty, stewart-trinkle]
dt: 5 ms
duration: 50 ms
start: { position: [0, 0, 0.01] }`,
)

const path = join(folder, 'home/scenes/scene.yaml')
const scenario = resolvePaths(await parseScenario(readFileSync(path, 'utf8'), path), path)
const robots: RobotCache = new Map()
const comparison = await compare(scenario, { timing: false, threads: 0, robots })
const made = { command: 'featherbed compare scene.yaml', featherbed: '9.9.9' }
const bundle = await bundleOf([scenario], [comparison.results], robots, { ...made, sources: [path] })
const text = packBundle(bundle)

describe('a bundle', () => {
  test('holds every file that was read, and no other, under names without this machine', async () => {
    expect([...bundle.files.keys()].sort()).toEqual([
      'controllers/0/gain.ts',
      'controllers/0/push.ts',
      'parts/1/stone.stl',
      'robots/0/pkg/meshes/t.stl',
      'robots/0/pkg/package.xml',
      'robots/0/pkg/urdf/arm.xacro',
      'robots/0/pkg/urdf/sizes.xacro',
      'scenarios/0/scene.yaml',
    ])
    expect(bundle.missing).toEqual([])
    expect(JSON.stringify(bundle.scenarios)).not.toContain(folder)
    // the program that another engine ran in is one of this machine
    const real = { name: 'MuJoCo 3', options: { python: join(folder, 'python') } } as never
    expect(
      JSON.stringify((await bundleOf([{ ...scenario, models: [real] }], [], robots, { ...made, sources: [] })).scenarios),
    ).not.toContain(folder)
  })

  test('runs again where none of its files are, to the same bits', async () => {
    expect(comparison.results.runs.map(({ status, failure }) => failure ?? status)).toEqual(['ok', 'ok'])
    rmSync(join(folder, 'home'), { recursive: true })
    const document = resultsFile([comparison], { command: made.command, load: { processors: 2, load: 0 } })
    const page = reportOf(document, [comparison.plots], { ...bundle, text })
    const found = bundleIn(page) as string
    expect(found).toBe(text)
    expect(bundleIn(JSON.stringify({ ...document, bundle: text }))).toBe(text)
    const elsewhere = join(folder, 'elsewhere')
    const [again] = await layOut(unpackBundle(found), elsewhere)
    const { results } = await compare(again, { timing: false, threads: 0 })
    expect(results.runs.map(({ hash }) => hash)).toEqual(comparison.results.runs.map(({ hash }) => hash))
    expect(bundle.ends[0].map(({ hash }) => hash)).toEqual(comparison.results.runs.map(({ hash }) => hash))
  })

  test('keeps numbers that JSON has not', () => {
    const odd = { ...scenario, limits: { ...scenario.limits, energy: Infinity, tracking: -0 } }
    const { limits } = unpackBundle(packBundle({ ...bundle, scenarios: [odd] })).scenarios[0]
    expect([limits.energy, limits.tracking]).toEqual([Infinity, -0])
  })
})

describe('a bundle that was changed', () => {
  const withFile = (name: string) => packBundle({ ...bundle, files: new Map([[name, new Uint8Array(1)]]) })

  test.each(['../out', '/etc/passwd', 'a/../../out', 'a//b', 'C:\\out', 'a/./b', ''])(
    'names no file outside its folder: %j',
    (name) => {
      expect(() => unpackBundle(withFile(name))).toThrow(BundleError)
    },
  )

  test('that lacks a part is refused', async () => {
    for (const part of [{ scenarios: undefined }, { ends: undefined }, { ends: [[null]] }, { missing: undefined }])
      expect(() => unpackBundle(packBundle({ ...bundle, ...part } as never))).toThrow(/lacks its scenarios/)
    const empty = unpackBundle(packBundle({ ...bundle, scenarios: [{}] } as never))
    await expect(layOut(empty, join(folder, 'empty'))).rejects.toThrow(/its scenarios cannot be read/)
  })

  test('with a file that cannot be written is refused', async () => {
    const one = new Uint8Array(1)
    for (const names of [['a', 'a/b'], ['x'.repeat(900)]]) {
      const changed = unpackBundle(packBundle({ ...bundle, files: new Map(names.map((name) => [name, one])) }))
      await expect(layOut(changed, mkdtempSync(join(folder, 'odd-')))).rejects.toThrow(/its file ".*" cannot be written/)
    }
  })

  test('that is cut off, of another version or no bundle at all is refused', () => {
    expect(() => unpackBundle(text.slice(0, 200))).toThrow(BundleError)
    expect(() => unpackBundle('')).toThrow(BundleError)
    const head = Buffer.from(JSON.stringify({ version: 99, featherbed: '5.0.0', files: [] }))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(head.length)
    expect(() => unpackBundle(deflateRawSync(Buffer.concat([length, head])).toString('base64'))).toThrow(/version 99.*5\.0\.0/)
  })

  test('whose scenario names a file that it does not hold is refused, not looked up on this disk', async () => {
    const other = { ...bundle, scenarios: [{ ...scenario, robots: ['/etc/passwd'] }] }
    await expect(layOut(other, join(folder, 'third'))).rejects.toThrow(BundleError)
    expect(readdirSync(folder)).toContain('third')
  })
})

test('scenarios of the examples, their variants included, come out of a bundle as they went in', async () => {
  const root = fileURLToPath(new URL('../../docs/examples', import.meta.url))
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const all = names
    .filter((name) => name.endsWith('.yaml') && !/trot-policy|kubernetes|compose|ci-matrix|identify/.test(name))
    .map((name) => join(root, name))
  expect(all.length).toBeGreaterThan(50)
  for (const path of all) {
    const scenario = await takenFromFile(
      await parseScenario(readFileSync(path, 'utf8'), path).then((own) => resolvePaths(own, path)),
    )
    expect(await checkSent(structuredClone(scenario))).toEqual(scenario)
  }
})

test('a scenario or a page of something else holds no bundle', () => {
  expect(bundleIn('robot: diffdrive')).toBeUndefined()
  expect(bundleIn('{"robot": "diffdrive"}')).toBeUndefined()
  expect(bundleIn('<html></html>')).toBeUndefined()
})
