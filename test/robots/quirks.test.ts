import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { aba, createData, createState, framePose, kinematics, rnea } from '../../dynamics/index.ts'
import {
  examineRobot,
  inspectRobot,
  type LoadOptions,
  loadRobot,
  memoryResolver,
  type Robot,
  RobotError,
  writeUrdf,
  type XmlElement,
} from '../../robots/index.ts'
import {
  daeText,
  dataUri,
  gltfBuffer,
  gltfJson,
  objText,
  solidTriangles,
  stlBinary,
  stlText,
  utf8,
} from './fuzz/meshesSamples.ts'
import { refusal, verdict } from './reading.ts'

/** One way in which real files are odd, in the file of this name under `quirks`, which loads. */
interface Loads {
  readonly file: string
  /** Severity and code; those of repairs have a `!`. */
  readonly findings: readonly string[]
  /** What was made of it, by figures. */
  readonly shows: (robot: Robot) => unknown
  readonly figures: unknown
}

/** One that cannot be read: what is wrong, each with its line, and words of what is said. */
interface Refused {
  readonly file: string
  readonly findings: readonly string[]
  readonly says: string
}

const folder = fileURLToPath(new URL('./quirks/', import.meta.url))

/** The solid of the samples: the corner of a box, 1, 2 and 3 m along the axes. */
const meshes = {
  'solid.stl': stlBinary(solidTriangles, 'solid begins the header, yet the file is binary'),
  'text.stl': utf8(stlText()),
  'part.obj': utf8(objText),
  'part.gltf': utf8(gltfJson(dataUri(gltfBuffer()))),
  'millimetres-y-up.dae': utf8(daeText({ asset: '<unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis>' })),
  'tail.dae': utf8(`${daeText({ asset: '<unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis>' })}\nwritten by hand`),
  'parts/wheel.stl': stlBinary(solidTriangles),
  'broken.stl': utf8('solid\n'),
  'solid.blend': utf8('BLENDER'),
}
const resolver = {
  ...memoryResolver(
    new Map([
      ...Object.entries(meshes).map(([name, bytes]) => [`/quirks_description/meshes/${name}`, bytes] as const),
      // there, and not to be had
      ['/etc/passwd.stl', stlBinary(solidTriangles)],
    ]),
  ),
  roots: ['/quirks_description'],
}

function textOf(file: string): string {
  return readFileSync(`${folder}${file}.urdf`, 'utf8')
}

function optionsOf(file: string, more: Partial<LoadOptions> = {}): LoadOptions {
  return { file: `/quirks_description/urdf/${file}.urdf`, resolver, ...more }
}

function load(file: string, more?: Partial<LoadOptions>): Robot {
  return loadRobot(textOf(file), optionsOf(file, more))
}

const masses = (robot: Robot) => [robot.massDeclared, robot.massUsed]
const velocities = ({ model }: Robot) => model.nv
const height = ({ home }: Robot) => home[2]
const shapeCount = ({ shapes }: Robot) => shapes.length
const shapeTypes = ({ shapes }: Robot) => shapes.map(({ shape }) => shape.type)
const friction = ({ shapes }: Robot) => shapes.map((shape) => shape.friction)
const follows = ({ mimics }: Robot) => mimics.map((mimic) => [mimic.name, mimic.follows, mimic.multiplier, mimic.offset])
const used = (name: string) => (robot: Robot) => robot.tags.used.includes(name)

/** Of the body that hangs on the first joint: inertia about its origin, [xx, yy, zz, xy, xz, yz]. */
const inertia = ({ model }: Robot) => [...model.I[model.nb - 1].subarray(4)]

/** Lower, upper, effort and velocity of the first joint. */
function limits({ model, joints }: Robot): number[] {
  const k = joints[0].vIndex
  return [model.lower[k], model.upper[k], model.effortLimit[k], model.velocityLimit[k]]
}

function axis({ model, joints }: Robot): number[] {
  return [...model.jointAxis.subarray(3 * joints[0].body, 3 * joints[0].body + 3)]
}

/** Where a link's origin and the tip of its x axis are in the home pose, in world axes. */
const place = (link: string) => (robot: Robot) => {
  const { model, home, frames } = robot
  const state = createState(model)
  state.q.set(home)
  const data = createData(model)
  kinematics(model, state, data)
  const [R, p] = [new Float64Array(9), new Float64Array(3)]
  framePose(data, frames.find(({ name }) => name === link)!, R, p)
  return [[...p], [R[0], R[3], R[6]]]
}

/** The corners of a box around the only shape, a hull, in its body's axes. */
function extent({ shapes: [{ shape }] }: Robot): unknown {
  if (shape.type !== 'hull') return shape.type
  const along = (k: number) => [...shape.polyhedron.vertices].filter((_, i) => i % 3 === k)
  return [0, 1, 2].map((k) => [Math.min(...along(k)), Math.max(...along(k))])
}

const solidExtent = [
  [0, 1],
  [0, 2],
  [0, 3],
]
const ball = (4 / 3) * Math.PI * 0.1 ** 2 * 0.1 * 1000
const X = [1, 0, 0]
const unlimited = [-Infinity, Infinity]

const loading: readonly Loads[] = [
  // masses: boxes of 0.1 x 0.2 x 0.3 m and balls of 0.1 m at 1000 kg/m^3, and 1 kg for the base
  { file: 'link-without-inertial', findings: [], shows: masses, figures: [1, 1] },
  { file: 'root-without-inertial', findings: [], shows: (robot) => inspectRobot(robot).centerOfMass, figures: [0, 0, 0.5] },
  { file: 'moving-without-mass-collision', findings: ['warning massless-body!'], shows: masses, figures: [1, 7] },
  { file: 'moving-without-mass-visual', findings: ['warning massless-body!'], shows: masses, figures: [1, 1 + ball] },
  // a thousandth of the lighter neighbour, 2 kg
  { file: 'moving-without-mass-bare', findings: ['warning massless-body!'], shows: masses, figures: [7, 7.002] },
  { file: 'moving-without-mass-behind-fixed', findings: [], shows: masses, figures: [2, 2] },
  { file: 'leaf-without-mass', findings: ['warning massless-body!'], shows: masses, figures: [1, 1.001] },
  {
    file: 'robot-without-mass',
    findings: ['warning massless-body!', 'warning massless-body!'],
    shows: masses,
    figures: [0, 0.002],
  },
  { file: 'mass-zero', findings: ['warning massless-body!'], shows: masses, figures: [1, 7] },
  {
    file: 'mass-missing',
    findings: ['warning mass-missing!', 'warning inertia-without-mass!', 'warning massless-body!'],
    shows: masses,
    figures: [1, 7],
  },
  {
    file: 'inertia-without-mass',
    findings: ['warning inertia-without-mass!', 'warning massless-body!'],
    shows: masses,
    figures: [1, 7],
  },
  {
    // m / 12 (y^2 + z^2) of 6 kg in the box
    file: 'inertia-missing',
    findings: ['warning inertia-zero!'],
    shows: inertia,
    figures: [0.065, 0.05, 0.025, 0, 0, 0],
  },
  {
    // 2/5 m r^2 of a ball of 2 kg
    file: 'inertia-zero',
    findings: ['warning inertia-zero!'],
    shows: inertia,
    figures: [1, 1, 1, 0, 0, 0].map((k) => k * 0.8 * Math.cbrt(6 / (4000 * Math.PI)) ** 2),
  },
  {
    file: 'inertia-too-small',
    findings: ['warning inertia-zero!'],
    shows: inertia,
    figures: [1, 1, 1, 0, 0, 0].map((k) => k * 0.8 * Math.cbrt(6 / (4000 * Math.PI)) ** 2),
  },
  {
    file: 'inertia-negative',
    findings: ['warning inertia-zero!'],
    shows: inertia,
    figures: [1, 1, 1, 0, 0, 0].map((k) => k * 0.8 * Math.cbrt(6 / (4000 * Math.PI)) ** 2),
  },
  {
    // second moments 0.025, 0.025 and -0.015; the last is raised to a millionth of the others
    file: 'inertia-triangle',
    findings: ['warning inertia-triangle!'],
    shows: inertia,
    figures: [0.025 + 2.5e-8, 0.025 + 2.5e-8, 0.05, 0, 0, 0],
  },
  {
    // second moments -0.01, -0.01 and 0.03; the first two are raised to a millionth of the last
    file: 'inertia-not-positive',
    findings: ['warning inertia-not-positive!'],
    shows: inertia,
    figures: [0.03 + 3e-8, 0.03 + 3e-8, 6e-8, 0, 0, 0],
  },
  {
    // (0.01, 0.02, 0.025) turned about y by a right angle, 1 kg at 0.1 m along z
    file: 'inertia-turned',
    findings: [],
    shows: inertia,
    figures: [0.035, 0.03, 0.01, 0, 0, 0],
  },
  { file: 'inertia-placeholder', findings: ['warning inertia-placeholder'], shows: inertia, figures: [1, 1, 1, 0, 0, 0] },
  { file: 'inertia-of-a-house', findings: ['warning inertia-large'], shows: inertia, figures: [100, 100, 100, 0, 0, 0] },
  { file: 'inertial-twice', findings: ['warning repeated-element!'], shows: masses, figures: [3, 3] },
  { file: 'center-of-mass-far-away', findings: ['warning center-of-mass-outside'], shows: masses, figures: [1, 1] },

  // fixed joints: one body, all frames
  {
    // along x to the hand, which looks along y, and along its x to the camera
    file: 'fixed-chain',
    findings: [],
    shows: (robot) => [robot.model.nb, robot.model.I[2][0], place('camera')(robot)],
    figures: [
      3,
      3,
      [
        [1, 0.5, 0],
        [0, 1, 0],
      ],
    ],
  },
  { file: 'fixed-axis-zero', findings: [], shows: velocities, figures: 6 },

  // base
  {
    // a box from -0.5 to -0.1
    file: 'base-floats',
    findings: [],
    shows: (robot) => [robot.floating, robot.model.nv, height(robot)],
    figures: [true, 6, 0.5],
  },
  {
    file: 'world-declared',
    findings: ['info mass-on-world'],
    shows: (robot) => [robot.floating, robot.model.nv, place('base')(robot)],
    figures: [false, 0, [[0, 0, 0.7], X]],
  },
  {
    file: 'parent-world-undeclared',
    findings: ['info mass-on-world'],
    shows: (robot) => [robot.floating, robot.model.nv, place('base')(robot)],
    figures: [false, 0, [[0, 0, 0.7], X]],
  },
  { file: 'world-moving-joint', findings: [], shows: (robot) => [robot.floating, robot.model.nv], figures: [false, 1] },
  {
    file: 'world-floating-joint',
    findings: [],
    shows: (robot) => [robot.floating, robot.model.nv, robot.freeJoints.length, height(robot)],
    figures: [true, 6, 0, 0.7],
  },

  // order and names
  { file: 'joint-before-links', findings: [], shows: velocities, figures: 7 },
  { file: 'link-named-like-joint', findings: [], shows: velocities, figures: 7 },
  {
    file: 'names-of-object-prototype',
    findings: [],
    shows: (robot) => [robot.frames.map(({ name }) => name), robot.joints.map(({ name }) => name), follows(robot)],
    figures: [['__proto__', 'constructor', 'hasOwnProperty', 'toString'], ['valueOf'], [['isPrototypeOf', 'valueOf', 1, 0]]],
  },

  // meshes
  { file: 'mesh-package-elsewhere', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-package-by-name', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-model-uri', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-relative', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-relative-to-parent', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-file-uri', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-backslashes', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-letter-case', findings: ['warning mesh-case'], shows: extent, figures: solidExtent },
  { file: 'mesh-missing', findings: ['warning mesh-missing!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-missing-visual', findings: ['warning visual-mesh-missing'], shows: shapeCount, figures: 0 },
  { file: 'mesh-remote', findings: ['warning mesh-remote!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-broken', findings: ['warning mesh-broken!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-format-unknown', findings: ['warning mesh-format!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-filename-empty', findings: ['warning geometry-missing!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-escapes-package', findings: ['warning mesh-missing!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-escapes-file-uri', findings: ['warning mesh-missing!'], shows: shapeCount, figures: 0 },
  { file: 'mesh-stl-binary-solid', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-stl-text', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-obj', findings: [], shows: extent, figures: solidExtent },
  { file: 'mesh-gltf', findings: [], shows: extent, figures: solidExtent },
  {
    // the unit is applied, the axis is not
    file: 'mesh-dae-unit-and-axis',
    findings: [],
    shows: extent,
    figures: [
      [0, 0.001],
      [0, 0.002],
      [0, 0.003],
    ],
  },
  {
    file: 'mesh-scale',
    findings: [],
    shows: extent,
    figures: [
      [0, 0.001],
      [0, 0.002],
      [-0.003, 0],
    ],
  },
  {
    file: 'mesh-scale-one-number',
    findings: ['warning scale-uniform!'],
    shows: extent,
    figures: [
      [0, 0.5],
      [0, 1],
      [0, 1.5],
    ],
  },
  { file: 'collision-in-millimetres', findings: ['warning mesh-scale'], shows: height, figures: 150 },

  {
    file: 'mesh-in-another-folder',
    findings: ['warning mesh-elsewhere!', 'warning mesh-elsewhere'],
    shows: extent,
    figures: [
      [0, 1],
      [0, 2],
      [0, 3],
    ],
  },
  {
    file: 'dae-with-a-tail',
    findings: [],
    shows: extent,
    figures: [
      [0, 0.001],
      [0, 0.002],
      [0, 0.003],
    ],
  },
  {
    file: 'xacro-stray-calls',
    findings: ['warning xacro-call!', 'warning xacro-call!'],
    shows: limits,
    figures: [-1, 2, 3, 4],
  },
  {
    file: 'mass-zero-root',
    findings: ['warning mass-zero-root!'],
    shows: (robot) => [robot.floating, ...masses(robot)],
    figures: [false, 1, 1],
  },

  // joints that follow others
  { file: 'mimic-defaults', findings: [], shows: follows, figures: [['copy', 'hinge', 1, 0]] },
  { file: 'mimic-multiplier-negative', findings: [], shows: follows, figures: [['copy', 'hinge', -2, 0.5]] },
  { file: 'mimic-continuous', findings: [], shows: follows, figures: [['copy', 'hinge', 1, 0]] },
  {
    // 3 (2 q + 1) + 4 = 6 q + 7 between -100 and 100
    file: 'mimic-chain',
    findings: ['warning mimic-limits!', 'warning mimic-limits!'],
    shows: (robot) => [follows(robot), limits(robot).slice(0, 2), robot.model.nv],
    figures: [
      [
        ['2', '1', 2, 1],
        ['3', '1', 6, 7],
      ],
      [-107 / 6, 93 / 6],
      7,
    ],
  },
  {
    file: 'mimic-of-a-later-joint',
    findings: [],
    shows: (robot) => [follows(robot), robot.model.nv],
    figures: [[['1', '2', 1, 0]], 7],
  },
  { file: 'mimic-unknown', findings: ['warning mimic-unknown!'], shows: velocities, figures: 8 },
  { file: 'mimic-of-itself', findings: ['warning mimic-cycle!'], shows: velocities, figures: 8 },
  { file: 'mimic-circle', findings: ['warning mimic-cycle!', 'warning mimic-cycle!'], shows: velocities, figures: 8 },
  { file: 'mimic-of-floating', findings: ['warning mimic-type!'], shows: velocities, figures: 13 },
  {
    // 2 * 0 + 0.5 about z
    file: 'mimic-of-fixed',
    findings: ['warning mimic-master-fixed!'],
    shows: (robot) => [robot.model.nv, place('finger')(robot)[1]],
    figures: [6, [Math.cos(0.5), Math.sin(0.5), 0]],
  },
  {
    file: 'mimic-multiplier-zero',
    findings: ['warning mimic-multiplier!'],
    shows: (robot) => [robot.model.nv, place('finger')(robot)[1]],
    figures: [7, [Math.cos(0.5), Math.sin(0.5), 0]],
  },
  { file: 'mimic-limits-narrower', findings: ['warning mimic-limits!'], shows: limits, figures: [-0.5, 0.5, 3, 4] },
  { file: 'mimic-limits-apart', findings: ['warning mimic-limits-apart!'], shows: limits, figures: [-1, 2, 3, 4] },

  // URDF 1.1 and 1.2
  {
    // a quarter turn about y, then one about z: the axes of the inertia are x to y
    file: 'origin-quaternion',
    findings: [],
    shows: (robot) => [place('arm')(robot), inertia(robot)],
    figures: [
      [
        [0, 0, 1],
        [0, 0, -1],
      ],
      [0.03, 0.02 + 0.35 * 0.35, 0.04 + 0.35 * 0.35, 0, 0, 0],
    ],
  },
  {
    file: 'origin-quaternion-and-rpy',
    findings: ['warning origin-twice!'],
    shows: (robot) => place('arm')(robot)[1],
    figures: [0, 0, -1],
  },
  {
    file: 'origin-quaternion-long',
    findings: ['warning quaternion-length!'],
    shows: (robot) => place('arm')(robot)[1],
    figures: [0, 0, -1],
  },
  { file: 'version-1-2-limits', findings: [], shows: limits, figures: [...unlimited, 3, 4] },
  { file: 'version-1-2-upper-alone', findings: [], shows: limits, figures: [-Infinity, 2, 3, 4] },

  // limits, where nothing else is said: -1 to 2, effort 3, velocity 4
  {
    file: 'limit-missing',
    findings: ['warning limit-missing!'],
    shows: limits,
    figures: [...unlimited, Infinity, Infinity],
  },
  {
    file: 'limit-missing-prismatic',
    findings: ['warning limit-missing!'],
    shows: limits,
    figures: [...unlimited, Infinity, Infinity],
  },
  { file: 'limit-without-range', findings: ['warning limit-missing!'], shows: limits, figures: [...unlimited, 3, 4] },
  { file: 'limit-upper-alone', findings: ['warning limit-half!'], shows: limits, figures: [0, 2, 3, 4] },
  {
    file: 'limit-without-effort-and-velocity',
    findings: ['info effort-missing', 'info velocity-missing'],
    shows: limits,
    figures: [-1, 2, Infinity, Infinity],
  },
  { file: 'limit-effort-zero', findings: ['warning effort-zero!'], shows: limits, figures: [-1, 2, Infinity, 4] },
  { file: 'limit-velocity-zero', findings: ['warning velocity-zero!'], shows: limits, figures: [-1, 2, 3, Infinity] },
  { file: 'limit-effort-negative', findings: ['warning effort-negative!'], shows: limits, figures: [-1, 2, 3, 4] },
  { file: 'limit-on-continuous', findings: ['info limit-continuous'], shows: limits, figures: [...unlimited, 3, 4] },
  { file: 'limit-on-fixed', findings: ['info limit-unused'], shows: velocities, figures: 6 },
  { file: 'limit-beyond-a-turn', findings: [], shows: limits, figures: [-12, 20, 3, 4] },
  // from 1e16 on there is none, by SDF's convention
  { file: 'limit-beyond-all', findings: [], shows: limits, figures: [...unlimited, 3, 4] },
  { file: 'limit-without-zero', findings: [], shows: ({ home }) => home[7], figures: 0.5 },
  { file: 'limit-locked', findings: ['warning limit-locked'], shows: limits, figures: [0, 0, 3, 4] },
  { file: 'lower-above-upper', findings: ['warning limit-reversed!'], shows: limits, figures: [-1, 2, 3, 4] },
  { file: 'joint-twice-limited', findings: ['warning repeated-element!'], shows: limits, figures: [-1, 2, 3, 4] },

  // axes
  { file: 'axis-missing', findings: [], shows: axis, figures: X },
  { file: 'axis-not-unit', findings: ['warning axis-length!'], shows: axis, figures: [0, 0.6, 0.8] },
  { file: 'axis-oblique', findings: [], shows: axis, figures: [0.6, 0, 0.8] },
  { file: 'axis-huge', findings: ['warning axis-length!'], shows: axis, figures: [0, 0, 1] },
  { file: 'axis-misspelt', findings: ['warning axis-missing!', 'warning attribute-misspelt!'], shows: axis, figures: X },

  // joints
  { file: 'joint-prismatic', findings: [], shows: ({ joints }) => joints[0].type, figures: 'prismatic' },
  {
    file: 'joint-floating',
    findings: [],
    shows: ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type],
    figures: [14, 12, 'floating'],
  },
  {
    file: 'joint-planar',
    findings: [],
    shows: ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type, model.jointAxis[8]],
    figures: [10, 9, 'planar', 1],
  },
  {
    file: 'joint-spherical',
    findings: [],
    shows: ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type],
    figures: [11, 9, 'spherical'],
  },
  {
    file: 'joint-drake-ball',
    findings: [],
    shows: ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type],
    figures: [11, 9, 'spherical'],
  },
  {
    file: 'joint-damping-and-friction',
    findings: [],
    shows: ({ model }) => [model.damping[6], model.friction[6]],
    figures: [0.7, 0.2],
  },
  {
    file: 'joint-damping-negative',
    findings: ['warning damping-negative!'],
    shows: ({ model }) => model.damping[6],
    figures: 0.7,
  },
  {
    file: 'joint-friction-negative',
    findings: ['warning friction-negative!'],
    shows: ({ model }) => model.friction[6],
    figures: 0.2,
  },
  { file: 'joint-floating-damped', findings: ['warning dynamics-unused!'], shows: ({ model }) => model.damping[6], figures: 0 },
  { file: 'joint-safety-controller', findings: [], shows: limits, figures: [-1, 2, 3, 4] },
  {
    file: 'joint-calibration',
    findings: [],
    shows: ({ tags }) => tags.carried,
    figures: ['calibration', 'joint/calibration@rising'],
  },
  { file: 'joint-origin-twice', findings: ['warning repeated-element!'], shows: place('arm'), figures: [[0, 0, 1], X] },

  // rotors: inertia times the square of the reduction
  { file: 'transmission-rotor-drake', findings: [], shows: ({ model }) => model.armature[6], figures: 0.4 },
  { file: 'transmission-rotor-and-reduction', findings: [], shows: ({ model }) => model.armature[6], figures: 0.1 },
  {
    file: 'transmission-reduction-alone',
    findings: ['info reduction-alone'],
    shows: ({ model }) => model.armature[6],
    figures: 0,
  },

  // who collides with whom
  {
    file: 'collision-overlap-at-zero',
    findings: ['warning overlap'],
    shows: ({ overlaps }) => overlaps,
    figures: [['a', 'c']],
  },
  {
    file: 'collision-overlap-of-neighbours',
    findings: ['info overlap-neighbours'],
    shows: ({ overlaps }) => overlaps,
    figures: [['a', 'b']],
  },
  {
    file: 'collision-filter-drake',
    findings: [],
    shows: ({ disabledCollisions }) => disabledCollisions,
    figures: [['a', 'c']],
  },
  {
    file: 'collision-self-collide-off',
    findings: [],
    shows: ({ disabledCollisions }) => disabledCollisions,
    figures: [['a', 'c']],
  },

  // shapes
  {
    file: 'sphere-radius-zero',
    findings: [],
    shows: (robot) => [shapeTypes(robot), height(robot)],
    figures: [['sphere', 'sphere', 'sphere', 'sphere'], 0.2],
  },
  {
    file: 'box-size-zero',
    findings: [],
    shows: (robot) => [shapeTypes(robot), height(robot)],
    figures: [['sphere'], 0.05],
  },
  { file: 'box-flat', findings: [], shows: (robot) => [shapeTypes(robot), height(robot)], figures: [['hull'], 0.2] },
  { file: 'cylinder-radius-zero', findings: [], shows: (robot) => [shapeTypes(robot), height(robot)], figures: [['hull'], 0.2] },
  {
    // the box at -0.5 reaches down to -0.65
    file: 'shapes-several',
    findings: [],
    shows: (robot) => [shapeTypes(robot), height(robot)],
    figures: [['sphere', 'box', 'box'], 0.65],
  },
  {
    // half the length of its cylinder and the radius
    file: 'shape-capsule',
    findings: [],
    shows: (robot) => [shapeTypes(robot), height(robot)],
    figures: [['capsule'], 0.3],
  },
  { file: 'geometry-two-shapes', findings: ['warning geometry-two-shapes!'], shows: shapeTypes, figures: ['sphere'] },
  { file: 'geometry-empty', findings: ['warning geometry-missing!'], shows: shapeTypes, figures: [] },
  { file: 'geometry-unknown', findings: ['warning geometry-missing!'], shows: shapeTypes, figures: [] },

  // extensions
  {
    file: 'gazebo-friction-text',
    findings: [],
    shows: (robot) => [friction(robot), robot.tags.carried],
    figures: [[0.4], ['gazebo/kp', 'gazebo/kd', 'gazebo/minDepth', 'gazebo/maxVel']],
  },
  { file: 'gazebo-friction-value', findings: ['warning friction-anisotropic!'], shows: friction, figures: [0.3] },
  { file: 'gazebo-friction-negative', findings: ['warning friction-negative!'], shows: friction, figures: [undefined] },
  { file: 'gazebo-gravity-off', findings: ['warning gravity-off'], shows: masses, figures: [1, 1] },
  {
    file: 'gazebo-preserve-fixed-joint',
    findings: [],
    shows: (robot) => [robot.model.nb, robot.tags.carried],
    figures: [2, ['gazebo', 'gazebo/preserveFixedJoint']],
  },
  { file: 'gazebo-of-nobody', findings: ['warning gazebo-reference'], shows: friction, figures: [undefined] },
  {
    file: 'gazebo-plugin',
    findings: [],
    shows: ({ tags }) => tags.ignored,
    figures: ['gazebo', 'gazebo/plugin', 'plugin/robotNamespace'],
  },
  {
    file: 'bullet-contact',
    findings: [],
    shows: ({ shapes: [shape], tags }) => [shape.friction, shape.restitution, tags.carried],
    figures: [0.9, 0.2, ['contact/rolling_friction', 'contact/stiffness', 'contact/damping']],
  },
  {
    file: 'bullet-restitution-above-one',
    findings: ['warning restitution'],
    shows: ({ shapes: [shape] }) => shape.restitution,
    figures: 1,
  },
  { file: 'link-contact-of-drake', findings: [], shows: friction, figures: [0.4] },
  { file: 'frame-drake', findings: [], shows: ({ frames }) => [frames[1].name, ...frames[1].p], figures: ['tip', 0, 0, 0.3] },
  {
    file: 'tags-of-others',
    findings: [],
    shows: ({ tags }) => [tags.carried, tags.ignored],
    figures: [
      ['ros2_control', 'ros2_control/hardware'],
      ['sensor', 'sensor/parent', 'loop_joint'],
    ],
  },

  // materials: seen, and nothing else
  { file: 'material-from-another-link', findings: [], shows: shapeCount, figures: 0 },
  { file: 'material-twice', findings: ['info material-twice'], shows: shapeCount, figures: 0 },
  { file: 'material-undefined', findings: ['info material-undefined'], shows: shapeCount, figures: 0 },
  { file: 'material-unnamed', findings: ['info material-unnamed'], shows: shapeCount, figures: 0 },

  // text
  { file: 'text-crlf', findings: [], shows: masses, figures: [1, 1] },
  { file: 'text-space-before-declaration', findings: [], shows: masses, figures: [1, 1] },
  { file: 'text-byte-order-mark', findings: [], shows: masses, figures: [1, 1] },
  { file: 'text-nul-at-end', findings: [], shows: masses, figures: [1, 1] },
  { file: 'text-nul-inside', findings: [], shows: masses, figures: [1, 1] },
  { file: 'text-dashes-in-comment', findings: [], shows: masses, figures: [1, 1] },
  { file: 'text-prefix-undeclared', findings: [], shows: ({ tags }) => tags.ignored, figures: ['sensor:camera'] },

  // numbers
  { file: 'numbers-tabs-and-line-breaks', findings: [], shows: place('arm'), figures: [[1, 2, 3], X] },
  { file: 'numbers-exponents', findings: [], shows: place('arm'), figures: [[0.1, 0.5, -2], X] },

  // spelling
  { file: 'attribute-misspelt', findings: ['warning attribute-misspelt!'], shows: place('arm'), figures: [[0, 0, 1], X] },
  {
    file: 'element-misspelt',
    findings: ['warning element-misspelt!', 'warning massless-body!'],
    shows: masses,
    figures: [0, ball],
  },

  { file: 'xacro-in-urdf', findings: [], shows: place('arm'), figures: [[1, 0, -0.5], X] },
]

const refused: readonly Refused[] = [
  { file: 'mass-negative', findings: ['error mass-negative:7'], says: 'mass -1 kg is negative.' },
  { file: 'mass-of-a-planet', findings: ['error magnitude:7'], says: 'mass 5.97e+24 is beyond' },

  { file: 'several-roots', findings: ['error several-roots:6'], says: '2 links have no parent: "base", "lonely".' },
  { file: 'two-parents', findings: ['error two-parents:20'], says: 'link "hand" has a parent already, by joint "1" at line 12.' },
  { file: 'cycle', findings: ['error cycle:16'], says: '"hand" -> "arm" -> "hand" form a loop' },
  { file: 'joint-to-itself', findings: ['error two-parents:15'], says: 'link "arm" has a parent already, by joint "hinge"' },
  { file: 'child-undeclared', findings: ['error undeclared-link:6'], says: 'its child "arm" is no <link>.' },
  { file: 'parent-undeclared', findings: ['error undeclared-link:9'], says: '"bsae" is no <link>; "base" may be meant.' },
  { file: 'link-twice', findings: ['error duplicate-link:9'], says: 'a link of this name at line 6 already' },
  { file: 'joint-twice', findings: ['error duplicate-joint:16'], says: 'a joint of this name at line 12 already' },
  { file: 'joint-without-child', findings: ['error child-missing:6'], says: 'Add <child link="..."/>.' },
  { file: 'joint-without-type', findings: ['error joint-type:9'], says: 'it states no type.' },
  { file: 'joint-type-unknown', findings: ['error joint-type:9'], says: 'Known are revolute, continuous, prismatic, fixed' },
  { file: 'link-without-name', findings: ['error name-missing:6'], says: 'it has no name.' },
  { file: 'no-link', findings: ['error no-links:2'], says: 'it describes no <link>' },
  { file: 'xacro-before-jade', findings: ['error xacro-old:3'], says: 'xacro as it was before ROS Jade' },
  { file: 'origin-quaternion-zero', findings: ['error quaternion-zero:13'], says: 'is no rotation.' },
  { file: 'no-robot', findings: ['error no-robot:2'], says: 'the root element is not <robot>.' },
  { file: 'nothing', findings: ['error xml-empty:1'], says: 'the file holds no XML element' },

  { file: 'axis-zero', findings: ['error axis-zero:12'], says: '0 0 0 has no direction.' },
  { file: 'shape-size-negative', findings: ['error size-negative:5'], says: 'radius="-0.1" is negative.' },
  {
    file: 'size-misspelt',
    findings: ['error attribute-missing:5'],
    says: 'lenght="..." may be meant.',
  },

  { file: 'number-two-dots', findings: ['error number:12'], says: '"-1.57." is no number' },
  { file: 'numbers-with-commas', findings: ['error number:12'], says: '"0," is no number' },
  { file: 'numbers-four-for-three', findings: ['error number-count:12'], says: 'that is 4 numbers. Expected 3' },
  { file: 'numbers-two-for-three', findings: ['error number-count:12'], says: 'that is 2 numbers. Expected 3' },
  { file: 'number-empty', findings: ['error number-count:12'], says: 'that is 0 numbers. Expected 3' },
  { file: 'number-nan', findings: ['error number:12'], says: '"nan" is no number' },
  { file: 'number-infinite', findings: ['error number:12'], says: '"inf" is no number' },
  { file: 'number-hexadecimal', findings: ['error number:12'], says: '"0x10" is no number' },
  { file: 'number-unit', findings: ['error number:12'], says: '"1m" is no number' },
  { file: 'number-overflows', findings: ['error number:12'], says: '"1e999" is too large' },
  { file: 'limit-far-from-zero', findings: ['error magnitude:9'], says: 'position 1000000000000 is beyond 1000000000.' },
  { file: 'mass-too-small', findings: ['error magnitude:7'], says: 'less than can be computed with' },
  { file: 'number-too-far', findings: ['error magnitude:9'], says: 'position 1e+300 is beyond 1000000000.' },

  { file: 'text-attribute-twice', findings: ['error xml-attribute-twice:4'], says: 'value twice, "1" and "2"' },
  { file: 'text-second-root', findings: ['error xml-second-root:7'], says: 'the first is at line 2' },
  { file: 'text-cut-off', findings: ['error xml-syntax:4'], says: 'not well-formed XML' },
  { file: 'text-doctype', findings: ['error xml-doctype:2'], says: 'Remove the <!DOCTYPE ...>' },
  { file: 'text-entity-unknown', findings: ['error xml-syntax:4'], says: 'not well-formed XML' },

  { file: 'xacro-leftover', findings: ['error xacro-leftover:12'], says: 'a xacro expression that was not expanded' },
  { file: 'xacro-leftover-find', findings: ['error xacro-leftover:12'], says: 'a xacro expression that was not expanded' },
  { file: 'xacro-undefined', findings: ['error xacro-expression:13'], says: 'Did you mean "side"?' },
]

/** To 10 digits: some figures are small differences of others. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.abs(value) < 1e-12 ? 0 : Number(value.toPrecision(10))
  return Array.isArray(value) ? value.map(rounded) : value
}

test('every file has a verdict', () => {
  const files = readdirSync(folder).map((name) => name.replace(/\.urdf$/, ''))
  const judged = [...loading, ...refused].map(({ file }) => file)
  expect(judged.sort()).toEqual(files.sort())
})

describe.each(loading)('$file loads', ({ file, findings, shows, figures }) => {
  test('with these findings and figures', () => {
    const robot = load(file)
    expect(verdict(robot)).toEqual(findings)
    expect(rounded(shows(robot))).toEqual(rounded(figures))
  })

  test('with finite figures, and forward dynamics undoes inverse dynamics', () => {
    const robot = load(file)
    const { mass, massUsed, centerOfMass } = inspectRobot(robot)
    expect([mass, massUsed, ...centerOfMass, ...robot.home].every(Number.isFinite)).toBe(true)
    const { model, home } = robot
    const [tau, a, again] = [0, 1, 2].map(() => new Float64Array(model.nv))
    const state = createState(model)
    state.q.set(home)
    for (let k = 0; k < model.nv; k++) {
      state.v[k] = 0.1 + 0.01 * k
      a[k] = 0.5 - 0.1 * k
    }
    const data = createData(model)
    kinematics(model, state, data)
    rnea(model, state, a, data, tau)
    aba(model, state, tau, data, again)
    // bodies of a gram beside one of a kilogram: 1e-9 of it is lost
    for (let k = 0; k < model.nv; k++) expect(Math.abs(again[k] - a[k])).toBeLessThan(1e-9)
  })

  test('strictly only if nothing is repaired', () => {
    const repairs = findings.filter((finding) => finding.endsWith('!'))
    const examine = () => examineRobot(textOf(file), optionsOf(file, { strict: true }))
    if (repairs.length === 0) expect(examine).not.toThrow()
    else expect(refusal(examine).diagnostics.filter(({ severity }) => severity === 'error')).toHaveLength(repairs.length)
  })

  test('repaired and written out, strictly, to the same robot', () => {
    const { repaired } = examineRobot(textOf(file), optionsOf(file))
    const again = loadRobot(writeUrdf(repaired), optionsOf(file, { strict: true }))
    const robot = load(file)
    expect(again.massUsed).toBeCloseTo(robot.massUsed, 12)
    expect([...again.home]).toEqual([...robot.home])
    expect([...again.model.jointAxis]).toEqual([...robot.model.jointAxis])
    expect([...again.model.lower, ...again.model.upper]).toEqual([...robot.model.lower, ...robot.model.upper])
    expect(again.model.I.map((I) => [...I])).toEqual(robot.model.I.map((I) => [...I]))
  })

  test('with six velocities fewer if its base is to be fixed', () => {
    const robot = load(file)
    expect(load(file, { base: 'fixed' }).model.nv).toBe(robot.model.nv - (robot.floating ? 6 : 0))
  })

  test('and tells of every element whether it is used, carried or ignored', () => {
    const { root, description } = examineRobot(textOf(file), optionsOf(file))
    const { tags } = description
    const listed = new Set([...tags.used, ...tags.carried, ...tags.ignored])
    const walk = (element: XmlElement, parent: string) => {
      expect(listed.has(element.name) || listed.has(`${parent}/${element.name}`), element.name).toBe(true)
      for (const child of element.children) walk(child, element.name)
    }
    walk(root, '')
    expect(used('robot')(load(file)) && used('link')(load(file))).toBe(true)
  })
})

test.each(refused)('$file is refused', ({ file, findings, says }) => {
  const error = refusal(() => load(file))
  const codes = error.diagnostics.map(({ severity, code, line, repaired }) => `${severity} ${code}${repaired ? '!' : ''}:${line}`)
  expect(codes).toEqual(findings)
  expect(error.message).toContain(says)
})

test.each([...loading, ...refused])('$file: each finding is where it says', ({ file }) => {
  let found: RobotError['diagnostics']
  try {
    found = load(file).diagnostics
  } catch (error) {
    if (!(error instanceof RobotError)) throw error
    found = error.diagnostics
  }
  const lines = textOf(file).split('\n')
  for (const { element, line, message, remedy, file: stated } of found) {
    expect(stated).toBe(optionsOf(file).file)
    const tag = /^<[^\s>]+/.exec(element)?.[0]
    expect(lines[line - 1], `${element} at line ${line}`).toContain(tag ?? '')
    expect(message).not.toBe('')
    expect(remedy).not.toBe('')
  }
})
