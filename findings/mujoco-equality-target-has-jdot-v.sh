#!/usr/bin/env bash
# Guess: the reference acceleration of an equality's row is that of the manual, aref = -b (J v) - k d r, of its velocity and its error alone.
# Seen: so it is up to mujoco 3.6.0. From 3.7.0 on the rows of connect and weld have -Jdot v too, which contacts and limits do not have: a linkage that turns fast no longer opens by
# the part that its own centripetal acceleration pulls on the spring, and whoever rebuilds aref from efc_KBIP, efc_vel and efc_pos is off by it.
# A simulator that has the documented law agrees with 3.6.0 at rest and in slow motion, and with no later version in fast motion.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cat > "$folder/rest.py" <<'PY'
import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_string("""<mujoco><option timestep="0.001" jacobian="dense"/><worldbody>
<body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" contype="0"/>
<body name="b" pos="0 0 -.3"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" contype="0"/></body></body>
<body name="c" pos=".5 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 -.1 0 -.3" size=".02" contype="0"/></body></worldbody>
<equality><connect body1="b" body2="c" anchor=".4 0 0" solref=".1 1"/></equality></mujoco>""")
data = mujoco.MjData(model)
mujoco.mj_step(model, data, 200)
mujoco.mj_forward(model, data)
v = data.qvel.copy()
stiffness, damping, impedance = data.efc_KBIP[:, 0], data.efc_KBIP[:, 1], data.efc_KBIP[:, 2]
left = data.efc_aref + damping * data.efc_vel + stiffness * impedance * data.efc_pos


def rows(eps):
    """J at a configuration eps seconds away."""
    other, q = mujoco.MjData(model), data.qpos.copy()
    mujoco.mj_integratePos(model, q, v, eps)
    other.qpos[:], other.qvel[:] = q, v
    mujoco.mj_forward(model, other)
    return other.efc_J.reshape(-1, model.nv)


expected = -(rows(1e-6) - rows(-1e-6)) @ v / 2e-6
size = np.abs(expected).max()
is_there = np.abs(left - expected).max() < 1e-6 * size
is_gone = np.abs(left).max() < 1e-9
print(f"mujoco {mujoco.__version__}: aref + b J v + k d r = {left.round(6)}, -Jdot v = {expected.round(6)}")
raise SystemExit(0 if (is_there if mujoco.__version__ != "3.6.0" else is_gone) and size > 0.01 else 1)
PY
for version in 3.6.0 3.7.0 4.0.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install -q "mujoco==$version"
  "$folder/$version/bin/python" "$folder/rest.py" || { echo changed; exit 1; }
done
