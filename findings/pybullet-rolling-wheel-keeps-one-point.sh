#!/usr/bin/env bash
# Guess: a wheel (GEOM_CYLINDER) on a plane touches along a line, which is two points, its ends, whether it stands or rolls; so friction stops its turning about the vertical alike.
# Seen, pybullet 3.2.7: it has two points where it stands, and its turning is stopped within a few per cent of the time of two points, 2 (3 r2 + w2) spin / (12 mu g w). Once it
# rolls it has one in 98 % of the steps: a cylinder gives one point a step, and the other is only the one before, which a rolling wheel leaves behind. Its turning is
# not stopped then: half a second later it still swings between 0.2 and 5 rad/s. Robots on wheels have that between standing and driving.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
cd "$work"
venv/bin/python - <<'END_OF_PYTHON'
import importlib.metadata as md
from math import pi

import pybullet as p

h, r, spin, mu = 1e-3, 0.1, 5.0, 0.5
print("pybullet", md.version("pybullet"))
p.connect(p.DIRECT)


def turning(width, rolling):
    """Points of contact and rate about the vertical, of each step of half a second."""
    p.resetSimulation()
    p.setTimeStep(h)
    p.setGravity(0, 0, -9.81)
    plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    wheel = p.createMultiBody(1, p.createCollisionShape(p.GEOM_CYLINDER, radius=r, height=width), basePosition=[0, 0, r], baseOrientation=p.getQuaternionFromEuler([pi / 2, 0, 0]))
    p.changeDynamics(plane, -1, lateralFriction=1)
    p.changeDynamics(wheel, -1, lateralFriction=mu, linearDamping=0, angularDamping=0)
    p.resetBaseVelocity(wheel, [rolling * r, 0, 0], [0, rolling, spin])
    points, rates = [], []
    for _ in range(500):
        p.stepSimulation()
        points.append(len(p.getContactPoints()))
        rates.append(p.getBaseVelocity(wheel)[1][2])
    return points[10:], rates


for width in [0.04, 0.05, 0.06]:
    line = 2 * (3 * r * r + width * width) * spin / (12 * mu * 9.81 * width)
    for rolling in [0.0, 10.0]:
        points, rates = turning(width, rolling)
        stop = next((k * h for k, rate in enumerate(rates) if rate < 0.01), None)
        single = sum(count == 1 for count in points) / len(points)
        late = rates[round(2 * line / h) :]
        print(f"width {width:g} m, rolling at {rolling:g} rad/s: one point in {100 * single:.0f} % of the steps; turning ends after {stop if stop is None else round(stop, 3)} s (two points: {line:.3f} s), later between {min(late):.2f} and {max(late):.2f} rad/s")
        if rolling:
            assert single > 0.5 and max(abs(rate) for rate in late) > 0.3
        else:
            assert single < 0.05 and abs(stop / line - 1) < 0.1 and max(abs(rate) for rate in late) < 0.01
END_OF_PYTHON
