#!/usr/bin/env bash
# Guess: a prism whose ends are one face of eight corners (a U) weighs what it holds, since MuJoCo cuts faces of OBJ into triangles.
# Seen, mujoco 4.0.0 (and 3.14.0): inertia="exact" gives 6.7428 for a volume of 7. The two ends come out as 5 triangles each where 6 cover them, so
# the surface has holes; "exact" asks for a watertight one and says nothing. An L of six corners, and the same U as triangles, are right.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q mujoco==4.0.0
"$folder/venv/bin/python" - "$folder" <<'PY'
import sys
import mujoco

folder = sys.argv[1]
U = [[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]]
L = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]
CUT = [[0, 5, 7], [5, 6, 7], [0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4]]  # of the U, anticlockwise


def mass(polygon, ends):
    n = len(polygon)
    corners = [[x, y, z] for z in (0, 1) for x, y in polygon]
    faces = [end[::-1] for end in ends] + [[n + k for k in end] for end in ends]
    faces += [[k, (k + 1) % n, n + (k + 1) % n, n + k] for k in range(n)]
    lines = ["v %g %g %g" % tuple(corner) for corner in corners]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    name = f"m{n}{len(ends)}.obj"
    open(folder + "/" + name, "w").write("\n".join(lines))
    open(folder + "/m.xml", "w").write(
        '<mujoco><asset><mesh name="m" file="' + name + '" inertia="exact"/></asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_path(folder + "/m.xml")
    return model.body_mass[1], model.nmeshface


seen = {"U, ends of eight corners": mass(U, [list(range(8))]), "U, ends as triangles": mass(U, CUT), "L, ends of six": mass(L, [list(range(6))])}
print("mujoco", mujoco.__version__)
for name, (weight, faces) in seen.items():
    print(f"{name}: mass {weight:.4f}, {faces} triangles")
wanted = {"U, ends of eight corners": (6.7428, 26), "U, ends as triangles": (7, 28), "L, ends of six": (3, 20)}
wrong = [name for name, (weight, faces) in wanted.items() if abs(seen[name][0] - weight) > 1e-3 or seen[name][1] != faces]
sys.exit(f"changed: {wrong}" if wrong else 0)
PY
