"""PyBullet: `stepSimulation` of a world of its own; each tree is a multibody, whose base is its root or the place where that is held."""

import itertools

import numpy as np
import pybullet
from featherbed_engine import Engine, Unsupported, last_of, quaternion, rotation, serve

# in place of the mass of a body whose motion is prescribed, and of none [kg]
IMMOVABLE, LEAST_MASS = 1e7, 1e-9
# largest force of what holds bodies together, in place of the default of 500 [N]
UNLIMITED = 1e10
# shapes that a link may have
MOST_SHAPES = 16
WORLD = (-1, -1)
NOWHERE = ([0, 0, 0], [0, 0, 0, 1])
JOINTS = {"fixed": pybullet.JOINT_FIXED, "revolute": pybullet.JOINT_REVOLUTE, "prismatic": pybullet.JOINT_PRISMATIC}


class Bullet(Engine):
    holds = ["damping", "friction", "joint limits"]
    # arguments of createCollisionShape
    SHAPES = {
        "sphere": lambda own: {"shapeType": pybullet.GEOM_SPHERE, "radius": own.radius},
        "box": lambda own: {"shapeType": pybullet.GEOM_BOX, "halfExtents": [x / 2 for x in own.size]},
        "capsule": lambda own: {"shapeType": pybullet.GEOM_CAPSULE, "radius": own.radius, "height": own.length},
        "cylinder": lambda own: {"shapeType": pybullet.GEOM_CYLINDER, "radius": own.radius, "height": own.length},
        "halfspace": lambda own: {"shapeType": pybullet.GEOM_PLANE, "planeNormal": own.normal},
        "hull": lambda own: {"shapeType": pybullet.GEOM_MESH, "vertices": own.points.tolist()},
        "mesh": lambda own: {
            "shapeType": pybullet.GEOM_MESH,
            "vertices": own.points.tolist(),
            "indices": own.triangles.ravel().tolist(),
        },
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
        pybullet.isConnected() or pybullet.connect(pybullet.DIRECT)
        pybullet.resetSimulation()
        pybullet.setTimeStep(scene.dt)
        pybullet.setGravity(*scene.gravity)
        if "engine" in options:
            pybullet.setPhysicsEngineParameter(**options["engine"])
        # of each body of the scene, and of each shape: its multibody and link there (-1: its base)
        self.places, self.shapes = {}, {shape.index: self.fix(shape) for shape in scene.fixtures}
        self.load()
        self.find_places()
        self.write(scene.q, scene.v)
        if not self.file:
            self.constrain()

    # --- the scene ---

    def fix(self, shape):
        body = pybullet.createMultiBody(0, self.collision_shape([shape], False))
        pybullet.changeDynamics(body, -1, lateralFriction=shape.friction, restitution=shape.restitution)
        return body, -1

    def collision_shape(self, shapes, moves):
        if not shapes:
            return -1
        made = [self.shape_of(shape) for shape in shapes]
        if moves and any(shape.shape.type == "mesh" for shape in shapes):
            raise Unsupported("meshes that move, of which PyBullet takes the hull")
        if len(shapes) == 1:
            frame = {"collisionFramePosition": origin_of(shapes[0]), "collisionFrameOrientation": shapes[0].quaternion}
            return pybullet.createCollisionShape(**made[0], **frame)
        table = {"shapeType": "shapeTypes", "radius": "radii", "halfExtents": "halfExtents", "height": "lengths"}
        lists = {there: [own.get(here, [1, 1, 1] if here == "halfExtents" else 1) for own in made] for here, there in table.items()}
        frames = {"collisionFramePositions": [origin_of(shape) for shape in shapes]}
        frames["collisionFrameOrientations"] = [shape.quaternion for shape in shapes]
        return pybullet.createCollisionShapeArray(**lists, **frames)

    def build(self):
        scene = self.scene
        for root in [k for k, body in enumerate(scene.bodies) if body.parent < 0]:
            self.add_tree(root, [k for k, body in enumerate(scene.bodies) if body.root == root])
        for k, body in enumerate(scene.bodies):
            self.set_dynamics(body, *self.places[k])
        for one, other in dict.fromkeys((self.shapes[a], self.shapes[b]) for a, b in scene.apart):
            keep_apart(one, other)

    def groups_of(self, body):
        """Shapes that one link can have: Bullet's links have one surface each, of several shapes none is a hull."""
        groups = {}
        for i, shape in enumerate(body.shapes):
            alone = shape.index in self.scene.alone or shape.shape.type in ("hull", "mesh")
            part = (shape.index,) if alone else (-1, i // MOST_SHAPES)
            groups.setdefault((shape.friction, shape.restitution, part), []).append(shape)
        return list(groups.values()) or [[]]

    def add_tree(self, root, members):
        """The first group of a body's shapes is on its own link, the others on links fixed to it that weigh nothing."""
        own, bodies = self.scene.bodies[root], self.scene.bodies
        stands = own.joint.kind in ("fixed", "floating")
        moves = own.joint.kind != "fixed"
        number, more, links = {}, {}, []
        groups = {k: self.groups_of(bodies[k]) for k in members}
        told = {"basePosition": own.position, "baseOrientation": own.quaternion}
        if stands:
            center, turn, _ = (*NOWHERE, 0) if own.given else principal(own)
            mass = IMMOVABLE if own.given else max(own.mass, LEAST_MASS)
            told |= {"baseMass": mass if moves else 0, "baseCollisionShapeIndex": self.collision_shape(groups[root][0], moves)}
            told |= {"baseInertialFramePosition": center, "baseInertialFrameOrientation": turn}
            number[root] = 0
        for k in members:
            joint, body = bodies[k].joint, bodies[k]
            if k not in number:
                place = NOWHERE if k == root else (body.position, body.quaternion)
                own = max(body.mass, LEAST_MASS), self.collision_shape(groups[k][0], True)
                links.append((*own, *place, *principal(body)[:2], number.get(body.parent, 0), JOINTS[joint.kind], joint.axis))
                number[k] = len(links)
        for k in members:
            for group in groups[k][1:]:
                shape = self.collision_shape(group, moves or k != root)
                links.append((LEAST_MASS, shape, *NOWHERE, *NOWHERE, number[k], pybullet.JOINT_FIXED, [0, 0, 1]))
                more.setdefault(k, []).append(len(links) - 1)
        names = ["Masses", "CollisionShapeIndices", "Positions", "Orientations", "InertialFramePositions"]
        names += ["InertialFrameOrientations", "ParentIndices", "JointTypes", "JointAxis"]
        lists = {f"link{name}": [list(x) if np.ndim(x) else x for x in one] for name, one in zip(names, zip(*links))}
        flags = pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_INCLUDE_PARENT
        made = pybullet.createMultiBody(**told, **lists, linkVisualShapeIndices=[-1] * len(links), flags=flags)
        there = depth_first([link[6] for link in links])
        for k in members:
            self.places[k] = (made, there[number[k]])
            parts = [(made, there[link]) for link in [number[k], *(one + 1 for one in more.get(k, []))]]
            for part, group in zip(parts, groups[k]):
                self.shapes |= {shape.index: part for shape in group}
                for shape in group[:1]:
                    pybullet.changeDynamics(*part, lateralFriction=shape.friction, restitution=shape.restitution)
            for one, other in itertools.permutations(parts, 2):
                keep_apart(one, other)

    def set_dynamics(self, body, made, link):
        told = dict(self.options.get("dynamics", {})) | ({"linearDamping": 0, "angularDamping": 0} if body.given else {})
        told["localInertiaDiagonal"] = [IMMOVABLE] * 3 if body.given else principal(body)[2]
        joint = body.joint
        if joint.turns or joint.slides:
            told |= {"jointDamping": joint.damping}
            if joint.lower is not None or joint.upper is not None:
                told |= {"jointLowerLimit": joint.lower if joint.lower is not None else -1e10}
                told |= {"jointUpperLimit": joint.upper if joint.upper is not None else 1e10}
        pybullet.changeDynamics(made, link, **told)

    def constrain(self):
        """Loops and couplings; where bodies are at the start."""
        nothing = [0, 0, 0]
        for loop in self.scene.loops:
            ends = [self.end_of(k, point) for k, point in ((loop.a, loop.pointA), (loop.b, loop.pointB))]
            if loop.a < 0:
                ends.reverse()
            (a, p), (b, q) = ends
            made = pybullet.createConstraint(a[0], a[1], b[0], b[1], pybullet.JOINT_POINT2POINT, nothing, p, q)
            pybullet.changeConstraint(made, maxForce=UNLIMITED)
        for k, body in enumerate(self.scene.bodies):
            follows = body.joint.follows
            if not follows:
                continue
            (a, link), (b, lead) = self.places[k], self.places[follows.body]
            made = pybullet.createConstraint(a, link, b, lead, pybullet.JOINT_GEAR, body.joint.axis, nothing, nothing)
            pybullet.changeConstraint(
                made, gearRatio=-follows.ratio, relativePositionTarget=follows.offset, erp=1, maxForce=UNLIMITED
            )

    def end_of(self, k, point):
        """A point of a body from its centre of mass, in its principal axes; of the world as it is."""
        if k < 0:
            return WORLD, point
        center, turn, _ = principal(self.scene.bodies[k])
        return self.places[k], rotation(turn).T @ (np.array(point) - center)

    def read_file(self, file):
        """The robot by Bullet's own reader; the ground is that of the scene."""
        if file.endswith(".xml"):
            made = pybullet.loadMJCF(file)
        elif file.endswith((".sdf", ".world")):
            made = pybullet.loadSDF(file)
        else:
            made = [pybullet.loadURDF(file, useFixedBase=not self.free)]
        links, joints = {}, {}
        for body in made:
            links[pybullet.getBodyInfo(body)[0].decode()] = (body, -1)
            for i in range(pybullet.getNumJoints(body)):
                info = pybullet.getJointInfo(body, i)
                joints[info[1].decode()] = links[info[12].decode()] = (body, i)
        self.places = self.named(joints)
        for body in self.free:
            name = last_of(body.name)
            if links.get(name, (None, None))[1] != -1:
                raise Unsupported(f'the link "{name}" as a root, which its reader does not have')
            self.places[body.index] = links[name]

    # --- the state ---

    def find_places(self):
        """Of free bodies the frame of inertia, and the way back; of each multibody its links with joints, and these."""
        self.frames, self.chains = {}, {}
        for body in self.free:
            info = pybullet.getDynamicsInfo(self.places[body.index][0], -1)
            self.frames[body.index] = info[3:5], pybullet.invertTransform(*info[3:5])
        for k, (made, link) in self.places.items():
            joint = self.scene.bodies[k].joint
            if joint.turns or joint.slides:
                pybullet.setJointMotorControl2(made, link, pybullet.VELOCITY_CONTROL, force=joint.friction)
                if joint.v >= 0:
                    self.chains.setdefault(made, {})[link] = joint

    def write(self, q, v):
        for made, joints in self.chains.items():
            for link, joint in joints.items():
                pybullet.resetJointState(made, link, q[joint.q], v[joint.v])
        for k, place in self.places.items():
            follows = self.scene.bodies[k].joint.follows
            if follows:
                lead = self.scene.bodies[follows.body].joint
                pybullet.resetJointState(*place, follows.ratio * q[lead.q] + follows.offset, follows.ratio * v[lead.v])
        self.put_all(q, v)

    def put(self, body, pose, velocity):
        made = self.places[body.index][0]
        place = pybullet.multiplyTransforms(pose[:3], pose[3:], *self.frames[body.index][0])
        arm = np.subtract(place[0], pose[:3])
        pybullet.resetBasePositionAndOrientation(made, *place)
        pybullet.resetBaseVelocity(made, velocity[3:] + np.cross(velocity[:3], arm), velocity[:3])

    def read_joints(self, q, v):
        for made, joints in self.chains.items():
            for joint, state in zip(joints.values(), pybullet.getJointStates(made, list(joints))):
                q[joint.q], v[joint.v] = state[:2]

    def pose_of(self, body):
        made = self.places[body.index][0]
        center, turn = pybullet.getBasePositionAndOrientation(made)
        position, turn = pybullet.multiplyTransforms(center, turn, *self.frames[body.index][1])
        linear, angular = pybullet.getBaseVelocity(made)
        return [*position, *turn], [*angular, *(linear + np.cross(angular, np.subtract(position, center)))]

    def step(self, efforts, given):
        self.move(given)
        weight = IMMOVABLE * np.array(self.scene.gravity)
        for body, torque, force in self.wrenches(efforts) + [(body, np.zeros(3), -weight) for body in self.given]:
            if not (torque.any() or force.any()):
                continue
            made, inertial = self.places[body.index][0], self.frames[body.index][0]
            center, turn = pybullet.getBasePositionAndOrientation(made)
            arm = -rotation(turn) @ rotation(inertial[1]).T @ inertial[0]
            pybullet.applyExternalForce(made, -1, force, center, pybullet.WORLD_FRAME)
            pybullet.applyExternalTorque(made, -1, torque + np.cross(arm, force), pybullet.WORLD_FRAME)
        for made, joints in self.chains.items():
            forces = [efforts[joint.v] for joint in joints.values()]
            pybullet.setJointMotorControlArray(made, list(joints), pybullet.TORQUE_CONTROL, forces=forces)
        pybullet.stepSimulation()

    def contacts(self):
        return len(pybullet.getContactPoints())


def keep_apart(one, other):
    pybullet.setCollisionFilterPair(one[0], other[0], one[1], other[1], 0)


def origin_of(shape):
    """Its place, of a half space that of its plane."""
    own = shape.shape
    return shape.position if own.type != "halfspace" else np.add(shape.position, shape.R @ np.multiply(own.normal, own.offset))


def principal(body):
    """Centre of mass, principal axes as a quaternion, and moments about them."""
    moments, axes = np.linalg.eigh(body.moments)
    if np.allclose(body.moments, np.diag(body.inertia[:3]), rtol=0, atol=1e-12 * max(body.inertia[:3])):
        moments, axes = np.array(body.inertia[:3]), np.eye(3)
    axes[:, 0] *= np.linalg.det(axes)
    return np.array(body.center), quaternion(axes), moments.tolist()


def depth_first(parents):
    """Bullet's number of the base (-1) and of each link: it counts anew, each link before what hangs on it."""
    there, left = {0: -1}, [0]
    while left:
        one = left.pop()
        if one > 0:
            there[one] = len(there) - 1
        left.extend(reversed([k + 1 for k, parent in enumerate(parents) if parent == one]))
    return there


serve(Bullet)
