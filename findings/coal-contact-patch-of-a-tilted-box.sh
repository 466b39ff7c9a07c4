#!/usr/bin/env bash
# Guess: coal's contact patch of two boxes that overlap by 0.1 mm along one edge, one of them tilted by 1 degree, is the strip that overlaps, 5.7 mm wide; and that of a cylinder that
# stands on a box is its disc.
# Seen: the patch is the box's whole face, nine times the strip, though eight ninths of it are above the other box: points within the patch tolerance of the contact's plane count,
# 1 mm by default whatever the bodies' size. At a tilt of 1.2 degrees it is the edge alone, of area 0; at no tilt is it the strip. A cylinder's disc is a polygon of 12 corners on
# the circle, 4.5 % less. So a moment or a pressure from a patch jumps as a small body tilts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check coal==3.0.1 numpy==2.2.6
cat > patch.py <<'PY'
import coal, numpy as np

def at(z, degrees=0.0):
    a = np.radians(degrees)
    c, s = np.cos(a), np.sin(a)
    return coal.Transform3s(np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([0.0, 0.0, z]))

def area(shape, pose):
    """Area of the patch with a box whose top is z = 0 [cm²]."""
    ground, below = coal.Box(4, 4, 1), at(-0.5)
    hit, patches = coal.CollisionResult(), coal.ContactPatchResult()
    coal.collide(ground, below, shape, pose, coal.CollisionRequest(), hit)
    coal.computeContactPatch(ground, below, shape, pose, hit, coal.ContactPatchRequest(), patches)
    patch = patches.getContactPatch(0)
    corners = np.array([patch.getPointShape1(i) for i in range(patch.size())])
    x, y = corners[:, 0], corners[:, 1]
    return 1e4 * 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))

side, depth = 0.05, 1e-4
for degrees in (0.5, 1.0, 1.1, 1.2, 2.0):
    a = np.radians(degrees)
    middle = side / 2 * (np.cos(a) + np.sin(a)) - depth
    strip = side * min(side, depth / np.sin(a))
    print(f'tilt {degrees}: patch {area(coal.Box(side, side, side), at(middle, degrees)):.1f} cm2, what overlaps {1e4 * strip:.1f} cm2')
print(f'cylinder of 5 cm: patch {area(coal.Cylinder(0.025, 0.05), at(0.025 - depth)):.2f} cm2, its face {1e4 * np.pi * 0.025**2:.2f} cm2')
PY
seen="$(venv/bin/python patch.py)"
echo "coal 3.0.1, a box of 5 cm that overlaps another by 0.1 mm at its lowest edge:"
echo "$seen"
expected='tilt 0.5: patch 25.0 cm2, what overlaps 5.7 cm2
tilt 1.0: patch 25.0 cm2, what overlaps 2.9 cm2
tilt 1.1: patch 25.0 cm2, what overlaps 2.6 cm2
tilt 1.2: patch 0.0 cm2, what overlaps 2.4 cm2
tilt 2.0: patch 0.0 cm2, what overlaps 1.4 cm2
cylinder of 5 cm: patch 18.75 cm2, its face 19.63 cm2'
[ "$seen" = "$expected" ] || { echo changed; exit 1; }
