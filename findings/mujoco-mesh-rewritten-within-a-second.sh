#!/usr/bin/env bash
# Guess: a mesh file that was written anew between two compilations is read anew.
# Seen, mujoco 4.0.0: it is not if both were written within the same second; the second model has the first mesh, mass and hull, without a word.
# Whoever fits a mesh in a loop compares models that are all the first one. A name of its own for each file, or a second's wait, helps.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q mujoco==4.0.0
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import sys
import time
import mujoco

faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]


def cube(size):
    corners = [(x * size, y * size, z * size) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    with open("m.obj", "w") as file:
        file.write("\n".join(["v %g %g %g" % corner for corner in corners] + ["f %d %d %d %d" % face for face in faces]))
    return mujoco.MjModel.from_xml_path("m.xml").body_mass[1]


with open("m.xml", "w") as file:
    file.write(
        '<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>'
    )
time.sleep(1 - time.time() % 1)  # at the start of a second
seen = [cube(1), cube(2)]
time.sleep(1.5)
seen.append(cube(3))
print("mujoco", mujoco.__version__, "masses of cubes of 1 m, 2 m at once, 3 m a second later, at 1 kg/m^3:", seen)
sys.exit(0 if seen == [1, 1, 27] else "changed")
PY
