"""Exudyn: rigid bodies in maximal coordinates, stepped by MainSolverImplicitSecondOrder; a contact object for each sphere and face that may meet."""

import itertools
import warnings

import exudyn
import numpy as np
from exudyn.utilities import RigidBodyInertia
from featherbed_engine import Engine, Unsupported, across, quaternion, rotation, serve

warnings.filterwarnings("ignore", category=DeprecationWarning)
# stiffness of a contact for each kilogram of the lighter body [N/m/kg]
STIFFNESS = 1e6
# least speed of an impact that restitution acts on [m/s]
LEAST_IMPACT = 1e-2
# radius of a sphere in a corner, part of the smallest side; half the side of a half space [m]
CORNER, FAR = 0.05, 50.0
IMMOVABLE = 1e7
# of the solver in each of ours, and by what the least of them may grow into the next: a run in one piece goes back from reduced steps as slowly
STEPS, RECOVERY = 4, 8
# the least of its own steps, part of ours; as it comes, it goes down to 1e-10 s
LEAST_STEP = 1e-6
# of Newton's method, in place of 1e-10, which is below the rounding of stiff contacts a few metres from the origin
TOLERANCE = 1e-8
MOST_CONTACTS = 2000
ALL_EDGES = {4: 15, 3: 7}
QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


class Part:
    """Spheres (centre and radius) and faces (points) of a shape, in axes of its body."""

    def __init__(self, shape, spheres=(), faces=(), is_round=False):
        place = lambda point: np.array(shape.position) + shape.R @ point
        self.shape, self.is_round = shape, is_round
        self.spheres = [(place(point), radius) for point, radius in spheres]
        self.faces = [[place(point) for point in face] for face in faces]


def box_of(own, shape):
    half, radius = np.array(own.size) / 2, CORNER * min(own.size)
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    return Part(shape, [(sign * (half - radius), radius) for sign in signs], [[signs[i] * half for i in quad] for quad in QUADS])


def plane_of(own, shape):
    normal = np.array(own.normal)
    x = across(normal)
    y, at = np.cross(normal, x), normal * own.offset
    # the diagonal of its two triangles is far away
    return Part(shape, faces=[[at + FAR * (a * x + b * y) for a, b in ((-1, -1), (1.5, -1), (1.5, 1), (-1, 1))]])


def hull_of(own, shape):
    radius = CORNER * min(np.ptp(own.points, axis=0))
    return Part(shape, [(point, radius) for point in insets(own.points, own.triangles, radius)], own.points[own.triangles])


def insets(points, triangles, radius):
    """Of each corner of a hull, the point that is a radius inside the faces that meet there."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    for i, point in enumerate(points):
        here = normals[(triangles == i).any(axis=1)]
        yield point - radius * (np.linalg.pinv(here) @ np.ones(len(here)))


class Exudyn(Engine):
    SHAPES = {
        "sphere": lambda own, shape: Part(shape, [(np.zeros(3), own.radius)], is_round=True),
        "capsule": lambda own, shape: Part(shape, [([0, 0, z * own.length / 2], own.radius) for z in (-1, 1)], is_round=True),
        "box": box_of,
        "halfspace": plane_of,
        "hull": hull_of,
        "mesh": lambda own, shape: Part(shape, faces=own.points[own.triangles]),
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
        if self.file:
            raise Unsupported("a robot's file: Exudyn reads none with its contacts")
        # it has dampers for hinges, and none for slides
        slides = any(body.joint.slides and body.joint.damping > 0 for body in scene.bodies)
        self.holds = [] if slides else ["damping"]
        exudyn.SetWriteToConsole(False)
        self.container = exudyn.SystemContainer()
        self.mbs = mbs = self.container.AddSystem()
        self.ground = mbs.CreateGround()
        self.angles = np.zeros(len(scene.bodies))
        self.place_bodies(scene.q, scene.v)
        self.bodies = [self.add_body(k, body) for k, body in enumerate(scene.bodies)]
        self.dampers = []
        self.add_joints()
        self.add_contacts()
        self.loads = [
            (mbs.CreateForce(itemNumber=own["bodyNumber"]), mbs.CreateTorque(itemNumber=own["bodyNumber"])) for own in self.bodies
        ]
        self.pushed = np.zeros(len(scene.bodies), bool)
        self.touching = 0
        mbs.SetPostStepUserFunction(self.see_contacts)
        mbs.Assemble()
        self.settings = exudyn.SimulationSettings()
        self.settings.solutionSettings.writeSolutionToFile = False
        times = self.settings.timeIntegration
        times.verboseMode, times.numberOfSteps, times.endTime = 0, STEPS, scene.dt
        times.newton.useModifiedNewton = False
        times.newton.absoluteTolerance = TOLERANCE
        times.minimumStepSize = LEAST_STEP * scene.dt
        if scene.loops:  # they hold more than once what bodies cannot do; its manual has this for such
            self.settings.linearSolverType = exudyn.LinearSolverType.EigenDense
            self.settings.linearSolverSettings.ignoreSingularJacobian = True
        self.solver = exudyn.MainSolverImplicitSecondOrder()
        self.solver.InitializeSolver(mbs, self.settings)
        self.starts = np.array([mbs.GetNodeODE2Index(own["nodeNumber"]) for own in self.bodies], int)
        # lengths and Euler parameters of the reference, of which coordinates are changes
        self.reference = np.concatenate([self.x, np.roll(self.turns, 1, axis=1)], axis=1)
        self.time = 0.0

    # --- the scene ---

    def place_bodies(self, q, v):
        """Poses and velocities of all bodies by the tree's kinematics."""
        count = len(self.scene.bodies)
        self.x, self.R, self.turns = np.zeros((count, 3)), np.zeros((count, 3, 3)), np.zeros((count, 4))
        self.omega, self.speed = np.zeros((count, 3)), np.zeros((count, 3))
        for k, body in enumerate(self.scene.bodies):
            joint, p = body.joint, body.parent
            if joint.floats:
                pose = q[joint.at]
                self.x[k], self.R[k] = pose[:3], rotation(pose[3:])
                self.omega[k], self.speed[k] = np.split(v[joint.dof], 2)
            else:
                at, R, omega, speed = self.motion(p)
                own, rate = (q[joint.q], v[joint.v]) if joint.v >= 0 else (0.0, 0.0)
                axis = np.array(joint.axis)
                R = R @ body.R
                arm = (R @ body.R.T @ body.position) + (R @ axis * own if joint.slides else 0)
                half = 0.5 * own * joint.turns
                self.x[k] = at + arm
                self.R[k] = R @ rotation([*(np.sin(half) * axis), np.cos(half)])
                self.omega[k] = omega + R @ axis * rate * joint.turns
                self.speed[k] = speed + np.cross(omega, arm) + R @ axis * rate * joint.slides
                self.angles[k] = own
            self.turns[k] = quaternion(self.R[k])

    def motion(self, k):
        """Place, axes, angular velocity and velocity of a body, or of the world."""
        if k < 0:
            return np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)
        return self.x[k], self.R[k], self.omega[k], self.speed[k]

    def add_body(self, k, body):
        if body.mass == 0 and not body.given:
            raise Unsupported("a body that weighs nothing")
        mass = IMMOVABLE if body.given else body.mass
        moments = IMMOVABLE * np.eye(3) if body.given else body.moments
        return self.mbs.CreateRigidBody(
            referencePosition=self.x[k],
            referenceRotationMatrix=self.R[k],
            initialVelocity=self.speed[k],
            initialAngularVelocity=self.omega[k],
            inertia=RigidBodyInertia(mass, moments, com=np.array(body.center), inertiaTensorAtCOM=True),
            gravity=[0, 0, 0] if body.given else self.scene.gravity,
            returnDict=True,
        )

    def item(self, k):
        return self.ground if k < 0 else self.bodies[k]["bodyNumber"]

    def add_joints(self):
        mbs = self.mbs
        for k, body in enumerate(self.scene.bodies):
            joint = body.joint
            if joint.follows:
                raise Unsupported("joints that follow others")
            pair = {"itemNumbers": [self.item(body.parent), self.item(k)], "position": self.x[k]}
            if joint.kind == "fixed":
                mbs.CreateGenericJoint(**pair)
            elif joint.turns:
                axis = self.R[k] @ joint.axis
                mbs.CreateRevoluteJoint(**pair, axis=axis)
                if self.holds and joint.damping > 0:
                    self.dampers.append(mbs.CreateTorsionalSpringDamper(**pair, axis=axis, damping=joint.damping))
            elif joint.slides:
                mbs.CreatePrismaticJoint(**pair, axis=self.R[k] @ joint.axis)
        for loop in self.scene.loops:
            at, R, _, _ = self.motion(loop.a)
            mbs.CreateSphericalJoint(itemNumbers=[self.item(loop.a), self.item(loop.b)], position=at + R @ loop.pointA)

    def add_contacts(self):
        parts = [(k, self.shape_of(shape, shape)) for k, shape in self.scene.shapes()]
        apart = {frozenset(pair) for pair in self.scene.apart}
        still = {body.index for body in self.given} | {-1}
        count = 0
        for (a, p), (b, r) in itertools.combinations(parts, 2):
            if a != b and not {a, b} <= still and frozenset((p.shape.index, r.shape.index)) not in apart:
                count += len(p.spheres) * len(r.faces) + len(r.spheres) * len(p.faces)
                count += len(p.spheres) * len(r.spheres) if p.is_round and r.is_round else 0
                if count > MOST_CONTACTS:
                    raise Unsupported(f"more than {MOST_CONTACTS} pairs of spheres and faces")
                self.meet((a, p), (b, r), min(self.scene.bodies[k].mass for k in {a, b} - still))
        if any(part.shape.shape.type == "capsule" for _, part in parts):
            self.lacks.append("sides of capsules between their ends")

    def meet(self, one, other, mass):
        friction, restitution = (min(getattr(part.shape, key) for _, part in (one, other)) for key in ("friction", "restitution"))
        stiffness = STIFFNESS * mass
        law = {
            "contactStiffness": stiffness,
            "contactDamping": 2 * np.sqrt(stiffness * mass) if restitution == 0 else 0,
            "dynamicFriction": friction,
            "restitutionCoefficient": restitution or 1,
            "impactModel": 2 if restitution > 0 else 0,
            "minimumImpactVelocity": LEAST_IMPACT,
        }
        for (a, p), (b, r) in ((one, other), (other, one)):
            for (at, radius), face in itertools.product(p.spheres, r.faces):
                make = self.mbs.CreateSphereQuadContact if len(face) == 4 else self.mbs.CreateSphereTriangleContact
                points = {"quadPoints" if len(face) == 4 else "trianglePoints": exudyn.Vector3DList(face)}
                ends = {"itemNumbers": [self.item(a), self.item(b)], "localPosition0": at, "sphereRadius": float(radius)}
                make(**ends, **points, includeEdges=ALL_EDGES[len(face)], **law)
        if one[1].is_round and other[1].is_round:
            for (at, radius), (there, size) in itertools.product(one[1].spheres, other[1].spheres):
                ends = {"itemNumbers": [self.item(one[0]), self.item(other[0])], "localPosition0": at, "localPosition1": there}
                self.mbs.CreateSphereSphereContact(**ends, spheresRadii=[float(radius), float(size)], **law)

    # --- the state ---

    def write(self, q, v):
        self.place_bodies(q, v)
        self.put(np.arange(len(self.scene.bodies)))
        times = self.settings.timeIntegration
        times.startTime, times.endTime = self.time, self.time + self.scene.dt
        self.solver.InitializeSolverInitialConditions(self.mbs, self.settings)

    def put(self, which):
        """Poses and velocities of some bodies into the state from which the next step begins."""
        state = self.mbs.systemData.GetSystemState()
        places = self.starts[which, None] + np.arange(7)
        w = self.omega[which]
        e = np.roll(self.turns[which], 1, axis=1)
        before = np.sum(e * (np.array(state[0])[places] + self.reference[which])[:, 3:], axis=1)
        e *= np.where(before < 0, -1, 1)[:, None]
        state[0][places] = np.concatenate([self.x[which], e], axis=1) - self.reference[which]
        scalar = -np.sum(w * e[:, 1:], axis=1, keepdims=True)
        rates = 0.5 * np.concatenate([scalar, w * e[:, :1] + np.cross(w, e[:, 1:])], axis=1)
        state[1][places] = np.concatenate([self.speed[which], rates], axis=1)
        self.mbs.systemData.SetSystemState(systemStateList=state, configuration=exudyn.ConfigurationType.Initial)
        self.mbs.systemData.SetSystemState(systemStateList=state)

    def read(self):
        state = self.mbs.systemData.GetSystemState()
        places = self.starts[:, None] + np.arange(7)
        numbers, rates = np.array(state[0])[places] + self.reference, np.array(state[1])[places]
        e, d = numbers[:, 3:], rates[:, 3:]
        self.x, self.speed = numbers[:, :3], rates[:, :3]
        self.turns = np.roll(e, -1, axis=1) / np.linalg.norm(e, axis=1, keepdims=True)
        self.omega = 2 * (d[:, 1:] * e[:, :1] - d[:, :1] * e[:, 1:] - np.cross(d[:, 1:], e[:, 1:]))
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        self.R = np.array([rotation(turn) for turn in self.turns])
        for k, body in enumerate(self.scene.bodies):
            joint = body.joint
            if joint.floats:
                q[joint.at], v[joint.dof] = [*self.x[k], *self.turns[k]], [*self.omega[k], *self.speed[k]]
            elif joint.v >= 0:
                q[joint.q], v[joint.v] = self.joint_of(k, body, joint)
        return q, v

    def joint_of(self, k, body, joint):
        at, R, omega, speed = self.motion(body.parent)
        frame, axis, arm = R @ body.R, np.array(joint.axis), self.x[k] - at
        if joint.slides:
            return axis @ frame.T @ (arm - R @ body.position), (frame @ axis) @ (self.speed[k] - speed - np.cross(omega, arm))
        turn = frame.T @ self.R[k]
        sine = axis @ [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        angle = np.arctan2(sine, np.trace(turn) - 1)
        self.angles[k] += (angle - self.angles[k] + np.pi) % (2 * np.pi) - np.pi
        return self.angles[k], (frame @ axis) @ (self.omega[k] - omega)

    def step(self, efforts, given):
        if len(given):
            which = np.array([body.index for body in self.given])
            self.x[which], self.turns[which] = given[:, :3], given[:, 3:7]
            self.omega[which], self.speed[which] = given[:, 7:10], given[:, 10:]
            self.put(which)
        self.apply(efforts)
        self.time += self.scene.dt
        self.touching = 0
        self.settings.timeIntegration.endTime = self.solver.it.endTime = self.time
        if not self.solver.SolveSteps(self.mbs, self.settings):
            raise RuntimeError("its Newton method does not converge")
        steps = self.solver.it
        steps.maxStepSize = min(self.scene.dt / STEPS, max(RECOVERY * steps.lastStepSize, steps.minStepSize))

    def apply(self, efforts):
        """Efforts as forces on bodies at their origins and torques, held over the step."""
        if not (efforts.any() or self.pushed.any()):
            return
        force, torque = np.zeros_like(self.x), np.zeros_like(self.x)
        for k, body in enumerate(self.scene.bodies):
            joint, p = body.joint, body.parent
            if joint.floats:
                moment, push = np.split(efforts[joint.dof], 2)
                torque[k] += moment
                force[k] += push
            elif joint.v >= 0:
                own = self.R[k] @ joint.axis * efforts[joint.v]
                one = torque if joint.turns else force
                one[k] += own
                if p >= 0:
                    one[p] -= own
                    torque[p] -= np.cross(self.x[k] - self.x[p], own) if joint.slides else 0
        pushed = force.any(axis=1) | torque.any(axis=1)
        for k in np.flatnonzero(pushed | self.pushed):
            for load, vector in zip(self.loads[k], (force[k], torque[k])):
                self.mbs.SetLoadParameter(load, "loadVector", vector.tolist())
        self.pushed = pushed

    def see_contacts(self, mbs, time):
        """After each of its own steps. Every contact object has four data, the first its gap; they come after those of dampers."""
        data = mbs.systemData.GetDataCoordinates()[len(self.dampers) :: 4]
        self.touching = max(self.touching, int(np.sum(data < 0)))
        return True

    def contacts(self):
        return self.touching


serve(Exudyn)
