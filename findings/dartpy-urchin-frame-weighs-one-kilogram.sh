#!/usr/bin/env bash
# Guess: a link of URDF without <inertial>, such as tool0, is a frame and weighs nothing; pin 4.1.0 reads it so.
# Seen, dartpy 6.20.0 and urchin 0.0.30: it weighs 1 kg, with 1 kg m2 about each axis, and nothing is printed. An arm of 1 kg with frames for a camera and a
# tool weighs 3 kg, and turns about its joint with 2.02 kg m2 in place of 0.02.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for package in dartpy==6.20.0 urchin==0.0.30 pin==4.1.0; do
  python3 -m venv "$work/${package%%=*}"
  "$work/${package%%=*}/bin/pip" install -q --disable-pip-version-check "$package"
done
cd "$work"
cat > arm.urdf <<'END'
<robot name="r">
  <link name="world"/>
  <joint name="j" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <joint name="t" type="fixed"><parent link="arm"/><child link="tool0"/></joint><link name="tool0"/>
  <joint name="c" type="fixed"><parent link="arm"/><child link="camera"/></joint><link name="camera"/>
</robot>
END
dartpy/bin/python - <<'END'
import importlib.metadata, os, dartpy
s = dartpy.utils.DartLoader().parseSkeleton(os.path.abspath("arm.urdf"))
print("dartpy", importlib.metadata.version("dartpy"), "mass", s.getMass(), "kg (expected 1), about the joint", s.getMassMatrix()[0, 0], "kg m2 (expected 0.02)")
assert s.getMass() == 3 and abs(s.getMassMatrix()[0, 0] - 2.02) < 1e-9
END
urchin/bin/python - <<'END'
import importlib.metadata, urchin
links = urchin.URDF.load("arm.urdf").links
found = {l.name: (l.inertial.mass, l.inertial.inertia[2, 2]) for l in links}
print("urchin", importlib.metadata.version("urchin"), "mass and inertia of each link", found)
assert found == {"world": (1, 1), "arm": (1, 0.02), "tool0": (1, 1), "camera": (1, 1)}
END
pin/bin/python - <<'END'
import pinocchio
m = pinocchio.buildModelFromUrdf("arm.urdf")
print("pin", pinocchio.__version__, "mass", m.inertias[1].mass, "kg, about the joint", m.inertias[1].inertia[2, 2], "kg m2")
assert m.inertias[1].mass == 1 and abs(m.inertias[1].inertia[2, 2] - 0.02) < 1e-12
END
