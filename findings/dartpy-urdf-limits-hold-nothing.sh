#!/usr/bin/env bash
# Guess: the <limit> of a joint that DartLoader reads from a URDF stops it at lower and upper, and bounds its effort.
# Seen, dartpy 6.20.0: the skeleton states all four numbers and none acts on a joint that forces move: with lower="-1" upper="1" effort="0.05" velocity="0.5", 0.1 N m on 0.02 kg m2 turn it
# to 10 rad in 2 s, at 10 rad/s. joint.setLimitEnforcement(True) switches range and velocity on together, and not the effort: that bounds what setCommands gives, with or
# without the call, and never what setForces gives. MuJoCo 4.0.0 stops the same file's joint at 1 rad.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check dartpy==6.20.0 mujoco==4.0.0
cat > "$work/arm.urdf" <<'END'
<robot name="r">
  <link name="world"/>
  <joint name="j" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="UPPER" effort="0.05" velocity="VELOCITY"/></joint>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
</robot>
END
cd "$work"
venv/bin/python - <<'END'
import importlib.metadata
import os

import dartpy
import mujoco

text, torque = open("arm.urdf").read(), 0.1


def turn(upper, velocity, enforce, by):
    """Angle and velocity after 2 s of 0.1 N m."""
    name = f"arm-{upper}-{velocity}.urdf"
    open(name, "w").write(text.replace("UPPER", str(upper)).replace("VELOCITY", str(velocity)))
    arm = dartpy.utils.DartLoader().parseSkeleton(os.path.abspath(name))
    stated = [float(f()[0]) for f in (arm.getPositionLowerLimits, arm.getPositionUpperLimits, arm.getForceUpperLimits, arm.getVelocityUpperLimits)]
    assert stated == [-1, upper, 0.05, velocity], stated
    world = dartpy.simulation.World()
    world.setGravity([0, 0, 0])
    world.setTimeStep(0.001)
    world.addSkeleton(arm)
    if enforce:
        arm.getJoint(0).setLimitEnforcement(True)
    for _ in range(2000):
        getattr(arm, by)([torque])
        world.step()
    return float(arm.getPositions()[0]), float(arm.getVelocities()[0])


print("dartpy", importlib.metadata.version("dartpy"), "mujoco", mujoco.__version__)
seen = {}
for upper, velocity, enforce, by in [
    (1.0, 0.5, False, "setForces"), (1.0, 50.0, True, "setForces"), (100.0, 0.5, True, "setForces"), (100.0, 50.0, True, "setForces"),
    (100.0, 50.0, True, "setCommands"), (100.0, 50.0, False, "setCommands"),
]:
    angle, rate = turn(upper, velocity, enforce, by)
    seen[upper, velocity, enforce, by] = round(angle, 2), round(rate, 2)
    print(f"upper {upper:g}, velocity {velocity:g}, effort 0.05, {'enforced' if enforce else 'as loaded'}, 0.1 N m by {by}: after 2 s at {angle:.3f} rad, {rate:.3f} rad/s")
model = mujoco.MjModel.from_xml_path("arm-1.0-0.5.urdf")
model.opt.gravity[:] = 0
data = mujoco.MjData(model)
while data.time < 2:
    data.qfrc_applied[0] = torque
    mujoco.mj_step(model, data)
print(f"mujoco, as loaded: after 2 s at {data.qpos[0]:.3f} rad")
assert abs(data.qpos[0] - 1) < 0.001
expected = {
    (1, 0.5, False, "setForces"): (10.0, 10), (1, 50, True, "setForces"): (1, 0), (100, 0.5, True, "setForces"): (0.98, 0.5),
    (100, 50, True, "setForces"): (10.0, 10), (100, 50, True, "setCommands"): (5, 5), (100, 50, False, "setCommands"): (5, 5),
}
assert seen == expected, seen
END
