"""SAPIEN: Scene.step of PhysX on the CPU. Single free bodies are actors, all others links of articulations; numbers have single precision."""

import time
from types import SimpleNamespace

import numpy as np
import sapien
from featherbed_engine import Unsupported, inertia_matrix, quaternion, rotation, serve, weld, wxyz, xyzw
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
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


class Engine:
    holds = ["damping", "springs", "armature", "limits"]

    def __init__(self, scene, options):
        self.scene = scene
        self.options = options
        self.lacks = []
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
        self.links, self.joints, self.roots, self.bases = {}, {}, {}, []
        if options.get("file"):
            self.read_file(options["file"])
        else:
            weld(scene)
            self.groups = self.collision_groups()
            self.build()
        if scene.fixtures:
            ground = physx.PhysxRigidStaticComponent()
            for shape in scene.fixtures:
                self.attach(ground, shape, True)
            self.add(ground)
        self.find_places()
        self.write(np.array(scene.q), np.array(scene.v))

    # --- the scene ---

    def build(self):
        bodies = self.scene.bodies
        lone = {k for k, body in enumerate(bodies) if body.joint.kind == "floating"} - {body.parent for body in bodies}
        entities, base = [], None
        for k, body in enumerate(bodies):
            kind = body.joint.kind
            if kind == "fixed":
                continue
            if k in lone:
                link = physx.PhysxRigidDynamicComponent()
            elif kind == "floating":
                link = physx.PhysxArticulationLinkComponent(None)
                link.joint.type = "undefined"
                self.roots[k] = link
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
            if body.joint.follows is not None:
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
        own.pose_in_parent = pose(body.position, rotation(body.quaternion) @ R)
        own.pose_in_child = pose(np.zeros(3), R)
        own.limit = np.array(limits, np.float32)
        own.set_drive_property(joint.stiffness, joint.damping)
        own.set_drive_target(joint.springReference)
        own.friction = 0
        own.armature = np.array([joint.armature], np.float32)

    def set_mass(self, link, body):
        mass, center, inertia = body.mass, body.center, inertia_matrix(body.inertia)
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
        made, place, R = self.shape_of(shape, fixed)
        made.local_pose = pose(place, R)
        made.density = 0
        if not self.options.get("file"):
            made.set_collision_groups(self.groups[shape.index])
        component.attach(made)

    def shape_of(self, shape, fixed):
        """The shape in PhysX, and its place in the body."""
        own, place, R = shape.shape, np.array(shape.position), rotation(shape.quaternion)
        material = physx.PhysxMaterial(shape.friction, shape.friction, shape.restitution)
        along_z, one = R @ turn_of_x([0, 0, 1]), np.ones(3, np.float32)
        match own.type:
            case "sphere":
                return physx.PhysxCollisionShapeSphere(own.radius, material), place, R
            case "box":
                return physx.PhysxCollisionShapeBox(np.array(own.size, np.float32) / 2, material), place, R
            case "capsule":
                return physx.PhysxCollisionShapeCapsule(own.radius, own.length / 2, material), place, along_z
            case "cylinder":
                return physx.PhysxCollisionShapeCylinder(own.radius, own.length / 2, material), place, along_z
            case "halfspace" if fixed:
                turn = R @ turn_of_x(own.normal)
                return physx.PhysxCollisionShapePlane(material), place + own.offset * turn[:, 0], turn
            case "hull":
                points = np.reshape(own.points, (-1, 3)).astype(np.float32)
                return physx.PhysxCollisionShapeConvexMesh(points, one, material), place, R
            case "mesh" if fixed:
                points, corners = np.reshape(own.vertices, (-1, 3)), np.reshape(own.triangles, (-1, 3))
                made = physx.PhysxCollisionShapeTriangleMesh(points.astype(np.float32), corners.astype(np.uint32), one, material)
                return made, place, R
            case kind:
                raise Unsupported(f"a shape of the kind {kind}" + (" that moves" if kind in ("halfspace", "mesh") else ""))

    def collision_groups(self):
        """Two shapes meet where one has a bit of the other's mask: a bit for shapes that meet the same others."""
        index = [shape.index for body in self.scene.bodies for shape in body.shapes]
        index += [shape.index for shape in self.scene.fixtures]
        apart = {shape: set() for shape in index}
        for a, b in self.scene.apartShapes:
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
        loader.fix_root_link = not any(body.joint.kind == "floating" for body in self.scene.bodies)
        robots, _, _ = loader.parse(file)
        made = [robot.build() for robot in robots]
        joints = {joint.name: joint for robot in made for joint in robot.joints}
        for k, body in enumerate(self.scene.bodies):
            name, kind = body.joint.name.split("/")[-1], body.joint.kind
            if kind == "floating":
                self.links[k] = self.roots[k] = made[0].root
            elif kind != "fixed":
                if name not in joints:
                    raise Unsupported(f'the joint "{name}", which its reader does not have')
                self.links[k] = joints[name].child_link

    # --- the state ---

    def find_places(self):
        """Where numbers of the scene are in the articulations' qpos, whose joints PhysX orders by itself."""
        bodies = self.scene.bodies
        self.free = [
            (self.links[k], k in self.roots, body.joint.q, body.joint.v, body.given)
            for k, body in enumerate(bodies)
            if body.joint.kind == "floating"
        ]
        self.articulations = []
        for link in self.links.values():
            if isinstance(link, physx.PhysxArticulationLinkComponent) and link.articulation not in self.articulations:
                self.articulations.append(link.articulation)
        self.slots = []
        for articulation in self.articulations:
            order = {joint.child_link: n for n, joint in enumerate(articulation.active_joints)}
            own = [(order[link], bodies[k].joint) for k, link in self.links.items() if link in order]
            leads = [(n, joint) for n, joint in own if joint.v >= 0]
            there, q, v = (np.array(x, int) for x in ([n for n, _ in leads], [j.q for _, j in leads], [j.v for _, j in leads]))
            follow = [(n, joint.follows, bodies[joint.follows.body].joint) for n, joint in own if joint.follows is not None]
            self.slots.append((articulation, there, q, v, follow))

    def write(self, q, v):
        for link, is_root, k, i, _ in self.free:
            self.put(link, is_root, q[k : k + 7], v[i : i + 6])
        for articulation, there, q_here, v_here, follow in self.slots:
            positions, velocities = articulation.get_qpos(), articulation.get_qvel()
            positions[there], velocities[there] = q[q_here], v[v_here]
            for n, follows, lead in follow:
                positions[n], velocities[n] = follows.ratio * q[lead.q] + follows.offset, follows.ratio * v[lead.v]
            articulation.set_qpos(positions)
            articulation.set_qvel(velocities)

    def put(self, link, is_root, place, velocity):
        """PhysX's linear velocities are those of the centre of mass."""
        R = rotation(place[3:])
        linear = velocity[3:] + np.cross(velocity[:3], R @ link.cmass_local_pose.p)
        target = link.articulation if is_root else link
        if is_root:
            target.set_root_pose(pose(place[:3], R))
            target.set_root_linear_velocity(linear)
            target.set_root_angular_velocity(velocity[:3])
        else:
            link.entity.set_pose(pose(place[:3], R))
            target.set_linear_velocity(linear)
            target.set_angular_velocity(velocity[:3])

    def read(self):
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        for link, _, k, i, _ in self.free:
            place, angular = link.entity.pose, link.angular_velocity
            q[k : k + 3], q[k + 3 : k + 7] = place.p, xyzw(place.q)
            v[i : i + 3] = angular
            v[i + 3 : i + 6] = link.linear_velocity - np.cross(angular, rotation(q[k + 3 : k + 7]) @ link.cmass_local_pose.p)
        for articulation, there, q_here, v_here, _ in self.slots:
            q[q_here], v[v_here] = articulation.get_qpos()[there], articulation.get_qvel()[there]
        return q, v

    def step(self, efforts, given):
        for (link, is_root, _, _, _), motion in zip([one for one in self.free if one[-1]], given):
            self.put(link, is_root, motion[:7], motion[7:])
        for articulation, there, _, v_here, _ in self.slots:
            forces = np.zeros(articulation.dof, np.float32)
            forces[there] = efforts[v_here]
            articulation.set_qf(forces)
        for link, _, _, i, is_given in self.free:
            torque, force = efforts[i : i + 3], efforts[i + 3 : i + 6]
            if not is_given and np.any(efforts[i : i + 6]):
                arm = rotation(xyzw(link.entity.pose.q)) @ link.cmass_local_pose.p
                link.add_force_torque(force, torque - np.cross(arm, force))
        begin = time.perf_counter()
        self.world.step()
        self.seconds = time.perf_counter() - begin

    def contacts(self):
        points = [point for contact in self.system.get_contacts() for point in contact.points]
        return sum(bool(np.any(point.impulse)) or point.separation < TOUCHING for point in points)


serve(Engine)
