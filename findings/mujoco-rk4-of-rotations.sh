#!/usr/bin/env bash
# Guess: integrator="RK4" of mujoco is of order four, of a body that turns freely as of a hinge.
# Seen: up to 3.17.0 it is of order two as soon as a ball or a free joint turns about more than one axis: quaternions are advanced by the weighted mean of the stages' angular
# velocities, which do not commute. At 10 ms the error of a body that tumbles at 3.7 rad/s is 3e-5 after a second; from 4.0.0 on it is 2e-9 and falls by 16 with half the step.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cat > "$folder/order.py" <<'PY'
import math

import mujoco
import numpy as np


def turned(h):
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="{h}" gravity="0 0 0" integrator="RK4"/><worldbody><body><joint type="ball"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[:] = 3, 2, 1
    for _ in range(round(1 / h)):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


truth = turned(2e-4)
errors = [float(np.abs(turned(h) - truth).max()) for h in (0.04, 0.02, 0.01)]
order = math.log2(errors[0] / errors[2]) / 2
print(f"mujoco {mujoco.__version__}: errors {', '.join(f'{error:.1e}' for error in errors)} at 40, 20 and 10 ms, order {order:.2f}")
raise SystemExit(int(abs(order - (4 if mujoco.__version__ == "4.0.0" else 2)) > 0.1))
PY
for version in 3.17.0 4.0.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install -q "mujoco==$version"
  "$folder/$version/bin/python" "$folder/order.py" || { echo changed; exit 1; }
done
