/** Files outside its folder that an untrusted scenario, policy or robot names: none is read, and none gets into a report or a page. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundleIn, unpackBundle } from '../../compare/judge/bundle.ts'
import { unpackRun } from '../../compare/scenario/index.ts'
import { featherbed, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const at = (...parts: string[]) => join(folder.path, ...parts)
/** Text in every file outside the allowed folders. */
const canary = 'CANARY-7f3a'
const inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
const box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
const urdf = (name: string, more = '') => `<robot name="${name}"><link name="${name}">${inertial}${box}${more}</link></robot>`
const obj = (comment: string) => `# ${comment}\nv 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n`
const still = 'export default { init: ({ robot }) => new Float64Array(robot.joints.length), update: ({ memory }) => memory }'

beforeAll(() => {
  for (const path of ['private/.keys', 'sent/.hidden', 'sent/pkg/urdf', 'sent/pkg/meshes', 'allowed'])
    mkdirSync(at(path), { recursive: true })
  const write = (path: string, text: string) => writeFileSync(at(path), text)
  write('private/.keys/key', canary)
  write('private/notes.txt', canary)
  write('private/robot.urdf', urdf(canary))
  write('private/mesh.obj', obj(canary))
  write('private/names.srdf', `<robot name="sent"><group name="${canary}"/></robot>`)
  write('private/waypoints.csv', `t,${canary}\n0,0\n`)
  write('private/script.ts', `export const word = '${canary}'\n${still}`)
  write('private/data.json', `{ "word": "${canary}" }`)
  write('private/map.json', `{ "version": 3, "sources": ["${canary}"], "mappings": "AAAA;AAAA" }`)
  write('allowed/mesh.obj', obj('allowed'))
  write('sent/.hidden/mesh.obj', obj(canary))
  write('sent/robot.urdf', urdf('sent'))
  write('sent/own.obj', obj('own'))
  write('sent/still.ts', still)
  write('sent/picture.png', `\x89PNG ${canary}`)
  symlinkSync(at('private/mesh.obj'), at('sent/linked.obj'))
  symlinkSync(at('private'), at('sent/folder'))
})

const policy = (network: string) => `network: ${network}\nobservations: [{ of: joint positions }]\nactions: { joints: all }\n`

/** A scenario for a sent robot, and files beside it. */
function scene(yaml: string, files: Readonly<Record<string, string>> = {}): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(at('sent', name), text)
  writeFileSync(at('sent/scene.yaml'), `models: [penalty]\ndt: [2 ms]\nduration: 4 ms\n${yaml}`)
  return at('sent/scene.yaml')
}
const body = (file: string) =>
  `robot: robot.urdf\nbodies: [{ name: part, mass: 1, shape: { type: mesh, file: ${file} }, position: [1, 0, 1] }]\n`
const driven = (file: string) => `robot: gripper\ncontroller: ${file}\n`

const attempts: Record<string, { yaml: string; files?: Record<string, string> }> = {
  'a robot elsewhere': { yaml: 'robot: ../private/robot.urdf\n' },
  'a robot through a link to a folder': { yaml: 'robot: folder/robot.urdf\n' },
  'a robot by an absolute path': { yaml: 'robot: ABSOLUTE/robot.urdf\n' },
  'a companion elsewhere': { yaml: 'robot: robot.urdf\ncompanions: [{ name: other, robot: ../private/robot.urdf }]\n' },
  'an SRDF elsewhere': { yaml: 'robot: robot.urdf\nsrdf: ../private/names.srdf\n' },
  'a root elsewhere': { yaml: 'robot: robot.urdf\nroots: [../private]\n' },
  'a mesh elsewhere': { yaml: body('../private/mesh.obj') },
  'a mesh through a link': { yaml: body('linked.obj') },
  'a mesh through a linked folder': { yaml: body('folder/mesh.obj') },
  'a mesh in a hidden folder': { yaml: body('.hidden/mesh.obj') },
  'a mesh of a variant': { yaml: `${body('own.obj')}sweep: { bodies.part.shape.file: [own.obj, ../private/mesh.obj] }\n` },
  'a table of waypoints elsewhere': {
    yaml: 'robot: gripper\ncontroller: { name: hold, options: { trajectory: { file: ../private/waypoints.csv } } }\n',
  },
  'a script elsewhere': { yaml: driven('../private/script.ts') },
  'a script through a link': { yaml: driven('folder/script.ts') },
  'a network that is a key': { yaml: driven('policy.yaml'), files: { 'policy.yaml': policy('../private/.keys/key') } },
  'a network that is a device': { yaml: driven('policy.yaml'), files: { 'policy.yaml': policy('/dev/zero') } },
  'a network that is a text': { yaml: driven('policy.yaml'), files: { 'policy.yaml': policy('own.obj') } },
  "a companion's network": {
    yaml: 'robot: robot.urdf\ncompanions: [{ name: other, robot: gripper, controller: policy.yaml }]\n',
    files: { 'policy.yaml': policy('../private/.keys/key') },
  },
  'an import elsewhere': {
    yaml: driven('script.ts'),
    files: { 'script.ts': `import { word } from '../private/script.ts'\n${still}\nglobalThis.word = word` },
  },
  'an import through a link': {
    yaml: driven('script.ts'),
    files: { 'script.ts': `import data from './folder/data.json'\n${still}\nglobalThis.word = data` },
  },
  'an import by URL': {
    yaml: driven('script.ts'),
    files: { 'script.ts': `import data from 'file://ABSOLUTE/data.json'\n${still}\nglobalThis.word = data` },
  },
  'an import of Node': {
    yaml: driven('script.ts'),
    files: {
      'script.ts': `import { readFileSync } from 'node:fs'\nthrow new Error(readFileSync('ABSOLUTE/notes.txt', 'utf8'))\n${still}`,
    },
  },
  'a source map elsewhere': {
    yaml: driven('script.ts'),
    files: { 'script.ts': `${still}\nthrow new Error('no')\n//# sourceMappingURL=../private/map.json\n` },
  },
}

/** The files that a page, a report or results hold. */
async function heldIn(file: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const text = readFileSync(file, 'utf8')
  const run = /<script type="text\/plain" id="run">([^<]*)<\/script>/.exec(text)?.[1]
  if (run) return (await unpackRun(run))?.files ?? new Map()
  const bundle = bundleIn(text)
  return bundle === undefined ? new Map([[file, readFileSync(file)]]) : unpackBundle(bundle).files
}

/** Every word that a command said, wrote or packed. */
async function leftBy(answer: { stdout: string; stderr: string }, out: string): Promise<string> {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(html|json)$/.test(name))
  const texts = await Promise.all(
    files.map(async (name) => {
      const held = [...(await heldIn(join(out, name)))].map(([path, bytes]) => path + Buffer.from(bytes).toString('latin1'))
      return readFileSync(join(out, name), 'utf8') + held.join()
    }),
  )
  return [answer.stdout, answer.stderr, ...texts].join('\n')
}

describe.each(Object.entries(attempts))('%s', (_, { yaml, files = {} }) => {
  const placed = (text: string) => text.replaceAll('ABSOLUTE', at('private'))
  const open = () => scene(placed(yaml), Object.fromEntries(Object.entries(files).map(([name, text]) => [name, placed(text)])))
  test.each([
    ['a comparison of strangers', (file: string, out: string) => ['compare', file, '--untrusted', '--quiet', '--out', out]],
    ['a page', (file: string, out: string) => ['view', file, '--quiet', '--out', join(out, 'page.html')]],
  ])('is not in %s', async (_, words) => {
    const out = at('out')
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out)
    const answer = await featherbed(words(open(), out))
    expect(await leftBy(answer, out)).not.toContain(canary)
  })
})

test.each([
  ['robot: ../private/robot.urdf\n', /private\/robot\.urdf: it is hidden, or not below .*sent.*; --allow DIR opens another/],
  [body('.hidden/mesh.obj'), /\.hidden\/mesh\.obj: it is hidden/],
])('the error says which file, and how to open more: %#', async (yaml, text) => {
  const { code, stderr } = await featherbed(['view', scene(yaml), '--out', at('no.html')])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(text) })
})

test('what is allowed by name is opened, and --trust opens all', async () => {
  const file = scene(body('../allowed/mesh.obj'))
  const page = at('page.html')
  expect((await featherbed(['view', file, '--out', page, '--quiet'])).code).toBe(2)
  for (const how of [['--allow', at('allowed')], ['--trust']]) {
    expect(await featherbed(['view', file, '--out', page, '--quiet', ...how])).toMatchObject({ code: 0 })
    expect([...(await heldIn(page)).keys()].sort()).toEqual(['allowed/mesh.obj', 'sent/robot.urdf', 'sent/scene.yaml'])
  }
  expect((await featherbed(['compare', file, '--untrusted', '--allow', at('allowed'), '--quiet'])).code).toBe(0)
})

test('a page of a robot holds its files and its looks, and nothing else that lies there', async () => {
  const write = (path: string, text: string | Uint8Array) => writeFileSync(at('sent/pkg', path), text)
  write('package.xml', '<package><name>pkg</name></package>')
  write(
    'urdf/robot.urdf',
    `<robot name="r"><link name="a">${inertial}<visual><geometry><mesh filename="package://pkg/meshes/look.dae"/></geometry></visual>
      <visual><geometry><mesh filename="../meshes/notes.obj"/></geometry></visual>
      <collision><geometry><mesh filename="../meshes/hull.obj"/></geometry></collision></link></robot>`,
  )
  write('meshes/hull.obj', obj('hull'))
  write(
    'meshes/look.dae',
    '<COLLADA><library_images><image id="i"><init_from>skin.png</init_from></image></library_images></COLLADA>',
  )
  write('meshes/skin.png', Buffer.from('89504e470d0a1a0a', 'hex'))
  write('meshes/notes.obj', `${canary} is no mesh`)
  write('meshes/other.png', Buffer.from('89504e470d0a1a0a', 'hex'))
  write('accounts.xml', `<accounts>${canary}</accounts>`)
  mkdirSync(at('sent/pkg/.private'), { recursive: true })
  write('.private/keys.yaml', `key: ${canary}`)
  const page = at('robot.html')
  const { code, stderr } = await featherbed(['view', at('sent/pkg/urdf/robot.urdf'), '--out', page])
  expect(code).toBe(0)
  const names = ['meshes/hull.obj', 'meshes/look.dae', 'meshes/skin.png', 'package.xml', 'urdf/robot.urdf']
  expect([...(await heldIn(page)).keys()].sort()).toEqual(names)
  for (const name of names) expect(stderr).toContain(name)
})

test("a page holds what a companion's own arguments lead to", async () => {
  const include = (name: string) => `<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">${name}</robot>`
  writeFileSync(
    at('sent/arm.xacro'),
    include('<xacro:arg name="part" default="right"/><xacro:include filename="$(arg part).xacro"/>'),
  )
  for (const part of ['left', 'right'])
    writeFileSync(at(`sent/${part}.xacro`), include(`<link name="${part}">${inertial}${box}</link>`))
  const file = scene(
    'robot: robot.urdf\ncompanions: [{ name: other, robot: arm.xacro, xacro: { part: left }, position: [1, 0, 1] }]\n',
  )
  expect(await featherbed(['view', file, '--out', at('arm.html'), '--quiet'])).toMatchObject({ code: 0 })
  expect([...(await heldIn(at('arm.html'))).keys()].sort()).toEqual(['arm.xacro', 'left.xacro', 'robot.urdf', 'scene.yaml'])
})

test('a script that throws far down is told at its own line, with no source map but ours', async () => {
  const file = scene(driven('script.ts'), {
    'script.ts': `${still}\nthrow new Error('here')\n//# sourceMappingURL=data:application/json,{"version":3,"sources":["../private/notes.txt"],"mappings":"AAAA;AAAA"}\n`,
  })
  const { stdout } = await featherbed(['compare', file, '--untrusted', '--json', '--quiet'])
  expect(stdout).toMatch(/sent\/script\.ts:2:/)
  expect(stdout).not.toContain('notes.txt')
})
