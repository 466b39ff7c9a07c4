#!/usr/bin/env bash
# Guess: Pinocchio, whose urdfdom 6.0.0 knows <capsule>, reads a link with box, capsule and sphere for collision; or it loses the capsule alone.
# Seen, pin 4.1.0: in a URDF that states no version, or 1.0, all three are lost, the box before the capsule too, and the model loads (urdfdom 3.0.1 keeps
# what stands before). With version="1.1" it has all three, and dartpy 6.20.0, which has the box alone otherwise, refuses the file: no version suits both.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pin==4.1.0 dartpy==6.20.0
cd "$work"
venv/bin/python - <<'END'
import importlib.metadata as md, os, subprocess, sys
print("pin", md.version("pin"), "cmeel-urdfdom", md.version("cmeel-urdfdom"), "dartpy", md.version("dartpy"))
shapes = ["<box size='1 1 1'/>", "<capsule radius='0.1' length='1'/>", "<sphere radius='1'/>"]
link = "".join(f"<collision><geometry>{s}</geometry></collision>" for s in shapes)
inertial = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
pin = "import sys, pinocchio as p; m = p.buildModelFromUrdf(sys.argv[1]); print(p.buildGeomFromUrdf(m, sys.argv[1], p.COLLISION).ngeoms)"
dart = "import sys, dartpy as d; s = d.utils.DartLoader().parseSkeleton(sys.argv[1]); print(s and s.getBodyNode(0).getNumShapeNodes())"
seen = {}
for version in ("", " version='1.0'", " version='1.1'"):
    open("a.urdf", "w").write(f"<robot name='r'{version}><link name='l'>{inertial}{link}</link></robot>")
    for name, code in (("pin", pin), ("dartpy", dart)):
        out = subprocess.run([sys.executable, "-c", code, os.path.abspath("a.urdf")], capture_output=True, text=True)
        seen[version.strip(), name] = out.stdout.strip()
        print(f"{version.strip() or 'no version'}: {name} has {out.stdout.strip()} of 3 shapes, exit code {out.returncode}")
none, one, new = "", "version='1.0'", "version='1.1'"
assert seen == {(none, "pin"): "0", (none, "dartpy"): "1", (one, "pin"): "0", (one, "dartpy"): "1", (new, "pin"): "3", (new, "dartpy"): "None"}, seen
END
