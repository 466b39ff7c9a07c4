"""Newton's solvers on the CPU: CollisionPipeline.collide and SolverBase.step, as its examples do it. Its numbers have single precision."""

import time

import newton
import numpy as np
import warp as wp
from featherbed_engine import Engine, Places, Unsupported, last_of, rotation, serve, weld

wp.config.quiet = True
wp.set_device("cpu")

# what each holds of joints by Newton's own tables (Joint feature support) and the solvers' docstrings
HOLDS = {
    "XPBD": ["damping", "springs", "joint limits"],
    "SemiImplicit": ["damping", "springs", "joint limits"],
    "Featherstone": ["damping", "springs", "rotor inertia", "joint limits"],
    "MuJoCo": ["damping", "friction", "springs", "rotor inertia", "joint limits"],
    "VBD": ["damping", "springs", "joint limits"],
    "Kamino": ["damping", "rotor inertia", "joint limits"],
    "Steel": ["damping", "rotor inertia"],
}
# these have no passive damping and springs of joints, but drives, which are the same where their target stands
DRIVEN = ("XPBD", "VBD")
REDUCED = ("Featherstone", "MuJoCo", "Steel")
# a contact of its pipeline touches below this distance; it lists those within 0.2 m too [m]
TOUCHING = 1e-4


def transform(placed):
    return wp.transform(wp.vec3(*placed.position), wp.quat(*placed.quaternion))


def mesh_of(own):
    return newton.Mesh(own.points, own.triangles.ravel(), compute_inertia=False)


def plane_of(own, builder, place):
    normal = np.array(own.normal, float)
    turn = wp.quat_between_vectors(wp.vec3(0, 0, 1), wp.vec3(*normal))
    place["xform"] = place["xform"] * wp.transform(wp.vec3(*(own.offset * normal)), turn)
    return builder.add_shape_plane(None, **place, width=0.0, length=0.0)


class Newton(Engine):
    SHAPES = {
        "sphere": lambda own, builder, place: builder.add_shape_sphere(**place, radius=own.radius),
        "ellipsoid": lambda own, builder, place: builder.add_shape_ellipsoid(**place, **dict(zip(("rx", "ry", "rz"), own.radii))),
        "box": lambda own, builder, place: builder.add_shape_box(**place, **dict(zip(("hx", "hy", "hz"), np.divide(own.size, 2)))),
        "capsule": lambda own, builder, place: builder.add_shape_capsule(**place, radius=own.radius, half_height=own.length / 2),
        "cylinder": lambda own, builder, place: builder.add_shape_cylinder(**place, radius=own.radius, half_height=own.length / 2),
        "halfspace": plane_of,
        "hull": lambda own, builder, place: builder.add_shape_convex_hull(**place, mesh=mesh_of(own)),
        "mesh": lambda own, builder, place: builder.add_shape_mesh(**place, mesh=mesh_of(own)),
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
        self.kind = options["solver"]
        self.keywords = options.get("keywords", {})
        self.holds = HOLDS[self.kind] + (["joint limits"] if self.keywords.get("enable_joint_limits") else [])
        self.lacks = options.get("lacks", [])
        builder = newton.ModelBuilder()
        if self.kind == "Kamino":
            newton.solvers.SolverKamino.register_custom_attributes(builder)
        self.config = {**options.get("shapes", {}), "density": 0.0, "mu_torsional": 0.0, "mu_rolling": 0.0}
        self.shapes, self.bodies, self.joints = {}, {-1: -1}, {}
        if self.file:
            self.read_file(builder)
        else:
            self.build(builder)
        for shape in scene.fixtures:
            self.add_shape(builder, -1, shape)
        if not self.file:
            for a, b in scene.apart:
                builder.add_shape_collision_filter_pair(self.shapes[a], self.shapes[b])
        if self.kind == "VBD":
            builder.color()
        self.model = builder.finalize()
        self.model.set_gravity(tuple(scene.gravity))
        self.find_places()
        self.fill(self.model, scene.q, scene.v)
        self.make_solver()

    # --- the scene ---

    def build(self, builder):
        weld(self.scene)
        bodies = self.scene.bodies
        for k, body in enumerate(bodies):
            if body.joint.kind == "fixed":
                continue
            if body.mass == 0 and not body.given and self.kind not in REDUCED:
                raise Unsupported("links without mass, which maximal coordinates do not move")
            mass = {"mass": 1.0, "inertia": wp.mat33(np.eye(3))}
            if not body.given:
                mass = {"com": body.center, "mass": body.mass, "inertia": wp.mat33(*map(float, body.moments.ravel()))}
            self.bodies[k] = builder.add_link(**mass, label=f"{k}", lock_inertia=True, is_kinematic=body.given)
        for tree in self.trees():
            for k in tree:
                self.joints[k] = self.join(builder, k)
            builder.add_articulation([self.joints[k] for k in tree])
        for k, body in enumerate(bodies):
            follows = body.joint.follows
            if follows:
                if self.kind == "Kamino":
                    raise Unsupported("joints that follow others, which Kamino ignores")
                builder.set_joint_mimic(self.joints[k], self.joints[follows.body], coeffs=(follows.offset, follows.ratio))
            for shape in body.shapes:
                self.add_shape(builder, self.bodies[k], shape)
        for loop in self.scene.loops:
            self.close(builder, loop)

    def trees(self):
        """Bodies by the body that is joined to the world, parents first; trees of joints that follow each other, or of a loop, are one."""
        bodies = self.scene.bodies
        roots = [body.root for body in bodies]
        tied = [(k, body.joint.follows.body) for k, body in enumerate(bodies) if body.joint.follows]
        tied += [(loop.a, loop.b) for loop in self.scene.loops if min(loop.a, loop.b) >= 0]
        for k, lead in tied:
            one, other = sorted((roots[k], roots[lead]))
            roots = [one if root == other else root for root in roots]
        moving = [k for k, body in enumerate(bodies) if body.joint.kind != "fixed"]
        return [[k for k in moving if roots[k] == root] for root in sorted({roots[k] for k in moving})]

    def join(self, builder, k):
        body = self.scene.bodies[k]
        joint, child = body.joint, self.bodies[k]
        if joint.floats:
            return builder.add_joint_free(child, label=f"{k}")
        place = {"parent_xform": transform(body), "label": f"{k}", "collision_filter_parent": False}
        held = {"limit_lower": joint.lower, "limit_upper": joint.upper}
        if self.kind in DRIVEN:
            held |= {"target_ke": joint.stiffness, "target_kd": joint.damping, "target_q": joint.springReference}
        else:
            springs = joint.stiffness if "springs" in self.holds else 0.0
            held |= {"damping": joint.damping, "stiffness": springs, "rest_q": joint.springReference}
        held |= {
            "armature": joint.armature if "rotor inertia" in self.holds else 0.0,
            "friction": joint.friction if "friction" in self.holds else 0.0,
        }
        add = builder.add_joint_revolute if joint.turns else builder.add_joint_prismatic
        return add(self.bodies[body.parent], child, axis=wp.vec3(*joint.axis), **place, **held)

    def close(self, builder, loop):
        if self.kind == "Featherstone":
            raise Unsupported("loops, which Featherstone does not hold")
        ends = [(loop.a, loop.pointA), (loop.b, loop.pointB)]
        (parent, X), (child, Y) = [
            (self.bodies[k], wp.transform(wp.vec3(*point), wp.quat_identity())) for k, point in sorted(ends)
        ]
        builder.add_joint_ball(parent, child, parent_xform=X, child_xform=Y, collision_filter_parent=False)

    def add_shape(self, builder, body, shape):
        place = {"body": body, "xform": transform(shape)}
        place["cfg"] = newton.ModelBuilder.ShapeConfig(**self.config, mu=shape.friction, restitution=shape.restitution)
        self.shapes[shape.index] = self.shape_of(shape, builder, place)

    def read_file(self, builder):
        """The robot by Newton's own reader, joints by name."""
        file = self.file
        try:
            if file.endswith(".urdf"):
                builder.add_urdf(file, floating=bool(self.free))
            else:
                builder.add_mjcf(file)
        except Exception as error:
            raise Unsupported(f"the file, of which its reader says {error}") from error
        self.joints = self.named({last_of(label): j for j, label in enumerate(builder.joint_label)})
        root = next((j for j, own in enumerate(builder.joint_type) if own == newton.JointType.FREE), None)
        if self.free and root is None:
            raise Unsupported(f'the joint "{last_of(self.free[0].joint.name)}", which its reader does not have')
        self.joints |= {body.index: root for body in self.free}
        self.bodies |= {k: builder.joint_child[j] for k, j in self.joints.items()}

    # --- the solver ---

    def make_solver(self):
        keywords = dict(self.keywords)
        solver = getattr(newton.solvers, f"Solver{self.kind}")
        if self.kind == "Kamino" and "dynamics_solver" in keywords:
            keywords = {"config": solver.Config.from_model(self.model, **keywords)}
        self.pipeline = newton.CollisionPipeline(self.model)
        self.found = self.pipeline.contacts()
        try:
            self.solver = solver(self.model, **keywords)
        except (NotImplementedError, ValueError) as error:
            raise Unsupported(f"what its solver says: {error}".split("\n")[0]) from error
        self.states = [self.model.state(), self.model.state()]
        self.control = self.model.control()
        self.steps, self.graphs = 0, [None, None]
        self.write(self.scene.q, self.scene.v)

    @property
    def state(self):
        return self.states[0]

    def step(self, efforts, given):
        state = self.state
        self.move(given)
        self.control.joint_f.numpy()[self.places.v_there] = efforts[self.places.v]
        forces, poses = state.body_f.numpy(), state.body_q.numpy()
        forces[:] = 0
        for body, torque, force in self.wrenches(efforts):
            k = self.bodies[body.index]
            forces[k] = [*force, *(torque - np.cross(rotation(poses[k, 3:]) @ self.centers[k], force))]
        turn = self.steps % 2
        if self.steps >= 2 and self.graphs[turn] is None:
            with wp.ScopedCapture() as capture:
                self.advance()
            self.graphs[turn] = capture.graph
        begin = time.perf_counter()
        if self.graphs[turn] is None:
            self.advance()
        else:
            wp.capture_launch(self.graphs[turn])
        self.seconds = time.perf_counter() - begin
        self.steps += 1
        self.states.reverse()

    def advance(self):
        """A step, which is recorded as a graph, as its examples do: thirty times as fast, with the same bits."""
        contacts = None
        if self.kind != "MuJoCo":  # which finds its own by default
            contacts = self.found
            self.pipeline.collide(self.state, contacts)
        self.solver.step(*self.states, self.control, contacts, self.scene.dt)

    def contacts(self):
        if self.kind == "MuJoCo":
            data = self.solver.mjw_data
            return int(np.sum(data.contact.dist.numpy()[: int(data.nacon.numpy()[0])] < TOUCHING))
        found, before = self.found, self.states[1]  # where its pipeline found them; some act on the way to the end of the step
        poses, twists, centers = before.body_q.numpy(), before.body_qd.numpy(), self.model.body_com.numpy()
        body = self.model.shape_body.numpy()
        count = 0
        for c in range(int(found.rigid_contact_count.numpy()[0])):
            ends, speeds = [], []
            for shape, point in ((found.rigid_contact_shape0, found.rigid_contact_point0), (found.rigid_contact_shape1, found.rigid_contact_point1)):
                k, own = body[shape.numpy()[c]], point.numpy()[c]
                R = np.eye(3) if k < 0 else rotation(poses[k, 3:])
                ends.append(own if k < 0 else poses[k, :3] + R @ own)
                speeds.append(np.zeros(3) if k < 0 else twists[k, :3] + np.cross(twists[k, 3:], R @ (own - centers[k])))
            normal = found.rigid_contact_normal.numpy()[c]
            distance = normal @ (ends[1] - ends[0]) - found.rigid_contact_margin0.numpy()[c] - found.rigid_contact_margin1.numpy()[c]
            count += distance + min(0.0, self.scene.dt * normal @ (speeds[1] - speeds[0])) < TOUCHING
        return int(count)

    # --- the state ---

    def find_places(self):
        """Where numbers of the scene are in Newton's joint_q and joint_qd."""
        q, v = self.model.joint_q_start.numpy(), self.model.joint_qd_start.numpy()
        self.centers = self.model.body_com.numpy().astype(float)
        self.places = Places(self.scene, {k: (q[own], v[own]) for k, own in self.joints.items()})
        own = [self.scene.bodies[k].joint for k in self.joints]
        self.turns = np.array([joint.turns for joint in own if (joint.turns or joint.slides) and joint.v >= 0], bool)

    def fill(self, target, q, v):
        """Coordinates of joints, and places and velocities of bodies by them, of a state or of the model."""
        positions, velocities = target.joint_q.numpy(), target.joint_qd.numpy()
        self.places.write(q, v, positions, velocities)
        for body in self.free:
            at, dof = self.places.slices[body.index]
            pose, (angular, linear) = q[body.joint.at], np.split(v[body.joint.dof], 2)
            positions[at] = pose
            arm = rotation(pose[3:]) @ self.centers[self.bodies[body.index]]
            velocities[dof] = [*(linear + np.cross(angular, arm)), *angular]
        newton.eval_fk(self.model, target.joint_q, target.joint_qd, target)

    def write(self, q, v):
        self.fill(self.state, q, v)
        self.angles = q[self.places.q]

    def put(self, body, pose, velocity):
        state, (at, dof), k = self.state, self.places.slices[body.index], self.bodies[body.index]
        twist = [*velocity[3:], *velocity[:3]]
        state.joint_q.numpy()[at], state.joint_qd.numpy()[dof] = pose, twist
        state.body_q.numpy()[k], state.body_qd.numpy()[k] = pose, twist

    def read_joints(self, q, v):
        state = self.state
        if self.kind not in REDUCED:
            newton.eval_ik(self.model, state, state.joint_q, state.joint_qd)
        self.places.read(state.joint_q.numpy(), state.joint_qd.numpy(), q, v)
        read = q[self.places.q]
        # angles by inverse kinematics are within half a turn
        whole = np.round((self.angles - read) / (2 * np.pi)) * 2 * np.pi
        self.angles = read + np.where(self.turns & (self.kind not in REDUCED), whole, 0.0)
        q[self.places.q] = self.angles

    def pose_of(self, body):
        k = self.bodies[body.index]
        pose, twist = self.state.body_q.numpy()[k].astype(float), self.state.body_qd.numpy()[k].astype(float)
        return pose, [*twist[3:], *(twist[:3] - np.cross(twist[3:], rotation(pose[3:]) @ self.centers[k]))]


serve(Newton)
