"""Newton's solvers on the CPU: CollisionPipeline.collide and SolverBase.step, as its examples do it. Its numbers have single precision."""

import time

import newton
import numpy as np
import warp as wp
from featherbed_engine import Unsupported, inertia_matrix, rotation, serve, weld

wp.config.quiet = True
wp.set_device("cpu")

# what each holds of joints by Newton's own tables (Joint feature support) and the solvers' docstrings
HOLDS = {
    "XPBD": ["damping", "springs", "limits"],
    "SemiImplicit": ["damping", "springs", "limits"],
    "Featherstone": ["damping", "springs", "armature", "limits"],
    "MuJoCo": ["damping", "friction", "springs", "armature", "limits"],
    "VBD": ["damping", "springs", "limits"],
    "Kamino": ["damping", "armature", "limits"],
    "Steel": ["damping", "armature"],
}
# these have no passive damping and springs of joints, but drives, which are the same where their target stands
DRIVEN = ("XPBD", "VBD")
REDUCED = ("Featherstone", "MuJoCo", "Steel")
# a contact of its pipeline touches below this distance; it lists those within 0.2 m too [m]
TOUCHING = 1e-4


def transform(position, quaternion):
    return wp.transform(wp.vec3(*position), wp.quat(*quaternion))


class Engine:
    def __init__(self, scene, options):
        self.scene = scene
        self.kind = options["solver"]
        self.keywords = options.get("keywords", {})
        self.holds = HOLDS[self.kind] + (["limits"] if self.keywords.get("enable_joint_limits") else [])
        self.lacks = options.get("lacks", [])
        builder = newton.ModelBuilder()
        if self.kind == "Kamino":
            newton.solvers.SolverKamino.register_custom_attributes(builder)
        self.config = {**options.get("shapes", {}), "density": 0.0, "mu_torsional": 0.0, "mu_rolling": 0.0}
        self.shapes, self.bodies, self.joints = {}, {}, {}
        if options.get("file"):
            self.read_file(builder, options["file"])
        else:
            self.build(builder)
        for shape in scene.fixtures:
            self.add_shape(builder, -1, shape)
        if not options.get("file"):
            self.keep_apart(builder)
        if self.kind == "VBD":
            builder.color()
        self.model = builder.finalize()
        self.model.set_gravity(tuple(scene.gravity))
        self.find_places()
        self.fill(self.model, np.array(scene.q), np.array(scene.v))
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
            inertia = wp.mat33(*map(float, inertia_matrix(body.inertia).ravel()))
            mass = {"com": body.center, "mass": body.mass, "inertia": inertia} if not body.given else {"mass": 1.0, "inertia": wp.mat33(np.eye(3))}
            self.bodies[k] = builder.add_link(**mass, label=f"{k}", lock_inertia=True, is_kinematic=body.given)
        for tree in self.trees():
            for k in tree:
                self.joints[k] = self.join(builder, k)
            builder.add_articulation([self.joints[k] for k in tree])
        for k, body in enumerate(bodies):
            follows = body.joint.follows
            if follows is not None:
                if self.kind == "Kamino":
                    raise Unsupported("joints that follow others, which Kamino ignores")
                builder.set_joint_mimic(self.joints[k], self.joints[follows.body], coeffs=(follows.offset, follows.ratio))
            for shape in body.shapes:
                self.add_shape(builder, self.bodies[k], shape)
        for loop in self.scene.loops:
            self.close(builder, loop)

    def trees(self):
        """Bodies by the body that is joined to the world, parents first; trees of joints that follow each other, or of a loop, are one."""
        bodies, roots = self.scene.bodies, []
        for k, body in enumerate(bodies):
            roots.append(k if body.parent < 0 else roots[body.parent])
        tied = [(k, body.joint.follows.body) for k, body in enumerate(bodies) if body.joint.follows is not None]
        tied += [(loop.a, loop.b) for loop in self.scene.loops if min(loop.a, loop.b) >= 0]
        for k, lead in tied:
            one, other = sorted((roots[k], roots[lead]))
            roots = [one if root == other else root for root in roots]
        moving = [k for k, body in enumerate(bodies) if body.joint.kind != "fixed"]
        return [[k for k in moving if roots[k] == root] for root in sorted({roots[k] for k in moving})]

    def join(self, builder, k):
        body = self.scene.bodies[k]
        joint, child = body.joint, self.bodies[k]
        if joint.kind == "floating":
            return builder.add_joint_free(child, label=f"{k}")
        parent = -1 if body.parent < 0 else self.bodies[body.parent]
        place = {"parent_xform": transform(body.position, body.quaternion), "label": f"{k}", "collision_filter_parent": False}
        held = {"limit_lower": joint.lower, "limit_upper": joint.upper}
        if self.kind in DRIVEN:
            held |= {"target_ke": joint.stiffness, "target_kd": joint.damping, "target_q": joint.springReference}
        else:
            springs = joint.stiffness if "springs" in self.holds else 0.0
            held |= {"damping": joint.damping, "stiffness": springs, "rest_q": joint.springReference}
        held |= {
            "armature": joint.armature if "armature" in self.holds else 0.0,
            "friction": joint.friction if "friction" in self.holds else 0.0,
        }
        add = builder.add_joint_revolute if joint.kind == "revolute" else builder.add_joint_prismatic
        return add(parent, child, axis=wp.vec3(*joint.axis), **place, **held)

    def close(self, builder, loop):
        if self.kind == "Featherstone":
            raise Unsupported("loops, which Featherstone does not hold")
        ends = [(loop.a, loop.pointA), (loop.b, loop.pointB)]
        (parent, X), (child, Y) = [
            (self.bodies.get(k, -1), wp.transform(wp.vec3(*point), wp.quat_identity())) for k, point in sorted(ends)
        ]
        builder.add_joint_ball(parent, child, parent_xform=X, child_xform=Y, collision_filter_parent=False)

    def add_shape(self, builder, body, shape):
        own, place = shape.shape, {"body": body, "xform": transform(shape.position, shape.quaternion)}
        place["cfg"] = newton.ModelBuilder.ShapeConfig(**self.config, mu=shape.friction, restitution=shape.restitution)
        self.shapes[shape.index] = self.shape_of(builder, own, place)

    @staticmethod
    def shape_of(builder, own, place):
        match own.type:
            case "sphere":
                return builder.add_shape_sphere(**place, radius=own.radius)
            case "ellipsoid":
                return builder.add_shape_ellipsoid(**place, rx=own.radii[0], ry=own.radii[1], rz=own.radii[2])
            case "box":
                return builder.add_shape_box(**place, **{key: size / 2 for key, size in zip(("hx", "hy", "hz"), own.size)})
            case "capsule":
                return builder.add_shape_capsule(**place, radius=own.radius, half_height=own.length / 2)
            case "cylinder":
                return builder.add_shape_cylinder(**place, radius=own.radius, half_height=own.length / 2)
            case "halfspace":
                normal = np.array(own.normal, float)
                turn = wp.quat_between_vectors(wp.vec3(0, 0, 1), wp.vec3(*normal))
                place["xform"] = place["xform"] * wp.transform(wp.vec3(*(own.offset * normal)), turn)
                return builder.add_shape_plane(None, **place, width=0.0, length=0.0)
            case "hull":
                mesh = newton.Mesh(np.reshape(own.points, (-1, 3)), own.triangles, compute_inertia=False)
                return builder.add_shape_convex_hull(**place, mesh=mesh)
            case "mesh":
                mesh = newton.Mesh(np.reshape(own.vertices, (-1, 3)), own.triangles, compute_inertia=False)
                return builder.add_shape_mesh(**place, mesh=mesh)
            case kind:
                raise Unsupported(f"a shape of the kind {kind}")

    def keep_apart(self, builder):
        for a, b in self.scene.apartShapes:
            builder.add_shape_collision_filter_pair(self.shapes[a], self.shapes[b])

    def read_file(self, builder, file):
        """The robot by Newton's own reader, joints by name."""
        floats = any(body.joint.kind == "floating" for body in self.scene.bodies)
        try:
            if file.endswith(".urdf"):
                builder.add_urdf(file, floating=floats)
            else:
                builder.add_mjcf(file)
        except Exception as error:
            raise Unsupported(f"the file, of which its reader says {error}") from error
        joints = {label.split("/")[-1]: j for j, label in enumerate(builder.joint_label)}
        for k, body in enumerate(self.scene.bodies):
            name, kind = body.joint.name.split("/")[-1], body.joint.kind
            found = joints.get(name)
            if kind == "floating":
                found = next((j for j, own in enumerate(builder.joint_type) if own == newton.JointType.FREE), None)
            if found is None and kind != "fixed":
                raise Unsupported(f'the joint "{name}", which its reader does not have')
            if found is not None:
                self.joints[k], self.bodies[k] = found, builder.joint_child[found]

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
        self.write(np.array(self.scene.q), np.array(self.scene.v))

    @property
    def state(self):
        return self.states[0]

    def step(self, efforts, given):
        state = self.state
        self.place(given)
        self.control.joint_f.numpy()[self.v_there] = efforts[self.v_here]
        forces, poses = state.body_f.numpy(), state.body_q.numpy()
        forces[:] = 0
        for body, _, i, _, center, is_given in self.free:
            if not is_given:
                torque, force = efforts[i : i + 3], efforts[i + 3 : i + 6]
                arm = rotation(poses[body, 3:]) @ center
                forces[body] = [*force, *(torque - np.cross(arm, force))]
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
        centers = self.model.body_com.numpy()
        places = [(k, body, body.joint, self.joints[k]) for k, body in enumerate(self.scene.bodies) if k in self.joints]
        self.free = [
            (self.bodies[k], joint.q, joint.v, (q[own], v[own]), centers[self.bodies[k]].astype(float), body.given)
            for k, body, joint, own in places
            if joint.kind == "floating"
        ]
        single = [(joint, own) for _, _, joint, own in places if joint.kind in ("revolute", "prismatic") and joint.v >= 0]
        self.q_here = np.array([joint.q for joint, _ in single], int)
        self.v_here = np.array([joint.v for joint, _ in single], int)
        self.q_there = np.array([q[own] for _, own in single], int)
        self.v_there = np.array([v[own] for _, own in single], int)
        self.turns = np.array([joint.kind == "revolute" for joint, _ in single], bool)
        self.angles = np.zeros(len(single))
        self.followers = [
            (q[own], v[own], joint.follows, self.scene.bodies[joint.follows.body].joint)
            for _, _, joint, own in places
            if joint.follows is not None
        ]

    def fill(self, target, q, v):
        """Coordinates of joints, and places and velocities of bodies by them, of a state or of the model."""
        positions, velocities = target.joint_q.numpy(), target.joint_qd.numpy()
        positions[self.q_there], velocities[self.v_there] = q[self.q_here], v[self.v_here]
        for at, dof, follows, lead in self.followers:
            positions[at], velocities[dof] = follows.ratio * q[lead.q] + follows.offset, follows.ratio * v[lead.v]
        for _, k, i, (at, dof), center, _ in self.free:
            positions[at : at + 7] = q[k : k + 7]
            arm = rotation(q[k + 3 : k + 7]) @ center
            velocities[dof : dof + 6] = [*(v[i + 3 : i + 6] + np.cross(v[i : i + 3], arm)), *v[i : i + 3]]
        newton.eval_fk(self.model, target.joint_q, target.joint_qd, target)

    def write(self, q, v):
        self.fill(self.state, q, v)
        self.angles = q[self.q_here].copy()

    def place(self, given):
        """Puts prescribed bodies where they are."""
        if len(given) == 0:
            return
        state = self.state
        for (body, _, _, (at, dof), _, _), motion in zip([one for one in self.free if one[-1]], given):
            twist = [*motion[10:13], *motion[7:10]]
            state.joint_q.numpy()[at : at + 7], state.joint_qd.numpy()[dof : dof + 6] = motion[:7], twist
            state.body_q.numpy()[body], state.body_qd.numpy()[body] = motion[:7], twist

    def read(self):
        state = self.state
        if self.kind not in REDUCED:
            newton.eval_ik(self.model, state, state.joint_q, state.joint_qd)
        positions, velocities = state.joint_q.numpy(), state.joint_qd.numpy()
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        read = positions[self.q_there].astype(float)
        # angles by inverse kinematics are within half a turn
        whole = np.round((self.angles - read) / (2 * np.pi)) * 2 * np.pi
        self.angles = read + np.where(self.turns & (self.kind not in REDUCED), whole, 0.0)
        q[self.q_here], v[self.v_here] = self.angles, velocities[self.v_there]
        for body, k, i, _, center, _ in self.free:
            pose, twist = state.body_q.numpy()[body].astype(float), state.body_qd.numpy()[body].astype(float)
            q[k : k + 7] = pose
            v[i : i + 3] = twist[3:]
            v[i + 3 : i + 6] = twist[:3] - np.cross(twist[3:], rotation(pose[3:]) @ center)
        return q, v


serve(Engine)
