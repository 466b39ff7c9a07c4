import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs, { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadRobotFile } from '../../robots/files.ts'
import { type Robot, RobotError } from '../../robots/index.ts'
import { codes, errorOf, inertial } from './lookalike.ts'

const mesh = 'solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n'
const xacro = (inside: string) =>
  `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${inside}<link name="a">${inertial}</link></robot>`
const urdf = (reference: string) =>
  `<robot name="r"><link name="a">${inertial}<collision><geometry><mesh filename="${reference}"/></geometry></collision></link></robot>`
/** A robot whose link is named after what a YAML file says. */
const named = (reference: string) =>
  `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="\${xacro.load_yaml('${reference}')['key']}">${inertial}</link></robot>`

let home = ''
const ownHome = process.env.HOME

function write(path: string, text: string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** What a robot's first link is called; the code of the first error if it does not load. */
function outcome(file: string, roots?: readonly string[]): string {
  try {
    return nameOf(loadRobotFile(file, { roots }))
  } catch (error) {
    if (!(error instanceof RobotError)) throw error
    return error.diagnostics.find(({ severity }) => severity === 'error')!.code
  }
}
const nameOf = ({ frames }: Robot) => frames[0].name

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'featherbed-home-')))
  process.env.HOME = home
  for (const path of ['.ssh/keys.yaml', 'taxes.yaml', 'Documents/notes.yaml', 'Downloads/beside.yaml', 'Downloads/.netrc.yaml'])
    write(path, 'key: found')
  write('Downloads/secret.txt', 'key: found')
  write('secret.stl', mesh)
  write('secret.xml', '<mujoco><worldbody><body name="found"><geom size="1"/></body></worldbody></mujoco>')
  write('secret.xacro', xacro('<link name="found"/>'))
  write('Documents/model.sdf', '<sdf version="1.9"><model name="found"><link name="l"/></model></sdf>')
  write('secret.bin', '\0'.repeat(1000))
})
afterAll(() => {
  process.env.HOME = ownHome
  rmSync(home, { recursive: true })
})

describe('a robot reads', () => {
  test('what lies beside its file, and no other folder of the home folder', () => {
    const load = (reference: string) => outcome(write('Downloads/r.xacro', named(reference)))
    expect(load('beside.yaml')).toBe('found')
    for (const reference of ['../.ssh/keys.yaml', '../taxes.yaml', '../Documents/notes.yaml', '.netrc.yaml', 'secret.txt'])
      expect([reference, load(reference)]).toEqual([reference, 'xacro-expression'])
  })

  test('in the home folder itself what is beside it and in meshes, nothing below', () => {
    const load = (reference: string) => outcome(write('r.xacro', named(reference)))
    expect(load('taxes.yaml')).toBe('found')
    for (const reference of ['.ssh/keys.yaml', 'Documents/notes.yaml', 'Downloads/beside.yaml'])
      expect([reference, load(reference)]).toEqual([reference, 'xacro-expression'])
    write('meshes/a.stl', mesh)
    expect(loadRobotFile(write('r.urdf', urdf('meshes/a.stl'))).shapes.length).toBe(1)
  })

  test('its own package, whatever is in it but hidden; of packages beside it what robots are made of', () => {
    for (const name of ['arm', 'hand']) write(`ws/${name}/package.xml`, `<package><name>${name}_description</name></package>`)
    for (const path of ['arm/config/a.txt', 'arm/.git/a.yaml', 'hand/config/a.yaml', 'hand/a.txt', 'loose/a.yaml', 'a.yaml'])
      write(`ws/${path}`, 'key: found')
    const load = (reference: string) => outcome(write('ws/arm/urdf/r.xacro', named(reference)))
    for (const reference of ['../config/a.txt', 'package://arm/config/a.txt', 'package://hand/config/a.yaml'])
      expect([reference, load(reference)]).toEqual([reference, 'found'])
    expect(load('package://hand_description/config/a.yaml')).toBe('found')
    for (const reference of ['package://hand/a.txt', '../../hand/a.txt', '../.git/a.yaml', '../../loose/a.yaml', '../../a.yaml'])
      expect([reference, load(reference)]).toEqual([reference, 'xacro-expression'])
  })

  test('without a package.xml, folders of meshes beside that of its file or one above', () => {
    write('plain/meshes/a.stl', mesh)
    write('plain/other/a.stl', mesh)
    const shapes = (reference: string) => loadRobotFile(write('plain/urdf/v2/r.urdf', urdf(reference))).shapes.length
    expect(['../../meshes/a.stl', 'package://plain/meshes/a.stl', '../../other/a.stl'].map(shapes)).toEqual([1, 1, 0])
  })

  test('without a package.xml, XML and meshes in the folder above that a path leads to, and nothing else there', () => {
    const body = '<worldbody><body name="found"><geom size="1"/></body></worldbody>'
    const mjcf = (inside: string) => `<mujoco>${inside}<worldbody><body><geom size="1"/></body></worldbody></mujoco>`
    for (const path of ['above.xml', 'other/deep/beside.xml', '.hidden/a.xml', 'a.txt'])
      write(`up/${path}`, `<mujoco>${body}</mujoco>`)
    write('outer.xml', `<mujoco>${body}</mujoco>`)
    write('up/a.yaml', 'key: found')
    write('up/a.stl', mesh)
    write('up/other/only.stl', mesh)
    const include = (reference: string) => outcome(write('up/scenes/s.xml', mjcf(`<include file="${reference}"/>`)))
    expect(['../above.xml', '../other/deep/beside.xml', '%2e%2e/above.xml', '..\\above.xml'].map(include)).toEqual(
      Array(4).fill('found'),
    )
    // by a link, hidden, of another kind, one folder further, without a path that leads there
    symlinkSync(join(home, 'outer.xml'), join(home, 'up/link.xml'))
    const not = [
      '../link.xml',
      '../.hidden/a.xml',
      '../a.txt',
      '../a.yaml',
      '../../outer.xml',
      'above.xml',
      join(home, 'up/above.xml'),
    ]
    for (const reference of not) expect([reference, include(reference)]).toEqual([reference, 'include-missing'])
    // an include of an include starts from the folder of the main file, else of its own
    write('up/scenes/parts/p.xml', '<mujocoinclude><include file="../../other/deep/beside.xml"/></mujocoinclude>')
    expect(include('parts/p.xml')).toBe('found')
    const shapes = (reference: string) => loadRobotFile(write('up/scenes/r.urdf', urdf(reference))).shapes.length
    expect(['../a.stl', '../other/only.stl', 'a.stl', 'only.stl', '../../secret.stl'].map(shapes)).toEqual([1, 1, 0, 0, 0])
    for (const reference of ['../a.yaml', '../above.xml', '../a.stl'])
      expect([reference, outcome(write('up/scenes/r.xacro', named(reference)))]).toEqual([reference, 'xacro-expression'])
    write('up/package.xml', '<package><name>up</name></package>')
    expect(include('../../outer.xml')).toBe('include-missing')
  })

  test('of what lies further away a message names the folder that --root allows, and it does', () => {
    write('far/a/b/c/s.xml', '<mujoco><include file="../../../robot.xml"/></mujoco>')
    write('far/robot.xml', '<mujoco><worldbody><body name="found"><geom size="1"/></body></worldbody></mujoco>')
    write('far/a/b/c/r.urdf', urdf('../../../m/a.stl'))
    write('far/m/a.stl', mesh)
    const allowed = (text: string) => /--root (\S+)/.exec(text)?.[1] ?? ''
    const file = join(home, 'far/a/b/c/s.xml')
    const error = errorOf(() => loadRobotFile(file))
    expect(error.message).not.toContain('Put it there')
    expect(outcome(file, [allowed(error.message)])).toBe('found')
    const lost = loadRobotFile(join(home, 'far/a/b/c/r.urdf'))
    const [{ remedy }] = lost.diagnostics.filter(({ code }) => code === 'mesh-missing')
    expect(loadRobotFile(join(home, 'far/a/b/c/r.urdf'), { roots: [allowed(remedy)] }).shapes.length).toBe(1)
  })

  test('what roots allow in addition', () => {
    const file = write('Downloads/r.xacro', named('../Documents/notes.yaml'))
    expect(outcome(file, [join(home, 'Documents')])).toBe('found')
    expect(outcome(write('Downloads/r.xacro', named('../.ssh/keys.yaml')), [home])).toBe('xacro-expression')
    expect(errorOf(() => loadRobotFile(file, { roots: [join(home, 'none')] })).message).toContain('there is no such folder')
  })

  test('through a link the package that the file of which it is a link lies in, as colcon installs it', () => {
    write('src/leg/package.xml', '<package><name>leg</name></package>')
    write('src/leg/meshes/a.stl', mesh)
    const real = write('src/leg/urdf/r.urdf', urdf('package://leg/meshes/a.stl'))
    mkdirSync(join(home, 'install/share/leg/urdf'), { recursive: true })
    symlinkSync(join(home, 'src/leg/package.xml'), join(home, 'install/share/leg/package.xml'))
    symlinkSync(join(home, 'src/leg/meshes'), join(home, 'install/share/leg/meshes'))
    symlinkSync(real, join(home, 'install/share/leg/urdf/r.urdf'))
    expect(loadRobotFile(join(home, 'install/share/leg/urdf/r.urdf')).shapes.length).toBe(1)
  })
})

describe('of the environment', () => {
  const read = (expression: string, environment: Record<string, string>) => {
    const file = write('env/r.xacro', `<robot name="r" xmlns:xacro="x"><link name="${expression}">${inertial}</link></robot>`)
    Object.assign(process.env, environment)
    try {
      return loadRobotFile(file)
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name]
    }
  }
  const told = ({ diagnostics }: Robot) =>
    diagnostics.flatMap(({ severity, code, element }) => (/^xacro/.test(code) ? [`${severity} ${code} ${element}`] : []))

  test('what a file reads is told by name, and never the value', () => {
    const robot = read('a$(optenv FEATHERBED_TEST_KIND x)$(optenv FEATHERBED_TEST_NONE y)', { FEATHERBED_TEST_KIND: 'wide' })
    expect(nameOf(robot)).toBe('awidey')
    expect(told(robot)).toEqual(['warning xacro-environment $(env FEATHERBED_TEST_KIND)', 'info xacro-environment $(optenv)'])
    expect(JSON.stringify(robot.diagnostics)).not.toContain('wide')
  })

  test.each([
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'DB_PASSWORD',
    'OPENAI_API_KEY',
    'PGPASSWORD',
    'DATABASE_URL',
  ])('%s is not read', (name) => {
    const robot = read(`a$(optenv ${name} none)`, { [name]: 'sesame' })
    expect([nameOf(robot), told(robot)]).toEqual(['anone', [`warning xacro-secret $(env ${name})`]])
    expect(errorOf(() => read(`$(env ${name})`, { [name]: 'sesame' })).message).not.toContain('sesame')
  })

  test.each(['ROS_MASTER_URI', 'ROS_DISTRO', 'HUSKY_TOP_PLATE_ENABLED', 'TURTLEBOT3_MODEL', 'USER', 'PWD'])(
    '%s is read',
    (name) => {
      const before = process.env[name]
      expect(nameOf(read(`a$(env ${name})`, { [name]: 'x' }))).toBe('ax')
      if (before !== undefined) process.env[name] = before
    },
  )
})

describe('no file but a regular one of a size that is read is opened', () => {
  const kinds: Record<string, (path: string) => unknown> = {
    'a device': (path) => symlinkSync('/dev/zero', path),
    'a pipe': (path) => execFileSync('mkfifo', [path]),
    'a link to itself': (path) => symlinkSync(path, path),
    'a folder': (path) => mkdirSync(path),
    '5 GB of nothing': (path) => {
      writeFileSync(path, '')
      truncateSync(path, 5e9)
    },
    'a socket': (path) => once(createServer().listen(path).unref(), 'listening'),
  }
  for (const [what, make] of Object.entries(kinds)) {
    test(`${what} in place of the robot, its SRDF, an include, YAML or a mesh`, async () => {
      const folder = `odd/${what.replaceAll(' ', '_')}`
      const good = write(`${folder}/good.urdf`, urdf('odd.stl'))
      for (const name of ['odd.urdf', 'odd.xacro', 'odd.yaml', 'odd.stl']) await make(join(home, folder, name))
      expect(['file-missing', 'file-kind', 'file-size']).toContain(outcome(join(home, folder, 'odd.urdf')))
      expect(codes(errorOf(() => loadRobotFile(good, { srdf: join(home, folder, 'odd.urdf') })).diagnostics)[0]).toMatch(/^file-/)
      expect(codes(loadRobotFile(good).diagnostics)[0]).toMatch(/^mesh-missing/)
      expect(outcome(write(`${folder}/i.xacro`, xacro('<xacro:include filename="odd.xacro"/>')))).toBe('xacro-include')
      expect(outcome(write(`${folder}/y.xacro`, named('odd.yaml')))).toBe('xacro-expression')
    })
  }
})

describe('of references that lead out of the robot nothing is opened', () => {
  const opened: string[] = []
  const originals = { openSync: fs.openSync, readFileSync: fs.readFileSync }
  beforeEach(() => opened.splice(0))
  beforeAll(() => {
    fs.openSync = ((path: fs.PathLike, ...rest: [fs.OpenMode]) => {
      opened.push(String(path))
      return originals.openSync(path, ...rest)
    }) as typeof fs.openSync
    fs.readFileSync = ((path: fs.PathLike, ...rest: []) => {
      opened.push(String(path))
      return originals.readFileSync(path, ...rest)
    }) as typeof fs.readFileSync
    syncBuiltinESMExports()
    write('p/robot/package.xml', '<package><name>robot</name></package>')
    for (const name of ['stl', 'xml', 'xacro', 'bin'])
      symlinkSync(join(home, `secret.${name}`), join(home, `p/robot/link.${name}`))
    symlinkSync(home, join(home, 'p/robot/linked'))
  })
  afterAll(() => {
    Object.assign(fs, originals)
    syncBuiltinESMExports()
  })

  /** Ways to a file of the home folder from p/robot/urdf. */
  const waysTo = (name: string) => {
    const extension = name.split('.')[1]
    return [
      `../../../${name}`,
      join(home, name),
      `file://${home}/${name}`,
      `file://localhost${home}/${name}`,
      `file:${home}/${name}`,
      `file://../../../${name}`,
      `%2e%2e/%2e%2e/%2e%2e/${name}`,
      `..%2f..%2f..%2f${name}`,
      `..\\..\\..\\${name}`,
      `package://robot/../../${name}`,
      `package://robot/%2e%2e/%2e%2e/${name}`,
      `package://../../${name}`,
      `package:///${home}/${name}`,
      `model://robot/../../${name}`,
      `package://robot/link.${extension}`,
      `../link.${extension}`,
      `../linked/${name}`,
      `package://linked/${name}`,
      `../../../${name.toUpperCase()}`,
      `../../../${name}%00`,
      `../../../${name}\0`,
      `urdf/../../../../${name}`,
      `${'../'.repeat(50)}${home}/${name}`,
      `/proc/self/root${home}/${name}`,
      `/proc/self/cwd/${name}`,
      `//${home}/${name}`,
      `~/${name}`,
    ]
  }
  const gltf = (uri: string) =>
    JSON.stringify({
      asset: { version: '2.0' },
      buffers: [{ uri, byteLength: 36 }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0 }],
    })
  const files: Record<string, (way: string) => Record<string, string>> = {
    'secret.stl': (way) => ({
      'mesh.urdf': urdf(way),
      'mesh.xml': `<mujoco><compiler meshdir="${dirname(way)}"/><asset><mesh name="m" file="${way}"/><mesh name="n" file="${way.split('/').at(-1)}"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="n"/></body></worldbody></mujoco>`,
      'mesh.sdf': `<sdf version="1.9"><model name="m"><link name="l"><collision name="c"><geometry><mesh><uri>${way}</uri></mesh></geometry></collision></link></model></sdf>`,
    }),
    'secret.xacro': (way) => ({
      'include.xacro': xacro(`<xacro:include filename="${way}"/>`),
      'find.xacro': xacro(`<xacro:include filename="$(find robot)/${way}"/>`),
      'glob.xacro': xacro(`<xacro:include filename="${way.replace('secret', 's*')}"/>`),
      'path.xacro': xacro(`<xacro:include filename="\${'${way}'}" optional="true"/>`),
    }),
    'taxes.yaml': (way) => ({ 'yaml.xacro': named(way.replaceAll('\\', '\\\\')) }),
    'secret.xml': (way) => ({ 'include.xml': `<mujoco><include file="${way}"/></mujoco>` }),
    'Documents/model.sdf': (way) => ({
      'include.sdf': `<sdf version="1.9"><include><uri>${way}</uri></include><include><uri>${dirname(way)}</uri></include></sdf>`,
    }),
    'secret.bin': (way) => ({ 'mesh.urdf': urdf('a.gltf'), 'a.gltf': gltf(way) }),
  }

  test.each(Object.keys(files))('%s', (name) => {
    let tried = 0
    for (const way of waysTo(name)) {
      const made = Object.entries(files[name](way)).map(([file, text]) => write(`p/robot/urdf/${file}`, text))
      opened.splice(0)
      for (const file of made) {
        if (file.endsWith('.gltf')) continue
        outcome(file)
        tried++
      }
      expect(opened.length).toBeGreaterThan(0)
      const outside = opened.filter((path) => !realpathSync(path).startsWith(`${home}/p/robot/`))
      expect([way, outside]).toEqual([way, []])
    }
    // that something would be seen: the same file where it may be read
    for (const [file, text] of Object.entries(files[name](waysTo(name)[0]))) write(`p/robot/urdf/${file}`, text)
    for (const file of Object.keys(files[name]('x')))
      if (!file.endsWith('.gltf')) outcome(join(home, 'p/robot/urdf', file), [home])
    expect(opened.filter((path) => realpathSync(path) === join(home, name))).not.toEqual([])
    expect(tried).toBeGreaterThan(20)
  })
})
