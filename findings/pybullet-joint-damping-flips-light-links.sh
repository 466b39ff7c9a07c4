#!/usr/bin/env bash
# Guess: jointDamping of changeDynamics slows a light link at any damping and step, as in engines that take the damping of joints implicitly (MuJoCo, Drake, DART, PhysX).
# Seen, pybullet 3.2.7: a step multiplies the speed by 1 - h d / I, with h the step, d the damping and I the inertia about the axis: the torque of damping is that of the speed
# before. Above h d / I = 2 the speed changes sign with each step and grows, until it goes from 100 to -100 rad/s (maxJointVelocity, 100 by default) for ever, with finite numbers and
# no word. A finger of 1e-4 kg m2 with 0.75 N m s/rad, as hands have it in files made for MuJoCo, is there at 1 ms (7.5).
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$work"
venv/bin/python - <<'END_OF_PYTHON'
import importlib.metadata as md

import pybullet as p

h = 1e-3
print("pybullet", md.version("pybullet"))
p.connect(p.DIRECT)


def coasting(damping, inertia, steps):
    p.resetSimulation()
    p.setTimeStep(h)
    arm = p.createMultiBody(
        baseMass=0, linkMasses=[1.0], linkCollisionShapeIndices=[-1], linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 0]],
        linkOrientations=[[0, 0, 0, 1]], linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0], linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[[0, 0, 1]],
    )
    p.changeDynamics(arm, 0, localInertiaDiagonal=[inertia] * 3, jointDamping=damping, linearDamping=0, angularDamping=0)
    p.setJointMotorControl2(arm, 0, p.VELOCITY_CONTROL, force=0)
    p.resetJointState(arm, 0, 0, 1.0)
    speeds = [1.0]
    for _ in range(steps):
        p.stepSimulation()
        speeds.append(p.getJointState(arm, 0)[1])
    return speeds


for damping, inertia in [(0.05, 1e-3), (0.75, 1e-3), (0.15, 1e-4), (0.75, 1e-4)]:
    seen = coasting(damping, inertia, 50)
    factor = 1 - h * damping / inertia
    print(f"h d / I = {1 - factor:g}: {', '.join(f'{v:.4g}' for v in seen[:6])} ... {seen[-1]:.4g} rad/s; implicit: {', '.join(f'{(2 - factor) ** -k:.3g}' for k in range(6))}")
    assert abs(seen[1] - factor) < 1e-9 and abs(seen[2] - factor**2) < 1e-9
    if factor < -1:
        assert {round(abs(v)) for v in seen[-10:]} == {100} and seen[-1] * seen[-2] < 0
END_OF_PYTHON
