import type { Vocabulary, Word } from '../elements/index.ts'

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** The elements of SDF that are read: name, attributes, elements inside. */
const rows: readonly (readonly [name: string, attributes: string, children: string])[] = [
  ['sdf', 'version', 'model world actor light'],
  [
    'world',
    'name',
    'model include gravity frame joint physics scene light plugin gui atmosphere wind spherical_coordinates magnetic_field audio state road population actor',
  ],
  [
    'model',
    'name canonical_link placement_frame',
    'link joint frame model include pose static self_collide allow_auto_disable enable_wind plugin gripper drake:collision_filter_group',
  ],
  ['include', 'merge placement_frame', 'uri name pose static plugin'],
  [
    'link',
    'name',
    'pose inertial visual collision gravity enable_wind self_collide kinematic must_be_base_link velocity_decay sensor projector light battery audio_sink audio_source particle_emitter',
  ],
  [
    'joint',
    'name type',
    'parent child pose axis axis2 physics sensor gearbox_ratio gearbox_reference_body screw_thread_pitch thread_pitch',
  ],
  ['axis', '', 'xyz limit dynamics mimic use_parent_model_frame initial_position'],
  ['inertial', 'auto', 'mass pose inertia density auto_inertia_params fluid_added_mass'],
  ['frame', 'name attached_to', 'pose'],
]

export const sdfVocabulary: Vocabulary = new Map(
  rows.map(([name, attributes, children]): [string, Word] => [
    name,
    { attributes: words(attributes), children: words(children) },
  ]),
)

/** Elements that change the motion and have no counterpart here, by their parents; `0` and `false` mean that they do not. */
export const toldElements: ReadonlyMap<string, string> = new Map([
  ['link/kinematic', 'the link moves whatever acts on it (<kinematic>).'],
  ['link/velocity_decay', 'damping of velocities in the air.'],
  ['link/enable_wind', 'wind acts on the link.'],
  ['model/enable_wind', 'wind acts on the model.'],
  ['inertial/fluid_added_mass', 'mass of the fluid that moves along.'],
])

/** Elements for visuals, sensors or other programs alone. */
export const carriedElements: ReadonlySet<string> = new Set(
  words(
    'light plugin sensor physics scene gui atmosphere wind spherical_coordinates magnetic_field audio audio_sink audio_source state projector battery gripper particle_emitter actor',
  ),
)
