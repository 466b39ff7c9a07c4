"""Pinocchio's constraint solvers in a time-stepping loop as its tests of them set problems up: aba, coal's contact patches, Delassus matrix, impulses."""

import coal
import numpy as np
import pinocchio as pin
from featherbed_engine import Unsupported, inertia_matrix, rotation, serve

IMMOVABLE, LEAST_MASS = 1e7, 1e-9
# distance at which contacts begin [m], corners of a patch that are used, part of a penetration that a step undoes
MARGIN, CORNERS, CORRECTION = 1e-3, 4, 0.2
# distance to a limit below which it is a constraint, position differences of anchors that a step undoes
NEAR, ANCHOR_CORRECTION = 0.1, 0.2
# added to the Delassus matrix, as the tests have it
DAMPING = 1e-10


class Engine:
    holds = ["armature", "damping", "friction", "limits"]

    def __init__(self, scene, options):
        self.scene = scene
        self.lacks = []
        self.model, self.geometry = pin.Model(), pin.GeometryModel()
        self.model.gravity.linear = np.array(scene.gravity)
        self.surfaces, self.owner, self.pairs = [], [], []
        if options.get("file"):
            self.read_file(options["file"])
        else:
            self.build()
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
        self.write(np.array(scene.q), np.array(scene.v))
        self.add_anchors()
        self.count = 0

    # --- the scene ---

    def build(self):
        model, scene = self.model, self.scene
        self.joints, self.frames = [], []
        for k, body in enumerate(scene.bodies):
            joint = body.joint
            if joint.follows is not None:
                raise Unsupported("joints that follow others, which aba does not take")
            parent, at = (0, pin.SE3.Identity()) if body.parent < 0 else (self.joints[body.parent], self.frames[body.parent])
            place = at * pin.SE3(rotation(body.quaternion), np.array(body.position))
            if joint.kind == "fixed":
                self.joints.append(parent)
                self.frames.append(place)
            else:
                own = {
                    "floating": pin.JointModelFreeFlyer,
                    "revolute": lambda: pin.JointModelRevoluteUnaligned(*joint.axis),
                    "prismatic": lambda: pin.JointModelPrismaticUnaligned(*joint.axis),
                }[joint.kind]()
                start = pin.SE3.Identity() if joint.kind == "floating" else place
                made = model.addJoint(parent, own, start, f"joint {k}")
                self.joints.append(made)
                self.frames.append(pin.SE3.Identity())
            mass = IMMOVABLE if body.given else max(body.mass, LEAST_MASS)
            moments = IMMOVABLE * np.eye(3) if body.given else inertia_matrix(body.inertia)
            if self.joints[k] > 0:
                model.appendBodyToJoint(self.joints[k], pin.Inertia(mass, np.array(body.center), moments), self.frames[k])
            for shape in body.shapes:
                self.add_shape(k, shape)
        for shape in scene.fixtures:
            self.add_shape(-1, shape)
        for k, body in enumerate(scene.bodies):
            if body.joint.kind in ("revolute", "prismatic"):
                first = model.joints[self.joints[k]].idx_v
                model.armature[first], model.damping[first] = body.joint.armature, body.joint.damping
        self.add_pairs()

    def add_shape(self, k, shape):
        joint, at = (0, pin.SE3.Identity()) if k < 0 else (self.joints[k], self.frames[k])
        place = at * pin.SE3(rotation(shape.quaternion), np.array(shape.position))
        self.geometry.addGeometryObject(pin.GeometryObject(f"shape {shape.index}", joint, place, geometry_of(shape.shape)))
        self.surfaces.append((shape.friction, shape.restitution))
        self.owner.append((k, shape.index))

    def add_pairs(self):
        """As the scene has them; shapes that cannot move against each other are left out."""
        apart = {tuple(sorted(pair)) for pair in self.scene.apart}
        kept = {tuple(sorted(pair)) for pair in self.scene.apartShapes}
        objects = self.geometry.geometryObjects
        for j, (b, other) in enumerate(self.owner):
            for i, (a, one) in enumerate(self.owner[:j]):
                if a == b or objects[i].parentJoint == objects[j].parentJoint:
                    continue
                if tuple(sorted((a, b))) in apart or tuple(sorted((one, other))) in kept:
                    continue
                self.geometry.addCollisionPair(pin.CollisionPair(i, j))
                self.pairs.append((i, j, min(self.surfaces[i][0], self.surfaces[j][0]), min(self.surfaces[i][1], self.surfaces[j][1])))

    def add_anchors(self):
        self.anchors = []
        for loop in self.scene.loops:
            ends = []
            for k, point in ((loop.a, loop.pointA), (loop.b, loop.pointB)):
                joint, at = (0, pin.SE3.Identity()) if k < 0 else (self.joints[k], self.frames[k])
                ends += [joint, at * pin.SE3(np.eye(3), np.array(point))]
            self.anchors.append(pin.ConstraintModel(pin.PointAnchorConstraintModel(self.model, *ends)))

    def read_file(self, file):
        """The robot by Pinocchio's own readers; surfaces and the ground are those of the scene's fixtures."""
        floats = any(body.joint.kind == "floating" for body in self.scene.bodies)
        if file.endswith(".xml"):
            self.model = pin.buildModelFromMJCF(file)
            self.geometry = pin.buildGeomFromMJCF(self.model, file, pin.GeometryType.COLLISION)
        elif file.endswith(".urdf"):
            self.model = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()) if floats else pin.buildModelFromUrdf(file)
            self.geometry = pin.buildGeomFromUrdf(self.model, file, pin.GeometryType.COLLISION, package_dirs=[file.rsplit("/", 1)[0]])
        else:
            raise Unsupported("a file that is neither URDF nor MJCF")
        self.model.gravity.linear = np.array(self.scene.gravity)
        surface = max(((shape.friction, shape.restitution) for shape in self.scene.fixtures), default=(1, 0))
        self.surfaces = [surface] * len(self.geometry.geometryObjects)
        self.owner = [(one.parentJoint, -1 - i) for i, one in enumerate(self.geometry.geometryObjects)]
        self.joints, self.frames = [], []
        for body in self.scene.bodies:
            kind, name = body.joint.kind, body.joint.name.split("/")[-1]
            name = self.model.names[1] if kind == "floating" and self.model.njoints > 1 else name
            if kind in ("revolute", "prismatic", "floating") and not self.model.existJointName(name):
                raise Unsupported(f'the joint "{name}", which its reader does not have')
            if kind == "floating" and self.model.joints[1].nq != 7:
                raise Unsupported("a root that floats, which its reader does not have")
            self.joints.append(self.model.getJointId(name) if kind != "fixed" else 0)
            self.frames.append(pin.SE3.Identity())
        for shape in self.scene.fixtures:
            self.add_shape(-1, shape)
        self.owner = [(0 if k < 0 else k, index) for k, index in self.owner]
        near = {(parent, joint) for joint, parent in enumerate(self.model.parents)}
        self.scene.apart = [pair for pair in near if pair[0] > 0]
        self.add_pairs()

    # --- the state ---

    def find_places(self):
        """Which numbers of the scene Pinocchio's are; joints of a file that turn without end (cosine and sine), with limits, with friction."""
        self.free, single, self.limited, rubbing = [], [], [], []
        self.turning = []
        for k, body in enumerate(self.scene.bodies):
            joint, own = body.joint, self.model.joints[self.joints[k]]
            if joint.kind == "floating":
                self.free.append((joint.q, joint.v, own.idx_q, own.idx_v, body.given))
            elif joint.kind != "fixed":
                single.append((joint.q, joint.v, own.idx_q, own.idx_v))
                if own.nq == 2:
                    self.turning.append((joint.q, own.idx_q))
                if joint.lower is not None or joint.upper is not None:
                    self.limited.append(self.joints[k])
                    self.model.lowerPositionLimit[own.idx_q] = -1e3 if joint.lower is None else joint.lower
                    self.model.upperPositionLimit[own.idx_q] = 1e3 if joint.upper is None else joint.upper
                if joint.friction > 0:
                    rubbing.append((self.joints[k], joint.friction))
        self.places = np.array(single, int).reshape(-1, 4).T
        self.rubbing = []
        if rubbing:
            bounds = np.array([friction for _, friction in rubbing])
            made = pin.JointFrictionConstraintModel(self.model, [joint for joint, _ in rubbing])
            made.setTimeStep(self.scene.dt)
            made.setFrictionLowerLimit(-bounds)
            made.setFrictionUpperLimit(bounds)
            self.rubbing = [pin.ConstraintModel(made)]

    def write(self, q, v):
        qs, vs, q_there, v_there = self.places
        self.q[q_there], self.v[v_there] = q[qs], v[vs]
        self.angles = [q[at] for at, _ in self.turning]
        for (_, here), angle in zip(self.turning, self.angles):
            self.q[here : here + 2] = np.cos(angle), np.sin(angle)
        for at, dof, here, first, _ in self.free:
            self.put(q[at : at + 7], v[dof : dof + 6], here, first)

    def put(self, pose, velocity, here, first):
        """Free flyers have linear before angular velocity, in their own axes."""
        R = rotation(pose[3:7])
        self.q[here : here + 7] = pose
        self.v[first : first + 6] = [*R.T @ velocity[3:6], *R.T @ velocity[:3]]

    def read(self):
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        qs, vs, q_there, v_there = self.places
        q[qs], v[vs] = self.q[q_there], self.v[v_there]
        for k, (at, here) in enumerate(self.turning):
            turn = np.arctan2(self.q[here + 1], self.q[here]) - self.angles[k]
            self.angles[k] += (turn + np.pi) % (2 * np.pi) - np.pi
            q[at] = self.angles[k]
        for at, dof, here, first, _ in self.free:
            q[at : at + 7] = self.q[here : here + 7]
            R = rotation(q[at + 3 : at + 7])
            v[dof : dof + 6] = [*R @ self.v[first + 3 : first + 6], *R @ self.v[first : first + 3]]
        return q, v

    # --- a step ---

    def step(self, efforts, given):
        model, data, dt = self.model, self.data, self.scene.dt
        tau, motions, still = np.zeros(model.nv), iter(given), []
        tau[self.places[3]] = efforts[self.places[1]]
        for _, dof, here, first, is_given in self.free:
            if is_given:
                motion = next(motions)
                self.put(motion[:7], motion[7:], here, first)
                still += range(first, first + 6)
            R = rotation(self.q[here + 3 : here + 7])
            tau[first : first + 6] = [*R.T @ efforts[dof + 3 : dof + 6], *R.T @ efforts[dof : dof + 3]]
        tau -= self.damping * self.v
        data.q_in, data.v_in, data.tau_in = self.q, self.v, tau
        free = self.v + dt * pin.aba(model, data, self.q, self.v, tau)
        for _, _, _, first, _ in self.free:  # from the change in axes that turn to that in those of the step's start
            free[first : first + 3] += dt * np.cross(self.v[first + 3 : first + 6], self.v[first : first + 3])
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
        for _, _, here, first, _ in self.free:
            linear = rotation(before[here + 3 : here + 7]) @ self.v[first : first + 3]
            self.q[here : here + 3] = before[here : here + 3] + dt * linear
            self.v[first : first + 3] = rotation(self.q[here + 3 : here + 7]).T @ linear

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
            x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
            x /= np.linalg.norm(x)
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


def geometry_of(own):
    match own.type:
        case "sphere":
            return coal.Sphere(own.radius)
        case "ellipsoid":
            return coal.Ellipsoid(*own.radii)
        case "box":
            return coal.Box(*own.size)
        case "capsule":
            return coal.Capsule(own.radius, own.length)
        case "cylinder":
            return coal.Cylinder(own.radius, own.length)
        case "halfspace":
            return coal.Halfspace(np.array(own.normal, float), float(own.offset))
        case "hull":
            points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            points.extend(list(np.reshape(own.points, (-1, 3)).astype(float)))
            triangles.extend([coal.Triangle(*map(int, one)) for one in np.reshape(own.triangles, (-1, 3))])
            return coal.Convex(points, triangles)
        case kind:
            raise Unsupported(f"a shape of the kind {kind}")


serve(Engine)
