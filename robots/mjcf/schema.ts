import type { ToldAttribute, Vocabulary, Word } from '../elements/index.ts'
import { sensorTargets, unmeasured } from './sensors.ts'

/*
 * The grammar of MJCF: of each element the attributes and elements that act, those that are told because they act in MuJoCo alone, and those on
 * which no motion depends. Anything in no row is reported by name.
 */

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

const turn = 'quat axisangle euler xyaxes zaxis'
const look = 'material rgba group user octree_depth castshadow'
const geom = `fluidshape fluidcoef name class type contype conaffinity condim priority solref solimp solmix size fromto mesh hfield mass density shellinertia friction surfacevel adhesion gap pos ${turn}`
const drive =
  'name class joint jointinparent gear ctrlrange forcerange forcelimited armature damping group delay tendon site body refsite slidersite cranksite cranklength lengthrange'
/** Attributes of one kind of actuator. */
const drives: Readonly<Record<string, string>> = {
  general:
    'ctrllimited actrange actlimited actearly gainprm biasprm gaintype biastype dyntype dynprm inheritrange input velrange ffrange',
  motor: 'ctrllimited',
  position: 'ctrllimited kp kv dampratio timeconst inheritrange',
  velocity: 'ctrllimited kv',
  intvelocity: 'ctrllimited kp kv dampratio actrange actlimited inheritrange',
  pid: 'ctrllimited kp ki kv dampratio imax slewmax input posrange velrange ffrange inheritrange',
  damper: 'kv',
  cylinder: 'ctrllimited timeconst area diameter bias',
  muscle: 'ctrllimited timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax',
  orientation: 'kp kv dampratio input',
  adhesion: 'gain',
}
const held = 'limited range frictionloss solreflimit solimplimit solreffriction solimpfriction'
const along = `name class stiffness damping springlength springyield ${held}`
const bodyParts = 'body frame joint freejoint geom site inertial replicate'
const unread = 'plugin composite flexcomp attach'

interface Row {
  readonly read?: string
  readonly carried?: string
  /** Elements in it. */
  readonly inside?: string
  readonly idle?: string
  readonly told?: string
}

const rows: Readonly<Record<string, Row>> = {
  mujoco: {
    read: 'model',
    inside: 'compiler option default asset worldbody contact equality tendon actuator sensor keyframe',
    idle: 'size visual statistic custom',
    told: 'extension deformable',
  },
  compiler: {
    read: 'angle autolimits eulerseq meshdir assetdir strippath inertiafromgeom inertiagrouprange balanceinertia boundmass boundinertia settotalmass coordinate discardvisual',
    carried:
      'texturedir convexhull usethread fusestatic saveinertial savecompiled savecanonical passthrough fitaabb exactmeshinertia conflict',
    idle: 'lengthrange',
  },
  option: {
    read: 'gravity actuatorgroupdisable magnetic density viscosity wind',
    carried:
      'jacobian o_margin o_solref o_solimp o_friction ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints apirate sleep_tolerance',
    inside: 'flag',
  },
  flag: {
    read: 'gravity contact constraint equality frictionloss limit passive spring damper clampctrl actuation filterparent',
    carried: 'energy warmstart sensor midphase nativeccd autoreset fwdinv invdiscrete multiccd island diagexact',
  },
  default: {
    read: 'class',
    inside:
      'default geom joint site motor position velocity general mesh equality tendon pair damper intvelocity cylinder pid muscle orientation adhesion',
    idle: 'camera light material texture dcmotor',
  },
  asset: { inside: 'mesh hfield', idle: 'texture material skin', told: 'model' },
  'asset/mesh': {
    read: 'name class file vertex face scale refpos refquat inertia builtin params',
    carried: 'normal texcoord smoothnormal content_type octree_depth material',
    told: 'plugin',
  },
  'asset/hfield': { read: 'name file nrow ncol size elevation', carried: 'content_type' },
  'default/mesh': { read: 'scale inertia', carried: 'maxhullvert' },
  worldbody: { inside: bodyParts, idle: 'camera light', told: unread },
  body: {
    read: `name childclass pos mocap gravcomp ${turn}`,
    carried: 'user sleep fuse simple',
    inside: bodyParts,
    idle: 'camera light',
    told: unread,
  },
  frame: { read: `name childclass pos scale massscale scaling ${turn}`, inside: bodyParts, idle: 'camera light', told: unread },
  replicate: { read: 'count offset euler sep', inside: bodyParts, idle: 'camera light', told: unread },
  inertial: { read: `pos mass diaginertia fullinertia ${turn}` },
  joint: {
    read: 'name class type pos axis range limited actuatorfrcrange actuatorfrclimited actuatorgravcomp damping stiffness springref springdamper springyield armature frictionloss ref solreflimit solimplimit solreffriction solimpfriction',
    carried: 'user group',
  },
  freejoint: { read: 'name', carried: 'group' },
  geom: { read: geom, carried: look, told: 'plugin' },
  site: { read: `name class pos type size fromto ${turn}`, carried: 'mesh material rgba group user' },
  contact: { inside: 'pair exclude' },
  'contact/exclude': { read: 'name body1 body2' },
  'contact/pair': { read: 'geom1 geom2 condim friction solref solimp solreffriction adhesion gap class', carried: 'name' },
  equality: { inside: 'connect weld joint tendon', told: 'flex flexvert flexstrain' },
  'equality/connect': { read: 'name class active body1 body2 anchor site1 site2 solref solimp' },
  'equality/weld': { read: 'name class active body1 body2 relpose anchor torquescale site1 site2 solref solimp' },
  'equality/joint': { read: 'name class active joint1 joint2 polycoef solref solimp' },
  'equality/tendon': { read: 'name class active tendon1 tendon2 polycoef solref solimp' },
  'default/equality': { read: 'active solref solimp' },
  tendon: { inside: 'fixed spatial' },
  'default/tendon': {
    read: `stiffness damping springlength springyield ${held}`,
    carried: 'width rgba material group armature margin user',
  },
  'tendon/fixed': { read: along, carried: 'group user', inside: 'joint' },
  'tendon/spatial': { read: along, carried: 'group user width material rgba', inside: 'site geom pulley' },
  'spatial/site': { read: 'site' },
  'spatial/geom': { read: 'geom sidesite' },
  'spatial/pulley': { read: 'divisor' },
  'fixed/joint': { read: 'joint coef' },
  actuator: {
    inside: 'general motor position velocity intvelocity damper cylinder pid muscle orientation adhesion',
    told: 'dcmotor plugin',
  },
  ...Object.fromEntries(
    Object.entries(drives).map(([name, own]) => [
      name,
      {
        read: `${drive} ${own}`,
        carried: 'user actdim nsample interp',
      },
    ]),
  ),
  sensor: { inside: [...sensorTargets.keys(), ...unmeasured].join(' ') },
  ...Object.fromEntries(
    [...sensorTargets.keys()].map((name) => [
      `sensor/${name}`,
      {
        read: `name noise cutoff objtype objname reftype refname joint tendon actuator site body${name === 'contact' ? ' geom1 geom2 body1 body2 subtree1 subtree2 num data' : ''}`,
        carried: `user nsample interp delay interval ${name === 'contact' ? 'reduce' : 'data'}`,
      },
    ]),
  ),
  keyframe: { inside: 'key' },
  'keyframe/key': { read: 'name qpos qvel act ctrl mpos mquat plastic', carried: 'time' },
}

/**
 * Attributes that act in MuJoCo alone: in which elements, under which names, at what value they say nothing, and the finding. Changes have the code
 * `mjcf-unsupported`.
 */
const told: readonly (readonly [
  elements: string,
  attributes: string,
  neutral: string,
  finding: Pick<ToldAttribute, 'as' | 'message' | 'remedy'> & { readonly code?: string },
])[] = [
  [
    'option',
    'timestep integrator cone impratio noslip_iterations solver iterations ls_iterations tolerance ls_tolerance noslip_tolerance',
    '',
    {
      as: 'info',
      code: 'mjcf-solver',
      message: 'of the simulation, which a scenario states here.',
      remedy: 'See dt, integrator, and the options cone and impratio of the contact model mujoco.',
    },
  ],
  ['flag', 'override', 'disable', { as: 'change', message: 'one surface for all contacts.', remedy: 'Passed by.' }],
  [
    'flag',
    'refsafe eulerdamp sleep ipc speculative',
    '',
    {
      as: 'info',
      code: 'mjcf-solver',
      message: 'of the simulation, which a scenario states here.',
      remedy: 'See docs/scenario.md; ccd is what speculative is.',
    },
  ],
  [
    'compiler',
    'alignfree',
    'false',
    {
      as: 'warning',
      code: 'mjcf-aligned',
      message: 'coordinates of free bodies along their principal axes.',
      remedy: 'They are of the body here.',
    },
  ],
  [
    'freejoint',
    'align',
    'false',
    {
      as: 'warning',
      code: 'mjcf-aligned',
      message: 'coordinates along the principal axes.',
      remedy: 'They are of the body here.',
    },
  ],
  [
    'asset/mesh',
    'maxhullvert',
    '-1',
    { as: 'warning', code: 'mjcf-hull', message: 'corners at most.', remedy: 'The hull has all of them here.' },
  ],
  [
    'joint tendon/fixed tendon/spatial',
    'margin',
    '0',
    {
      as: 'info',
      code: 'mjcf-softness',
      message: 'distance from a limit at which it begins.',
      remedy: 'Here a limit begins where it is passed.',
    },
  ],
  ['geom', 'fitscale', '1', { as: 'change', message: 'a shape fitted to a mesh.', remedy: 'Passed by.' }],
  [
    'geom contact/pair',
    'margin',
    '0',
    {
      as: 'info',
      code: 'contact-margin',
      message: 'distance at which a contact begins, under the contact model mujoco.',
      remedy: 'Under the others shapes act on each other once they touch.',
    },
  ],
  ['tendon/fixed tendon/spatial', 'armature', '0', { as: 'change', message: 'of a tendon.', remedy: 'Passed by.' }],
  [
    'tendon/fixed tendon/spatial',
    'actuatorfrcrange',
    '0',
    { as: 'change', message: 'limits of a tendon.', remedy: 'Passed by.' },
  ],
]

const findings = told.map(([elements, attributes, neutral, finding]) => ({
  elements: words(elements),
  attributes: words(attributes),
  finding: { neutral, code: 'mjcf-unsupported', ...finding } as ToldAttribute,
}))

const toldIn = (element: string): Record<string, ToldAttribute> =>
  Object.fromEntries(
    findings
      .filter(({ elements }) => elements.includes(element))
      .flatMap(({ attributes, finding }) => attributes.map((name) => [name, finding])),
  )

const without = 'it has no counterpart here.'

export const mjcfVocabulary: Vocabulary = new Map(
  Object.entries(rows).map(([name, { read = '', carried = '', inside, idle = '', told: elements = '' }]): [string, Word] => [
    name,
    {
      attributes: words(read),
      carried: words(carried),
      toldAttributes: toldIn(name),
      idle: words(idle),
      told: Object.fromEntries(words(elements).map((element) => [element, without])),
      ...((inside ?? idle + elements) !== '' && { children: words(inside ?? '') }),
    },
  ]),
)
