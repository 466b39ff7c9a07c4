/**
 * Run by urdf.test.ts in a process of its own: FORMAT COUNT ROOT, with the root of the project. An input is named by its
 * format and its seed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRandom } from '../../../dynamics/index.ts'
import { diskResolver } from '../../../robots/files.ts'
import { type LoadOptions, memoryResolver, type Resolver } from '../../../robots/index.ts'
import { solidTriangles, stlBinary, utf8 } from './meshesSamples.ts'
import { mutate } from './mutate.ts'
import { tryInputs } from './tryInputs.ts'
import { loadAndMove } from './urdfLoad.ts'
import { mutateExtremely, mutateMarkup } from './urdfMutate.ts'
import { mjcfDictionary, sdfDictionary, srdfDictionary, srdfText, urdfDictionary } from './urdfSamples.ts'
import { xacroDictionary, xacroLegs, xacroText, xacroYaml } from './xacroSamples.ts'

interface Sample {
  readonly file: string
  readonly text: string
  /** The robot that an SRDF text is for. */
  readonly robot?: string
  readonly resolver?: Resolver
}

const [format, count, root] = process.argv.slice(2)
const folder = process.env.FEATHERBED_ROBOTS
const quirks = join(root, 'test/robots/quirks')
const lookalike = join(root, 'test/robots/files/lookalike')

const mesh = ['/p/meshes/solid.stl', stlBinary(solidTriangles)] as const
const meshesOnly = memoryResolver(new Map([mesh]))

function fromDisk(path: string, more: Partial<Sample> = {}): Sample[] {
  return existsSync(path) ? [{ file: path, text: readFileSync(path, 'utf8'), ...more }] : []
}

function filesIn(path: string): string[] {
  return readdirSync(path)
    .sort()
    .map((name) => join(path, name))
}

/** Small files of real robots, in the folder that FEATHERBED_ROBOTS names. */
function real(paths: readonly string[], of: (path: string) => Sample[]): Sample[] {
  return folder === undefined ? [] : paths.flatMap((path) => of(join(folder, path)))
}

/** A real file with what it includes, but for its meshes, which have tests of their own. */
function withIncludes(path: string): Sample[] {
  const disk = diskResolver([dirname(dirname(path)), dirname(dirname(dirname(path)))])
  const isText = (name: string) => !/\.(stl|dae|obj|gltf|glb|ply)$/i.test(name)
  const resolver = {
    ...disk,
    read: (name: string) => (isText(name) ? disk.read(name) : undefined),
    exists: (name: string) => isText(name) && disk.exists(name),
  }
  return fromDisk(path, { resolver })
}

const samples: Readonly<Record<string, () => Sample[]>> = {
  urdf: () => [
    ...filesIn(quirks).flatMap((path) => fromDisk(path, { file: '/p/urdf/quirk.urdf' })),
    ...filesIn(join(lookalike, 'urdf')).flatMap((path) => fromDisk(path, { resolver: diskResolver([lookalike]) })),
    ...fromDisk(join(root, 'robots/own/diffdrive/diffdrive.urdf')),
    ...fromDisk(join(root, 'robots/own/humanoid/humanoid.urdf')),
    ...real(
      [
        'turtlebot3/turtlebot3_description/urdf/turtlebot3_burger.urdf',
        'ur5/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf',
        'robotiq_2f_85/robotiq_2f_85_gripper_visualization/urdf/robotiq_arg2f_85_model.urdf',
        'iiwa14/drake_models/iiwa_description/urdf/iiwa14_primitive_collision.urdf',
        'simple_humanoid/example-robot-data/robots/simple_humanoid_description/urdf/simple_humanoid.urdf',
      ],
      fromDisk,
    ),
  ],
  xacro: () => [
    // most of the inputs: it has every element of xacro in it
    ...Array.from({ length: 6 }, () => ({ file: '/r/r.xacro', text: xacroText })),
    ...['urdf/diffdrive.urdf', 'xacro/biped.xacro'].flatMap((name) =>
      fromDisk(join(lookalike, name), { resolver: diskResolver([dirname(lookalike)]) }),
    ),
    ...fromDisk(join(quirks, 'xacro-in-urdf.urdf')),
    ...real(
      [
        'hector_quadrotor/example-robot-data/robots/hector_description/robots/quadrotor_base.urdf.xacro',
        'husky/husky_description/urdf/husky.urdf.xacro',
        'a1/a1_description/xacro/robot.xacro',
      ],
      withIncludes,
    ),
  ],
  mjcf: () => [
    ...filesIn(join(root, 'test/robots/mjcf'))
      .filter((path) => path.endsWith('.xml'))
      .flatMap((path) => fromDisk(path, { resolver: diskResolver([dirname(path)]) })),
    ...real(
      ['humanoid', 'stacker', 'quadruped', 'finger'].map((name) => `mjcf/suite/${name}.xml`),
      (path) => fromDisk(path, { resolver: diskResolver([dirname(path)]) }),
    ),
  ],
  sdf: () =>
    ['arm.sdf', 'world.sdf', 'cell.sdf', 'models/ball/model.sdf'].flatMap((name) =>
      fromDisk(join(root, 'test/robots/sdf', name), { resolver: diskResolver([join(root, 'test/robots/sdf')]) }),
    ),
  srdf: () => [
    { file: 'r.srdf', text: srdfText, robot: readFileSync(join(quirks, 'limit-without-zero.urdf'), 'utf8') },
    { file: 'r.srdf', text: srdfText, robot: readFileSync(join(quirks, 'collision-overlap-at-zero.urdf'), 'utf8') },
    ...real(['panda/example-robot-data/robots/panda_description'], (path) => {
      const [robot] = fromDisk(join(path, 'urdf/panda.urdf'))
      return robot ? fromDisk(join(path, 'srdf/panda.srdf'), { robot: robot.text }) : []
    }),
  ],
}
const dictionaries: Readonly<Record<string, readonly string[]>> = {
  urdf: urdfDictionary,
  xacro: [...xacroDictionary, ...urdfDictionary.slice(0, 20)],
  srdf: srdfDictionary,
  mjcf: mjcfDictionary,
  sdf: sdfDictionary,
}

const known = samples[format]()
const decoder = new TextDecoder()

function damaged(text: string, seed: number): string {
  const random = createRandom(seed)
  if (random.index(20) === 0) return mutateExtremely(random, text)
  // two of three stay well-formed, so that more than the parser is tried
  if (random.index(3) > 0) return mutateMarkup(random, text, dictionaries[format])
  return decoder.decode(mutate(random, utf8(text), dictionaries[format]))
}

/** What the sample for xacro refers to, damaged in every third input. */
function beside(seed: number): Resolver {
  const part = (text: string, k: number) => utf8(seed % 3 === 0 ? damaged(text, seed + k * 1_000_000) : text)
  return memoryResolver(
    new Map([
      ['/r/legs.xacro', part(xacroLegs, 1)],
      ['/r/numbers.yaml', part(xacroYaml, 2)],
      ['/r/r.xacro', utf8(xacroText)],
    ]),
  )
}

function attempt(name: string): string {
  const seed = Number(name.split(' ')[1])
  const { file, text, robot, resolver = format === 'xacro' ? beside(seed) : meshesOnly } = known[seed % known.length]
  const mutant = damaged(text, seed)
  const options: LoadOptions = {
    file,
    resolver,
    base: (['auto', 'auto', 'auto', 'fixed', 'floating'] as const)[seed % 5],
    strict: seed % 13 === 0,
    xacroArgs: seed % 2 === 0 ? { legs: '1' } : {},
    environment: {},
  }
  if (robot === undefined) return loadAndMove(mutant, options, seed % 100 === 7)
  return loadAndMove(robot, { ...options, file: 'r.urdf', srdf: { text: mutant, file } })
}

await tryInputs(
  Array.from({ length: Number(count) }, (_, seed) => `${format} ${seed}`),
  attempt,
)
