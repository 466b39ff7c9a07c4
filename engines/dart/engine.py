"""DART's World: `World.step`, which integrates semi-implicitly; bodies are skeletons, one a tree."""

import dartpy
import numpy as np
from dartpy.dynamics import ActuatorType, MimicConstraintType
from featherbed_engine import Unsupported, inertia_matrix, mesh_file, rotation, serve

# a body's mass is never 0 [kg, kg m2]
LEAST_MASS, LEAST_INERTIA = 1e-9, 1e-12
KINDS = {"fixed": "Weld", "revolute": "Revolute", "prismatic": "Prismatic", "floating": "Free"}


class Engine:
    holds = ["damping", "friction", "springs", "limits"]

    def __init__(self, scene, options):
        self.scene = scene
        self.lacks = []
        self.world = world = dartpy.simulation.World()
        world.setTimeStep(scene.dt)
        world.setGravity(scene.gravity)
        if "detector" in options:
            world.setCollisionDetector(getattr(dartpy.simulation.CollisionDetectorType, options["detector"]))
        if options.get("solver") == "PGS":
            # Python makes none; every World has one as its second
            solver = dartpy.simulation.World().getConstraintSolver().getSecondaryBoxedLcpSolver()
            world.getConstraintSolver().setBoxedLcpSolver(solver)
        if not options.get("sleeps", True):
            awake = world.getDeactivationOptions()
            awake.mEnabled = False
            world.setDeactivationOptions(awake)
        self.bodies, self.joints, self.skeletons = [], [], []
        self.add_fixtures()
        if options.get("file"):
            self.read_file(options["file"])
        else:
            self.build()
        for skeleton in self.skeletons:
            world.addSkeleton(skeleton)
        self.find_places()
        self.write(np.array(scene.q), np.array(scene.v))
        self.add_loops()

    # --- the scene ---

    def add_fixtures(self):
        """Every shape of the world is a body, for rules on pairs of shapes are rules on pairs of bodies here."""
        self.nodes = {}  # of each shape
        ground = dartpy.dynamics.Skeleton("fixtures")
        for shape in self.scene.fixtures:
            joint, body = ground.createWeldJointAndBodyNodePair()
            body.setName(f"fixture {shape.index}")
            self.add_shape(body, shape)
            self.nodes[shape.index] = body
        ground.setMobile(False)
        self.world.addSkeleton(ground)

    def build(self):
        scene = self.scene
        for k, body in enumerate(scene.bodies):
            if body.parent < 0:
                skeleton = dartpy.dynamics.Skeleton(f"tree {k}")
                skeleton.enableSelfCollisionCheck()
                skeleton.enableAdjacentBodyCheck()
                self.skeletons.append(skeleton)
            self.join(k, body)
            for shape in body.shapes:
                self.nodes[shape.index] = self.node_of(k, body, shape)
                self.add_shape(self.nodes[shape.index], shape)
        for k, body in enumerate(scene.bodies):
            if body.joint.follows is not None:
                self.couple(self.joints[k], body.joint.follows)
        parts = {k: self.parts(body.shapes) for k, body in enumerate(scene.bodies)} | {-1: self.parts(scene.fixtures)}
        for one in parts.values():
            self.keep_apart(one, one)
        for a, b in scene.apart:
            self.keep_apart(parts[a], parts[b])
        for a, b in scene.apartShapes:
            self.keep_apart([self.nodes[a]], [self.nodes[b]])

    def parts(self, shapes):
        """Body nodes of shapes, each once."""
        return list({self.nodes[shape.index].getName(): self.nodes[shape.index] for shape in shapes}.values())

    def keep_apart(self, some, others):
        filter = self.world.getConstraintSolver().getCollisionOption().collisionFilter
        for one in some:
            for other in others:
                if one.getName() != other.getName():
                    filter.addBodyNodePairToBlackList(one, other)

    def node_of(self, k, body, shape):
        """The body's, or one welded to it for a shape with a rule of its own."""
        if len(body.shapes) == 1 or all(shape.index not in pair for pair in self.scene.apartShapes):
            return self.bodies[k]
        joint, node = self.bodies[k].getSkeleton().createWeldJointAndBodyNodePair(self.bodies[k])
        node.setName(f"shape {shape.index}")
        node.setInertia(dartpy.dynamics.Inertia(LEAST_MASS, [0, 0, 0], LEAST_INERTIA * np.eye(3)))
        return node

    def join(self, k, body):
        joint, dynamics = body.joint, dartpy.dynamics
        parent = () if body.parent < 0 else (self.bodies[body.parent],)
        skeleton = self.bodies[body.parent].getSkeleton() if parent else self.skeletons[-1]
        own, node = getattr(skeleton, f"create{KINDS[joint.kind]}JointAndBodyNodePair")(*(parent or ()))
        own.setName(f"joint {k}")
        node.setName(f"body {k}")
        if joint.kind != "floating":
            own.setTransformFromParentBodyNode(isometry(body))
        if joint.kind in ("revolute", "prismatic"):
            own.setAxis(joint.axis)
            own.setDampingCoefficient(0, joint.damping)
            own.setCoulombFriction(0, joint.friction)
            own.setSpringStiffness(0, joint.stiffness)
            own.setRestPosition(0, joint.springReference)
            if joint.lower is not None:
                own.setPositionLowerLimit(0, joint.lower)
            if joint.upper is not None:
                own.setPositionUpperLimit(0, joint.upper)
            own.setLimitEnforcement(True)
        if body.given:
            own.setActuatorType(ActuatorType.VELOCITY)
        mass = 1.0 if body.given else max(body.mass, LEAST_MASS)
        moments = np.eye(3) if body.given else inertia_matrix(body.inertia)
        node.setInertia(dynamics.Inertia(mass, body.center, moments if moments.any() else LEAST_INERTIA * np.eye(3)))
        self.bodies.append(node)
        self.joints.append(own)

    def couple(self, joint, follows):
        """DART's coupler, which acts on both joints."""
        if abs(follows.ratio) > 1:
            raise Unsupported("a joint that follows another by a ratio above 1: DART's coupler blows up")
        mimic = dartpy.dynamics.MimicDofProperties()
        mimic.mReferenceJoint = self.joints[follows.body]
        mimic.mReferenceDofIndex = 0
        mimic.mMultiplier, mimic.mOffset = follows.ratio, follows.offset
        mimic.mConstraintType = MimicConstraintType.Coupler
        kind = "Revolute" if isinstance(joint, dartpy.dynamics.RevoluteJoint) else "Prismatic"
        told = getattr(joint, f"get{kind}JointProperties")()
        told.mMimicDofProps = [mimic]
        told.mActuatorType = ActuatorType.MIMIC
        joint.setProperties(told)

    def add_shape(self, body, shape):
        node = body.createShapeNode(self.shape_of(shape))
        node.createCollisionAspect()
        surface = node.createDynamicsAspect()
        surface.setFrictionCoeff(shape.friction)
        surface.setRestitutionCoeff(shape.restitution)
        node.setRelativeTransform(isometry(shape))

    def shape_of(self, shape):
        own, dynamics = shape.shape, dartpy.dynamics
        match own.type:
            case "sphere":
                return dynamics.SphereShape(own.radius)
            case "ellipsoid":
                return dynamics.EllipsoidShape(2 * np.array(own.radii))
            case "box":
                return dynamics.BoxShape(own.size)
            case "capsule":
                return dynamics.CapsuleShape(own.radius, own.length)
            case "cylinder":
                return dynamics.CylinderShape(own.radius, own.length)
            case "halfspace":
                return dynamics.PlaneShape(own.normal, float(own.offset))
            case "hull":
                return mesh_of(mesh_file(own.points, own.triangles, f"hull{shape.index}"))
            case "mesh":
                return mesh_of(mesh_file(own.vertices, own.triangles, f"mesh{shape.index}"))
            case kind:
                raise Unsupported(f"a shape of the kind {kind}")

    def add_loops(self):
        solver = self.world.getConstraintSolver()
        for loop in self.scene.loops:
            nodes = [self.bodies[k] for k in (loop.a, loop.b) if k >= 0]
            at = loop.pointA if loop.a < 0 else self.bodies[loop.a].getTransform().matrix() @ [*loop.pointA, 1]
            solver.addConstraint(dartpy.constraint.BallJointConstraint(*nodes, at[:3]))

    def read_file(self, file):
        """The robot by DART's own reader, which leaves a root afloat unless told otherwise; the ground is that of the scene."""
        utils, uri = dartpy.utils, dartpy.common.Uri.createFromPath(file)
        floats = any(body.joint.kind == "floating" for body in self.scene.bodies)
        if file.endswith(".xml"):
            read = utils.MjcfParser.readWorld(uri)
            self.skeletons = [read.getSkeleton(k).clone() for k in range(read.getNumSkeletons())] if read else []
        elif file.endswith((".sdf", ".world")):
            self.skeletons = [utils.SdfParser.readSkeleton(uri)]
        else:
            root = utils.DartLoaderRootJointType
            options = utils.DartLoaderOptions()
            options.mDefaultRootJointType = root.FLOATING if floats else root.FIXED
            loader = utils.DartLoader()
            loader.setOptions(options)
            self.skeletons = [loader.parseSkeleton(uri)]
        if not self.skeletons or self.skeletons[0] is None:
            raise Unsupported("the file, which DART's reader does not read")
        for body in self.scene.bodies:
            kind, name = body.joint.kind, body.joint.name.split("/")[-1]
            link = body.name.split("/")[-1]
            joints = [own for own in (one.getJoint(name) for one in self.skeletons) if own]
            links = [own for own in (one.getBodyNode(link) for one in self.skeletons) if own]
            if kind in ("revolute", "prismatic") and not joints:
                raise Unsupported(f'the joint "{name}", which its reader does not have')
            if kind == "floating" and (not links or links[0].getParentBodyNode() is not None):
                raise Unsupported(f'the link "{link}" as a root, which its reader does not have')
            self.bodies.append(links[0] if links else None)
            self.joints.append(joints[0] if joints else links[0].getParentJoint() if links else None)

    # --- the state ---

    def find_places(self):
        """Which numbers of the scene a skeleton's are."""
        self.free = [
            (joint, node, body.joint.q, body.joint.v, body.given)
            for joint, node, body in zip(self.joints, self.bodies, self.scene.bodies)
            if body.joint.kind == "floating"
        ]
        self.given = [joint for joint, _, _, _, given in self.free if given]
        self.trees = []
        for skeleton in self.skeletons:
            name = skeleton.getName()
            here, q_here, q_there, there, is_given = [], [], [], [], False
            for joint, body in zip(self.joints, self.scene.bodies):
                if joint is None or body.joint.v < 0 or joint.getSkeleton().getName() != name:
                    continue
                first = joint.getIndexInSkeleton(0)
                there += range(first, first + joint.getNumDofs())
                here += range(body.joint.v, body.joint.v + joint.getNumDofs())
                if body.joint.kind != "floating":
                    q_there.append(first)
                    q_here.append(body.joint.q)
                is_given = is_given or body.given
            numbers = [np.array(list, int) for list in (here, there, q_here, q_there)]
            self.trees.append((skeleton, np.zeros(skeleton.getNumDofs()), is_given, *numbers))

    def write(self, q, v):
        for joint, _, at, _, _ in self.free:
            joint.setTransform(dartpy.math.Isometry3(rotation(q[at + 3 : at + 7]), q[at : at + 3]))
        for skeleton, _, _, here, there, q_here, q_there in self.trees:
            positions, velocities = skeleton.getPositions(), skeleton.getVelocities()
            positions[q_there], velocities[there] = q[q_here], v[here]
            skeleton.setPositions(positions)
            skeleton.setVelocities(velocities)
        for joint, body in zip(self.joints, self.scene.bodies):
            follows = body.joint.follows
            if follows is not None and joint is not None:
                lead = self.scene.bodies[follows.body].joint
                joint.setPosition(0, follows.ratio * q[lead.q] + follows.offset)
                joint.setVelocity(0, follows.ratio * v[lead.v])

    def read(self):
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        for skeleton, _, _, here, there, q_here, q_there in self.trees:
            q[q_here], v[here] = skeleton.getPositions()[q_there], skeleton.getVelocities()[there]
        for _, node, at, _, _ in self.free:
            pose = node.getTransform()
            q[at : at + 3] = pose.translation()
            q[at + 3 : at + 7] = np.roll(pose.quaternion().wxyz(), -1)
        return q, v

    def step(self, efforts, given):
        for joint, motion in zip(self.given, given):
            joint.setTransform(dartpy.math.Isometry3(rotation(motion[3:7]), motion[:3]))
            joint.setCommands(motion[7:])
        for skeleton, forces, is_given, here, there, _, _ in self.trees:
            if not is_given and there.size:
                forces[there] = efforts[here]
                skeleton.setForces(forces)
        self.world.step(True)

    def contacts(self):
        return self.world.getLastCollisionResult().getNumContacts()


def isometry(placed):
    return dartpy.math.Isometry3(rotation(placed.quaternion), placed.position)


def mesh_of(path):
    """DART reads a mesh for a robot's file only."""
    text = f'<robot name="m"><link name="l"><collision><geometry><mesh filename="file://{path}"/></geometry></collision></link></robot>'
    skeleton = dartpy.utils.DartLoader().parseSkeletonString(text, dartpy.common.Uri(""), dartpy.common.LocalResourceRetriever())
    return skeleton.getBodyNode(0).getShapeNode(0).getShape()


serve(Engine)
