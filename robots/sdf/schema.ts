import type { Vocabulary, Word } from '../elements/index.ts'

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** Element, attributes, elements that are read, and those on which no motion depends: of sensors, visuals and other programs. */
const rows: readonly (readonly [
  name: string,
  attributes: string,
  children: string,
  idle?: string,
  told?: Word['told'],
  reported?: Word['reported'],
])[] = [
  ['sdf', 'version', 'model world', 'actor light'],
  [
    'world',
    'name',
    'model include gravity frame joint',
    'physics scene light plugin gui atmosphere wind spherical_coordinates magnetic_field audio state road population actor projector',
  ],
  [
    'model',
    'name canonical_link placement_frame',
    'link joint frame model include pose static self_collide drake:collision_filter_group',
    'allow_auto_disable plugin gripper',
    { enable_wind: 'wind acts on the model.' },
  ],
  ['include', 'merge placement_frame', 'uri name pose static', 'plugin'],
  [
    'link',
    'name',
    'pose inertial collision self_collide',
    'visual must_be_base_link sensor projector light battery audio_sink audio_source particle_emitter plugin',
    {
      kinematic: 'the link moves whatever acts on it.',
      velocity_decay: 'damping of velocities in the air.',
      enable_wind: 'wind acts on the link.',
    },
    { gravity: 'gravity-off' },
  ],
  [
    'joint',
    'name type',
    'parent child pose axis axis2 screw_thread_pitch thread_pitch gearbox_ratio gearbox_reference_body drake:rotor_inertia drake:gear_ratio',
    'physics sensor plugin',
  ],
  ['axis', '', 'xyz limit dynamics mimic use_parent_model_frame', '', { initial_position: 'where the joint starts.' }],
  ['axis2', '', 'xyz limit dynamics mimic use_parent_model_frame', '', { initial_position: 'where the joint starts.' }],
  ['limit', '', 'lower upper effort velocity', 'stiffness dissipation'],
  ['dynamics', '', 'damping friction spring_stiffness spring_reference'],
  ['mimic', 'joint axis', 'multiplier offset reference'],
  [
    'inertial',
    'auto',
    'mass pose inertia density',
    'auto_inertia_params',
    { fluid_added_mass: 'mass of the fluid that moves along.' },
  ],
  ['collision', 'name', 'pose geometry surface density', 'laser_retro max_contacts auto_inertia_params'],
  ['frame', 'name attached_to', 'pose'],
  ['surface', '', 'friction bounce contact', 'soft_contact'],
  ['surface/friction', '', 'ode', 'bullet', { torsional: 'friction against spinning.' }],
  ['friction/ode', '', 'mu mu2 fdir1', '', { slip1: 'slip by the force.', slip2: 'slip by the force.' }],
  ['bounce', '', 'restitution_coefficient', 'threshold'],
  [
    'surface/contact',
    '',
    '',
    'ode bullet poissons_ratio elastic_modulus',
    {
      collide_bitmask: 'what it collides with.',
      category_bitmask: 'what collides with it.',
      collide_without_contact: 'it passes through others.',
    },
  ],
]

export const sdfVocabulary: Vocabulary = new Map(
  rows.map(([name, attributes, children, idle = '', told, reported]): [string, Word] => [
    name,
    { attributes: words(attributes), children: words(children), idle: words(idle), told, reported },
  ]),
)
