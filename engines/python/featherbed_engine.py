"""The other end of engines/python/framedProcess.ts, and what the engines of Python have in common.

An engine's file defines a subclass of `Engine` with

    __init__(scene, options)  the scene as engines/python/tree.ts writes it; raises Unsupported
    holds, lacks              lists of words, see tree.ts
    step(efforts, given)      one step; efforts as in tree.ts, given: 13 a prescribed body
    read() -> (q, v)          as in tree.ts
    write(q, v)               takes that state over
    contacts() -> int         points of the last step, as the engine counts them

An engine that times its own step has its `seconds`. Where options.inputs is not 0, `inputs` has that many of the file's actuators before each step.
Its file calls `serve(Class)`.
"""

import json
import os
import resource
import signal
import struct
import sys
import time
import traceback

import numpy as np

# kinds of questions
BEGIN, STEP, WRITE, CONTACTS, SOLVE = range(5)
# how an answer went
NUMBERS, JSON, FAILED, UNSUPPORTED = range(4)
# time on the clock after which a question that computes nothing has no answer [s]
STUCK = 600.0


class Unsupported(Exception):
    """The engine cannot express something in the scene."""


def serve(engine_class=None, solve=None):
    """Answers questions until the other end closes its pipe."""
    ask = open(sys.argv[-2], "rb")
    answer = open(sys.argv[-1], "wb", buffering=0)
    answer.write(b"ok")
    engine = None
    patience, _ = resource.getrlimit(resource.RLIMIT_CPU)

    def reply(how, body):
        answer.write(struct.pack("<II", how, len(body)) + body)

    while True:
        head = ask.read(8)
        if len(head) < 8:
            os._exit(0)  # engines with threads of their own do not end otherwise
        kind, count = struct.unpack("<II", head)
        body = ask.read(count)
        signal.setitimer(signal.ITIMER_REAL, STUCK)  # its default is to end the process
        try:
            if kind == BEGIN:
                if patience != resource.RLIM_INFINITY:
                    limit = int(time.process_time()) + patience
                    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
                engine = None  # before the next one: some engines have one scene a process
                told = json.loads(body)
                engine = engine_class(Scene(told["scene"]), told["options"])
                count = sum(body.given for body in engine.scene.bodies)
                ends = [engine.scene.nv, engine.scene.nv + 13 * count]
                begins = [float(x) for x in np.concatenate(engine.read())]
                text = {"holds": engine.holds, "lacks": engine.lacks, "begins": begins}
                reply(JSON, json.dumps(text).encode())
            elif kind == STEP:
                numbers = np.frombuffer(body)
                efforts, given, engine.inputs = np.split(numbers, ends)
                given = given.reshape(-1, 13)
                begin = time.perf_counter()
                engine.step(efforts, given)
                seconds = getattr(engine, "seconds", time.perf_counter() - begin)
                q, v = engine.read()
                reply(NUMBERS, np.concatenate([[seconds], q, v]).tobytes())
            elif kind == WRITE:
                numbers = np.frombuffer(body)
                engine.write(numbers[: engine.scene.nq], numbers[engine.scene.nq :])
                reply(NUMBERS, b"")
            elif kind == CONTACTS:
                reply(NUMBERS, np.array([float(engine.contacts())]).tobytes())
            elif kind == SOLVE:
                reply(JSON, json.dumps(solve(json.loads(body))).encode())
        except Unsupported as error:
            reply(UNSUPPORTED, str(error).encode())
        except Exception as error:
            traceback.print_exc()
            reply(FAILED, f"{type(error).__name__}: {error}".split("\n")[0].encode())
        signal.setitimer(signal.ITIMER_REAL, 0)


class Record:
    """Fields of a JSON object as attributes."""

    def __init__(self, told):
        self.__dict__.update({key: wrapped(value) for key, value in told.items()})

    @property
    def R(self):
        """3 by 3 of its `quaternion`."""
        return rotation(self.quaternion)

    @property
    def moments(self):
        """3 by 3 of its `inertia`."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def wrapped(value):
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [wrapped(item) for item in value] if value and isinstance(value[0], dict) else value
    return value


class Scene(Record):
    """A scene of tree.ts. Its bodies know their `index`, and their `root`: the index of the one that is joined to the world."""

    def __init__(self, told):
        super().__init__(told)
        self.q, self.v = np.array(self.q), np.array(self.v)
        for k, body in enumerate(self.bodies):
            joint = body.joint
            body.index, body.root = k, k if body.parent < 0 else self.bodies[body.parent].root
            joint.turns, joint.slides, joint.floats = (joint.kind == kind for kind in ("revolute", "prismatic", "floating"))
            joint.at, joint.dof = slice(joint.q, joint.q + 7), slice(joint.v, joint.v + 6)  # of one that floats
        for _, shape in self.shapes():
            own = shape.shape
            for key in {"points", "triangles"} & vars(own).keys():
                setattr(own, key, np.reshape(getattr(own, key), (-1, 3)))

    def shapes(self):
        """All, in order, each with the index of its body."""
        owned = [(body.index, shape) for body in self.bodies for shape in body.shapes]
        return owned + [(-1, shape) for shape in self.fixtures]


class Engine:
    """What engines have in common; `free` are bodies that float, `given` those of them whose motion is prescribed, `file` is a robot's own."""

    holds = []

    def __init__(self, scene, options):
        self.scene, self.options, self.lacks = scene, options, []
        self.file = options.get("file")
        self.free = [body for body in scene.bodies if body.joint.floats]
        self.given = [body for body in self.free if body.given]

    def load(self):
        """The scene as it is told, or the robot by the engine's own reader of its file; the ground is that of the scene."""
        if self.file:
            self.read_file(self.file)
        else:
            self.build()

    def shape_of(self, shape, *more):
        """The engine's own, by its table SHAPES of functions of a shape and these arguments."""
        kind = shape.shape.type
        if kind not in self.SHAPES:
            raise Unsupported(f"a shape of the kind {kind}")
        return self.SHAPES[kind](shape.shape, *more)

    def named(self, joints):
        """Joints of the engine's own reader by index of the body: its own of those by name, which names have no robot's before them."""
        found = {}
        for body in self.scene.bodies:
            name = last_of(body.joint.name)
            if (body.joint.turns or body.joint.slides) and name not in joints:
                raise Unsupported(f'the joint "{name}", which its reader does not have')
            if name in joints:
                found[body.index] = joints[name]
        return found

    def move(self, given):
        """Prescribed bodies to where they are at the start of a step, by the engine's `put(body, pose, velocity)`."""
        for body, motion in zip(self.given, given):
            self.put(body, motion[:7], motion[7:])

    def wrenches(self, efforts):
        """Moment and force of each free body whose motion is not prescribed."""
        return [(body, *np.split(efforts[body.joint.dof], 2)) for body in self.free if not body.given]

    def put_all(self, q, v):
        for body in self.free:
            self.put(body, q[body.joint.at], v[body.joint.dof])

    def read(self):
        """Joints by the engine's `read_joints(q, v)`, free bodies by its `pose_of(body)`: pose and velocity."""
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        self.read_joints(q, v)
        for body in self.free:
            q[body.joint.at], v[body.joint.dof] = self.pose_of(body)
        return q, v


class Places:
    """Where joints are among an engine's numbers: `there` has the first of position and velocity of each, by its body.

    `slices` are those of bodies that float, all else is of joints of one degree of freedom.
    """

    def __init__(self, scene, there):
        self.slices = {k: (slice(at, at + 7), slice(dof, dof + 6)) for k, (at, dof) in there.items()}
        joints = {k: scene.bodies[k].joint for k in there}
        joints = {k: joint for k, joint in joints.items() if joint.turns or joint.slides}
        places = [(joint.q, joint.v, *there[k]) for k, joint in joints.items() if joint.v >= 0]
        self.q, self.v, self.q_there, self.v_there = np.array(places, int).reshape(-1, 4).T
        self.followers = [
            (*there[k], joint.follows, scene.bodies[joint.follows.body].joint) for k, joint in joints.items() if joint.follows
        ]

    def write(self, q, v, positions, velocities):
        """The scene's state into the engine's numbers."""
        positions[self.q_there], velocities[self.v_there] = q[self.q], v[self.v]
        for at, dof, follows, lead in self.followers:
            positions[at], velocities[dof] = follows.ratio * q[lead.q] + follows.offset, follows.ratio * v[lead.v]

    def read(self, positions, velocities, q, v):
        q[self.q], v[self.v] = positions[self.q_there], velocities[self.v_there]


def rotation(quaternion):
    """3 by 3 of x, y, z, w."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(R):
    """x, y, z, w of 3 by 3."""
    t = np.trace(R)
    if t > 0:
        w = 0.5 * np.sqrt(1 + t)
        return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 4 * w * w]) / (4 * w)
    i = int(np.argmax(np.diag(R)))
    j, k = (i + 1) % 3, (i + 2) % 3
    s = 2 * np.sqrt(1 + R[i, i] - R[j, j] - R[k, k])
    out = np.empty(4)
    out[i], out[j], out[k] = s / 4, (R[j, i] + R[i, j]) / s, (R[k, i] + R[i, k]) / s
    out[3] = (R[k, j] - R[j, k]) / s
    return out


def weld(scene):
    """Makes bodies that are fixed to others one with these, and to the world part of it: they stay in the list, without shapes and mass."""
    places = {-1: (-1, np.eye(3), np.zeros(3))}
    for k, body in enumerate(scene.bodies):
        top, R, p = places[body.parent]
        p, R = p + R @ body.position, R @ body.R
        body.parent, body.position, body.quaternion = top, p.tolist(), quaternion(R).tolist()
        places[k] = (k, np.eye(3), np.zeros(3))
        if body.joint.kind != "fixed":
            continue
        places[k] = (top, R, p)
        for shape in body.shapes:
            shape.position = (p + R @ shape.position).tolist()
            shape.quaternion = quaternion(R @ shape.R).tolist()
        (scene.fixtures if top < 0 else scene.bodies[top].shapes).extend(body.shapes)
        if top >= 0:
            add_mass(scene.bodies[top], body.mass, p + R @ body.center, R @ body.moments @ R.T)
        body.shapes, body.mass = [], 0
    for loop in scene.loops:
        for end, point in (("a", "pointA"), ("b", "pointB")):
            top, R, p = places[getattr(loop, end)]
            setattr(loop, point, (p + R @ getattr(loop, point)).tolist())
            setattr(loop, end, top)


def add_mass(body, mass, center, inertia):
    if mass == 0:
        return
    both = body.mass + mass
    middle = (body.mass * np.array(body.center) + mass * center) / both
    total = inertia + body.moments
    for m, c in ((body.mass, body.center - middle), (mass, center - middle)):
        total = total + m * (c @ c * np.eye(3) - np.outer(c, c))
    body.mass, body.center = both, middle.tolist()
    body.inertia = [total[0, 0], total[1, 1], total[2, 2], total[0, 1], total[0, 2], total[1, 2]]


def wxyz(quaternion):
    return [quaternion[3], quaternion[0], quaternion[1], quaternion[2]]


def xyzw(quaternion):
    return [quaternion[1], quaternion[2], quaternion[3], quaternion[0]]


def across(normal):
    """A unit vector across another, about the axis that is least along it."""
    x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    return x / np.linalg.norm(x)


def last_of(name):
    """A joint's or link's own name, without its robot's."""
    return name.split("/")[-1]


def mesh_file(own, name):
    """A Wavefront file of a hull or mesh, for engines that read files; in the process's own folder."""
    path = os.path.join(os.getcwd(), f"{name}.obj")
    with open(path, "w") as file:
        file.write("".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in own.points.tolist()))
        file.write("".join(f"f {a} {b} {c}\n" for a, b, c in (own.triangles + 1).tolist()))
    return path
