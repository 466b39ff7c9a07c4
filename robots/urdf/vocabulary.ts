import { listedIn, type Vocabulary, type Word } from '../elements/index.ts'

const place = ['xyz', 'rpy'] as const
const named = ['name'] as const
const valued: Word = { attributes: ['value'] }
const shapes = ['box', 'sphere', 'cylinder', 'capsule', 'mesh'] as const

const rows: readonly (readonly [string, Word])[] = [
  [
    'robot',
    {
      children: [...['link', 'joint', 'frame', 'gazebo', 'transmission', 'drake:joint', 'drake:collision_filter_group']],
      idle: ['material', 'ros2_control', 'sensor', 'mujoco', 'self_collision_checking'],
      told: {
        loop_joint: 'it closes a loop, which is open here.',
        force_element: 'a force between links.',
        'drake:linear_bushing_rpy': "Drake's bushing between two frames.",
        'drake:linear_spring_damper': "Drake's spring and damper between two links.",
        'drake:ball_constraint': "Drake's ball constraint, which closes a loop.",
      },
      attributes: ['name', 'version'],
    },
  ],
  [
    'link',
    {
      children: ['inertial', 'collision', 'contact'],
      idle: ['visual', 'self_collision_checking', 'collision_checking', 'sensor'],
      attributes: named,
      carried: ['type'],
    },
  ],
  ['inertial', { children: ['origin', 'mass', 'inertia'], attributes: [] }],
  ['mass', valued],
  ['inertia', { attributes: ['ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'] }],
  ['origin', { attributes: [...place, 'quat_xyzw'] }],
  ['visual', { children: ['origin', 'geometry'], idle: ['material'], attributes: named }],
  [
    'collision',
    { children: ['origin', 'geometry', 'drake:proximity_properties'], idle: ['material'], attributes: named, carried: ['group'] },
  ],
  ['geometry', { children: shapes, idle: ['drake:declare_convex'], attributes: [] }],
  ['box', { attributes: ['size'] }],
  ['sphere', { attributes: ['radius'] }],
  ['cylinder', { attributes: ['radius', 'length'] }],
  ['capsule', { attributes: ['radius', 'length'] }],
  ['mesh', { children: [], idle: ['drake:declare_convex'], attributes: ['filename', 'scale'] }],
  ['material', { children: [], idle: ['color', 'texture'], attributes: named }],
  ['color', { attributes: ['rgba'] }],
  ['texture', { attributes: ['filename'] }],
  [
    'joint',
    {
      children: ['origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'],
      idle: ['safety_controller', 'calibration', 'hardwareInterface'],
      told: { 'drake:bushing_force': "Drake's bushing in a joint." },
      attributes: ['name', 'type'],
    },
  ],
  ['drake:joint', { children: ['origin', 'parent', 'child', 'axis', 'limit', 'dynamics'], attributes: ['name', 'type'] }],
  ['parent', { attributes: ['link'] }],
  ['child', { attributes: ['link'] }],
  // some exporters give an axis angles too, which mean nothing
  ['axis', { attributes: ['xyz'], carried: ['rpy'] }],
  [
    'limit',
    {
      attributes: ['lower', 'upper', 'effort', 'velocity', 'acceleration', 'deceleration', 'jerk'],
      carried: ['drake:acceleration', 'damping'],
    },
  ],
  [
    'dynamics',
    {
      attributes: ['damping', 'friction', 'armature', 'spring_stiffness', 'spring_reference'],
      carried: ['D', 'K', 'mu_coulomb', 'mu_viscous', 'coulomb_window'],
    },
  ],
  ['mimic', { attributes: ['joint', 'multiplier', 'offset'] }],
  ['safety_controller', { attributes: ['soft_lower_limit', 'soft_upper_limit'], carried: ['k_position', 'k_velocity'] }],
  ['calibration', { attributes: [], carried: ['rising', 'falling', 'reference_position'] }],
  ['frame', { attributes: ['name', 'link', ...place, 'quat_xyzw'] }],
  [
    'gazebo',
    {
      children: ['mu1', 'mu2', 'fdir1', 'springStiffness', 'springReference', 'selfCollide', 'self_collide'],
      reported: { turnGravityOff: 'gravity-off', gravity: 'gravity-off', mu: 'gazebo-mu' },
      idle: [
        ...['kp', 'kd', 'minDepth', 'min_depth', 'maxVel', 'max_vel', 'maxContacts', 'max_contacts', 'plugin', 'sensor'],
        ...['material', 'visual', 'laserRetro', 'dampingFactor', 'provideFeedback', 'implicitSpringDamper'],
        ...['stopKp', 'stopKd', 'stopCfm', 'stopErp', 'fudgeFactor'],
        ...['preserveFixedJoint', 'disableFixedJointLumping', 'initial_joint_position'],
      ],
      attributes: ['reference'],
    },
  ],
  ...['mu', 'mu1', 'mu2', 'fdir1'].map((name) => [`gazebo/${name}`, valued] as const),
  [
    'contact',
    {
      children: ['lateral_friction', 'restitution'],
      idle: ['stiffness', 'damping', 'rolling_friction', 'spinning_friction', 'contact_cfm', 'contact_erp', 'friction_anchor'],
      attributes: [],
    },
  ],
  ['contact/lateral_friction', valued],
  ['contact/restitution', valued],
  ['drake:mu_static', valued],
  ['drake:mu_dynamic', valued],
  [
    'transmission',
    {
      children: ['joint', 'actuator', 'mechanicalReduction'],
      idle: ['type', 'robotNamespace'],
      attributes: ['name'],
      carried: ['type'],
    },
  ],
  ['transmission/joint', { attributes: named }],
  ['transmission/actuator', { attributes: named }],
  ['drake:rotor_inertia', valued],
  ['drake:gear_ratio', valued],
  ['drake:collision_filter_group', { attributes: ['name', 'ignore'] }],
  ['drake:member', { attributes: ['link'] }],
  ['drake:member_group', { attributes: named }],
  ['drake:ignored_collision_filter_group', { attributes: named }],
]

/** Elements inside these have their parent's name before their own in the account. */
const prefixed = ['gazebo', 'contact']

/**
 * The vocabulary of URDF and of its extensions by Gazebo, Bullet, Drake and ros_control, as far as misspelt attributes
 * would change the robot. An element that is listed nowhere is still in the account of tags.
 */
export const urdfVocabulary: Vocabulary = new Map([
  ...rows
    .filter(([name]) => prefixed.includes(name))
    .flatMap(([name, word]) => listedIn(word)!.map((child) => [`${name}/${child}`, {}] as const)),
  ...rows,
])
