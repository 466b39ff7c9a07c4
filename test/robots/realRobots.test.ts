import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createData } from '../../dynamics/index.ts'
import { bodiesWithoutInertia } from '../../robots/doctor/singular.ts'
import { loadRobotFile, openRobotFile, type RobotFileOptions } from '../../robots/files.ts'
import { inspectRobot, loadExamined, loadRobot, type Robot, RobotError, writeUrdf } from '../../robots/index.ts'
import { full } from '../dailyModels.ts'
import { codes, errorOf } from './lookalike.ts'

const folder = process.env.FEATHERBED_ROBOTS

/** What other tools count in a file: links, joints by type, moving joints without the mimic ones, these, mass [kg]. */
interface Row {
  readonly file: string
  readonly options?: RobotFileOptions
  readonly links: number
  readonly joints: Partial<Record<'revolute' | 'continuous' | 'prismatic' | 'fixed', number>>
  readonly dof: number
  readonly mimic?: number
  readonly mass?: number
}

const examples = 'example-robot-data/robots'
const iiwa = 'iiwa14/drake_models/iiwa_description/urdf'
const franka = 'panda/franka_description/robots'
const arm = { revolute: 7, fixed: 3 }
const table: readonly Row[] = [
  ...[
    { file: 'burger', links: 7, joints: { continuous: 2, fixed: 4 }, mass: 1.0017 },
    { file: 'waffle', links: 13, joints: { continuous: 2, fixed: 10 }, mass: 1.5539 },
  ].map((row) => ({ ...row, file: `turtlebot3/turtlebot3_description/urdf/turtlebot3_${row.file}.urdf`, dof: 2 })),
  ...['husky_description/urdf/husky.urdf.xacro', 'expected/clearpathHusky.urdf'].map((file) => ({
    ...{ file: `husky/${file}`, links: 15, joints: { continuous: 4, fixed: 10 }, dof: 4, mass: 56.582 },
  })),
  {
    file: 'pr2/drake_models/pr2_description/urdf/pr2_simplified.urdf',
    ...{ links: 83, joints: { revolute: 20, continuous: 5, prismatic: 3, fixed: 55 }, dof: 22, mimic: 6, mass: 257.16 },
  },
  { file: 'a1/a1_description/urdf/a1.urdf', links: 23, joints: { revolute: 12, fixed: 10 }, dof: 12, mass: 13.741 },
  // the sum over the masses in its constants: they differ from those of the URDF beside it
  { file: 'a1/a1_description/xacro/robot.xacro', links: 23, joints: { revolute: 12, fixed: 10 }, dof: 12, mass: 12.777 },
  { file: 'r1/r1_description/R1.urdf', links: 40, joints: { revolute: 26, fixed: 13 }, dof: 26, mass: 28.836 },
  ...['simple_humanoid', 'simple_humanoid_classical'].map((name) => ({
    file: `simple_humanoid/${examples}/simple_humanoid_description/urdf/${name}.urdf`,
    ...{ links: 31, joints: { revolute: 29, fixed: 1 }, dof: 29, mass: 130.8 },
  })),
  {
    file: 'atlas/drake_models/atlas/atlas_convex_hull.urdf',
    ...{ links: 70, joints: { revolute: 30, fixed: 39 }, dof: 30, mass: 175.12 },
  },
  {
    file: 'atlas/drake_models/atlas/atlas_minimal_contact.urdf',
    ...{ links: 60, joints: { revolute: 30, fixed: 29 }, dof: 30, mass: 175.12 },
  },
  ...['ur5_robot', 'ur5_joint_limited_robot', 'ur5_gripper'].map((name) => ({
    file: `ur5/${examples}/ur_description/urdf/${name}.urdf`,
    ...{ links: 11, joints: { revolute: 6, fixed: 4 }, dof: 6, mass: 20.994 },
  })),
  ...['panda', 'panda_collision'].map((name) => ({
    file: `panda/${examples}/panda_description/urdf/${name}.urdf`,
    ...{ links: 13, joints: { revolute: 7, prismatic: 2, fixed: 3 }, dof: 8, mimic: 1, mass: 17.452 },
  })),
  {
    file: `${franka}/panda/panda.urdf.xacro`,
    options: { xacroArgs: { hand: 'false' } },
    ...{ links: 17, joints: { revolute: 7, fixed: 9 }, dof: 7, mass: 0 },
  },
  ...['no', 'polytope', 'primitive', 'spheres', 'spheres_dense', 'spheres_dense_elbow'].map((name) => ({
    ...{ file: `${iiwa}/iiwa14_${name}_collision.urdf`, links: 11, joints: arm, dof: 7, mass: 30.61 },
  })),
  ...['polytope', 'primitive'].map((name) => ({
    ...{ file: `${iiwa}/iiwa14_${name}_collision.urdf.xacro`, links: 11, joints: arm, dof: 7, mass: 30.61 },
  })),
  ...['', '.xacro'].map((end) => ({
    file: `${iiwa}/dual_iiwa14_polytope_collision.urdf${end}`,
    ...{ links: 21, joints: { revolute: 14, fixed: 6 }, dof: 14, mass: 61.22 },
  })),
  {
    file: `${iiwa}/planar_iiwa14_spheres_dense_elbow_collision.urdf`,
    ...{ links: 10, joints: { revolute: 3, fixed: 6 }, dof: 3, mass: 30.61 },
  },
  {
    file: 'robotiq_2f_85/robotiq_2f_85_gripper_visualization/urdf/robotiq_arg2f_85_model.urdf',
    ...{ links: 11, joints: { revolute: 6, fixed: 4 }, dof: 1, mimic: 5, mass: 0.22652 },
  },
  {
    file: `hector_quadrotor/${examples}/hector_description/robots/quadrotor_base.urdf`,
    ...{ links: 1, joints: {}, dof: 0, mass: 1.477 },
  },
]

/** Files that describe no robot. */
const refused = ['turtlebot3/turtlebot3_description/urdf/common_properties.urdf', 'husky/husky_description/urdf/empty.urdf']

/** Robots as the same macros made them elsewhere: what has to come out. */
const expanded: readonly { readonly xacro: string; readonly urdf: string; readonly options?: RobotFileOptions }[] = [
  { xacro: `${franka}/panda/panda.urdf.xacro`, urdf: 'panda/expected/panda.urdf', options: { xacroArgs: { hand: 'false' } } },
  { xacro: `${franka}/fr3/fr3.urdf.xacro`, urdf: 'panda/expected/fr3.urdf' },
  { xacro: `${franka}/dual_panda/dual_panda_example.urdf.xacro`, urdf: 'panda/expected/dual_panda.urdf' },
  { xacro: 'husky/husky_description/urdf/husky.urdf.xacro', urdf: 'husky/expected/clearpathHusky.urdf' },
]

if (folder === undefined) {
  test('real robots', () => {
    console.log('FEATHERBED_ROBOTS is not set: real robots are not loaded, only the look-alikes')
  })
} else {
  const load = (file: string, options?: RobotFileOptions) => loadRobotFile(join(folder, file), options)

  describe('real robots', () => {
    for (const { file, options, links, joints, dof, mimic = 0, mass } of table) {
      test(`${file} has ${links} links, ${dof} moving joints and ${mass ?? 'any'} kg`, () => {
        const robot = load(file, options)
        const seen = inspectRobot(robot)
        expect([seen.links, seen.dof, robot.mimics.length]).toEqual([links, dof, mimic])
        const none = { revolute: 0, continuous: 0, prismatic: 0, fixed: 0, floating: 0, planar: 0 }
        expect(seen.joints).toEqual({ ...none, ...joints, mimic })
        // five printed digits
        if (mass !== undefined) expect(Math.abs(seen.mass - mass)).toBeLessThanOrEqual(1e-4 * mass)
        expectUsable(robot)
      })
    }

    test.each(refused)('%s is refused: it describes no link', (file) => {
      expect(codes(errorOf(() => load(file)).diagnostics)[0]).toMatch(/^no-links:/)
    })

    test.each(expanded)('$xacro has the links and joints of $urdf', ({ xacro, urdf, options }) => {
      const structure = ({ frames, model, joints, mimics }: Robot) => ({
        links: frames.map(({ name }) => name).sort(),
        joints: [...joints, ...mimics].map(({ name, type, body }) => `${name} ${type} ${model.bodyName[body]}`).sort(),
      })
      expect(structure(load(xacro, options))).toEqual(structure(load(urdf)))
    })

    test('every file loads, or says that there is no robot in it or what it misses', () => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(urdf|xacro)$/.test(file))
      expect(files.length).toBeGreaterThan(50)
      const known = new Set([...table.map(({ file }) => file), ...refused])
      for (const file of files) {
        if (known.has(file)) continue
        try {
          expectUsable(load(file))
        } catch (error) {
          if (!(error instanceof RobotError)) throw error
          expect([file, reasonOf(error)]).toEqual([file, 'refused for a reason'])
        }
      }
    })

    // links and joints keep their order, and numbers their digits, so that nothing may differ but the way to a sum
    test.each(['pr2_simplified.urdf', 'arg2f_85_model.urdf', 'panda.urdf.xacro', ...(full ? ['R1.urdf'] : [])])(
      '%s written after its repairs needs none, and is the same mechanism',
      (name) => {
        const { file, options } = table.find((row) => row.file.endsWith(name))!
        const { text, options: loading } = openRobotFile(join(folder, file), options)
        const { robot, examined } = loadExamined(text, loading)
        const again = loadRobot(writeUrdf(examined.repaired), loading)
        expect(again.diagnostics.filter(({ repaired }) => repaired)).toEqual([])
        expect([again.model.nb, again.model.nv, again.joints]).toEqual([robot.model.nb, robot.model.nv, robot.joints])
        expect(again.mimics).toEqual(robot.mimics)
        robot.model.I.forEach((I, body) => {
          const largest = Math.max(...I.map(Math.abs))
          I.forEach((entry, k) => {
            expect(Math.abs(again.model.I[body][k] - entry)).toBeLessThanOrEqual(1e-14 * largest)
          })
        })
        expect(again.home).toEqual(robot.home)
      },
    )

    test('atlas stands on its contact points, a1 on its feet, the burger on its wheels', () => {
      const standing = (name: string) => inspectRobot(load(table.find(({ file }) => file.endsWith(name))!.file)).centerOfMass[2]
      // centre of mass over the ground in the home pose: what a tape measure says of these robots, to a few centimetres
      expect(Math.abs(standing('atlas_minimal_contact.urdf') - 1.2)).toBeLessThan(0.1)
      expect(Math.abs(standing('a1.urdf') - 0.32)).toBeLessThan(0.05)
      expect(Math.abs(standing('burger.urdf') - 0.03)).toBeLessThan(0.02)
    })

    test('the poses of SRDF files are configurations of their robots', () => {
      const posed = (name: string, file: string, srdf: string) =>
        loadRobotFile(join(folder, name, examples, file), { srdf: join(folder, name, examples, srdf) })
      const humanoid = posed(
        'simple_humanoid',
        'simple_humanoid_description/urdf/simple_humanoid.urdf',
        'simple_humanoid_description/srdf/simple_humanoid.srdf',
      )
      expect(humanoid.poses.map(({ name }) => name)).toContain('half_sitting')
      const panda = posed('panda', 'panda_description/urdf/panda.urdf', 'panda_description/srdf/panda.srdf')
      expect(panda.poses.length).toBeGreaterThan(0)
      expect(panda.disabledCollisions.length).toBeGreaterThan(10)
      for (const { q } of [...humanoid.poses, ...panda.poses]) expect(q.every(Number.isFinite)).toBe(true)
    })
  })
}

function expectUsable({ home, model, shapes }: Robot): void {
  const numbers = [...home, ...model.I.slice(1).flatMap((I) => [...I]), ...shapes.flatMap(({ p, R }) => [...p, ...R])]
  expect(numbers.every(Number.isFinite)).toBe(true)
  expect(bodiesWithoutInertia(model, createData(model)).size).toBe(0)
}

/** A library of macros has no links of its own; an include or a package may not be there. */
function reasonOf({ diagnostics }: RobotError): string {
  const first = diagnostics.find(({ severity }) => severity === 'error')!
  const good = /^(no-links|several-roots|undeclared-link|xacro-)/.test(first.code) && first.message !== '' && first.remedy !== ''
  return good ? 'refused for a reason' : `${first.code}: ${first.message}`
}
