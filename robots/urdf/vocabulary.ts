import type { Vocabulary, Word } from '../elements/index.ts'

const place = ['xyz', 'rpy'] as const
const named = ['name'] as const
const valued: Word = { attributes: ['value'] }
const shapes = ['box', 'sphere', 'cylinder', 'capsule', 'mesh'] as const

/** Elements of a robot that change its motion in the program that they are for, and do not act here. */
export const toldElements: ReadonlyMap<string, string> = new Map([
  ['loop_joint', 'it closes a loop, which is open here.'],
  ['force_element', 'a force between links.'],
  ['drake:linear_bushing_rpy', "Drake's bushing between two frames."],
  ['drake:linear_spring_damper', "Drake's spring and damper between two links."],
  ['drake:ball_constraint', "Drake's ball constraint, which closes a loop."],
])

/**
 * The vocabulary of URDF and of its extensions by Gazebo, Bullet, Drake and ros_control, as far as misspelt attributes
 * would change the robot. An element that is listed nowhere is still in the account of tags.
 */
export const urdfVocabulary: Vocabulary = new Map<string, Word>([
  [
    'robot',
    {
      children: [
        ...['link', 'joint', 'material', 'frame', 'gazebo', 'transmission', 'ros2_control', 'sensor', 'mujoco'],
        ...['drake:joint', 'drake:collision_filter_group', 'self_collision_checking', 'loop_joint', 'force_element'],
      ],
      attributes: ['name', 'version'],
    },
  ],
  [
    'link',
    {
      children: ['inertial', 'visual', 'collision', 'contact', 'self_collision_checking', 'collision_checking', 'sensor'],
      attributes: named,
      carried: ['type'],
    },
  ],
  ['inertial', { children: ['origin', 'mass', 'inertia'], attributes: [] }],
  ['mass', valued],
  ['inertia', { attributes: ['ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'] }],
  ['origin', { attributes: [...place, 'quat_xyzw'] }],
  ['visual', { children: ['origin', 'geometry', 'material'], attributes: named }],
  [
    'collision',
    { children: ['origin', 'geometry', 'material', 'drake:proximity_properties'], attributes: named, carried: ['group'] },
  ],
  ['geometry', { children: [...shapes, 'drake:declare_convex'], attributes: [] }],
  ['box', { attributes: ['size'] }],
  ['sphere', { attributes: ['radius'] }],
  ['cylinder', { attributes: ['radius', 'length'] }],
  ['capsule', { attributes: ['radius', 'length'] }],
  ['mesh', { children: ['drake:declare_convex'], attributes: ['filename', 'scale'] }],
  ['material', { children: ['color', 'texture'], attributes: named }],
  ['color', { attributes: ['rgba'] }],
  ['texture', { attributes: ['filename'] }],
  [
    'joint',
    {
      children: [
        ...['origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic', 'safety_controller', 'calibration'],
        ...['hardwareInterface', 'drake:bushing_force'],
      ],
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
      attributes: ['damping', 'friction'],
      carried: ['D', 'K', 'mu_coulomb', 'mu_viscous', 'coulomb_window', 'spring_stiffness', 'spring_reference', 'armature'],
    },
  ],
  ['mimic', { attributes: ['joint', 'multiplier', 'offset'] }],
  ['safety_controller', { attributes: ['soft_lower_limit', 'soft_upper_limit'], carried: ['k_position', 'k_velocity'] }],
  ['calibration', { attributes: [], carried: ['rising', 'falling', 'reference_position'] }],
  ['frame', { attributes: ['name', 'link', ...place, 'quat_xyzw'] }],
  ['gazebo', { attributes: ['reference'] }],
  ['gazebo/mu', valued],
  ['gazebo/mu1', valued],
  ['gazebo/mu2', valued],
  ['contact', { attributes: [] }],
  ['contact/lateral_friction', valued],
  ['contact/restitution', valued],
  ['drake:mu_static', valued],
  ['drake:mu_dynamic', valued],
  [
    'transmission',
    { children: ['joint', 'actuator', 'mechanicalReduction', 'type', 'robotNamespace'], attributes: ['name'], carried: ['type'] },
  ],
  ['transmission/joint', { attributes: named }],
  ['transmission/actuator', { attributes: named }],
  ['drake:rotor_inertia', valued],
  ['drake:gear_ratio', valued],
  ['drake:collision_filter_group', { attributes: ['name', 'ignore'] }],
  ['drake:member', { attributes: ['link'] }],
  ['drake:member_group', { attributes: named }],
  ['drake:ignored_collision_filter_group', { attributes: named }],
])
