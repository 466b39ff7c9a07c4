"""Pinocchio's constraint solvers in a time-stepping loop as its tests of them set problems up: aba, coal's contact patches, Delassus matrix, impulses."""

import coal
import numpy as np
import pinocchio as pin
from featherbed_engine import Engine, Places, Record, Unsupported, across, rotation, serve

IMMOVABLE, LEAST_MASS = 1e7, 1e-9
# distance at which contacts begin [m], corners of a patch that are used, part of a penetration that a step undoes
MARGIN, CORNERS, CORRECTION = 1e-3, 4, 0.2
# distance to a limit below which it is a constraint, position differences of anchors that a step undoes
NEAR, ANCHOR_CORRECTION = 0.1, 0.2
# added to the Delassus matrix, as the tests have it
DAMPING = 1e-10


def hull_of(own):
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(own.points.astype(float)))
    triangles.extend([coal.Triangle(*map(int, one)) for one in own.triangles])
    return coal.Convex(points, triangles)


def pose_of(placed):
    return pin.SE3(placed.R, np.array(placed.position))


class Pinocchio(Engine):
    holds = ["rotor inertia", "damping", "friction", "joint limits"]
    SHAPES = {
        "sphere": lambda own: coal.Sphere(own.radius),
        "ellipsoid": lambda own: coal.Ellipsoid(*own.radii),
        "box": lambda own: coal.Box(*own.size),
        "capsule": lambda own: coal.Capsule(own.radius, own.length),
        "cylinder": lambda own: coal.Cylinder(own.radius, own.length),
        "halfspace": lambda own: coal.Halfspace(np.array(own.normal, float), float(own.offset)),
        "hull": hull_of,
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
        self.model, self.geometry = pin.Model(), pin.GeometryModel()
        # by body: its joint, which that of a fixed one shares, and its place there; of each geometry: its shape in the scene
        self.ends, self.shapes, self.pairs = {-1: (0, pin.SE3.Identity())}, [], []
        self.load()
        self.model.gravity.linear = np.array(scene.gravity)
        self.add_pairs()
        # by the velocity after the step: M + dt D, and -D v among the forces
        self.damping = np.array(self.model.damping)
        self.model.armature += scene.dt * self.damping
        self.data, self.found = self.model.createData(), self.geometry.createData()
        for request in self.found.collisionRequests:
            request.security_margin = MARGIN
            request.enable_contact = True  # else boxes have contacts without normals
        kind = options["solver"]
        self.solver = getattr(pin, f"{kind}ConstraintSolver")()
        self.settings = getattr(pin, f"{kind}SolverSettings")()
        self.new_result = getattr(pin, f"{kind}SolverResult")
        self.find_places()
        self.q, self.v = pin.neutral(self.model), np.zeros(self.model.nv)
        self.write(scene.q, scene.v)
        self.add_anchors()
        self.count = 0

    # --- the scene ---

    def build(self):
        model, scene = self.model, self.scene
        for k, body in enumerate(scene.bodies):
            joint = body.joint
            if joint.follows:
                raise Unsupported("joints that follow others, which aba does not take")
            parent, at = self.ends[body.parent]
            place = at * pose_of(body)
            if joint.kind == "fixed":
                self.ends[k] = parent, place
            else:
                own = {
                    "floating": pin.JointModelFreeFlyer,
                    "revolute": lambda: pin.JointModelRevoluteUnaligned(*joint.axis),
                    "prismatic": lambda: pin.JointModelPrismaticUnaligned(*joint.axis),
                }[joint.kind]()
                start = pin.SE3.Identity() if joint.floats else place
                self.ends[k] = model.addJoint(parent, own, start, f"joint {k}"), pin.SE3.Identity()
            mass = IMMOVABLE if body.given else max(body.mass, LEAST_MASS)
            moments = IMMOVABLE * np.eye(3) if body.given else body.moments
            if self.ends[k][0] > 0:
                model.appendBodyToJoint(self.ends[k][0], pin.Inertia(mass, np.array(body.center), moments), self.ends[k][1])
        for k, shape in scene.shapes():
            self.add_shape(k, shape)
        for k, body in enumerate(scene.bodies):
            if body.joint.turns or body.joint.slides:
                first = model.joints[self.ends[k][0]].idx_v
                model.armature[first], model.damping[first] = body.joint.armature, body.joint.damping

    def add_shape(self, k, shape):
        joint, at = self.ends[k]
        own = pin.GeometryObject(f"shape {shape.index}", joint, at * pose_of(shape), self.shape_of(shape))
        self.geometry.addGeometryObject(own)
        self.shapes.append(shape)

    def add_pairs(self):
        """As the scene has them, of a file those of links that are not joined; shapes that cannot move against each other are left out."""
        joints = [one.parentJoint for one in self.geometry.geometryObjects]
        apart = {frozenset(pair) for pair in self.scene.apart}
        near = {(parent, joint) for joint, parent in enumerate(self.model.parents) if self.file and parent > 0}
        for j, other in enumerate(self.shapes):
            for i, one in enumerate(self.shapes[:j]):
                ends = tuple(sorted((joints[i], joints[j])))
                if ends[0] == ends[1] or ends in near or frozenset((one.index, other.index)) in apart:
                    continue
                self.geometry.addCollisionPair(pin.CollisionPair(i, j))
                self.pairs.append((i, j, min(one.friction, other.friction), min(one.restitution, other.restitution)))

    def add_anchors(self):
        self.anchors = []
        for loop in self.scene.loops:
            ends = []
            for k, point in ((loop.a, loop.pointA), (loop.b, loop.pointB)):
                joint, at = self.ends[k]
                ends += [joint, at * pin.SE3(np.eye(3), np.array(point))]
            self.anchors.append(pin.ConstraintModel(pin.PointAnchorConstraintModel(self.model, *ends)))

    def read_file(self, file):
        """The robot by Pinocchio's own readers; surfaces and the ground are those of the scene's fixtures."""
        if file.endswith(".xml"):
            self.model = pin.buildModelFromMJCF(file)
            self.geometry = pin.buildGeomFromMJCF(self.model, file, pin.GeometryType.COLLISION)
        elif file.endswith(".urdf"):
            self.model = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()) if self.free else pin.buildModelFromUrdf(file)
            self.geometry = pin.buildGeomFromUrdf(self.model, file, pin.GeometryType.COLLISION, package_dirs=[file.rsplit("/", 1)[0]])
        else:
            raise Unsupported("a file that is neither URDF nor MJCF")
        friction, restitution = max(((shape.friction, shape.restitution) for shape in self.scene.fixtures), default=(1, 0))
        surface = Record({"index": -1, "friction": friction, "restitution": restitution})
        self.shapes = [surface] * len(self.geometry.geometryObjects)
        joints = self.named({name: j for j, name in enumerate(self.model.names)})
        if self.free and (self.model.njoints < 2 or self.model.joints[1].nq != 7):
            raise Unsupported("a root that floats, which its reader does not have")
        joints |= {body.index: 1 for body in self.free}
        self.ends |= {k: (joint, pin.SE3.Identity()) for k, joint in joints.items()}
        for shape in self.scene.fixtures:
            self.add_shape(-1, shape)

    # --- the state ---

    def find_places(self):
        """Which numbers of the scene Pinocchio's are; joints of a file that turn without end (cosine and sine), with limits, with friction."""
        self.limited, rubbing, self.turning, there = [], [], [], {}
        for k, body in enumerate(self.scene.bodies):
            joint = body.joint
            if joint.follows:  # its readers leave them to themselves
                self.lacks.append("joints that follow others")
            if joint.follows or joint.kind == "fixed":
                continue
            own = self.model.joints[self.ends[k][0]]
            there[k] = own.idx_q, own.idx_v
            if own.nq == 2:
                self.turning.append((joint.q, own.idx_q))
            if joint.lower is not None or joint.upper is not None:
                self.limited.append(self.ends[k][0])
                self.model.lowerPositionLimit[own.idx_q] = -1e3 if joint.lower is None else joint.lower
                self.model.upperPositionLimit[own.idx_q] = 1e3 if joint.upper is None else joint.upper
            if joint.friction > 0:
                rubbing.append((self.ends[k][0], joint.friction))
        self.places = Places(self.scene, there)
        self.rubbing = []
        if rubbing:
            bounds = np.array([friction for _, friction in rubbing])
            made = pin.JointFrictionConstraintModel(self.model, [joint for joint, _ in rubbing])
            made.setTimeStep(self.scene.dt)
            made.setFrictionLowerLimit(-bounds)
            made.setFrictionUpperLimit(bounds)
            self.rubbing = [pin.ConstraintModel(made)]

    def write(self, q, v):
        self.places.write(q, v, self.q, self.v)
        self.angles = [q[at] for at, _ in self.turning]
        for (_, here), angle in zip(self.turning, self.angles):
            self.q[here : here + 2] = np.cos(angle), np.sin(angle)
        self.put_all(q, v)

    def put(self, body, pose, velocity):
        """Free flyers have linear before angular velocity, in their own axes."""
        at, dof = self.places.slices[body.index]
        R = rotation(pose[3:])
        self.q[at], self.v[dof] = pose, [*R.T @ velocity[3:], *R.T @ velocity[:3]]

    def read_joints(self, q, v):
        self.places.read(self.q, self.v, q, v)
        for k, (at, here) in enumerate(self.turning):
            turn = np.arctan2(self.q[here + 1], self.q[here]) - self.angles[k]
            self.angles[k] += (turn + np.pi) % (2 * np.pi) - np.pi
            q[at] = self.angles[k]

    def pose_of(self, body):
        at, dof = self.places.slices[body.index]
        R, velocity = rotation(self.q[at][3:]), self.v[dof]
        return self.q[at], [*R @ velocity[3:], *R @ velocity[:3]]

    # --- a step ---

    def step(self, efforts, given):
        model, data, dt = self.model, self.data, self.scene.dt
        self.move(given)
        still = [i for body in self.given for i in range(model.nv)[self.places.slices[body.index][1]]]
        tau = np.zeros(model.nv)
        tau[self.places.v_there] = efforts[self.places.v]
        for body, moment, force in self.wrenches(efforts):
            at, dof = self.places.slices[body.index]
            R = rotation(self.q[at][3:])
            tau[dof] = [*R.T @ force, *R.T @ moment]
        tau -= self.damping * self.v
        data.q_in, data.v_in, data.tau_in = self.q, self.v, tau
        free = self.v + dt * pin.aba(model, data, self.q, self.v, tau)
        for body in self.free:  # from the change in axes that turn to that in those of the step's start
            dof = self.places.slices[body.index][1]
            free[dof][:3] += dt * np.cross(self.v[dof][3:], self.v[dof][:3])
        free[still] = self.v[still]
        pin.crba(model, data, self.q, pin.Convention.WORLD)
        models, offsets = pin.StdVec_ConstraintModel(), []
        for one in self.anchors + self.rubbing:
            models.append(one)
        self.add_limits(models)
        contacts = self.add_contacts(models)
        self.count, self.v_before = len(contacts), self.v
        self.v = free
        if len(models):
            self.v = free + self.impulses(models, contacts, free, still)
        before, self.q = self.q, pin.integrate(model, self.q, dt * self.v)
        for body in self.free:
            at, dof = self.places.slices[body.index]
            linear = rotation(before[at][3:]) @ self.v[dof][:3]
            self.q[at][:3] = before[at][:3] + dt * linear
            self.v[dof][:3] = rotation(self.q[at][3:]).T @ linear

    def add_limits(self, models):
        if self.limited:
            near = pin.JointLimitConstraintModel(self.model, self.limited)
            margin = np.full(self.model.nq, NEAR)
            near.setPositionLimitAndMargin(self.model.lowerPositionLimit, self.model.upperPositionLimit, margin)
            near.makeSelectionFilteredByLimitProximity(self.q)
            if near.residualSize():
                models.append(pin.ConstraintModel(near))

    def add_contacts(self, models):
        """Gap and restitution of each contact whose model it adds."""
        geometry, found, data = self.geometry, self.found, self.data
        pin.updateGeometryPlacements(self.model, data, geometry, found, self.q)
        pin.computeCollisions(geometry, found, False)
        pin.computeContactPatches(geometry, found)
        added = []
        for k, (i, j, friction, restitution) in enumerate(self.pairs):
            patches = found.contactPatchResults[k]
            if not found.collisionResults[k].isCollision() or not patches.numContactPatches():
                continue
            patch = patches.getContactPatch(0)
            normal, count = patch.getNormal(), patch.size()
            x = across(normal)
            R = np.column_stack([x, np.cross(normal, x), normal])
            one, other = (geometry.geometryObjects[s].parentJoint for s in (i, j))
            for p in {n * count // CORNERS for n in range(CORNERS)} if count > CORNERS else range(count):
                frame = pin.SE3(R, patch.getPoint(p))
                ends = (one, data.oMi[one].actInv(frame), other, data.oMi[other].actInv(frame))
                made = pin.PointContactConstraintModel(self.model, *ends)
                made.setFriction(friction)
                models.append(pin.ConstraintModel(made))
                added.append((patch.penetration_depth, restitution))
        return added

    def impulses(self, models, contacts, free, still):
        """Change of velocity by the impulses of all constraints."""
        model, data, dt = self.model, self.data, self.scene.dt
        datas = pin.StdVec_ConstraintData()
        for one in models:
            datas.append(one.createData())
            one.calc(model, data, datas[-1])
        factor = pin.ConstraintCholeskyDecomposition(model, data, models, datas)
        factor.compute(model, data, models, datas, DAMPING)
        delassus = pin.DelassusOperatorDense(factor.getDelassusOperatorCholeskyExpression().matrix())
        J = np.reshape(pin.getConstraintsJacobian(model, data, models, datas), (-1, model.nv))
        g, before, row, rest = J @ free, J @ self.v_before, 0, iter(contacts)
        for one, own in zip(models, datas):
            size, kind = one.residualSize(), one.shortname()
            if kind == "PointContactConstraintModel":
                gap, restitution = next(rest)
                if restitution > 0 and gap + dt * g[row + 2] < 0 and before[row + 2] < 0:
                    g[row + 2] += restitution * before[row + 2]
                else:
                    g[row + 2] += gap / dt if gap > 0 else CORRECTION * gap / dt
            elif kind == "PointAnchorConstraintModel":
                g[row : row + size] += ANCHOR_CORRECTION * own.extract().constraint_position_error / dt
            elif kind == "JointLimitConstraintModel":
                g[row : row + size] += np.asarray(own.extract().constraint_residual) / dt
            row += size
        result = self.new_result()
        self.solver.solve(delassus, g, models, datas, self.settings, result)
        pin.cholesky.decompose(model, data)
        change = pin.cholesky.solve(model, data, J.T @ np.ravel(result.retrieveConstraintImpulses()))
        change[still] = 0
        return change

    def contacts(self):
        return self.count


serve(Pinocchio)
