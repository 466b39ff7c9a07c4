"""PyBullet: `stepSimulation` of a world of its own; each tree is a multibody, whose base is its root or the place where that is held."""

import numpy as np
import pybullet
from featherbed_engine import Unsupported, inertia_matrix, quaternion, rotation, serve

# in place of the mass of a body whose motion is prescribed, and of none [kg]
IMMOVABLE, LEAST_MASS = 1e7, 1e-9
# largest force of what holds bodies together, in place of the default of 500 [N]
UNLIMITED = 1e10
# shapes that a link may have
MOST_SHAPES = 16
WORLD = (-1, -1)
JOINTS = {"fixed": "JOINT_FIXED", "revolute": "JOINT_REVOLUTE", "prismatic": "JOINT_PRISMATIC"}


class Engine:
    holds = ["damping", "friction", "limits"]

    def __init__(self, scene, options):
        self.scene, self.options = scene, options
        self.lacks = []
        pybullet.isConnected() or pybullet.connect(pybullet.DIRECT)
        pybullet.resetSimulation()
        pybullet.setTimeStep(scene.dt)
        pybullet.setGravity(*scene.gravity)
        if "engine" in options:
            pybullet.setPhysicsEngineParameter(**options["engine"])
        # of each body of the scene: its multibody and link there (-1: its base)
        self.places = [None] * len(scene.bodies)
        self.shapes = {shape.index: self.fix(shape) for shape in scene.fixtures}
        if options.get("file"):
            self.read_file(options["file"])
        else:
            self.build()
        self.find_places()
        self.write(np.array(scene.q), np.array(scene.v))
        if not options.get("file"):
            self.constrain()

    # --- the scene ---

    def fix(self, shape):
        body = pybullet.createMultiBody(0, self.shape_of([shape], False))
        pybullet.changeDynamics(body, -1, lateralFriction=shape.friction, restitution=shape.restitution)
        return body, -1

    def shape_of(self, shapes, moves):
        if not shapes:
            return -1
        if len(shapes) == 1:
            own, place = self.geometry(shapes[0], moves)
            frame = {"collisionFramePosition": place[0], "collisionFrameOrientation": place[1]}
            return pybullet.createCollisionShape(**own, **frame)
        made = [self.geometry(shape, moves) for shape in shapes]
        table = {"shapeType": "shapeTypes", "radius": "radii", "halfExtents": "halfExtents", "height": "lengths"}
        lists = {there: [own.get(here, [1, 1, 1] if here == "halfExtents" else 1) for own, _ in made] for here, there in table.items()}
        return pybullet.createCollisionShapeArray(
            **lists, collisionFramePositions=[p for _, (p, _) in made], collisionFrameOrientations=[q for _, (_, q) in made]
        )

    def geometry(self, shape, moves):
        """Arguments of createCollisionShape, and its frame."""
        own, place = shape.shape, (shape.position, shape.quaternion)
        match own.type:
            case "sphere":
                return {"shapeType": pybullet.GEOM_SPHERE, "radius": own.radius}, place
            case "box":
                return {"shapeType": pybullet.GEOM_BOX, "halfExtents": [x / 2 for x in own.size]}, place
            case "capsule":
                return {"shapeType": pybullet.GEOM_CAPSULE, "radius": own.radius, "height": own.length}, place
            case "cylinder":
                return {"shapeType": pybullet.GEOM_CYLINDER, "radius": own.radius, "height": own.length}, place
            case "halfspace":
                at = np.add(shape.position, rotation(shape.quaternion) @ np.multiply(own.normal, own.offset))
                return {"shapeType": pybullet.GEOM_PLANE, "planeNormal": own.normal}, (at, shape.quaternion)
            case "hull":
                return {"shapeType": pybullet.GEOM_MESH, "vertices": np.reshape(own.points, (-1, 3)).tolist()}, place
            case "mesh":
                if moves:
                    raise Unsupported("meshes that move, of which PyBullet takes the hull")
                vertices = np.reshape(own.vertices, (-1, 3)).tolist()
                return {"shapeType": pybullet.GEOM_MESH, "vertices": vertices, "indices": own.triangles}, place
            case kind:
                raise Unsupported(f"a shape of the kind {kind}")

    def build(self):
        scene = self.scene
        self.alone = {shape for pair in scene.apartShapes for shape in pair}
        roots = []
        for k, body in enumerate(scene.bodies):
            roots.append(k if body.parent < 0 else roots[body.parent])
        for root, body in enumerate(scene.bodies):
            if body.parent < 0:
                self.add_tree(root, [k for k in range(len(scene.bodies)) if roots[k] == root])
        for k, body in enumerate(scene.bodies):
            self.set_dynamics(body, *self.places[k])
        for a, b in scene.apart:
            self.keep_apart(self.parts_of(a), self.parts_of(b))
        for a, b in scene.apartShapes:
            self.keep_apart([self.shapes[a]], [self.shapes[b]])

    def parts_of(self, k):
        shapes = self.scene.fixtures if k < 0 else self.scene.bodies[k].shapes
        return {self.shapes[shape.index] for shape in shapes}

    @staticmethod
    def keep_apart(some, others):
        for one in some:
            for other in others:
                pybullet.setCollisionFilterPair(one[0], other[0], one[1], other[1], 0)

    def groups_of(self, body):
        """Shapes that one link can have: Bullet's links have one surface each, of several shapes none is a hull."""
        groups = {}
        for i, shape in enumerate(body.shapes):
            alone = shape.index in self.alone or shape.shape.type in ("hull", "mesh")
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
            center, turn, _ = (np.zeros(3), [0, 0, 0, 1], 0) if own.given else principal(own)
            mass = IMMOVABLE if own.given else max(own.mass, LEAST_MASS)
            told |= {"baseMass": mass if moves else 0, "baseCollisionShapeIndex": self.shape_of(groups[root][0], moves)}
            told |= {"baseInertialFramePosition": center, "baseInertialFrameOrientation": turn}
            number[root] = 0
        for k in members:
            joint, body = bodies[k].joint, bodies[k]
            if k not in number:
                place = ([0, 0, 0], [0, 0, 0, 1]) if k == root else (body.position, body.quaternion)
                kind = getattr(pybullet, JOINTS[joint.kind])
                mass, frame = max(body.mass, LEAST_MASS), principal(body)[:2]
                links.append((mass, self.shape_of(groups[k][0], True), *place, *frame, number.get(body.parent, 0), kind, joint.axis))
                number[k] = len(links)
        for k in members:
            for group in groups[k][1:]:
                nothing = ([0, 0, 0], [0, 0, 0, 1])
                shape = self.shape_of(group, moves or k != root)
                links.append((LEAST_MASS, shape, *nothing, *nothing, number[k], pybullet.JOINT_FIXED, [0, 0, 1]))
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
                self.keep_apart([part], [other for other in parts if other != part])

    def set_dynamics(self, body, made, link):
        told = dict(self.options.get("dynamics", {})) | ({"linearDamping": 0, "angularDamping": 0} if body.given else {})
        told["localInertiaDiagonal"] = [IMMOVABLE] * 3 if body.given else principal(body)[2]
        joint = body.joint
        if joint.kind in ("revolute", "prismatic"):
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
            if follows is None:
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
        floats = any(body.joint.kind == "floating" for body in self.scene.bodies)
        if file.endswith(".xml"):
            made = pybullet.loadMJCF(file)
        elif file.endswith((".sdf", ".world")):
            made = pybullet.loadSDF(file)
        else:
            made = [pybullet.loadURDF(file, useFixedBase=not floats)]
        links, joints = {}, {}
        for body in made:
            links[pybullet.getBodyInfo(body)[0].decode()] = (body, -1)
            for i in range(pybullet.getNumJoints(body)):
                info = pybullet.getJointInfo(body, i)
                joints[info[1].decode()] = links[info[12].decode()] = (body, i)
        for k, body in enumerate(self.scene.bodies):
            kind, name, link = body.joint.kind, body.joint.name.split("/")[-1], body.name.split("/")[-1]
            if kind in ("revolute", "prismatic") and name not in joints:
                raise Unsupported(f'the joint "{name}", which its reader does not have')
            if kind == "floating" and links.get(link, WORLD)[1] != -1 or kind == "floating" and link not in links:
                raise Unsupported(f'the link "{link}" as a root, which its reader does not have')
            self.places[k] = links.get(link) if kind == "floating" else joints.get(name) or links.get(link)

    # --- the state ---

    def find_places(self):
        """Which numbers of the scene those of multibodies are."""
        self.free, self.given = [], []
        joints = {}
        for body, place in zip(self.scene.bodies, self.places):
            joint = body.joint
            if joint.kind == "floating":
                info = pybullet.getDynamicsInfo(place[0], -1)
                back = pybullet.invertTransform(info[3], info[4])
                self.free.append((place[0], joint.q, joint.v, (info[3], info[4]), back, body.given))
            elif joint.kind != "fixed" and place is not None:
                pybullet.setJointMotorControl2(*place, pybullet.VELOCITY_CONTROL, force=joint.friction)
                joints.setdefault(place[0], []).append((place[1], joint.q, joint.v))
        self.chains = []
        for made, list in joints.items():
            own = [one for one in list if one[2] >= 0]
            self.chains.append((made, [i for i, _, _ in own], np.array([[q, v] for _, q, v in own], int).reshape(-1, 2).T))

    def write(self, q, v):
        for made, links, (qs, vs) in self.chains:
            for link, position, velocity in zip(links, q[qs], v[vs]):
                pybullet.resetJointState(made, link, position, velocity)
        for body, place in zip(self.scene.bodies, self.places):
            follows = body.joint.follows
            if follows is not None and place is not None:
                lead = self.scene.bodies[follows.body].joint
                pybullet.resetJointState(*place, follows.ratio * q[lead.q] + follows.offset, follows.ratio * v[lead.v])
        for made, at, dof, inertial, _, _ in self.free:
            self.put(made, q[at : at + 7], v[dof : dof + 6], inertial)

    @staticmethod
    def put(made, pose, velocity, inertial):
        place = pybullet.multiplyTransforms(pose[:3], pose[3:], *inertial)
        arm = np.subtract(place[0], pose[:3])
        pybullet.resetBasePositionAndOrientation(made, *place)
        pybullet.resetBaseVelocity(made, velocity[3:] + np.cross(velocity[:3], arm), velocity[:3])

    def read(self):
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        for made, links, (qs, vs) in self.chains:
            states = pybullet.getJointStates(made, links) if links else []
            q[qs], v[vs] = [state[0] for state in states], [state[1] for state in states]
        for made, at, dof, _, back, _ in self.free:
            center, turn = pybullet.getBasePositionAndOrientation(made)
            q[at : at + 3], q[at + 3 : at + 7] = pybullet.multiplyTransforms(center, turn, *back)
            linear, angular = pybullet.getBaseVelocity(made)
            v[dof : dof + 3] = angular
            v[dof + 3 : dof + 6] = linear + np.cross(angular, q[at : at + 3] - center)
        return q, v

    def step(self, efforts, given):
        motions = iter(given)
        for made, at, dof, inertial, _, is_given in self.free:
            if is_given:
                motion = next(motions)
                self.put(made, motion[:7], motion[7:], inertial)
                force, torque = -IMMOVABLE * np.array(self.scene.gravity), np.zeros(3)
            else:
                torque, force = efforts[dof : dof + 3], efforts[dof + 3 : dof + 6]
                if not (torque.any() or force.any()):
                    continue
            center, turn = pybullet.getBasePositionAndOrientation(made)
            arm = -rotation(turn) @ rotation(inertial[1]).T @ inertial[0]
            pybullet.applyExternalForce(made, -1, force, center, pybullet.WORLD_FRAME)
            pybullet.applyExternalTorque(made, -1, torque + np.cross(arm, force), pybullet.WORLD_FRAME)
        for made, links, (_, vs) in self.chains:
            if links:
                pybullet.setJointMotorControlArray(made, links, pybullet.TORQUE_CONTROL, forces=efforts[vs].tolist())
        pybullet.stepSimulation()

    def contacts(self):
        return len(pybullet.getContactPoints())


def principal(body):
    """Centre of mass, principal axes as a quaternion, and moments about them."""
    moments, axes = np.linalg.eigh(inertia_matrix(body.inertia))
    if np.allclose(inertia_matrix(body.inertia), np.diag(body.inertia[:3]), rtol=0, atol=1e-12 * max(body.inertia[:3])):
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


serve(Engine)
