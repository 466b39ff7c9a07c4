"""Logs of docs/examples/identify: MuJoCo moves the arm with friction, rotors and a payload that its file lacks, and sensors add noise.

Run: /path/to/python-with-mujoco test/oracle/armLogs.py
"""

from math import cos, pi, sin
from pathlib import Path

import mujoco
import numpy as np

FOLDER = Path(__file__).parents[2] / "docs/examples/identify"
JOINTS = ("turn", "shoulder", "elbow")
# truth: rotor inertia [kg m^2], dry friction [N m], viscous friction [N m s/rad], and the payload [kg] at a place of the flange [m]
ROTOR = (0.12, 0.15, 0.04)
DRY = (0.9, 1.4, 0.5)
VISCOUS = (0.6, 0.8, 0.25)
PAYLOAD, PLACE, INERTIA = 0.85, (0.06, 0, 0), (0.001, 0.001, 0.001)
# noise: standard deviations of encoders [rad] and of torque sensors, about a hundredth of each joint's largest [N m]
ENCODER = 1e-4
TORQUE = (0.25, 0.45, 0.15)
# a law that the robot's computer evaluates every millisecond; MuJoCo takes five steps in between
KP = (200, 300, 100)
KD = (15, 20, 6)
STEP, STEPS, EVERY, SAMPLES = 2e-4, 5, 5, 300
RUNS = 8


def arm():
    spec = mujoco.MjSpec.from_file(str(FOLDER / "arm.xml"))
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    for name, rotor, dry, viscous in zip(JOINTS, ROTOR, DRY, VISCOUS):
        joint = spec.joint(name)
        joint.armature, joint.frictionloss, joint.damping = rotor, dry, [viscous, 0, 0]
        # dry friction as hard as the step resolves
        joint.solref_friction, joint.solimp_friction = [2 * STEP, 1], [0.9999, 0.9999, 0.001, 0.5, 2]
    body = spec.body("flange").add_body(name="payload", pos=PLACE)
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = PAYLOAD, (0, 0, 0), INERTIA
    return spec.compile()


def excitation(random):
    """Per joint: start [rad], an amplitude and a frequency, slow [rad, Hz] and fast."""
    start = [random.uniform(-1, 1), random.uniform(-0.6, 0.3), random.uniform(0.2, 1)]
    return [
        (q, random.choice([-1, 1]) * random.uniform(0.2, 0.4), random.uniform(0.6, 1.2), random.uniform(0.03, 0.06), random.uniform(2.2, 3.4))
        for q in start
    ]


def reference(joint, t):
    q, a, f, b, g = joint
    wanted = q + a * (1 - cos(2 * pi * f * t)) + b * (1 - cos(2 * pi * g * t))
    return wanted, 2 * pi * (a * f * sin(2 * pi * f * t) + b * g * sin(2 * pi * g * t))


def run(model, joints, random):
    data = mujoco.MjData(model)
    data.qpos[:] = [joint[0] for joint in joints]
    rows = []
    for k in range(EVERY * (SAMPLES - 1) + 1):
        # torques are those of the millisecond before; before the first the brakes hold the arm
        if k % EVERY == 0:
            q = data.qpos + random.normal(0, ENCODER, 3)
            tau = data.qfrc_applied + random.normal(0, TORQUE) * (k > 0)
            rows.append([f"{1e-3 * k:.3f}", *(f"{x:.5f}" for x in q), *(f"{x:.3f}" for x in tau)])
        wanted = np.array([reference(joint, 1e-3 * k) for joint in joints])
        data.qfrc_applied[:] = KP * (wanted[:, 0] - data.qpos) + KD * (wanted[:, 1] - data.qvel)
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
    return rows


def main():
    random = np.random.default_rng(7)
    model = arm()
    columns = [f"{name}{k}" for k in (1, 2, 3) for name in "qafbg"]
    runs = [",".join(["log", *columns])]
    for i in range(1, RUNS + 1):
        joints = [tuple(round(x, 3) for x in joint) for joint in excitation(random)]
        rows = run(model, joints, random)
        head = ["t", *JOINTS, *(f"{name}_tau" for name in JOINTS)]
        (FOLDER / f"run{i}.csv").write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
        runs.append(",".join([f"run{i}.csv", *(str(x) for joint in joints for x in joint)]))
    (FOLDER / "runs.csv").write_text("\n".join(runs) + "\n")


main()
