#!/usr/bin/env bash
# Guess: the servo of <position kp dampratio> has the damping of its joint's own entry of the mass matrix, 2 dampratio sqrt(kp M_jj), in every version that knows it.
# Seen: so it is up to mujoco 3.14.0. From 3.15.0 on it is of the inertia that the joint has while all others move freely, 1 / (M^-1)_jj, which is smaller: the servo at the
# shoulder of a two-link arm loses half of its damping with the update, and one that is alone in its tree keeps it.
# Whoever needs the same robot in both writes kv in place of dampratio.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cat > "$folder/damping.py" <<'PY'
import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body><joint name="s" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
<body pos=".3 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/></body></body></worldbody>
<actuator><position joint="s" kp="40" dampratio="1"/></actuator></mujoco>""")
damping, held, free = -model.actuator_biasprm[0, 2], 2 * np.sqrt(40 * model.dof_M0[0]), 2 * np.sqrt(40 / model.dof_invweight0[0])
print(f"mujoco {mujoco.__version__}: damping {damping:.4f} N m s/rad; by M_jj {held:.4f}, by 1 / (M^-1)_jj {free:.4f}")
raise SystemExit(int(abs(damping - (held if mujoco.__version__ == "3.14.0" else free)) > 1e-9))
PY
for version in 3.14.0 3.15.0 4.0.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install -q "mujoco==$version"
  "$folder/$version/bin/python" "$folder/damping.py" || { echo changed; exit 1; }
done
