#!/usr/bin/env bash
# Guess: link k of createMultiBody's lists (linkMasses and so on) is link k in every later call, as linkParentIndices counts them in the order of the lists.
# Seen, pybullet 3.2.7: links are numbered anew, depth first: a base with the arms A and B and a hand on A, listed A, B, hand, has A 0, hand 1, B 2. So a mass, a
# position or a motor command by the list's numbers goes to another link, without a word. linkParentIndices means the list's order and is right; names are linkN by
# the list's order, from 1.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$work"
venv/bin/python - <<'END_OF_PYTHON'
import importlib.metadata as md

import pybullet as p

print("pybullet", md.version("pybullet"))
p.connect(p.DIRECT)
masses = {"A": 1.0, "B": 2.0, "hand": 3.0}
n = len(masses)
robot = p.createMultiBody(
    baseMass=10, linkMasses=list(masses.values()), linkParentIndices=[0, 0, 1],  # 0 is the base, 1 the first of the list
    linkCollisionShapeIndices=[-1] * n, linkVisualShapeIndices=[-1] * n, linkPositions=[[0, 0, 1]] * n, linkOrientations=[[0, 0, 0, 1]] * n,
    linkInertialFramePositions=[[0, 0, 0]] * n, linkInertialFrameOrientations=[[0, 0, 0, 1]] * n,
    linkJointTypes=[p.JOINT_REVOLUTE] * n, linkJointAxis=[[0, 1, 0]] * n,
)
names = {mass: name for name, mass in masses.items()}
seen = [names[p.getDynamicsInfo(robot, k)[0]] for k in range(n)]
told = [p.getJointInfo(robot, k)[12].decode() for k in range(n)]
parents = [p.getJointInfo(robot, k)[16] for k in range(n)]
print("listed", list(masses), "numbered", seen, "names", told, "parents", parents)
assert seen == ["A", "hand", "B"], seen
assert parents == [-1, 0, -1], parents
END_OF_PYTHON
