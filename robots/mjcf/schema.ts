import type { Vocabulary, Word } from '../elements/index.ts'

/*
 * The grammar of MJCF as far as it is read: for each element the attributes that are used, those that are kept without use,
 * and the elements allowed in it. Anything in no row is reported by name.
 */

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

const turn = 'quat axisangle euler xyaxes zaxis'
const look = 'material rgba group user margin gap shellinertia fluidshape fluidcoef fitscale octree_depth'
const geom = `name class type contype conaffinity condim priority solref solimp solmix size fromto mesh hfield mass density friction pos ${turn}`
const actuator =
  'name class joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited actrange actlimited kp kv gainprm biasprm gaintype biastype dyntype dynprm inheritrange timeconst dampratio armature damping area diameter bias delay'
const drive = 'group user lengthrange cranklength actdim actearly nsample interp'
const bodyParts = 'body frame joint freejoint geom site inertial camera light replicate'

/** Element, attributes that are read, attributes that are carried, elements inside. */
const rows: readonly (readonly [name: string, read: string, carried?: string, children?: string])[] = [
  [
    'mujoco',
    'model',
    '',
    'compiler option size visual statistic default asset worldbody contact equality tendon actuator sensor keyframe custom extension deformable',
  ],
  [
    'compiler',
    'angle autolimits eulerseq meshdir assetdir strippath inertiafromgeom inertiagrouprange balanceinertia boundmass boundinertia settotalmass coordinate discardvisual',
    'texturedir convexhull usethread fusestatic alignfree saveinertial fitaabb exactmeshinertia conflict',
  ],
  [
    'option',
    'gravity',
    'timestep integrator cone solver iterations tolerance jacobian impratio density viscosity wind magnetic noslip_iterations ls_iterations o_margin o_solref o_solimp o_friction ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints actuatorgroupdisable ls_tolerance noslip_tolerance apirate sleep_tolerance',
    'flag',
  ],
  [
    'flag',
    'gravity',
    'constraint contact energy equality frictionloss limit passive spring damper clampctrl warmstart filterparent actuation refsafe sensor midphase nativeccd eulerdamp autoreset override fwdinv invdiscrete multiccd island sleep',
  ],
  [
    'default',
    'class',
    '',
    'default geom joint site motor position velocity general mesh equality tendon camera light material pair damper intvelocity cylinder muscle adhesion dcmotor',
  ],
  ['asset', '', '', 'mesh hfield texture material model skin'],
  [
    'asset/mesh',
    'name class file vertex scale refpos refquat inertia builtin params',
    'normal face texcoord smoothnormal maxhullvert content_type octree_depth material',
  ],
  ['asset/hfield', 'name file nrow ncol size elevation', 'content_type'],
  ['default/mesh', 'scale inertia', 'maxhullvert'],
  ['worldbody', '', '', bodyParts],
  ['body', `name childclass pos mocap ${turn}`, 'gravcomp user sleep', `${bodyParts} plugin composite flexcomp attach`],
  ['frame', `name childclass pos scale massscale scaling ${turn}`, '', bodyParts],
  ['replicate', 'count offset euler sep', '', bodyParts],
  ['inertial', `pos mass diaginertia fullinertia ${turn}`],
  [
    'joint',
    'name class type pos axis range limited actuatorfrcrange actuatorfrclimited damping stiffness springref armature frictionloss ref',
    'springdamper solreflimit solimplimit solreffriction solimpfriction margin user group actuatorgravcomp',
  ],
  ['freejoint', 'name', 'group align'],
  ['geom', geom, look, 'plugin'],
  ['site', `name class pos ${turn}`, 'type size fromto material rgba group user'],
  ['contact', '', '', 'pair exclude'],
  ['contact/exclude', 'name body1 body2'],
  ['contact/pair', 'geom1 geom2 condim friction solref solimp class', 'name solreffriction margin gap'],
  ['equality', '', '', 'connect weld joint tendon flex flexvert flexstrain'],
  ['equality/connect', 'name class active body1 body2 anchor site1 site2', 'solref solimp'],
  ['equality/weld', 'name class active body1 body2 relpose anchor site1 site2', 'solref solimp torquescale'],
  ['equality/joint', 'name class active joint1 joint2 polycoef', 'solref solimp'],
  ['equality/tendon', 'name class active tendon1 tendon2 polycoef', 'solref solimp'],
  ['default/equality', 'active', 'solref solimp'],
  ['tendon', '', '', 'fixed spatial'],
  ['default/tendon', '', 'width rgba material group limited range stiffness damping frictionloss'],
  [
    'tendon/fixed',
    'name class',
    'limited range stiffness damping frictionloss springlength margin solreflimit solimplimit armature user group',
    'joint',
  ],
  ['fixed/joint', 'joint coef'],
  [
    'actuator',
    '',
    '',
    'general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor orientation pid plugin',
  ],
  ...['general', 'motor', 'position', 'velocity', 'intvelocity', 'damper', 'cylinder'].map(
    (name) => [name, actuator, `${drive} tendon site body refsite slidersite cranksite`] as const,
  ),
  ['keyframe', '', '', 'key'],
  ['keyframe/key', 'name qpos ctrl', 'time qvel act mpos mquat'],
]

export const mjcfVocabulary: Vocabulary = new Map(
  rows.map(([name, read, carried = '', children]): [string, Word] => [
    name,
    { attributes: words(read), carried: words(carried), children: children === undefined ? undefined : words(children) },
  ]),
)

/** Elements for visuals, sensors or user data alone: kept without use. */
export const carriedElements: ReadonlySet<string> = new Set(
  words('size visual statistic sensor custom camera light texture material skin'),
)

/** Elements that change the motion and have no counterpart here. */
export const unsupported: ReadonlyMap<string, string> = new Map([
  ...words('plugin composite flexcomp attach flex flexvert flexstrain extension deformable model').map(
    (name) => [name, 'it has no counterpart here.'] as const,
  ),
  ...words('muscle adhesion dcmotor orientation pid').map((name) => [name, 'such an actuator has no counterpart here.'] as const),
  ['spatial', 'tendons that wrap have no counterpart here.'],
])
