import { entriesOf, type Vocabulary } from '../elements/index.ts'

export const sdfVocabulary: Vocabulary = new Map(
  entriesOf(`
sdf: version | | model world | actor light
world: name | | model include gravity frame joint | physics scene light plugin gui atmosphere wind spherical_coordinates magnetic_field audio state road population actor projector
model: name canonical_link placement_frame | | link joint frame model include pose static self_collide drake:collision_filter_group | allow_auto_disable plugin gripper
  told enable_wind: wind acts on the model.
include: merge placement_frame | | uri name pose static | plugin
link: name | | pose inertial collision self_collide | visual must_be_base_link sensor projector light battery audio_sink audio_source particle_emitter plugin
  told kinematic: the link moves whatever acts on it.
  told velocity_decay: damping of velocities in the air.
  told enable_wind: wind acts on the link.
  reported gravity: gravity-off
joint: name type | | parent child pose axis axis2 screw_thread_pitch thread_pitch gearbox_ratio gearbox_reference_body drake:rotor_inertia drake:gear_ratio | physics sensor plugin
axis: | | xyz limit dynamics mimic use_parent_model_frame
  told initial_position: where the joint starts.
axis2:  | | xyz limit dynamics mimic use_parent_model_frame
  told initial_position: where the joint starts.
limit: | | lower upper effort velocity | stiffness dissipation
dynamics: | | damping friction spring_stiffness spring_reference
mimic: joint axis | | multiplier offset reference
inertial: auto | | mass pose inertia density | auto_inertia_params
  told fluid_added_mass: mass of the fluid that moves along.
collision: name | | pose geometry surface density | laser_retro max_contacts auto_inertia_params
frame: name attached_to | | pose
surface: | | friction bounce contact | soft_contact
surface/friction: | | ode | bullet
  told torsional: friction against spinning.
friction/ode: | | mu mu2 fdir1
  told slip1: slip by the force.
  told slip2: slip by the force.
bounce: | | restitution_coefficient | threshold
surface/contact: | | | ode bullet poissons_ratio elastic_modulus
  told collide_bitmask: what it collides with.
  told category_bitmask: what collides with it.
  told collide_without_contact: it passes through others.`),
)
