"""SAPIEN: Scene.step of PhysX on the CPU. Single free bodies are actors, all others links of articulations; numbers have single precision."""

import time
from types import SimpleNamespace

import numpy as np
import sapien
from featherbed_engine import Engine, Places, Unsupported, across, quaternion, rotation, serve, weld, wxyz, xyzw
from sapien import physx
from sapien.wrapper import urdf_loader
from sapien.wrapper.actor_builder import ActorBuilder

# in place of the mass of a body whose motion is prescribed [kg, kg m2]
IMMOVABLE = 1e7
# a contact without an impulse touches below this distance; PhysX lists those within its contact offsets too [m]
TOUCHING = 1e-4
# of a fixed tendon, as SAPIEN's own builder has it [N/m, N m/rad]
TENDON = 1e5


def pose(position, R):
    return sapien.Pose(np.array(position, np.float32), np.array(wxyz(quaternion(R)), np.float32))


def turn_of_x(axis):
    """A rotation that takes x to an axis; PhysX's joints, capsules, cylinders and planes lie along x."""
    x = np.array(axis, float) / np.linalg.norm(axis)
    y = across(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def hull_of(own, material):
    return physx.PhysxCollisionShapeConvexMesh(own.points.astype(np.float32), np.ones(3, np.float32), material)


def mesh_of(own, material):
    points, corners = own.points.astype(np.float32), own.triangles.astype(np.uint32)
    return physx.PhysxCollisionShapeTriangleMesh(points, corners, np.ones(3, np.float32), material)


class Sapien(Engine):
    holds = ["damping", "springs", "rotor inertia", "joint limits"]
    SHAPES = {
        "sphere": lambda own, material: physx.PhysxCollisionShapeSphere(own.radius, material),
        "box": lambda own, material: physx.PhysxCollisionShapeBox(np.array(own.size, np.float32) / 2, material),
        "capsule": lambda own, material: physx.PhysxCollisionShapeCapsule(own.radius, own.length / 2, material),
        "cylinder": lambda own, material: physx.PhysxCollisionShapeCylinder(own.radius, own.length / 2, material),
        "halfspace": lambda own, material: physx.PhysxCollisionShapePlane(material),
        "hull": hull_of,
        "mesh": mesh_of,
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
        physx.set_scene_config(
            gravity=scene.gravity, bounce_threshold=options.get("bounce", 2.0), enable_ccd=options.get("ccd", False)
        )
        physx.set_body_config(
            solver_position_iterations=options.get("positionIterations", 10),
            solver_velocity_iterations=options.get("velocityIterations", 1),
        )
        self.system = physx.PhysxCpuSystem()
        self.world = sapien.Scene([self.system])
        self.world.set_timestep(scene.dt)
        self.links = {}
        self.load()
        if scene.fixtures:
            ground = physx.PhysxRigidStaticComponent()
            for shape in scene.fixtures:
                self.attach(ground, shape, True)
            self.add(ground)
        self.find_places()
        self.write(scene.q, scene.v)

    # --- the scene ---

    def build(self):
        weld(self.scene)
        self.groups = self.collision_groups()
        bodies = self.scene.bodies
        lone = {body.index for body in self.free} - {body.parent for body in bodies}
        entities, base = [], None
        for k, body in enumerate(bodies):
            if body.joint.kind == "fixed":
                continue
            if k in lone:
                link = physx.PhysxRigidDynamicComponent()
            elif body.joint.floats:
                link = physx.PhysxArticulationLinkComponent(None)
                link.joint.type = "undefined"
            else:
                if body.parent < 0 and base is None:
                    base = physx.PhysxArticulationLinkComponent(None)
                    base.joint.type = "fixed"
                    entities.append(base)
                link = physx.PhysxArticulationLinkComponent(base if body.parent < 0 else self.links[body.parent])
                self.join(link.joint, body)
            self.links[k] = link
            for shape in body.shapes:
                self.attach(link, shape, False)
            self.set_mass(link, body)  # each shape added makes it anew
            entities.append(link)
        for link in entities:
            self.add(link)
        for k, body in enumerate(bodies):
            if body.joint.follows:
                self.couple(k, body)
        for loop in self.scene.loops:
            self.close(loop)

    def add(self, component):
        entity = sapien.Entity()
        entity.add_component(component)
        self.world.add_entity(entity)

    def join(self, own, body):
        joint = body.joint
        limits = [-np.inf if joint.lower is None else joint.lower, np.inf if joint.upper is None else joint.upper]
        # "revolute" alone would have its angle within a turn
        own.type = "prismatic" if joint.kind == "prismatic" else "revolute_unwrapped"
        R = turn_of_x(joint.axis)
        own.pose_in_parent = pose(body.position, body.R @ R)
        own.pose_in_child = pose(np.zeros(3), R)
        own.limit = np.array(limits, np.float32)
        own.set_drive_property(joint.stiffness, joint.damping)
        own.set_drive_target(joint.springReference)
        own.friction = 0
        own.armature = np.array([joint.armature], np.float32)

    def set_mass(self, link, body):
        mass, center, inertia = body.mass, body.center, body.moments
        if body.given:
            mass, center, inertia = IMMOVABLE, np.zeros(3), IMMOVABLE * np.eye(3)
            link.disable_gravity = True
            link.linear_damping = link.angular_damping = 0
        if mass == 0:
            raise Unsupported("links without mass")
        if "damping" in self.options:
            link.linear_damping = link.angular_damping = self.options["damping"]
        principal, axes = np.linalg.eigh(inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        link.mass = mass
        link.cmass_local_pose = pose(center, axes)
        link.inertia = principal.astype(np.float32)

    def attach(self, component, shape, fixed):
        own, place, R = shape.shape, np.array(shape.position), shape.R
        if own.type in ("halfspace", "mesh") and not fixed:
            raise Unsupported(f"a shape of the kind {own.type} that moves")
        made = self.shape_of(shape, physx.PhysxMaterial(shape.friction, shape.friction, shape.restitution))
        if own.type in ("capsule", "cylinder"):
            R = R @ turn_of_x([0, 0, 1])
        if own.type == "halfspace":
            R = R @ turn_of_x(own.normal)
            place = place + own.offset * R[:, 0]
        made.local_pose = pose(place, R)
        made.density = 0
        if not self.file:
            made.set_collision_groups(self.groups[shape.index])
        component.attach(made)

    def collision_groups(self):
        """Two shapes meet where one has a bit of the other's mask: a bit for shapes that meet the same others."""
        index = [shape.index for _, shape in self.scene.shapes()]
        apart = {shape: set() for shape in index}
        for a, b in self.scene.apart:
            apart[a].add(b)
            apart[b].add(a)
        rows = [frozenset(apart[shape]) for shape in index]
        kinds = sorted(set(rows), key=rows.index)
        if len(kinds) > 31:
            raise Unsupported("more than 31 groups of shapes that meet different others")
        groups = {}
        for shape, row in zip(index, rows):
            mask = sum(1 << n for n, kind in enumerate(kinds) if any(o not in row for o, r in zip(index, rows) if r == kind))
            groups[shape] = [1 << kinds.index(row), mask, 0, 0]
        return groups

    def couple(self, k, body):
        """As SAPIEN's builder does it, but for its order of two siblings, which turns their ratio upside down."""
        follows = body.joint.follows
        own, lead = self.links[k], self.links[follows.body]
        root = lead.parent
        if own.parent not in (root, lead) or root is None or follows.ratio == 0:
            raise Unsupported("joints that follow others than a sibling or their parent")
        coefficients, inverse = [0, -follows.ratio, 1], [0, -1 / follows.ratio, 1]
        own.articulation.create_fixed_tendon([root, lead, own], coefficients, inverse, rest_length=follows.offset, stiffness=TENDON)

    def close(self, loop):
        ends = [(k, sapien.Pose(np.array(point, np.float32))) for k, point in sorted(((loop.a, loop.pointA), (loop.b, loop.pointB)))]
        (a, X), (b, Y) = ends
        drive = self.world.create_drive(None if a < 0 else self.links[a], X, self.links[b], Y)
        for limit in (drive.set_limit_x, drive.set_limit_y, drive.set_limit_z):
            limit(0, 0)

    def read_file(self, file):
        """The robot by SAPIEN's own loader; what it draws is left out, for which it needs a graphics device."""
        if not file.endswith(".urdf"):
            raise Unsupported("files other than URDF, which its loader does not read")
        urdf_loader.RenderMaterial = SimpleNamespace
        for name in [name for name in dir(ActorBuilder) if name.startswith("add_") and "visual" in name]:
            setattr(ActorBuilder, name, lambda *_, **__: None)
        loader = self.world.create_urdf_loader()
        loader.fix_root_link = not self.free
        robots, _, _ = loader.parse(file)
        made = [robot.build() for robot in robots]
        joints = self.named({joint.name: joint for robot in made for joint in robot.joints})
        self.links = {k: joint.child_link for k, joint in joints.items()} | {body.index: made[0].root for body in self.free}

    # --- the state ---

    def find_places(self):
        """Where numbers of the scene are in the articulations' qpos, whose joints PhysX orders by itself."""
        self.articulations = []
        for link in self.links.values():
            articulation = getattr(link, "articulation", None)
            if articulation is None or any(articulation == other for other, _ in self.articulations):
                continue
            order = {joint.child_link: n for n, joint in enumerate(articulation.active_joints)}
            there = {k: (order[own], order[own]) for k, own in self.links.items() if own in order}
            self.articulations.append((articulation, Places(self.scene, there)))

    def write(self, q, v):
        self.put_all(q, v)
        for articulation, places in self.articulations:
            positions, velocities = articulation.get_qpos(), articulation.get_qvel()
            places.write(q, v, positions, velocities)
            articulation.set_qpos(positions)
            articulation.set_qvel(velocities)

    def put(self, body, place, velocity):
        """PhysX's linear velocities are those of the centre of mass."""
        link = self.links[body.index]
        R = rotation(place[3:])
        linear = velocity[3:] + np.cross(velocity[:3], R @ link.cmass_local_pose.p)
        if isinstance(link, physx.PhysxArticulationLinkComponent):
            link.articulation.set_root_pose(pose(place[:3], R))
            link.articulation.set_root_linear_velocity(linear)
            link.articulation.set_root_angular_velocity(velocity[:3])
        else:
            link.entity.set_pose(pose(place[:3], R))
            link.set_linear_velocity(linear)
            link.set_angular_velocity(velocity[:3])

    def read_joints(self, q, v):
        for articulation, places in self.articulations:
            places.read(articulation.get_qpos(), articulation.get_qvel(), q, v)

    def pose_of(self, body):
        link = self.links[body.index]
        place, angular = link.entity.pose, link.angular_velocity
        turn = np.array(xyzw(place.q), float)
        linear = link.linear_velocity - np.cross(angular, rotation(turn) @ link.cmass_local_pose.p)
        return [*place.p, *turn], [*angular, *linear]

    def step(self, efforts, given):
        self.move(given)
        for articulation, places in self.articulations:
            forces = np.zeros(articulation.dof, np.float32)
            forces[places.v_there] = efforts[places.v]
            articulation.set_qf(forces)
        for body, torque, force in self.wrenches(efforts):
            if torque.any() or force.any():
                link = self.links[body.index]
                arm = rotation(xyzw(link.entity.pose.q)) @ link.cmass_local_pose.p
                link.add_force_torque(force, torque - np.cross(arm, force))
        begin = time.perf_counter()
        self.world.step()
        self.seconds = time.perf_counter() - begin

    def contacts(self):
        points = [point for contact in self.system.get_contacts() for point in contact.points]
        return sum(bool(np.any(point.impulse)) or point.separation < TOUCHING for point in points)


serve(Sapien)
