#!/usr/bin/env bash
# Guess: a hinge with damping d and dry friction f (setDampingCoefficient, setCoulombFriction) under a torque tau comes to the speed (tau - f) / d; DART takes damping implicitly,
# so at any step.
# Seen, dartpy 6.20.0: it comes to (tau - f (1 + h d / I)) / d, with h the step and I the inertia about the axis. With damping alone or friction alone the speed is that of implicit Euler to the last digits. Where damping times step is far below the inertia, nothing is seen: with
# 0.75 N m s/rad, 1 ms and a finger of 1e-4 kg m2 friction of 0.1 N m acts as 0.85.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check dartpy==6.20.0
cd "$work"
venv/bin/python - <<'END_OF_PYTHON'
import importlib.metadata as md

import dartpy
import numpy as np

h, tau = 1e-3, 1.0
print("dartpy", md.version("dartpy"))


def speed(damping, friction, inertia, duration):
    world = dartpy.simulation.World()
    world.setTimeStep(h)
    world.setGravity([0, 0, 0])
    arm = dartpy.dynamics.Skeleton("arm")
    hinge, body = arm.createRevoluteJointAndBodyNodePair()
    hinge.setAxis([0, 0, 1])
    hinge.setDampingCoefficient(0, damping)
    hinge.setCoulombFriction(0, friction)
    body.setInertia(dartpy.dynamics.Inertia(1.0, [0, 0, 0], inertia * np.eye(3)))
    world.addSkeleton(arm)
    for _ in range(round(duration / h)):
        arm.setForces([tau])
        world.step(True)
    return arm.getVelocities()[0]


for inertia, damping, friction in [(1e-4, 0.75, 0.0), (1e-4, 0.75, 0.1), (1e-3, 0.75, 0.1), (1e-3, 0.75, 0.4), (1e-2, 0.75, 0.1), (1e-2, 0.0, 0.1)]:
    duration = 2.0 if damping else 0.1
    seen = speed(damping, friction, inertia, duration)
    nature = (tau - friction) / damping if damping else (tau - friction) * duration / inertia
    grown = (tau - friction * (1 + h * damping / inertia)) / damping if damping else nature
    print(f"inertia {inertia:g} kg m2, damping {damping:g}, friction {friction:g} N m: {seen:.6f} rad/s; expected {nature:.6f}, with friction grown by 1 + h d / I {grown:.6f}")
    assert abs(seen - grown) < 1e-5 * abs(grown)
END_OF_PYTHON
