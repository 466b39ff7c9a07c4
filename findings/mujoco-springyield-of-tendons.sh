#!/usr/bin/env bash
# Guess: springyield (new in mujoco 4.0.0) is an angle in the unit of the compiler, degrees by default, wherever it is of angles: of a hinge, and of a fixed tendon along that hinge.
# Seen: of the hinge it is; of the tendon it is radians always, like its springlength and range. The same 6 is 0.105 rad at the joint and 6 rad, never reached, along the tendon.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q mujoco==4.0.0
"$folder/venv/bin/python" - <<'PY'
import mujoco

print("mujoco", mujoco.__version__)
seen = []
for angle in ("degree", "radian"):
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><compiler angle="{angle}"/><worldbody><body><joint name="j" stiffness="1" springyield="6"/><geom size=".1"/></body></worldbody>
    <tendon><fixed stiffness="1" springyield="6"><joint joint="j" coef="1"/></fixed></tendon></mujoco>""")
    seen += [round(float(model.jnt_springyield[0]), 4), float(model.tendon_springyield[0])]
    print(f"{angle}: joint {seen[-2]}, tendon {seen[-1]}")
if seen != [0.1047, 6, 6, 6]:
    raise SystemExit("changed")
PY
