"""DART's World: `World.step`, which integrates semi-implicitly; bodies are skeletons, one a tree."""

import itertools

import dartpy
import numpy as np
from dartpy import dynamics
from dartpy.dynamics import ActuatorType, MimicConstraintType
from featherbed_engine import Engine, Places, Unsupported, last_of, mesh_file, rotation, serve

# a body's mass is never 0 [kg, kg m2]
LEAST_MASS, LEAST_INERTIA = 1e-9, 1e-12
KINDS = {"fixed": "Weld", "revolute": "Revolute", "prismatic": "Prismatic", "floating": "Free"}


def isometry(placed):
    return dartpy.math.Isometry3(placed.R, placed.position)


def isometry_of(pose):
    return dartpy.math.Isometry3(rotation(pose[3:]), pose[:3])


def mesh_of(own, name):
    """DART reads a mesh for a robot's file only."""
    path = mesh_file(own, name)
    text = f'<robot name="m"><link name="l"><collision><geometry><mesh filename="file://{path}"/></geometry></collision></link></robot>'
    skeleton = dartpy.utils.DartLoader().parseSkeletonString(text, dartpy.common.Uri(""), dartpy.common.LocalResourceRetriever())
    return skeleton.getBodyNode(0).getShapeNode(0).getShape()


class Dart(Engine):
    holds = ["damping", "friction", "springs", "joint limits"]
    SHAPES = {
        "sphere": lambda own, _: dynamics.SphereShape(own.radius),
        "ellipsoid": lambda own, _: dynamics.EllipsoidShape(2 * np.array(own.radii)),
        "box": lambda own, _: dynamics.BoxShape(own.size),
        "capsule": lambda own, _: dynamics.CapsuleShape(own.radius, own.length),
        "cylinder": lambda own, _: dynamics.CylinderShape(own.radius, own.length),
        "halfspace": lambda own, _: dynamics.PlaneShape(own.normal, float(own.offset)),
        "hull": mesh_of,
        "mesh": mesh_of,
    }

    def __init__(self, scene, options):
        super().__init__(scene, options)
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
        self.skeletons = []
        self.bodies, self.joints, self.nodes = {}, {}, {}  # nodes are those of each shape
        self.add_fixtures()
        self.load()
        for skeleton in self.skeletons:
            world.addSkeleton(skeleton)
        self.find_places()
        self.write(scene.q, scene.v)
        self.add_loops()

    # --- the scene ---

    def add_fixtures(self):
        """Every shape of the world is a body, for rules on pairs of shapes are rules on pairs of bodies here."""
        ground = dynamics.Skeleton("fixtures")
        for shape in self.scene.fixtures:
            joint, body = ground.createWeldJointAndBodyNodePair()
            body.setName(f"fixture {shape.index}")
            self.add_shape(body, shape)
        ground.setMobile(False)
        self.world.addSkeleton(ground)

    def build(self):
        scene = self.scene
        for k, body in enumerate(scene.bodies):
            if body.parent < 0:
                skeleton = dynamics.Skeleton(f"tree {k}")
                skeleton.enableSelfCollisionCheck()
                skeleton.enableAdjacentBodyCheck()
                self.skeletons.append(skeleton)
            self.join(k, body)
            for shape in body.shapes:
                self.add_shape(self.node_of(k, body, shape), shape)
        for k, body in enumerate(scene.bodies):
            if body.joint.follows:
                self.couple(self.joints[k], body.joint)
        filter = self.world.getConstraintSolver().getCollisionOption().collisionFilter
        of_one_body = [(a.index, b.index) for body in scene.bodies for a, b in itertools.combinations(body.shapes, 2)]
        for a, b in [*scene.apart, *of_one_body]:
            if self.nodes[a].getName() != self.nodes[b].getName():
                filter.addBodyNodePairToBlackList(self.nodes[a], self.nodes[b])

    def node_of(self, k, body, shape):
        """The body's, or one welded to it for a shape with a rule of its own."""
        if len(body.shapes) == 1 or shape.index not in self.scene.alone:
            return self.bodies[k]
        joint, node = self.bodies[k].getSkeleton().createWeldJointAndBodyNodePair(self.bodies[k])
        node.setName(f"shape {shape.index}")
        node.setInertia(dynamics.Inertia(LEAST_MASS, [0, 0, 0], LEAST_INERTIA * np.eye(3)))
        return node

    def join(self, k, body):
        joint = body.joint
        parent = () if body.parent < 0 else (self.bodies[body.parent],)
        skeleton = self.bodies[body.parent].getSkeleton() if parent else self.skeletons[-1]
        own, node = getattr(skeleton, f"create{KINDS[joint.kind]}JointAndBodyNodePair")(*parent)
        own.setName(f"joint {k}")
        node.setName(f"body {k}")
        if not joint.floats:
            own.setTransformFromParentBodyNode(isometry(body))
        if joint.turns or joint.slides:
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
        mass, moments = (1.0, np.eye(3)) if body.given else (max(body.mass, LEAST_MASS), body.moments)
        node.setInertia(dynamics.Inertia(mass, body.center, moments if moments.any() else LEAST_INERTIA * np.eye(3)))
        self.bodies[k], self.joints[k] = node, own

    def couple(self, own, joint):
        """DART's coupler, which acts on both joints."""
        follows = joint.follows
        if abs(follows.ratio) > 1:
            raise Unsupported("a joint that follows another by a ratio above 1: DART's coupler blows up")
        mimic = dynamics.MimicDofProperties()
        mimic.mReferenceJoint = self.joints[follows.body]
        mimic.mReferenceDofIndex = 0
        mimic.mMultiplier, mimic.mOffset = follows.ratio, follows.offset
        mimic.mConstraintType = MimicConstraintType.Coupler
        told = getattr(own, f"get{KINDS[joint.kind]}JointProperties")()
        told.mMimicDofProps = [mimic]
        told.mActuatorType = ActuatorType.MIMIC
        own.setProperties(told)

    def add_shape(self, body, shape):
        node = body.createShapeNode(self.shape_of(shape, f"shape{shape.index}"))
        node.createCollisionAspect()
        surface = node.createDynamicsAspect()
        surface.setFrictionCoeff(shape.friction)
        surface.setRestitutionCoeff(shape.restitution)
        node.setRelativeTransform(isometry(shape))
        self.nodes[shape.index] = body

    def add_loops(self):
        solver = self.world.getConstraintSolver()
        for loop in self.scene.loops:
            nodes = [self.bodies[k] for k in (loop.a, loop.b) if k >= 0]
            at = loop.pointA if loop.a < 0 else self.bodies[loop.a].getTransform().matrix() @ [*loop.pointA, 1]
            solver.addConstraint(dartpy.constraint.BallJointConstraint(*nodes, at[:3]))

    def read_file(self, file):
        """The robot by DART's own reader, which leaves a root afloat unless told otherwise; the ground is that of the scene."""
        utils, uri = dartpy.utils, dartpy.common.Uri.createFromPath(file)
        if file.endswith(".xml"):
            read = utils.MjcfParser.readWorld(uri)
            self.skeletons = [read.getSkeleton(k).clone() for k in range(read.getNumSkeletons())] if read else []
        elif file.endswith((".sdf", ".world")):
            self.skeletons = [utils.SdfParser.readSkeleton(uri)]
        else:
            root = utils.DartLoaderRootJointType
            options = utils.DartLoaderOptions()
            options.mDefaultRootJointType = root.FLOATING if self.free else root.FIXED
            loader = utils.DartLoader()
            loader.setOptions(options)
            self.skeletons = [loader.parseSkeleton(uri)]
        if not self.skeletons or self.skeletons[0] is None:
            raise Unsupported("the file, which DART's reader does not read")
        links = {node.getName(): node for one in self.skeletons for node in reversed(one.getBodyNodes())}
        self.joints = self.named({joint.getName(): joint for one in self.skeletons for joint in reversed(one.getJoints())})
        for body in self.free:
            name = last_of(body.name)
            if name not in links or links[name].getParentBodyNode() is not None:
                raise Unsupported(f'the link "{name}" as a root, which its reader does not have')
            self.bodies[body.index] = links[name]
            self.joints[body.index] = links[name].getParentJoint()

    # --- the state ---

    def find_places(self):
        """Which numbers of the scene a skeleton's are."""
        first = {k: joint.getIndexInSkeleton(0) for k, joint in self.joints.items() if joint.getNumDofs() > 0}
        self.trees = []
        for skeleton in self.skeletons:
            own = [k for k in first if self.joints[k].getSkeleton().getName() == skeleton.getName()]
            free = [body for body in self.free if body.index in own]
            self.trees.append((skeleton, Places(self.scene, {k: (first[k], first[k]) for k in own}), free))

    def write(self, q, v):
        for body in self.free:
            self.joints[body.index].setTransform(isometry_of(q[body.joint.at]))
        for skeleton, places, free in self.trees:
            positions, velocities = skeleton.getPositions(), skeleton.getVelocities()
            places.write(q, v, positions, velocities)
            for body in free:
                velocities[places.slices[body.index][1]] = v[body.joint.dof]
            skeleton.setPositions(positions)
            skeleton.setVelocities(velocities)

    def read_joints(self, q, v):
        for skeleton, places, _ in self.trees:
            places.read(skeleton.getPositions(), skeleton.getVelocities(), q, v)

    def pose_of(self, body):
        node = self.bodies[body.index]
        pose = node.getTransform()
        return [*pose.translation(), *np.roll(pose.quaternion().wxyz(), -1)], self.joints[body.index].getVelocities()

    def put(self, body, pose, velocity):
        self.joints[body.index].setTransform(isometry_of(pose))
        self.joints[body.index].setCommands(velocity)

    def step(self, efforts, given):
        self.move(given)
        for skeleton, places, free in self.trees:
            if not any(body.given for body in free):
                forces = np.zeros(skeleton.getNumDofs())
                forces[places.v_there] = efforts[places.v]
                for body in free:
                    forces[places.slices[body.index][1]] = efforts[body.joint.dof]
                skeleton.setForces(forces)
        self.world.step(True)

    def contacts(self):
        return self.world.getLastCollisionResult().getNumContacts()


serve(Dart)
