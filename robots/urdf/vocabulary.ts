import { entriesOf, listedIn, type Vocabulary } from '../elements/index.ts'

/** Some exporters give an axis angles too, which mean nothing. */
const rows = entriesOf(`
robot: name version | | link joint frame gazebo transmission drake:joint drake:collision_filter_group | material ros2_control sensor mujoco self_collision_checking
  told loop_joint: it closes a loop, which is open here.
  told force_element: a force between links.
  told drake:linear_bushing_rpy: Drake's bushing between two frames.
  told drake:linear_spring_damper: Drake's spring and damper between two links.
  told drake:ball_constraint: Drake's ball constraint, which closes a loop.
link: name | type | inertial collision contact | visual self_collision_checking collision_checking sensor
inertial: | | origin mass inertia
mass: value
inertia: ixx ixy ixz iyy iyz izz
origin: xyz rpy quat_xyzw
visual: name | | origin geometry | material
collision: name | group | origin geometry drake:proximity_properties | material
geometry: | | box sphere cylinder capsule mesh | drake:declare_convex
box: size
sphere: radius
cylinder: radius length
capsule: radius length
mesh: filename scale | | | drake:declare_convex
material: name | | | color texture
color: rgba
texture: filename
joint: name type | | origin parent child axis limit dynamics mimic | safety_controller calibration hardwareInterface
  told drake:bushing_force: Drake's bushing in a joint.
drake:joint: name type | | origin parent child axis limit dynamics
parent: link
child: link
axis: xyz | rpy
limit: lower upper effort velocity acceleration deceleration jerk | drake:acceleration damping
dynamics: damping friction armature spring_stiffness spring_reference | D K mu_coulomb mu_viscous coulomb_window
mimic: joint multiplier offset
safety_controller: soft_lower_limit soft_upper_limit | k_position k_velocity
calibration: | rising falling reference_position
frame: name link xyz rpy quat_xyzw
gazebo: reference | | mu1 mu2 fdir1 springStiffness springReference selfCollide self_collide | kp kd minDepth min_depth maxVel max_vel maxContacts max_contacts plugin sensor material visual laserRetro dampingFactor provideFeedback implicitSpringDamper stopKp stopKd stopCfm stopErp fudgeFactor preserveFixedJoint disableFixedJointLumping initial_joint_position
  reported turnGravityOff: gravity-off
  reported gravity: gravity-off
  reported mu: gazebo-mu
gazebo/mu1: value
gazebo/mu2: value
gazebo/fdir1: value
gazebo/mu: value
contact: | | lateral_friction restitution | stiffness damping rolling_friction spinning_friction contact_cfm contact_erp friction_anchor
contact/lateral_friction: value
contact/restitution: value
drake:mu_static: value
drake:mu_dynamic: value
transmission: name | type | joint actuator mechanicalReduction | type robotNamespace
transmission/joint: name
transmission/actuator: name
drake:rotor_inertia: value
drake:gear_ratio: value
drake:collision_filter_group: name ignore
drake:member: link
drake:member_group: name
drake:ignored_collision_filter_group: name`)

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
