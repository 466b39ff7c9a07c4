#!/usr/bin/env bash
# Guess: on a linear complementarity problem without a solution, such as Painlevé's rod with the force as unknown (M = -0.718, q = -9.81), pydrake's MobyLcpSolver reports that it found none,
# as Lemke's algorithm ends on a ray.
# Seen, drake 1.51.1: kSolutionFound with z = 34.787, where w = M z + q = -34.787 is to be at least 0. It is the solution of (M + 1) z + q = 0: when the problem fails, larger and larger
# multiples of the identity are added to M, up to 1, and what solves that problem is returned as the solution of the one given. With M = -1 and below, none is found. Of 500 random negative
# problems each (entries of M from -1 to 0, of q from -1 to -0.1, so that none has a solution) it reports solutions for 498 of one unknown, 203 of two, 11 of three; all of them have a w below 0.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check drake==1.51.1 numpy==2.2.6
cat > lcp.py <<'PY'
import importlib.metadata

import numpy as np
from pydrake.solvers import MathematicalProgram, MobyLcpSolver


def solve(M, q):
    """Whether a solution is reported, z, and w = M z + q."""
    program = MathematicalProgram()
    z = program.NewContinuousVariables(len(q))
    program.AddLinearComplementarityConstraint(M, q, z)
    result = MobyLcpSolver().Solve(program)
    found = result.GetSolution(z)
    return result.is_success(), found, M @ found + q


print("drake", importlib.metadata.version("drake"))
for m in (-0.1, -0.5, -0.718, -0.99, -1.0, -1.5):
    success, z, w = solve(np.array([[m]]), np.array([-9.81]))
    print(f"M = {m}, q = -9.81: success {success}, z = {z[0]:.6g}, w = {w[0]:.6g}")
    if m > -1:
        assert success and abs(z[0] - 9.81 / (1 + m)) < 1e-6 * z[0] and w[0] < -9.81
    else:
        assert not success
# one that has a solution is solved
success, z, w = solve(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, -1.0]))
assert success and np.allclose(z, 1 / 3) and np.allclose(w, 0)
random = np.random.default_rng(1)
for n in (1, 2, 3, 5):
    reported = wrong = 0
    for _ in range(500):
        M, q = -random.uniform(0, 1, (n, n)), -random.uniform(0.1, 1, n)
        success, z, w = solve(M, q)
        reported += success
        wrong += success and w.min() < -1e-6
    print(f"{n} unknowns: {reported} of 500 problems without a solution reported as solved, {wrong} of them with a w below 0")
    assert reported == wrong
    assert (reported > 100) == (n <= 2)
PY
venv/bin/python lcp.py
