import { entriesOf, namesIn, type ToldAttribute, type Vocabulary, type Word } from '../elements/index.ts'
import { sensorTargets, unmeasured } from './sensors.ts'

/*
 * The grammar of MJCF: of each element the attributes and elements that act, those that are told because they act in MuJoCo alone, and those on
 * which no motion depends. Anything in no row is reported by name.
 */

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

const sensor = (name: string) =>
  `sensor/${name}: name noise cutoff objtype objname reftype refname joint tendon actuator site body${name === 'contact' ? ' geom1 geom2 body1 body2 subtree1 subtree2 num data' : ''} | user nsample interp delay interval ${name === 'contact' ? 'reduce' : 'data'}`

const rows = entriesOf(`
mujoco: model | | compiler option default asset worldbody contact equality tendon actuator sensor keyframe | size visual statistic custom | extension deformable
compiler: angle autolimits eulerseq meshdir assetdir strippath inertiafromgeom inertiagrouprange balanceinertia boundmass boundinertia settotalmass coordinate discardvisual | texturedir convexhull usethread fusestatic saveinertial savecompiled savecanonical passthrough fitaabb exactmeshinertia conflict | | lengthrange
option: gravity actuatorgroupdisable magnetic density viscosity wind | jacobian o_margin o_solref o_solimp o_friction ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints sleep_tolerance | flag
flag: gravity contact constraint equality frictionloss limit passive spring damper clampctrl actuation filterparent | energy warmstart midphase autoreset fwdinv invdiscrete island
default: class | | default geom joint site motor position velocity general mesh equality tendon pair damper intvelocity cylinder pid muscle orientation adhesion | camera light material texture dcmotor
asset: | | mesh hfield | texture material skin | model
asset/mesh: name class file vertex face scale refpos refquat inertia builtin params | normal texcoord smoothnormal content_type octree_depth material | | | plugin
asset/hfield: name file nrow ncol size elevation | content_type
default/mesh: scale inertia | maxhullvert
worldbody: | | ${bodyParts} | camera light | ${unread}
body: name childclass pos mocap gravcomp ${turn} | user sleep fuse simple | ${bodyParts} | camera light | ${unread}
frame: name childclass pos scale massscale scaling ${turn} | | ${bodyParts} | camera light | ${unread}
replicate: count offset euler sep | | ${bodyParts} | camera light | ${unread}
inertial: pos mass diaginertia fullinertia ${turn}
joint: name class type pos axis range limited actuatorfrcrange actuatorfrclimited actuatorgravcomp damping stiffness springref springdamper springyield armature frictionloss ref solreflimit solimplimit solreffriction solimpfriction | user group
freejoint: name | group
geom: ${geom} | ${look} | | | plugin
site: name class pos type size fromto ${turn} | mesh material rgba group user
contact: | | pair exclude
contact/exclude: name body1 body2
contact/pair: geom1 geom2 condim friction solref solimp solreffriction adhesion gap class | name
equality: | | connect weld joint tendon | | flex flexvert flexstrain
equality/connect: name class active body1 body2 anchor site1 site2 solref solimp
equality/weld: name class active body1 body2 relpose anchor torquescale site1 site2 solref solimp
equality/joint: name class active joint1 joint2 polycoef solref solimp
equality/tendon: name class active tendon1 tendon2 polycoef solref solimp
default/equality: active solref solimp
tendon: | | fixed spatial
default/tendon: stiffness damping springlength springyield ${held} | width rgba material group armature margin user
tendon/fixed: ${along} | group user | joint
tendon/spatial: ${along} | group user width material rgba | site geom pulley
spatial/site: site
spatial/geom: geom sidesite
spatial/pulley: divisor
fixed/joint: joint coef
actuator: | | general motor position velocity intvelocity damper cylinder pid muscle orientation adhesion | | dcmotor plugin
${Object.entries(drives)
  .map(([name, own]) => `${name}: ${drive} ${own} | user actdim nsample interp`)
  .join('\n')}
sensor: | | ${[...sensorTargets.keys(), ...unmeasured].join(' ')}
${[...sensorTargets.keys()].map(sensor).join('\n')}
keyframe: | | key
keyframe/key: name qpos qvel act ctrl mpos mquat plastic | time`)

/**
 * Attributes that act in MuJoCo alone: in which elements, under which names, at what value they say nothing, how the finding is classed and its code,
 * its message, its remedy.
 */
const told = `
option | timestep integrator cone impratio | | info mjcf-solver | of the simulation, which a scenario states here. | Taken with asMujoco in a scenario, or --as-mujoco.
option | solver iterations ls_iterations tolerance ls_tolerance | | info mjcf-solver | of the solver; here problems are solved to rounding. | Nothing to do.
option | noslip_iterations noslip_tolerance | 0 | info mjcf-solver | sweeps that take slip out of sticking contacts; not here. | A larger impratio of the model mujoco slips less.
option | collision apirate mpr_iterations mpr_tolerance | | info mjcf-removed | was removed from MJCF; MuJoCo 4.0.0 refuses the file. | Without effect here: all pairs are as their bits and <contact> say.
flag | passive | | info mjcf-removed | was removed from MJCF; MuJoCo 4.0.0 refuses the file. | It acts here as spring and damper, which took its place.
flag | override | disable | change mjcf-unsupported | one surface for all contacts. | Passed by.
flag | refsafe | enable | info mjcf-solver | a time of solref below two steps counts as it is; here as two steps. | State two steps or more.
flag | eulerdamp | enable | info mjcf-solver | damping of joints as at the start of a step; here at its end. | Take a smaller step.
flag | sleep | disable | info mjcf-solver | bodies at rest are left out of steps; here all move. | Nothing to do.
flag | speculative | disable | info mjcf-solver | motion in a step ends where shapes would pass through each other. | State ccd: true, or --ccd.
flag | nativeccd | enable | info mjcf-solver | distances of convex shapes by libccd; here by our own. | Nothing to do.
flag | multiccd | enable | info mjcf-solver | one point of contact for two convex shapes; here faces touch in several. | Nothing to do.
flag | diagexact | disable | info mjcf-solver | softness by the exact inverse inertia; here by its estimate at zero. | State solimp.
flag | sensor | enable | change mjcf-unsupported | sensors stay at 0; here they measure. | Passed by.
flag | ipc | disable | change mjcf-unsupported | contacts that never penetrate, by the integrator discrete. | Passed by.
compiler | alignfree | false | warning mjcf-aligned | coordinates of free bodies along their principal axes. | They are of the body here.
freejoint | align | false | warning mjcf-aligned | coordinates along the principal axes. | They are of the body here.
asset/mesh | maxhullvert | -1 | warning mjcf-hull | corners at most. | The hull has all of them here.
joint tendon/fixed tendon/spatial | margin | 0 | info mjcf-softness | distance from a limit at which it begins. | Here a limit begins where it is passed.
geom | fitscale | 1 | change mjcf-unsupported | a shape fitted to a mesh. | Passed by.
geom contact/pair | margin | 0 | info contact-margin | distance at which a contact begins, under the contact model mujoco. | Under the others shapes act on each other once they touch.
tendon/fixed tendon/spatial | armature | 0 | change mjcf-unsupported | of a tendon. | Passed by.
tendon/fixed tendon/spatial | actuatorfrcrange | 0 | change mjcf-unsupported | limits of a tendon. | Passed by.`

const findings = told
  .trim()
  .split('\n')
  .map((row) => {
    const [elements, attributes, neutral, finding, message, remedy] = row.split('|').map((cell) => cell.trim())
    const [as, code] = finding.split(' ')
    return {
      elements: namesIn(elements),
      attributes: namesIn(attributes),
      finding: { neutral, as, code, message, remedy } as ToldAttribute,
    }
  })

const toldIn = (element: string): Record<string, ToldAttribute> =>
  Object.fromEntries(
    findings
      .filter(({ elements }) => elements.includes(element))
      .flatMap(({ attributes, finding }) => attributes.map((name) => [name, finding])),
  )

export const mjcfVocabulary: Vocabulary = new Map(
  rows.map(([name, word]): [string, Word] => [name, { ...word, toldAttributes: toldIn(name) }]),
)
