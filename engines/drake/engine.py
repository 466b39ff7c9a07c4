"""Drake's MultibodyPlant in discrete time: the plant alone is stepped, by its own update, without a Simulator's clock."""

import numpy as np
from featherbed_engine import Engine, Places, Unsupported, last_of, mesh_file, rotation, serve, wxyz, xyzw
from pydrake import geometry
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody import plant as multibody
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.parsing import Parser
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, RevoluteJoint, RotationalInertia, SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder

# what SceneGraph gives compliant shapes that state nothing
MODULUS, DISSIPATION, SIZE_OF_ELEMENTS = 1e7, 50.0, 0.05
# in place of the mass of a body whose motion is prescribed [kg, kg m2]; a larger one would end the iterations of contact early
IMMOVABLE = 1e4


def pose_of(placed):
    return RigidTransform(RotationMatrix(placed.R), placed.position)


class Drake(Engine):
    holds = ["damping", "rotor inertia", "joint limits"]
    SHAPES = {
        "sphere": lambda own, _: geometry.Sphere(own.radius),
        "ellipsoid": lambda own, _: geometry.Ellipsoid(*own.radii),
        "box": lambda own, _: geometry.Box(*own.size),
        "capsule": lambda own, _: geometry.Capsule(own.radius, own.length),
        "cylinder": lambda own, _: geometry.Cylinder(own.radius, own.length),
        "halfspace": lambda own, _: geometry.HalfSpace(),
        "hull": lambda own, name: geometry.Convex(mesh_file(own, name)),
        "mesh": lambda own, name: geometry.Mesh(mesh_file(own, name)),
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
        builder = DiagramBuilder()
        self.plant, self.graph = multibody.AddMultibodyPlantSceneGraph(builder, scene.dt)
        self.plant.SetUseSampledOutputPorts(False)  # the state moves alike, and the plant's update is its only one
        self.plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        if "approximation" in options:
            kind = f"k{options['approximation'].capitalize()}"
            self.plant.set_discrete_contact_approximation(getattr(multibody.DiscreteContactApproximation, kind))
        self.hydroelastic = options.get("contact") == "hydroelastic"
        self.plant.set_contact_model(multibody.ContactModel.kHydroelasticWithFallback if self.hydroelastic else multibody.ContactModel.kPoint)
        self.bodies, self.joints, self.geometries = {-1: self.plant.world_body()}, {}, {}
        self.load()
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.root = self.diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        self.applied = self.plant.get_applied_generalized_force_input_port()
        self.spatial = self.plant.get_applied_spatial_force_input_port()
        there = {k: (joint.position_start(), joint.velocity_start()) for k, joint in self.joints.items()}
        free = {body.index: self.bodies[body.index] for body in self.free}
        there |= {k: (own.floating_positions_start(), own.floating_velocities_start_in_v()) for k, own in free.items()}
        self.places = Places(scene, there)
        self.write(scene.q, scene.v)

    # --- the scene ---

    def build(self):
        plant, scene = self.plant, self.scene
        for k, body in enumerate(scene.bodies):
            self.bodies[k] = plant.AddRigidBody(f"{k}", self.inertia_of(body))
        for k, body in enumerate(scene.bodies):
            if not body.joint.floats:
                self.joints[k] = self.join(k, body)
        for k, shape in scene.shapes():
            self.add_shape(self.bodies[k], shape)
        held = [body for body in scene.bodies if body.joint.follows]
        if self.options.get("approximation") == "tamsi" and (held or scene.loops):
            raise Unsupported(f"{'joints that follow others' if held else 'loops'}, which TAMSI does not hold")
        for body in held:
            follows = body.joint.follows
            plant.AddCouplerConstraint(self.joints[body.index], self.joints[follows.body], follows.ratio, follows.offset)
        for loop in scene.loops:
            plant.AddBallConstraint(self.end_of(loop.a), loop.pointA, self.end_of(loop.b), loop.pointB)
        for a, b in scene.apart:
            sets = geometry.GeometrySet(self.geometries[a]), geometry.GeometrySet(self.geometries[b])
            self.graph.collision_filter_manager().Apply(geometry.CollisionFilterDeclaration().ExcludeBetween(*sets))

    def inertia_of(self, body):
        if body.given:
            return SpatialInertia.SolidBoxWithMass(IMMOVABLE, 1, 1, 1)
        if body.mass == 0:
            return SpatialInertia(0.0, np.zeros(3), UnitInertia(0, 0, 0))
        return SpatialInertia.MakeFromCentralInertia(body.mass, body.center, RotationalInertia(*body.inertia))

    def end_of(self, k):
        """A loop that ends in the world itself ends the process in its first step; one in a body that is welded to it does not."""
        if k >= 0:
            return self.bodies[k]
        if not self.plant.HasBodyNamed("anchor"):
            anchor = self.plant.AddRigidBody("anchor", SpatialInertia.SolidBoxWithMass(1, 1, 1, 1))
            self.plant.WeldFrames(self.plant.world_frame(), anchor.body_frame())
        return self.plant.GetBodyByName("anchor")

    def join(self, k, body):
        plant, joint = self.plant, body.joint
        parent = plant.AddFrame(FixedOffsetFrame(f"at {k}", self.bodies[body.parent], pose_of(body)))
        child = self.bodies[k].body_frame()
        if joint.kind == "fixed":
            return plant.WeldFrames(parent, child)
        lower = -np.inf if joint.lower is None else joint.lower
        upper = np.inf if joint.upper is None else joint.upper
        kind = RevoluteJoint if joint.turns else PrismaticJoint
        own = plant.AddJoint(kind(f"joint {k}", parent, child, joint.axis, lower, upper, joint.damping))
        if joint.armature > 0:
            actuator = plant.AddJointActuator(f"rotor {k}", own)
            actuator.set_default_rotor_inertia(joint.armature)
            actuator.set_default_gear_ratio(1)
        return own

    def add_shape(self, body, shape):
        properties = geometry.ProximityProperties()
        geometry.AddContactMaterial(friction=multibody.CoulombFriction(shape.friction, shape.friction), properties=properties)
        placed, kind = pose_of(shape), shape.shape.type
        if kind == "mesh" and not self.hydroelastic:
            raise Unsupported("meshes, of which point contact takes the hull")
        if kind == "halfspace":
            placed = placed @ geometry.HalfSpace.MakePose(shape.shape.normal, np.multiply(shape.shape.normal, shape.shape.offset))
        if self.hydroelastic:
            if kind in ("halfspace", "mesh"):
                geometry.AddRigidHydroelasticProperties(properties=properties)
            else:
                geometry.AddCompliantHydroelasticProperties(resolution_hint=SIZE_OF_ELEMENTS, hydroelastic_modulus=MODULUS, properties=properties)
                properties.UpdateProperty("material", "hunt_crossley_dissipation", DISSIPATION)
        made = self.shape_of(shape, f"shape{shape.index}")
        self.geometries[shape.index] = self.plant.RegisterCollisionGeometry(body, placed, made, f"shape {shape.index}", properties)

    def read_file(self, file):
        """The robot by Drake's own parser; the ground is that of the scene."""
        plant = self.plant
        instances = Parser(plant).AddModels(file)
        joints = [plant.get_joint(i) for one in instances for i in plant.GetJointIndices(one)]
        bodies = {plant.get_body(i).name(): plant.get_body(i) for one in instances for i in plant.GetBodyIndices(one)}
        self.joints = self.named({joint.name(): joint for joint in joints})
        for shape in self.scene.fixtures:
            self.add_shape(plant.world_body(), shape)
        for body in self.free:
            if last_of(body.name) not in bodies:
                raise Unsupported(f'the link "{body.name}", which its reader does not have')
            self.bodies[body.index] = bodies[last_of(body.name)]

    # --- the state ---

    def write(self, q, v):
        positions, velocities = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
        self.places.write(q, v, positions, velocities)
        for body in self.free:
            at, dof = self.places.slices[body.index]
            pose = q[body.joint.at]
            positions[at], velocities[dof] = [*wxyz(pose[3:]), *pose[:3]], v[body.joint.dof]
        self.plant.SetPositions(self.context, positions)
        self.plant.SetVelocities(self.context, velocities)

    def read_joints(self, q, v):
        self.places.read(self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context), q, v)

    def pose_of(self, body):
        at, dof = self.places.slices[body.index]
        own = self.plant.GetPositions(self.context)[at]
        return [*own[4:], *xyzw(own[:4])], self.plant.GetVelocities(self.context)[dof]

    def put(self, body, pose, velocity):
        X = RigidTransform(RotationMatrix(rotation(pose[3:])), pose[:3])
        self.plant.SetFreeBodyPose(self.context, self.bodies[body.index], X)
        velocities = self.plant.GetVelocities(self.context)
        velocities[self.places.slices[body.index][1]] = velocity
        self.plant.SetVelocities(self.context, velocities)

    def step(self, efforts, given):
        self.move(given)
        forces = np.zeros(self.plant.num_velocities())
        forces[self.places.v_there] = efforts[self.places.v]
        wrenches = []
        weight = IMMOVABLE * np.array(self.scene.gravity)
        for body, torque, force in self.wrenches(efforts) + [(body, np.zeros(3), -weight) for body in self.given]:
            one = multibody.ExternallyAppliedSpatialForce()
            one.body_index = self.bodies[body.index].index()
            one.p_BoBq_B = np.zeros(3)
            one.F_Bq_W = SpatialForce(torque, force)
            wrenches.append(one)
        self.applied.FixValue(self.context, forces)
        self.spatial.FixValue(self.context, wrenches)
        self.root.SetDiscreteState(self.diagram.EvalUniquePeriodicDiscreteUpdate(self.root))

    def contacts(self):
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        return results.num_point_pair_contacts() + results.num_hydroelastic_contacts()


serve(Drake)
