#!/usr/bin/env bash
# Guess: a <limit> of URDF with `lower` and no `upper` stops at 0, the default of URDF, or has no upper stop.
# Seen, pybullet 3.2.7: the upper limit is -1. A joint with lower="-2", pushed up from -2, stops at -1; one with lower="-0.5" has no limits at all, as
# lower is then above upper, which means so in Bullet: pushed down it is at -3.6 rad after 4 s. Nothing is printed.
# (Each file has a name of its own: loadURDF keeps a file by its name, and does not read it again.)
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 pybullet==3.2.7
cat > "$work/arm.urdf" <<'END'
<robot name="r">
  <link name="base"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="LOWER" effort="5" velocity="2"/></joint>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
</robot>
END
cd "$work"
venv/bin/python - <<'END'
import importlib.metadata, pybullet as p
print("pybullet", importlib.metadata.version("pybullet"))
p.connect(p.DIRECT)
text, seen = open("arm.urdf").read(), {}
for lower, start, torque, expected in ((-2.0, -2.0, 0.01, "0"), (-0.5, 0.0, -0.01, "-0.5")):
    name = f"arm{-lower}.urdf"
    open(name, "w").write(text.replace("LOWER", str(lower)))
    r = p.loadURDF(name, useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    p.resetJointState(r, 0, start)
    p.setJointMotorControl2(r, 0, p.VELOCITY_CONTROL, force=0)
    for _ in range(960):
        p.setJointMotorControl2(r, 0, p.TORQUE_CONTROL, force=torque)
        p.stepSimulation()
    limits, q = p.getJointInfo(r, 0)[8:10], p.getJointState(r, 0)[0]
    seen[lower] = limits, round(q, 1)
    print(f"lower={lower}: limits {limits}; from {start} with {torque} N m, after 4 s at {q:.3f} rad (expected: stops at {expected})")
assert seen == {-2.0: ((-2.0, -1.0), -1.0), -0.5: ((-0.5, -1.0), -3.6)}, seen
END
