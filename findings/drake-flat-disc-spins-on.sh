#!/usr/bin/env bash
# Guess: a disc of 10 cm that spins flat on the floor at 10 rad/s, friction 0.5, is stopped by 2/3 mu m g R after 0.153 s; by a single point of contact at its rim after 0.102 s.
# Seen, drake 1.51.1: on a Box as floor it is stopped in 0.03 s. On a HalfSpace it is never slowed, by none of the four discrete approximations: it still has 10 rad/s after 10 s. Set
# down a milliradian from flat, it stops in less than 0.1 s. On a HalfSpace a box or a cylinder of any size that is less than 0.447 mrad from flat (1 - cos < 1e-7) has its one
# point of contact under its middle, where friction has no lever, and above that at its lowest corner or rim.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check drake==1.51.1
cat > disc.py <<'PY'
import importlib.metadata
import math

import numpy as np
from pydrake.geometry import Box, Cylinder, HalfSpace
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, DiscreteContactApproximation
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

mu, dt, radius, height, spin = 0.5, 0.001, 0.1, 0.02, 10.0


def spins(floor, tilt, duration, shape=Cylinder(radius, height), approximation=None):
    """Distance of the first point of contact from the middle [m] and the spin after each step [rad/s] of a disc, or of a box of its size."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, dt)
    if approximation:
        plant.set_discrete_contact_approximation(approximation)
    friction = CoulombFriction(mu, mu)
    ground, place = (HalfSpace(), RigidTransform()) if floor == "HalfSpace" else (Box(4, 4, 1), RigidTransform([0, 0, -0.5]))
    plant.RegisterCollisionGeometry(plant.world_body(), place, ground, "floor", friction)
    body = plant.AddRigidBody("disc", SpatialInertia.SolidCylinderWithMass(1, radius, height, [0, 0, 1]))
    plant.RegisterCollisionGeometry(body, RigidTransform(), shape, "shape", friction)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, body, RigidTransform(RotationMatrix.MakeYRotation(tilt), [0, 0, height / 2 - 1e-5]))
    plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity([0, 0, spin], [0, 0, 0]))
    results = plant.get_contact_results_output_port()
    found = []
    for k in range(round(duration / dt)):
        simulator.AdvanceTo((k + 1) * dt)
        if k == 0:
            contacts = results.Eval(context)
            points = [contacts.point_pair_contact_info(i).contact_point() for i in range(contacts.num_point_pair_contacts())]
            assert len(points) == 1
            lever = np.hypot(*points[0][:2])
        found.append(plant.EvalBodySpatialVelocityInWorld(context, body).rotational()[2])
    return lever, np.array(found)


print("drake", importlib.metadata.version("drake"))
flat = 3 * radius * spin / (4 * mu * 9.81)
print(f"expected of a disc on its whole face: stopped after {flat:.3f} s; of a point at the rim: {flat * 2 / 3:.3f} s")
for floor, tilt in [("Box", 0.0), ("HalfSpace", 0.0), ("HalfSpace", 0.001)]:
    lever, rates = spins(floor, tilt, 10)
    slow = np.flatnonzero(rates < spin / 100)
    stop = (slow[0] + 1) * dt if len(slow) else math.inf
    print(f"{floor}, {1000 * tilt:g} mrad from flat: point of contact {1000 * lever:.1f} mm from the middle, 1 % left after {stop:.3f} s, {rates[-1]:.4f} rad/s after 10 s")
    if floor == "HalfSpace" and tilt == 0:
        assert lever == 0 and abs(rates[-1] - spin) < 1e-6
    else:
        assert lever > 0.04 and stop < 0.1 and rates[-1] < 0.01
for name in ["kTamsi", "kSimilar", "kSap"]:
    _, rates = spins("HalfSpace", 0.0, 1, approximation=getattr(DiscreteContactApproximation, name))
    print(f"HalfSpace, flat, {name}: {rates[-1]:.4f} rad/s after 1 s")
    assert abs(rates[-1] - spin) < 1e-6
for size in [0.01, 1.0]:
    for shape, rim in [(Cylinder(size, height), size), (Box(2 * size, 2 * size, height), size * math.sqrt(2))]:
        below, above = [spins("HalfSpace", tilt, dt, shape)[0] for tilt in [0.00044, 0.00046]]
        print(f"{type(shape).__name__} of {size:g} m: point of contact {below:.5f} m from the middle at 0.44 mrad, {above:.5f} m at 0.46 mrad")
        assert below < 1e-5 and abs(above / rim - 1) < 0.01
PY
venv/bin/python disc.py
