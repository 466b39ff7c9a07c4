"""Drake's MultibodyPlant in discrete time: the plant alone is stepped, by its own update, without a Simulator's clock."""

import numpy as np
from featherbed_engine import Unsupported, hull_file, inertia_matrix, mesh_file, rotation, serve, wxyz, xyzw
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    CollisionFilterDeclaration,
    Convex,
    Cylinder,
    Ellipsoid,
    GeometrySet,
    HalfSpace,
    Mesh,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
    ExternallyAppliedSpatialForce,
)
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, RevoluteJoint, RotationalInertia, SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder

APPROXIMATIONS = {
    "lagged": DiscreteContactApproximation.kLagged,
    "tamsi": DiscreteContactApproximation.kTamsi,
    "similar": DiscreteContactApproximation.kSimilar,
    "sap": DiscreteContactApproximation.kSap,
}
# what SceneGraph gives compliant shapes that state nothing
MODULUS, DISSIPATION, SIZE_OF_ELEMENTS = 1e7, 50.0, 0.05
# in place of the mass of a body whose motion is prescribed [kg, kg m2]; a larger one would end the iterations of contact early
IMMOVABLE = 1e4


class Engine:
    holds = ["damping", "armature", "limits"]

    def __init__(self, scene, options):
        self.scene = scene
        self.options = options
        self.lacks = []
        builder = DiagramBuilder()
        self.plant, self.graph = AddMultibodyPlantSceneGraph(builder, scene.dt)
        self.plant.SetUseSampledOutputPorts(False)  # the state moves alike, and the plant's update is its only one
        self.plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        if "approximation" in options:
            self.plant.set_discrete_contact_approximation(APPROXIMATIONS[options["approximation"]])
        self.hydroelastic = options.get("contact") == "hydroelastic"
        self.plant.set_contact_model(ContactModel.kHydroelasticWithFallback if self.hydroelastic else ContactModel.kPoint)
        if options.get("file"):
            self.read_file(options["file"])
        else:
            self.build()
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.root = self.diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        self.applied = self.plant.get_applied_generalized_force_input_port()
        self.spatial = self.plant.get_applied_spatial_force_input_port()
        self.find_places()
        self.write(np.array(scene.q), np.array(scene.v))

    # --- the scene ---

    def build(self):
        plant, scene = self.plant, self.scene
        self.bodies, self.geometries, self.joints = [], {}, []
        for k, body in enumerate(scene.bodies):
            self.bodies.append(plant.AddRigidBody(f"{k}", self.inertia_of(body)))
        for k, body in enumerate(scene.bodies):
            self.joints.append(self.join(k, body))
            for shape in body.shapes:
                self.add_shape(self.bodies[k], shape)
        for shape in scene.fixtures:
            self.add_shape(plant.world_body(), shape)
        for k, body in enumerate(scene.bodies):
            follows = body.joint.follows
            if follows is not None:
                if self.options.get("approximation") == "tamsi":
                    raise Unsupported("joints that follow others, which TAMSI does not hold")
                plant.AddCouplerConstraint(self.joints[k], self.joints[follows.body], follows.ratio, follows.offset)
        for loop in scene.loops:
            if self.options.get("approximation") == "tamsi":
                raise Unsupported("loops, which TAMSI does not hold")
            plant.AddBallConstraint(self.end_of(loop.a), loop.pointA, self.end_of(loop.b), loop.pointB)
        manager = self.graph.collision_filter_manager()
        for a, b in scene.apart:
            self.keep_apart(manager, self.geometries_of(a), self.geometries_of(b))
        for a, b in scene.apartShapes:
            self.keep_apart(manager, [self.geometries[a]], [self.geometries[b]])

    def inertia_of(self, body):
        if body.given:
            return SpatialInertia.SolidBoxWithMass(IMMOVABLE, 1, 1, 1)
        if body.mass == 0:
            return SpatialInertia(0.0, np.zeros(3), UnitInertia(0, 0, 0))
        I = inertia_matrix(body.inertia)
        central = RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        return SpatialInertia.MakeFromCentralInertia(body.mass, body.center, central)

    def body(self, k):
        return self.plant.world_body() if k < 0 else self.bodies[k]

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
        if joint.kind == "floating":
            return None
        X = RigidTransform(RotationMatrix(rotation(body.quaternion)), body.position)
        parent = plant.AddFrame(FixedOffsetFrame(f"at {k}", self.body(body.parent), X))
        child = self.bodies[k].body_frame()
        if joint.kind == "fixed":
            return plant.WeldFrames(parent, child)
        lower = -np.inf if joint.lower is None else joint.lower
        upper = np.inf if joint.upper is None else joint.upper
        kind = RevoluteJoint if joint.kind == "revolute" else PrismaticJoint
        own = plant.AddJoint(kind(f"joint {k}", parent, child, joint.axis, lower, upper, joint.damping))
        if joint.armature > 0:
            actuator = plant.AddJointActuator(f"rotor {k}", own)
            actuator.set_default_rotor_inertia(joint.armature)
            actuator.set_default_gear_ratio(1)
        return own

    def add_shape(self, body, shape):
        properties = ProximityProperties()
        AddContactMaterial(friction=CoulombFriction(shape.friction, shape.friction), properties=properties)
        made, placed = self.shape_of(shape), RigidTransform(RotationMatrix(rotation(shape.quaternion)), shape.position)
        kind = shape.shape.type
        if kind == "halfspace":
            placed = placed @ HalfSpace.MakePose(shape.shape.normal, np.multiply(shape.shape.normal, shape.shape.offset))
        if self.hydroelastic:
            if kind in ("halfspace", "mesh"):
                AddRigidHydroelasticProperties(properties=properties)
            else:
                AddCompliantHydroelasticProperties(resolution_hint=SIZE_OF_ELEMENTS, hydroelastic_modulus=MODULUS, properties=properties)
                properties.UpdateProperty("material", "hunt_crossley_dissipation", DISSIPATION)
        name = f"shape {shape.index}"
        self.geometries[shape.index] = self.plant.RegisterCollisionGeometry(body, placed, made, name, properties)

    def shape_of(self, shape):
        own = shape.shape
        match own.type:
            case "sphere":
                return Sphere(own.radius)
            case "ellipsoid":
                return Ellipsoid(*own.radii)
            case "box":
                return Box(*own.size)
            case "capsule":
                return Capsule(own.radius, own.length)
            case "cylinder":
                return Cylinder(own.radius, own.length)
            case "halfspace":
                return HalfSpace()
            case "hull":
                return Convex(hull_file(own.points, f"hull{shape.index}"))
            case "mesh":
                if not self.hydroelastic:
                    raise Unsupported("meshes, of which point contact takes the hull")
                return Mesh(mesh_file(own.vertices, own.triangles, f"mesh{shape.index}"))
            case kind:
                raise Unsupported(f"a shape of the kind {kind}")

    def geometries_of(self, k):
        shapes = self.scene.fixtures if k < 0 else self.scene.bodies[k].shapes
        return [self.geometries[shape.index] for shape in shapes]

    @staticmethod
    def keep_apart(manager, a, b):
        manager.Apply(CollisionFilterDeclaration().ExcludeBetween(GeometrySet(a), GeometrySet(b)))

    def read_file(self, file):
        """The robot by Drake's own parser; the ground is that of the scene."""
        plant, scene = self.plant, self.scene
        instances = Parser(plant).AddModels(file)
        joints = {plant.get_joint(i).name(): plant.get_joint(i) for one in instances for i in plant.GetJointIndices(one)}
        bodies = {plant.get_body(i).name(): plant.get_body(i) for one in instances for i in plant.GetBodyIndices(one)}
        self.geometries = {}
        for shape in scene.fixtures:
            self.add_shape(plant.world_body(), shape)
        self.joints, self.bodies = [], []
        for body in scene.bodies:
            kind, name = body.joint.kind, body.joint.name.split("/")[-1]
            found = joints.get(name)
            if kind in ("revolute", "prismatic") and found is None:
                raise Unsupported(f'the joint "{name}", which its reader does not have')
            self.joints.append(found if kind in ("revolute", "prismatic") else None)
            own = bodies.get(body.name.split("/")[-1])
            if kind == "floating" and own is None:
                raise Unsupported(f'the link "{body.name}", which its reader does not have')
            self.bodies.append(own)

    # --- the state ---

    def find_places(self):
        """Where numbers of the scene are in Drake's q and v."""
        self.free = [
            (k, body.joint.q, body.joint.v, body.given, self.bodies[k])
            for k, body in enumerate(self.scene.bodies)
            if body.joint.kind == "floating"
        ]
        single = [
            (body.joint, self.joints[k])
            for k, body in enumerate(self.scene.bodies)
            if body.joint.kind in ("revolute", "prismatic") and body.joint.v >= 0
        ]
        self.q_here = np.array([joint.q for joint, _ in single], int)
        self.v_here = np.array([joint.v for joint, _ in single], int)
        self.q_there = np.array([own.position_start() for _, own in single], int)
        self.v_there = np.array([own.velocity_start() for _, own in single], int)
        self.followers = [
            (self.joints[k], body.joint.follows, self.scene.bodies[body.joint.follows.body].joint)
            for k, body in enumerate(self.scene.bodies)
            if body.joint.follows is not None and self.joints[k] is not None
        ]

    def write(self, q, v):
        plant, context = self.plant, self.context
        positions, velocities = plant.GetPositions(context), plant.GetVelocities(context)
        positions[self.q_there], velocities[self.v_there] = q[self.q_here], v[self.v_here]
        for own, follows, lead in self.followers:
            positions[own.position_start()] = follows.ratio * q[lead.q] + follows.offset
            velocities[own.velocity_start()] = follows.ratio * v[lead.v]
        for _, at, dof, _, body in self.free:
            start, speed = body.floating_positions_start(), body.floating_velocities_start_in_v()
            positions[start : start + 4] = wxyz(q[at + 3 : at + 7])
            positions[start + 4 : start + 7] = q[at : at + 3]
            velocities[speed : speed + 6] = v[dof : dof + 6]
        plant.SetPositions(context, positions)
        plant.SetVelocities(context, velocities)

    def read(self):
        positions, velocities = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        q[self.q_here], v[self.v_here] = positions[self.q_there], velocities[self.v_there]
        for _, at, dof, _, body in self.free:
            start, speed = body.floating_positions_start(), body.floating_velocities_start_in_v()
            q[at + 3 : at + 7] = xyzw(positions[start : start + 4])
            q[at : at + 3] = positions[start + 4 : start + 7]
            v[dof : dof + 6] = velocities[speed : speed + 6]
        return q, v

    def place(self, given):
        """Puts prescribed bodies where they are."""
        bodies = [body for _, _, _, is_given, body in self.free if is_given]
        for body, motion in zip(bodies, given):
            pose = RigidTransform(RotationMatrix(rotation(motion[3:7])), motion[:3])
            self.plant.SetFreeBodyPose(self.context, body, pose)
            velocity = self.plant.GetVelocities(self.context)
            velocity[body.floating_velocities_start_in_v() :][:6] = motion[7:]
            self.plant.SetVelocities(self.context, velocity)

    def step(self, efforts, given):
        self.place(given)
        forces = np.zeros(self.plant.num_velocities())
        forces[self.v_there] = efforts[self.v_here]
        wrenches = []
        for k, _, dof, is_given, body in self.free:
            torque, force = efforts[dof : dof + 3], efforts[dof + 3 : dof + 6]
            if is_given:
                force = -IMMOVABLE * np.array(self.scene.gravity)
            one = ExternallyAppliedSpatialForce()
            one.body_index = body.index()
            one.p_BoBq_B = np.zeros(3)
            one.F_Bq_W = SpatialForce(torque, force)
            wrenches.append(one)
        self.applied.FixValue(self.context, forces)
        self.spatial.FixValue(self.context, wrenches)
        self.root.SetDiscreteState(self.diagram.EvalUniquePeriodicDiscreteUpdate(self.root))

    def contacts(self):
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        return results.num_point_pair_contacts() + results.num_hydroelastic_contacts()


serve(Engine)
