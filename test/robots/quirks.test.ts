import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { aba, framePose, rnea } from '../../dynamics/index.ts'
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
import { dataAt, stateOf } from '../dynamics/at.ts'
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
  const data = dataAt(model, stateOf(model, home))
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
/** 2/5 m r^2 of a ball of 2 kg. */
const inertiaOfBall = [1, 1, 1, 0, 0, 0].map((k) => k * 0.8 * Math.cbrt(6 / (4000 * Math.PI)) ** 2)
const X = [1, 0, 0]
const unlimited = [-Infinity, Infinity]

const loads = (file: string, findings: readonly string[], shows: Loads['shows'], figures: unknown): Loads => ({
  file,
  findings,
  shows,
  figures,
})

const loading: readonly Loads[] = [
  // masses: boxes of 0.1 x 0.2 x 0.3 m and balls of 0.1 m at 1000 kg/m^3, and 1 kg for the base
  loads('link-without-inertial', [], masses, [1, 1]),
  loads('root-without-inertial', [], (robot) => inspectRobot(robot).centerOfMass, [0, 0, 0.5]),
  loads('moving-without-mass-collision', ['warning massless-body!'], masses, [1, 7]),
  loads('moving-without-mass-visual', ['warning massless-body!'], masses, [1, 1 + ball]),
  // a thousandth of the lighter neighbour, 2 kg
  loads('moving-without-mass-bare', [], masses, [7, 7]),
  loads('moving-without-mass-behind-fixed', [], masses, [2, 2]),
  loads('leaf-without-mass', ['warning massless-body!'], masses, [1, 1.001]),
  loads('robot-without-mass', ['warning massless-body!', 'warning massless-body!'], masses, [0, 0.002]),
  loads('mass-zero', ['warning massless-body!'], masses, [1, 7]),
  loads('mass-missing', ['warning mass-missing!', 'warning inertia-without-mass!', 'warning massless-body!'], masses, [1, 7]),
  loads('inertia-without-mass', ['warning inertia-without-mass!', 'warning massless-body!'], masses, [1, 7]),
  // m / 12 (y^2 + z^2) of 6 kg in the box
  loads('inertia-missing', ['warning inertia-zero!'], inertia, [0.065, 0.05, 0.025, 0, 0, 0]),
  loads('inertia-zero', ['warning inertia-zero!'], inertia, inertiaOfBall),
  loads('inertia-too-small', ['warning inertia-zero!'], inertia, inertiaOfBall),
  loads('inertia-negative', ['warning inertia-not-positive!'], inertia, inertiaOfBall),
  // second moments 0.025, 0.025 and -0.015; the last is raised to a millionth of the others
  loads('inertia-triangle', ['warning inertia-triangle!'], inertia, [0.025 + 2.5e-8, 0.025 + 2.5e-8, 0.05, 0, 0, 0]),
  // second moments -0.01, -0.01 and 0.03; the first two are raised to a millionth of the last
  loads('inertia-not-positive', ['warning inertia-not-positive!'], inertia, [0.03 + 3e-8, 0.03 + 3e-8, 6e-8, 0, 0, 0]),
  // (0.01, 0.02, 0.025) turned about y by a right angle, 1 kg at 0.1 m along z
  loads('inertia-turned', [], inertia, [0.035, 0.03, 0.01, 0, 0, 0]),
  loads('inertia-placeholder', ['warning inertia-placeholder'], inertia, [1, 1, 1, 0, 0, 0]),
  loads('inertia-of-a-house', ['warning inertia-large'], inertia, [100, 100, 100, 0, 0, 0]),
  loads('inertial-twice', ['warning repeated-element!'], masses, [3, 3]),
  loads('center-of-mass-far-away', ['warning center-of-mass-outside'], masses, [1, 1]),

  // fixed joints: one body, all frames
  // along x to the hand, which looks along y, and along its x to the camera
  loads('fixed-chain', [], (robot) => [robot.model.nb, robot.model.I[2][0], place('camera')(robot)], [
    3,
    3,
    [
      [1, 0.5, 0],
      [0, 1, 0],
    ],
  ]),
  loads('fixed-axis-zero', [], velocities, 6),

  // base
  // a box from -0.5 to -0.1
  loads('base-floats', [], (robot) => [robot.floating, robot.model.nv, height(robot)], [true, 6, 0.5]),
  loads('world-declared', ['info mass-on-world'], (robot) => [robot.floating, robot.model.nv, place('base')(robot)], [
    false,
    0,
    [[0, 0, 0.7], X],
  ]),
  loads('parent-world-undeclared', ['info mass-on-world'], (robot) => [robot.floating, robot.model.nv, place('base')(robot)], [
    false,
    0,
    [[0, 0, 0.7], X],
  ]),
  loads('world-moving-joint', [], (robot) => [robot.floating, robot.model.nv], [false, 1]),
  loads('world-floating-joint', [], (robot) => [robot.floating, robot.model.nv, robot.freeJoints.length, height(robot)], [
    true,
    6,
    0,
    0.7,
  ]),

  // order and names
  loads('joint-before-links', [], velocities, 7),
  loads('link-named-like-joint', [], velocities, 7),
  loads(
    'names-of-object-prototype',
    [],
    (robot) => [robot.frames.map(({ name }) => name), robot.joints.map(({ name }) => name), follows(robot)],
    [['__proto__', 'constructor', 'hasOwnProperty', 'toString'], ['valueOf'], [['isPrototypeOf', 'valueOf', 1, 0]]],
  ),

  // meshes
  loads('mesh-package-elsewhere', [], extent, solidExtent),
  loads('mesh-package-by-name', [], extent, solidExtent),
  loads('mesh-model-uri', [], extent, solidExtent),
  loads('mesh-relative', [], extent, solidExtent),
  loads('mesh-relative-to-parent', [], extent, solidExtent),
  loads('mesh-file-uri', [], extent, solidExtent),
  loads('mesh-backslashes', [], extent, solidExtent),
  loads('mesh-letter-case', ['warning mesh-case'], extent, solidExtent),
  loads('mesh-missing', ['warning mesh-missing!'], shapeCount, 0),
  loads('mesh-missing-visual', ['warning visual-mesh-missing'], shapeCount, 0),
  loads('mesh-remote', ['warning mesh-remote!'], shapeCount, 0),
  loads('mesh-broken', ['warning mesh-broken!'], shapeCount, 0),
  loads('mesh-format-unknown', ['warning mesh-format!'], shapeCount, 0),
  loads('mesh-filename-empty', ['warning geometry-missing!'], shapeCount, 0),
  loads('mesh-escapes-package', ['warning mesh-missing!'], shapeCount, 0),
  loads('mesh-escapes-file-uri', ['warning mesh-missing!'], shapeCount, 0),
  loads('mesh-stl-binary-solid', [], extent, solidExtent),
  loads('mesh-stl-text', [], extent, solidExtent),
  loads('mesh-obj', [], extent, solidExtent),
  loads('mesh-gltf', [], extent, solidExtent),
  // the unit is applied, the axis is not
  loads('mesh-dae-unit-and-axis', [], extent, [
    [0, 0.001],
    [0, 0.002],
    [0, 0.003],
  ]),
  loads('mesh-scale', [], extent, [
    [0, 0.001],
    [0, 0.002],
    [-0.003, 0],
  ]),
  loads('mesh-scale-one-number', ['warning scale-uniform!'], extent, [
    [0, 0.5],
    [0, 1],
    [0, 1.5],
  ]),
  loads('collision-in-millimetres', ['warning mesh-scale'], height, 150),

  loads('mesh-in-another-folder', ['warning mesh-elsewhere!', 'warning mesh-elsewhere'], extent, [
    [0, 1],
    [0, 2],
    [0, 3],
  ]),
  loads('dae-with-a-tail', [], extent, [
    [0, 0.001],
    [0, 0.002],
    [0, 0.003],
  ]),
  loads('xacro-stray-calls', ['warning xacro-call!', 'warning xacro-call!'], limits, [-1, 2, 3, 4]),
  loads('mass-zero-root', ['warning mass-zero-root!'], (robot) => [robot.floating, ...masses(robot)], [false, 1, 1]),

  // joints that follow others
  loads('mimic-defaults', [], follows, [['copy', 'hinge', 1, 0]]),
  loads('mimic-multiplier-negative', [], follows, [['copy', 'hinge', -2, 0.5]]),
  loads('mimic-continuous', [], follows, [['copy', 'hinge', 1, 0]]),
  // 3 (2 q + 1) + 4 = 6 q + 7 between -100 and 100
  loads(
    'mimic-chain',
    ['warning mimic-limits!', 'warning mimic-limits!'],
    (robot) => [follows(robot), limits(robot).slice(0, 2), robot.model.nv],
    [
      [
        ['2', '1', 2, 1],
        ['3', '1', 6, 7],
      ],
      [-107 / 6, 93 / 6],
      7,
    ],
  ),
  loads('mimic-of-a-later-joint', [], (robot) => [follows(robot), robot.model.nv], [[['1', '2', 1, 0]], 7]),
  loads('mimic-unknown', ['warning mimic-unknown!'], velocities, 8),
  loads('mimic-of-itself', ['warning mimic-cycle!'], velocities, 8),
  loads('mimic-circle', ['warning mimic-cycle!', 'warning mimic-cycle!'], velocities, 8),
  loads('mimic-of-floating', ['warning mimic-type!'], velocities, 13),
  // 2 * 0 + 0.5 about z
  loads('mimic-of-fixed', ['warning mimic-master-fixed!'], (robot) => [robot.model.nv, place('finger')(robot)[1]], [
    6,
    [Math.cos(0.5), Math.sin(0.5), 0],
  ]),
  loads('mimic-multiplier-zero', ['warning mimic-multiplier!'], (robot) => [robot.model.nv, place('finger')(robot)[1]], [
    7,
    [Math.cos(0.5), Math.sin(0.5), 0],
  ]),
  loads('mimic-limits-narrower', ['warning mimic-limits!'], limits, [-0.5, 0.5, 3, 0.5]),
  loads('mimic-limits-apart', ['warning mimic-limits-apart!'], limits, [-1, 2, 3, 1]),

  // URDF 1.1 and 1.2
  // a quarter turn about y, then one about z: the axes of the inertia are x to y
  loads('origin-quaternion', [], (robot) => [place('arm')(robot), inertia(robot)], [
    [
      [0, 0, 1],
      [0, 0, -1],
    ],
    [0.03, 0.02 + 0.35 * 0.35, 0.04 + 0.35 * 0.35, 0, 0, 0],
  ]),
  loads('origin-quaternion-and-rpy', ['warning origin-twice!'], (robot) => place('arm')(robot)[1], [0, 0, -1]),
  loads('origin-quaternion-long', ['warning quaternion-length!'], (robot) => place('arm')(robot)[1], [0, 0, -1]),
  loads('version-1-2-limits', [], limits, [...unlimited, 3, 4]),
  loads('version-1-2-upper-alone', [], limits, [-Infinity, 2, 3, 4]),

  // limits, where nothing else is said: -1 to 2, effort 3, velocity 4
  loads('limit-missing', ['warning limit-missing!'], limits, [...unlimited, Infinity, Infinity]),
  loads('limit-missing-prismatic', ['warning limit-missing!'], limits, [...unlimited, Infinity, Infinity]),
  loads('limit-without-range', ['warning limit-missing!'], limits, [...unlimited, 3, 4]),
  loads('limit-upper-alone', ['warning limit-half!'], limits, [0, 2, 3, 4]),
  loads('limit-without-effort-and-velocity', ['info effort-missing', 'info velocity-missing'], limits, [
    -1,
    2,
    Infinity,
    Infinity,
  ]),
  loads('limit-effort-zero', ['warning effort-zero!'], limits, [-1, 2, Infinity, 4]),
  loads('limit-velocity-zero', ['warning velocity-zero!'], limits, [-1, 2, 3, Infinity]),
  loads('limit-effort-negative', ['warning effort-negative!'], limits, [-1, 2, 3, 4]),
  loads('limit-on-continuous', ['info limit-continuous'], limits, [...unlimited, 3, 4]),
  loads('limit-on-fixed', ['info limit-unused'], velocities, 6),
  loads('limit-beyond-a-turn', [], limits, [-12, 20, 3, 4]),
  // from 1e16 on there is none, by SDF's convention
  loads('limit-beyond-all', [], limits, [...unlimited, 3, 4]),
  loads('limit-without-zero', [], ({ home }) => home[7], 0.5),
  loads('limit-locked', ['warning limit-locked'], limits, [0, 0, 3, 4]),
  loads('lower-above-upper', ['warning limit-reversed!'], limits, [-1, 2, 3, 4]),
  loads('joint-twice-limited', ['warning repeated-element!'], limits, [-1, 2, 3, 4]),

  // axes
  loads('axis-missing', [], axis, X),
  loads('axis-not-unit', ['warning axis-length!'], axis, [0, 0.6, 0.8]),
  loads('axis-oblique', [], axis, [0.6, 0, 0.8]),
  loads('axis-huge', ['warning axis-length!'], axis, [0, 0, 1]),
  loads('axis-misspelt', ['warning axis-missing!', 'warning attribute-misspelt!'], axis, X),

  // joints
  loads('joint-prismatic', [], ({ joints }) => joints[0].type, 'prismatic'),
  loads('joint-floating', [], ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type], [14, 12, 'floating']),
  loads('joint-planar', [], ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type, model.jointAxis[8]], [
    10,
    9,
    'planar',
    1,
  ]),
  loads('joint-spherical', [], ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type], [11, 9, 'spherical']),
  loads('joint-drake-ball', [], ({ model, freeJoints }) => [model.nq, model.nv, freeJoints[0].type], [11, 9, 'spherical']),
  loads('joint-damping-and-friction', [], ({ model }) => [model.damping[6], model.friction[6]], [0.7, 0.2]),
  loads('joint-damping-negative', ['warning damping-negative!'], ({ model }) => model.damping[6], 0.7),
  loads('joint-friction-negative', ['warning friction-negative!'], ({ model }) => model.friction[6], 0.2),
  loads('joint-floating-damped', ['warning dynamics-unused!'], ({ model }) => model.damping[6], 0),
  loads('joint-safety-controller', [], limits, [-1, 2, 3, 4]),
  loads('joint-calibration', [], ({ tags }) => tags.carried, ['calibration', 'joint/calibration@rising']),
  loads('joint-origin-twice', ['warning repeated-element!'], place('arm'), [[0, 0, 1], X]),

  // rotors: inertia times the square of the reduction
  loads('transmission-rotor-drake', [], ({ model }) => model.armature[6], 0.4),
  loads('transmission-rotor-and-reduction', [], ({ model }) => model.armature[6], 0.1),
  loads('transmission-reduction-alone', ['info reduction-alone'], ({ model }) => model.armature[6], 0),

  // who collides with whom
  loads('collision-overlap-at-zero', ['warning overlap'], ({ overlaps }) => overlaps, [['a', 'c']]),
  loads('collision-overlap-of-neighbours', ['info overlap-neighbours'], ({ overlaps }) => overlaps, [['a', 'b']]),
  loads('collision-filter-drake', [], ({ disabledCollisions }) => disabledCollisions, [['a', 'c']]),
  loads('collision-self-collide-off', [], ({ disabledCollisions }) => disabledCollisions, [['a', 'c']]),

  // shapes
  loads('sphere-radius-zero', [], (robot) => [shapeTypes(robot), height(robot)], [['sphere', 'sphere', 'sphere', 'sphere'], 0.2]),
  loads('box-size-zero', [], (robot) => [shapeTypes(robot), height(robot)], [['sphere'], 0.05]),
  loads('box-flat', [], (robot) => [shapeTypes(robot), height(robot)], [['hull'], 0.2]),
  loads('cylinder-radius-zero', [], (robot) => [shapeTypes(robot), height(robot)], [['hull'], 0.2]),
  // the box at -0.5 reaches down to -0.65
  loads('shapes-several', [], (robot) => [shapeTypes(robot), height(robot)], [['sphere', 'box', 'box'], 0.65]),
  // half the length of its cylinder and the radius
  loads('shape-capsule', [], (robot) => [shapeTypes(robot), height(robot)], [['capsule'], 0.3]),
  loads('geometry-two-shapes', ['warning geometry-two-shapes!'], shapeTypes, ['sphere']),
  loads('geometry-empty', ['warning geometry-missing!'], shapeTypes, []),
  loads('geometry-unknown', ['warning geometry-missing!'], shapeTypes, []),

  // extensions
  loads('gazebo-friction-text', [], (robot) => [friction(robot), robot.tags.carried], [
    [0.4],
    ['gazebo/kp', 'gazebo/kd', 'gazebo/minDepth', 'gazebo/maxVel'],
  ]),
  loads('gazebo-friction-value', ['warning friction-anisotropic'], friction, [0.4]),
  loads('gazebo-friction-negative', ['warning friction-negative!'], friction, [undefined]),
  loads('gazebo-gravity-off', ['warning gravity-off!'], masses, [1, 1]),
  loads('gazebo-preserve-fixed-joint', [], (robot) => [robot.model.nb, robot.tags.carried], [
    2,
    ['gazebo', 'gazebo/preserveFixedJoint'],
  ]),
  loads('gazebo-of-nobody', ['warning gazebo-reference'], friction, [undefined]),
  loads('gazebo-plugin', [], ({ tags }) => tags.carried, ['gazebo', 'gazebo/plugin', 'plugin/robotNamespace']),
  loads('bullet-contact', [], ({ shapes: [shape], tags }) => [shape.friction, shape.restitution, tags.carried], [
    0.9,
    0.2,
    ['contact/rolling_friction', 'contact/stiffness', 'contact/damping'],
  ]),
  loads('bullet-restitution-above-one', ['warning restitution'], ({ shapes: [shape] }) => shape.restitution, 1),
  loads('link-contact-of-drake', [], friction, [0.4]),
  loads('frame-drake', [], ({ frames }) => [frames[1].name, ...frames[1].p], ['tip', 0, 0, 0.3]),
  loads('tags-of-others', ['warning urdf-unsupported!'], ({ tags }) => [tags.carried, tags.ignored], [
    ['ros2_control', 'ros2_control/hardware', 'sensor', 'sensor/parent', 'loop_joint'],
    [],
  ]),

  // materials: seen, and nothing else
  loads('material-from-another-link', [], shapeCount, 0),
  loads('material-twice', ['info material-twice'], shapeCount, 0),
  loads('material-undefined', ['info material-undefined'], shapeCount, 0),
  loads('material-unnamed', ['info material-unnamed'], shapeCount, 0),

  // text
  loads('text-crlf', [], masses, [1, 1]),
  loads('text-space-before-declaration', [], masses, [1, 1]),
  loads('text-byte-order-mark', [], masses, [1, 1]),
  loads('text-nul-at-end', [], masses, [1, 1]),
  loads('text-nul-inside', [], masses, [1, 1]),
  loads('text-dashes-in-comment', [], masses, [1, 1]),
  loads('text-prefix-undeclared', [], ({ tags }) => tags.ignored, ['sensor:camera']),

  // numbers
  loads('numbers-tabs-and-line-breaks', [], place('arm'), [[1, 2, 3], X]),
  loads('numbers-exponents', [], place('arm'), [[0.1, 0.5, -2], X]),

  // spelling
  loads('attribute-misspelt', ['warning attribute-misspelt!'], place('arm'), [[0, 0, 1], X]),
  loads('element-misspelt', ['warning element-misspelt!', 'warning massless-body!'], masses, [0, ball]),

  loads('xacro-in-urdf', [], place('arm'), [[1, 0, -0.5], X]),
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
    const state = stateOf(model, home)
    for (let k = 0; k < model.nv; k++) {
      state.v[k] = 0.1 + 0.01 * k
      a[k] = 0.5 - 0.1 * k
    }
    const data = dataAt(model, state)
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
