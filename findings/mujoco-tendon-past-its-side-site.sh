#!/usr/bin/env bash
# Guess: the side site of a tendon's geom says on which side of it the tendon passes where the two are in each other's way; a tendon whose span is clear of the geom is straight.
# Seen: up to mujoco 3.17.0 a span that is clear of the drum is laid round it all the same where its point nearest to the axis is in the half-plane away from the side site. From
# 4.0.0 on the path is that of a string drawn from site to site through the side site: round the drum only where that turns by more than half a circle, or the span hits it. With
# both sites below a drum of 1 m whose side site is above, 1.70 m of tendon were 7.22 m: muscles and limits of such a file are others after the update, without a word.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cat > "$folder/side.py" <<'PY'
import mujoco

model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom name="drum" type="cylinder" size="1 1"/><site name="side" pos="0 1.5 0"/>
<site name="a" pos=".5 -2 0"/><body pos="2 -1.2 0"><joint type="slide" axis="1 0 0"/><geom size=".1"/><site name="b"/></body></worldbody>
<tendon><spatial><site site="a"/><geom geom="drum" sidesite="side"/><site site="b"/></spatial></tendon></mujoco>""")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
length = float(data.ten_length[0])
print(f"mujoco {mujoco.__version__}: {length:.4f} m, the straight span has 1.7000")
raise SystemExit(int(abs(length - (1.7 if mujoco.__version__ == "4.0.0" else 7.2156503)) > 1e-6))
PY
for version in 3.17.0 4.0.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install -q "mujoco==$version"
  "$folder/$version/bin/python" "$folder/side.py" || { echo changed; exit 1; }
done
