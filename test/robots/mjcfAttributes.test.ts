import type { MainModule } from '@mujoco/mujoco'
import { describe, expect, test } from 'vitest'
import { eigenSymmetric3 } from '../../robots/compile/massProperties.ts'
import { loadRobot, RobotError } from '../../robots/index.ts'
import { mjcfVocabulary } from '../../robots/mjcf/schema.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/*
 * Each attribute of MJCF that is read, told or carried is stated in a file in which it could act, and MuJoCo runs the file with it and without.
 * Where its motion changes, our robot is another or a finding says that it is not.
 */

const limb = (size: number) => `<geom type="capsule" fromto="0 0 0 .3 0 0" size="${size}" mass=".5"/>`
const base = `<mujoco model="m">
<compiler angle="radian" autolimits="true"/>
<option timestep="0.002"><flag/></option>
<asset>
<mesh name="wedge" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .1"/>
<hfield name="hills" nrow="2" ncol="2" size="1 1 .1 .1" elevation="0 1 1 0"/>
</asset>
<worldbody>
<geom name="floor" type="plane" size="5 5 1"/><site name="start" pos=".1 .3 1.1"/><site name="beside" pos="0 .2 1.3"/><geom name="drum" type="sphere" size=".08" pos=".2 .15 1.05" contype="0" conaffinity="0"/>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-.3 .3" damping=".1" stiffness="2" frictionloss=".05"/><geom name="upper" type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1"/>
<body name="fore" pos=".4 0 0"><joint name="sliding" type="slide" axis="1 0 .2" range="-.05 .05"/><geom name="hand" type="box" size=".05 .04 .03"/><site name="tip" pos=".05 0 0"/><site name="mark"/></body></body>
<body name="bob" pos="1 0 1"><joint name="ball" type="ball"/><inertial mass="1" pos="0 0 .1" fullinertia=".02 .03 .04 .001 .002 .003"/><geom name="egg" type="ellipsoid" size=".05 .1 .15" pos=".2 0 0"/></body>
<body name="cube" pos="2 0 .08"><freejoint name="free"/><geom name="die" type="box" size=".1 .1 .1" friction=".4 .005 .0001"/><inertial mass="2" pos="0 0 .01" diaginertia=".02 .02 .03"/></body>
<body name="stone" pos="3 0 1"><freejoint name="flying"/><geom name="chip" type="mesh" mesh="wedge"/></body>
<body name="chest" pos="4 0 1"><joint name="lid" axis="1 0 0"/><geom name="case" type="cylinder" size=".1 .1" pos="0 .1 0"/><geom size=".05" pos="0 .2 0" group="3"/></body>
<body name="post" pos="6 0 .5"><geom size=".1"/></body>
<body name="hill" pos="5 0 -.5"><geom name="slope" type="hfield" hfield="hills"/></body>
<frame name="corner" pos="0 2 1"><body name="hung"><joint name="swing" axis="0 1 0"/>${limb(0.02)}</body></frame>
<replicate count="2" offset="0 .5 0" sep="_"><body name="copy" pos="0 3 1"><joint name="turn" axis="0 1 0"/>${limb(0.02)}</body></replicate>
<body name="a" pos="-1 0 1"><joint name="ja" axis="0 1 0"/>${limb(0.02)}</body>
<body name="b" pos="-1 1 1"><joint name="jb" axis="0 1 0"/>${limb(0.03)}</body>
<body name="c" pos="-2 0 1"><joint name="jc" axis="0 1 0"/>${limb(0.02)}</body>
<body name="d" pos="-2 1 1"><joint name="jd" axis="0 1 0" ref=".1"/>${limb(0.03)}</body>
<body name="e" pos="-3 0 1"><joint name="je" axis="0 1 0"/>${limb(0.02)}<body name="f" pos=".3 0 0"><joint name="jf" axis="0 1 0"/>${limb(0.02)}</body></body>
<body name="g" pos="-4 0 1"><freejoint name="kept"/><geom size=".05" mass=".5" pos=".01 0 0"/></body>
<body name="h" pos="-5 0 1"><joint name="jh" axis="0 1 0" damping=".1"/>${limb(0.03)}</body>
<body name="i" pos="-6 0 1"><joint name="ji" axis="0 1 0"/>${limb(0.03)}</body>
<body name="j" pos="-7 0 1"><joint name="jj" axis="0 1 0"/>${limb(0.03)}</body>
<body name="k" pos="-8 0 1"><joint name="jk" axis="0 1 0"/>${limb(0.03)}</body>
</worldbody>
<contact><pair name="rest" geom1="die" geom2="floor"/><exclude name="never" body1="arm" body2="cube"/></contact>
<tendon><fixed name="rope"><joint joint="ja" coef="1"/><joint joint="jb" coef=".5"/></fixed><fixed name="cord"><joint joint="jc" coef="1"/></fixed><fixed name="line"><joint joint="jd" coef="1"/></fixed>
<spatial name="lace" stiffness="3" springlength=".05"><site site="start"/><geom geom="drum" sidesite="beside"/><site site="tip"/><pulley divisor="2"/><site site="start"/><site site="mark"/></spatial></tendon>
<equality><connect name="pin" body1="f" body2="world" anchor=".3 0 0"/><weld name="glue" body1="g" body2="world"/><joint name="gear" joint1="jh" joint2="ji"/><tendon name="belt" tendon1="cord" tendon2="line"/></equality>
<actuator>
<motor name="m" joint="hinge"/><position name="p" joint="sliding" kp="50"/><velocity name="v" joint="ji" kv=".3"/><intvelocity name="iv" joint="jj" kp="2" actrange="-1 1"/>
<damper name="dm" joint="jk" kv=".2" ctrlrange="0 1"/><cylinder name="cy" joint="lid" area="2" timeconst=".1"/><general name="ge" joint="swing" gainprm="3" dyntype="filter" dynprm=".1" biastype="affine" biasprm="0 -1 -.1"/>
<general name="servo" joint="hinge" gainprm="10" biastype="affine" biasprm="0 -10 0"/><intvelocity name="drift" joint="sliding" kp="2"/>
<pid name="pd" joint="jf" kp="2" ki="1" kv=".1" input="pos vel ff"/><pid name="slow" joint="sliding" kp="50"/><general name="three" joint="je" gaintype="pid" biastype="affine" gainprm="0" biasprm="0 -2 -.1" input="pos vel ff"/>
<muscle name="mu" tendon="lace" lengthrange=".2 .9"/><orientation name="or" joint="ball" kp="2"/>
</actuator>
<keyframe><key name="start"/></keyframe>
</mujoco>`

/** Elements by their row in the vocabulary: the beginning of the tag in the file. */
const places: Readonly<Record<string, readonly string[]>> = {
  compiler: ['<compiler'],
  option: ['<option'],
  flag: ['<flag'],
  'asset/mesh': ['<mesh name="wedge"'],
  'asset/hfield': ['<hfield'],
  body: ['<body name="arm"', '<body name="cube"', '<body name="post"'],
  frame: ['<frame'],
  replicate: ['<replicate'],
  inertial: ['<inertial mass="2"', '<inertial mass="1"'],
  joint: ['<joint name="hinge"', '<joint name="sliding"', '<joint name="ball"'],
  freejoint: ['<freejoint name="flying"'],
  geom: ['<geom name="hand"', '<geom name="egg"', '<geom name="die"'],
  site: ['<site name="tip"', '<site name="mark"'],
  'contact/pair': ['<pair'],
  'equality/connect': ['<connect'],
  'equality/weld': ['<weld'],
  'equality/joint': ['<joint name="gear"'],
  'equality/tendon': ['<tendon name="belt"'],
  'tendon/fixed': ['<fixed name="rope"'],
  'tendon/spatial': ['<spatial name="lace"'],
  'spatial/site': ['<site site="tip"'],
  'spatial/geom': ['<geom geom="drum"'],
  'spatial/pulley': ['<pulley'],
  muscle: ['<muscle'],
  orientation: ['<orientation'],
  'fixed/joint': ['<joint joint="ja"'],
  motor: ['<motor'],
  position: ['<position'],
  velocity: ['<velocity'],
  intvelocity: ['<intvelocity name="iv"', '<intvelocity name="drift"'],
  damper: ['<damper'],
  cylinder: ['<cylinder'],
  general: ['<general name="ge"', '<general name="servo"', '<pid name="slow" joint="sliding" kp="50"/><general name="three"'],
  pid: ['<pid name="pd"', '<pid name="slow"'],
}

/** Of versions after the one that is tried here. */
const later =
  'convexhull exactmeshinertia octree_depth castshadow passive actdim savecompiled savecanonical passthrough apirate diagexact ipc speculative fuse simple massscale scaling springyield adhesion builtin params'
/** Names of others, of files, and of texts; the rows of keyframes, classes, excludes, sensors have tests of their own. */
const names =
  'name class childclass joint jointinparent joint1 joint2 body1 body2 geom1 geom2 site1 site2 tendon1 tendon2 tendon site body refsite slidersite cranksite cranklength geom sidesite mesh hfield file content_type material meshdir assetdir texturedir user coordinate eulerseq plugin elevation vertex face normal texcoord count'
const elsewhere = 'mujoco default default/mesh default/equality default/tendon keyframe/key contact/exclude adhesion'

const vector = '.1 .2 .3'
/** Values that differ from the default. */
const values: Readonly<Record<string, string>> = {
  ...{
    angle: 'degree',
    autolimits: 'true',
    strippath: 'true',
    inertiafromgeom: 'true',
    inertiagrouprange: '0 2',
    balanceinertia: 'true',
  },
  ...{ boundmass: '3', boundinertia: '.5', settotalmass: '20', discardvisual: 'true', convexhull: 'false', usethread: 'false' },
  ...{
    fusestatic: 'true',
    alignfree: 'true',
    saveinertial: 'true',
    fitaabb: 'true',
    exactmeshinertia: 'true',
    conflict: 'merge',
  },
  ...{
    gravity: '1 0 -5',
    timestep: '.001',
    integrator: 'RK4',
    cone: 'elliptic',
    solver: 'CG',
    iterations: '50',
    tolerance: '1e-9',
  },
  ...{
    jacobian: 'dense',
    impratio: '5',
    density: '20',
    viscosity: '.3',
    wind: '5 0 0',
    magnetic: '0 1 0',
    noslip_iterations: '3',
  },
  ...{
    ls_iterations: '40',
    o_margin: '.01',
    o_solref: '.05 1',
    o_solimp: '.5 .6 .1 .5 2',
    o_friction: '.1 .1 .1 .1 .1',
    ls_tolerance: '.02',
  },
  ...{
    ccd_iterations: '40',
    ccd_tolerance: '1e-7',
    sdf_iterations: '5',
    sdf_initpoints: '20',
    noslip_tolerance: '1e-5',
    sleep_tolerance: '1e-3',
  },
  ...{
    vertex: '0 0 0 .2 0 0 0 .3 0 0 0 .3',
    scale: '1 1.2 1',
    refpos: '.05 0 0',
    refquat: '1 .5 0 0',
    inertia: 'convex',
    smoothnormal: 'true',
  },
  ...{ maxhullvert: '4', params: '2 2 3 .2 .2 .2', builtin: 'box', nrow: '2', ncol: '2', octree_depth: '2' },
  ...{ pos: vector, quat: '1 .2 .3 .4', axisangle: '0 1 0 .2', euler: '.1 .2 .3', xyaxes: '1 0 .2 0 1 0', zaxis: '.2 0 1' },
  ...{ mocap: 'true', gravcomp: '.5', sleep: 'never', offset: '.5 .5 .2', sep: '-', mass: '3', diaginertia: '.1 .1 .15' },
  ...{ fullinertia: '.03 .03 .04 .001 .002 .003', type: 'slide', axis: '0 1 .5', range: '-.02 .02', limited: 'false' },
  ...{ actuatorfrcrange: '-.1 .1', actuatorfrclimited: 'false', damping: '1', stiffness: '7', springref: '.2', armature: '.1' },
  ...{
    frictionloss: '.5',
    ref: '.1',
    springdamper: '.2 1',
    solreflimit: '.1 1',
    solimplimit: '.5 .6 .1 .5 2',
    solreffriction: '.1 1',
  },
  ...{
    solimpfriction: '.5 .6 .1 .5 2',
    margin: '.1',
    gap: '.01',
    group: '1',
    actuatorgravcomp: 'true',
    align: 'true',
    contype: '0',
    conaffinity: '0',
  },
  ...{
    condim: '1',
    priority: '1',
    solref: '.1 1',
    solimp: '.5 .6 .1 .5 2',
    solmix: '3',
    size: '.12 .13 .14',
    fromto: '0 0 0 .1 .1 .1',
  },
  ...{
    friction: '.05 .01 .01',
    shellinertia: 'true',
    rgba: '1 0 0 1',
    fluidshape: 'ellipsoid',
    fluidcoef: '1 1 1 1 1',
    fitscale: '2',
  },
  ...{
    surfacevel: '1 0 0 0 0 0',
    active: 'false',
    anchor: '.1 .1 .1',
    relpose: '0 0 .1 1 0 0 0',
    torquescale: '5',
    polycoef: '.1 .5 0 0 0',
    springlength: '.1',
  },
  ...{
    coef: '2',
    gear: '2',
    ctrlrange: '-.1 .1',
    ctrllimited: 'false',
    forcerange: '-.1 .1',
    forcelimited: 'false',
    actrange: '-.02 .02',
    posrange: '-.1 .1',
    velrange: '-.1 .1',
    ffrange: '-.1 .1',
    actlimited: 'false',
  },
  ...{
    kp: '20',
    ki: '30',
    imax: '.01',
    slewmax: '.1',
    kv: '1',
    gainprm: '5',
    biasprm: '0 -3 0',
    gaintype: 'affine',
    biastype: 'affine',
    dyntype: 'integrator',
    dynprm: '.3',
  },
  ...{
    inheritrange: '.5',
    timeconst: '.3',
    dampratio: '1',
    area: '3',
    diameter: '2',
    bias: '1 0 0',
    lengthrange: '0 1',
    actdim: '1',
  },
  ...{ divisor: '3', tausmooth: '.2', force: '30', lmin: '.7', lmax: '1.2', vmax: '.1', fpmax: '3', fvmax: '2' },
  ...{ nsample: '2', interp: 'linear', delay: '.01" nsample="3', actearly: 'true', castshadow: 'false', width: '.1' },
  ...{
    gravcompensation: '',
    energy: 'enable',
    override: 'enable',
    fwdinv: 'enable',
    invdiscrete: 'enable',
    multiccd: 'disable',
    sensor: 'disable',
  },
  ...{
    filterparent: 'disable',
    refsafe: 'disable',
    eulerdamp: 'disable',
    warmstart: 'disable',
    midphase: 'disable',
    nativeccd: 'disable',
    autoreset: 'disable',
  },
  ...{
    island: 'disable',
    contact: 'disable',
    constraint: 'disable',
    equality: 'disable',
    limit: 'disable',
    spring: 'disable',
    damper: 'disable',
  },
  ...{ clampctrl: 'disable', actuation: 'disable', passive: 'disable', actuatorgroupdisable: '0' },
}

/** Of an attribute that takes other values in this element. */
const own: Readonly<Record<string, string>> = {
  'flag gravity': 'disable',
  'flag frictionloss': 'disable',
  'flag sleep': 'disable',
  'geom type': 'sphere',
  'contact/pair friction': '.1 .1 .005 .0001 .0001',
  'contact/pair margin': '.1',
  'tendon/fixed range': '-.01 .01',
  'site type': 'box" size=".1 .1 .1',
  'site fromto': '0 0 0 .1 0 0" type="capsule" size=".1',
  'damper ctrlrange': '0 .1',
  'general input': 'pos',
  'orientation input': 'quat',
  'muscle range': '.5 1.3',
  'muscle timeconst': '.2 .3',
  'orientation forcerange': '0 .1',
  'muscle gear': '.7',
  'pid input': 'pos',
  'asset/hfield size': '1 1 .2 .1',
  'asset/hfield nrow': '2',
}

/** The file with an attribute in the place of the one that stands there. */
function stating(tag: string, attribute: string, value: string): string {
  const start = base.indexOf(tag)
  const end = base.indexOf('>', start)
  const slash = base[end - 1] === '/' ? 1 : 0
  const stated = base.slice(start, end - slash).replace(new RegExp(` ${attribute}="[^"]*"`), '')
  return `${base.slice(0, start)}${stated} ${attribute}="${value}"${base.slice(end - slash)}`
}

/** Coordinates after 0.3 s; undefined where MuJoCo refuses the file. */
async function motionOf(text: string): Promise<readonly number[] | undefined> {
  const { mj, model } = await mjcfModelOf(text).catch(() => ({ mj: undefined, model: undefined }) as never)
  if (!model) return undefined
  const data = new (mj as MainModule).MjData(model)
  data.ctrl.fill(0.4)
  for (let k = 0; data.time < 0.3 && k < 1000; k++) mj.mj_step(model, data)
  const q = [...data.qpos]
  data.delete()
  model.delete()
  return q
}

const isMoved = (a: readonly number[], b: readonly number[]) =>
  a.length !== b.length || a.some((x, k) => Math.abs(x - b[k]) > 1e-7)

function ours(text: string): { readonly bits: string; readonly findings: string } {
  try {
    const { diagnostics, tags: _, ...robot } = loadRobot(text, { file: 'm.xml', ground: false })
    const plain = (_: string, value: unknown) => (ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value)
    return { bits: JSON.stringify(robot, plain), findings: JSON.stringify(diagnostics) }
  } catch (error) {
    if (error instanceof RobotError) return { bits: 'refused', findings: error.message }
    throw error
  }
}

const skipped = new Set([
  ...`${names} ${later}`.split(' '),
  'general inheritrange',
  // not of a tendon that goes round a geom
  'tendon/spatial armature',
  'muscle armature',
  // refused beside others of the file by the compiler's check of the force
  'muscle scale',
  // none of an orientation's
  ...['gear', 'armature', 'damping', 'lengthrange'].map((name) => `orientation ${name}`),
  'general input',
  'general velrange',
  'general ffrange',
])
const rows = [...mjcfVocabulary].filter(([element]) => !elsewhere.split(' ').includes(element) && !element.startsWith('sensor/'))
const attributesOf = (element: string) => {
  const { attributes = [], carried = [], toldAttributes = {} } = mjcfVocabulary.get(element)!
  return [...new Set([...attributes, ...carried, ...Object.keys(toldAttributes)])].filter(
    (name) => !skipped.has(name) && !skipped.has(`${element} ${name}`),
  )
}

/** Mass, centre of mass and moments of the first body, in its principal axes where MuJoCo has them. */
async function massesOf(text: string) {
  const { model } = await mjcfModelOf(text)
  const theirs = [model.body_mass[1], ...[...model.body_inertia.slice(3, 6)].sort((a, b) => a - b)]
  model.delete()
  const { I } = loadRobot(text, { file: 'm.xml', ground: false }).model
  const [mass, x, y, z, ...moments] = I[1]
  const [xx, yy, zz, xy, xz, yz] = moments
  const central = [xx - (y * y + z * z) / mass, yy - (x * x + z * z) / mass, zz - (x * x + y * y) / mass]
  const products = [xy + (x * y) / mass, xz + (x * z) / mass, yz + (y * z) / mass] as const
  const { values } = eigenSymmetric3([central[0], central[1], central[2], ...products])
  return { theirs, mine: [mass, ...[...values].sort((a, b) => a - b)] }
}

test.each([
  ['sphere', '.2'],
  ['capsule', '.1 .2'],
  ['cylinder', '.1 .2'],
  ['box', '.1 .2 .3'],
  ['ellipsoid', '.1 .2 .3'],
])('a %s with shellinertia has its mass in its surface', async (type, size) => {
  const geom = `<geom type="${type}" size="${size}" shellinertia="true" density="50"/>`
  const { mine, theirs } = await massesOf(`<mujoco><worldbody><body><freejoint/>${geom}</body></worldbody></mujoco>`)
  mine.forEach((x, k) => {
    expect(x).toBeCloseTo(theirs[k], 9)
  })
})

test.each(['', 'inertia="exact"', 'inertia="convex"', 'inertia="shell"', 'scale="1.1 -1.7 2" inertia="exact"'])(
  'a mesh of vertices and faces has the mass of its faces: %s',
  async (more) => {
    // a box with a notch
    const vertex = '0 0 0 1 0 0 1 0 1 .5 0 .4 0 0 1 0 1 0 1 1 0 1 1 1 .5 1 .4 0 1 1'
    const face = '0 1 3 1 2 3 0 3 4 5 8 6 6 8 7 5 9 8 0 5 1 1 5 6 1 6 2 2 6 7 2 7 3 3 7 8 3 8 4 4 8 9 4 9 0 0 9 5'
    const mesh = `<mesh name="notch" vertex="${vertex}" face="${face}" ${more}/>`
    const { mine, theirs } = await massesOf(
      `<mujoco><asset>${mesh}</asset><worldbody><body><freejoint/><geom type="mesh" mesh="notch" density="2"/></body></worldbody></mujoco>`,
    )
    mine.forEach((x, k) => {
      expect(x).toBeCloseTo(theirs[k], 9)
    })
  },
)

test("the shell of a mesh without faces is its hull's", async () => {
  const { mine, theirs } = await massesOf(
    `<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 .5 .4 .4 .4" scale="1 -2 1" inertia="shell"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m" density="2"/></body></worldbody></mujoco>`,
  )
  mine.forEach((x, k) => {
    expect(x).toBeCloseTo(theirs[k], 6)
  })
})

test('of a polynomial of stiffness or damping the linear term is of the joint itself, and of a spring the rest a tendon', () => {
  const joint = (more: string) =>
    loadRobot(`<mujoco><worldbody><body><joint ${more}/><geom size=".1"/></body></worldbody></mujoco>`, { file: 'm.xml' })
  const { model, diagnostics } = joint('stiffness="10 0 100" damping="0.1 0.2"')
  expect([model.stiffness[0], model.damping[0]]).toEqual([10, 0.1])
  expect(diagnostics).toEqual([])
  expect(model.tendons!.map(({ stiffness }) => stiffness)).toEqual([[0, 0, 100]])
  expect([...model.dampingPolynomial!]).toEqual([0.2, 0])
  expect(joint('stiffness="10 0 0" damping="0.1 0"').diagnostics).toEqual([])
})

describe('flags', () => {
  const file = (flags: string) => `<mujoco><option><flag ${flags}/></option><worldbody><geom type="plane" size="1 1 .1"/>
    <body name="a" pos="0 0 1"><joint name="a" axis="0 1 0" range="-10 10" stiffness="5" damping=".1" frictionloss=".2"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".02"/></body>
    <body name="b" pos="0 1 1"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".02"/></body></worldbody>
    <equality><joint joint1="b" joint2="a"/></equality><actuator><position joint="a" kp="3" ctrlrange="-1 1"/></actuator></mujoco>`
  const read = (flags: string) => {
    const { model, shapes, surroundings = [], mimics, actuators = [], diagnostics } = loadRobot(file(flags), { file: 'm.xml' })
    return {
      contact: shapes.length + surroundings.length > 0,
      equality: mimics.length > 0,
      limit: Number.isFinite(model.upper[0]),
      frictionloss: model.friction[0] > 0,
      spring: model.stiffness[0] > 0,
      damper: model.damping[0] > 0,
      actuation: actuators[0].gain[0] > 0,
      clampctrl: actuators[0].control[1] === 1,
      told: diagnostics.some(({ code }) => code === 'flags-off'),
    }
  }
  const all = read('energy="disable"')

  test.each([
    ['contact', ['contact']],
    ['equality', ['equality']],
    ['limit', ['limit']],
    ['frictionloss', ['frictionloss']],
    ['spring', ['spring']],
    ['damper', ['damper']],
    ['actuation', ['actuation']],
    ['clampctrl', ['clampctrl']],
    ['constraint', ['contact', 'equality', 'limit', 'frictionloss']],
    ['passive', ['spring', 'damper']],
  ])('%s="disable" takes it away, and is told', (flag, off) => {
    expect(all).toEqual({ ...Object.fromEntries(Object.keys(all).map((key) => [key, true])), told: false })
    expect(read(`${flag}="disable"`)).toEqual({ ...all, told: true, ...Object.fromEntries(off.map((key) => [key, false])) })
  })
})

test('relpose of a weld with an anchor is the pose of the anchor', async () => {
  const text = `<mujoco><option gravity="0 0 0"/><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1" contype="0"/></body>
    <body name="b" pos=".8 0 1"><freejoint/><geom size=".1" contype="0"/></body></worldbody>
    <equality><weld body1="a" body2="b" relpose=".5 0 0 .8 0 0 .6" anchor=".1 .2 0"/></equality></mujoco>`
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  for (let k = 0; k < 4000; k++) {
    mj.mj_step(model, data)
    data.qvel.set([...data.qvel].map((x) => 0.99 * x))
  }
  const [R, p] = [data.xmat.slice(9, 18), data.xpos]
  const local = [0, 1, 2].map((k) => [0, 1, 2].reduce((sum, i) => sum + R[3 * i + k] * (p[6 + i] - p[3 + i]), 0))
  data.delete()
  model.delete()
  const [{ relative }] = loadRobot(text, { file: 'm.xml', ground: false }).loops!
  local.forEach((x, k) => {
    expect(relative!.p[k]).toBeCloseTo(x, 6)
  })
})

describe('an attribute that MuJoCo moves by acts here or is told', async () => {
  const still = (await motionOf(base))!
  const mine = ours(base)
  const filled = rows.filter(([element]) => attributesOf(element).length > 0)

  test('each attribute has a value to try', () => {
    const lacking = filled.flatMap(([element]) =>
      places[element] ? attributesOf(element).filter((name) => !(`${element} ${name}` in own) && !(name in values)) : [element],
    )
    expect(lacking).toEqual([])
  })

  test.each(filled.map(([element]) => element))('%s', async (element) => {
    const silent: string[] = []
    const untried: string[] = []
    for (const attribute of attributesOf(element)) {
      const value = own[`${element} ${attribute}`] ?? values[attribute]
      let isTried = false
      for (const tag of places[element]) {
        const text = stating(tag, attribute, value)
        const motion = await motionOf(text)
        if (!motion) continue
        isTried = true
        const { bits, findings } = ours(text)
        if (isMoved(motion, still) && bits === mine.bits && findings === mine.findings) silent.push(`${tag} ${attribute}`)
      }
      if (!isTried) untried.push(attribute)
    }
    expect({ silent, untried }).toEqual({ silent: [], untried: [] })
  })
})
