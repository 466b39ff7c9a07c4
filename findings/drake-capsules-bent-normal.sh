#!/usr/bin/env bash
# Guess: two capsules that overlap at their ends touch as the two balls there do: the normal is the line between the ends' centres, the depth is 2 r less their distance.
# Seen, drake 1.51.1: the normal of ComputePointPairPenetration, which point contact acts along, is turned from it toward the line between the capsules' middles, at every depth:
# by 7 degrees where one is bent by 17 against the other, by 34 where they make an L, by up to 51 where they are parallel and one begins beside the other's end; the depth is up to
# a third too much. The force of point contact, without friction, is turned by as much. Right are capsules in one line and side by side, a ball against a capsule, and
# ComputeSignedDistancePairwiseClosestPoints of the same query object.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check drake==1.51.1
cat > ends.py <<'PY'
import importlib.metadata
import math

import numpy as np
from pydrake.geometry import Capsule, FramePoseVector, GeometryFrame, GeometryInstance, ProximityProperties, SceneGraph, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

radius, length = 0.05, 0.4


def pair(shape, pose):
    """Depth and normal against an upright capsule whose upper end has its centre in the origin; signed distance."""
    graph = SceneGraph()
    source, poses = graph.RegisterSource("source"), FramePoseVector()
    for name, form, place in [("post", Capsule(radius, length), RigidTransform([0, 0, -length / 2])), ("other", shape, pose)]:
        frame = graph.RegisterFrame(source, GeometryFrame(name))
        instance = GeometryInstance(RigidTransform(), form, name)
        instance.set_proximity_properties(ProximityProperties())
        graph.RegisterGeometry(source, frame, instance)
        poses.set_value(frame, place)
    context = graph.CreateDefaultContext()
    graph.get_source_pose_port(source).FixValue(context, poses)
    query = graph.get_query_output_port().Eval(context)
    (hit,) = query.ComputePointPairPenetration()
    (near,) = query.ComputeSignedDistancePairwiseClosestPoints()
    return hit.depth, np.asarray(hit.nhat_BA_W), near.distance


def capsule(centre, bend):
    """A capsule whose lower (or left) end has its given centre, its axis bent from the vertical by an angle."""
    axis = np.array([math.sin(bend), 0, math.cos(bend)])
    return Capsule(radius, length), RigidTransform(RotationMatrix.MakeYRotation(bend), np.array(centre) + length / 2 * axis)


print("drake", importlib.metadata.version("drake"))
seen = {}
for depth in [0.001, 0.03]:
    gap = 2 * radius - depth
    aside = [0.06, 0, math.sqrt(gap**2 - 0.06**2)]
    for name, centre, scene in [
        ("in one line", [0, 0, gap], capsule([0, 0, gap], 0)),
        ("bent by 17 degrees", [0, 0, gap], capsule([0, 0, gap], 0.3)),
        ("bent by 45 degrees", [0, 0, gap], capsule([0, 0, gap], math.pi / 4)),
        ("an L", [0, 0, gap], capsule([0, 0, gap], math.pi / 2)),
        ("upright, past the end", aside, capsule(aside, 0)),
        ("side by side", [gap, 0, 0], capsule([gap, 0, -length / 2], 0)),
        ("a ball past the end", aside, (Sphere(radius), RigidTransform(aside))),
    ]:
        found, normal, distance = pair(*scene)
        off = math.degrees(math.acos(min(1, abs(normal @ np.array(centre)) / gap)))
        seen[name, depth] = round(off), round(100 * (found / depth - 1))
        print(f"{name}: {1000 * depth:g} mm deep, normal {off:.1f} degrees off, depth {found / depth:.3f} of it, signed distance {1000 * distance:.3f} mm")
        assert abs(distance + depth) < 2e-6
assert seen == {
    ("in one line", 0.001): (0, 0), ("bent by 17 degrees", 0.001): (7, 1), ("bent by 45 degrees", 0.001): (18, 5), ("an L", 0.001): (34, 20),
    ("upright, past the end", 0.001): (30, 15), ("side by side", 0.001): (0, 0), ("a ball past the end", 0.001): (0, 0),
    ("in one line", 0.03): (0, 0), ("bent by 17 degrees", 0.03): (7, 1), ("bent by 45 degrees", 0.03): (19, 4), ("an L", 0.03): (37, 16),
    ("upright, past the end", 0.03): (51, 33), ("side by side", 0.03): (0, 0), ("a ball past the end", 0.03): (0, 0),
}, seen

builder = DiagramBuilder()
plant, _ = AddMultibodyPlantSceneGraph(builder, 0.001)
slick = CoulombFriction(0, 0)
body = plant.AddRigidBody("other", SpatialInertia.SolidCapsuleWithMass(1, radius, length, [0, 0, 1]))
plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform([0, 0, -length / 2]), Capsule(radius, length), "post", slick)
plant.RegisterCollisionGeometry(body, RigidTransform(), Capsule(radius, length), "other", slick)
plant.Finalize()
simulator = Simulator(builder.Build())
context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
plant.SetFreeBodyPose(context, body, capsule([0, 0, 2 * radius - 0.001], math.pi / 2)[1])
simulator.AdvanceTo(0.001)
force = plant.get_contact_results_output_port().Eval(context).point_pair_contact_info(0).contact_force()
lean = math.degrees(math.atan2(math.hypot(force[0], force[1]), force[2]))
print(f"an L, 1 mm deep, without friction: its force leans by {lean:.1f} degrees")
assert 33 < lean < 35
PY
venv/bin/python ends.py
