#!/usr/bin/env bash
# Guess: settings.solve_ncp of Pinocchio's contact solvers chooses the law in both, as its docstring says: Coulomb's friction, or if False the convex problem, whose velocities lie in the
# dual cone. Or, by the warning in the header of PGS, PGS solves the convex problem alone.
# Seen, pin 4.1.0: PGSConstraintSolver gives Coulomb's answer for both, says converged and states a dual feasibility of 0; ADMMConstraintSolver obeys. One contact, W the unit matrix,
# that slides at 2 and approaches at 1, friction 0.5: Coulomb's impulse is (-0.5, 0, 1). The convex one is the projection of (-2, 0, 1) onto the cone, (-0.8, 0, 1.6), and the contact
# leaves at 0.6. The velocity that PGS ends with, (1.5, 0, 0), is 0.67 outside the dual cone. So a comparison of the two laws by this solver finds no difference.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pin==4.1.0
cat > "$work/one.py" <<'PY'
import math

import numpy as np
import pinocchio as pin

# a contact belongs to a mechanism; the solver reads W, g and the friction alone
model = pin.Model()
joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
model.appendBodyToJoint(joint, pin.Inertia(1, np.zeros(3), np.eye(3)), pin.SE3.Identity())
W, g, mu = np.eye(3), np.array([2.0, 0, -1]), 0.5


def solve(name, ncp):
    contact = pin.PointContactConstraintModel(model, joint)
    contact.setFriction(mu)
    constraint = pin.ConstraintModel(contact)
    constraints, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    constraints.append(constraint)
    datas.append(constraint.createData())
    settings, result = getattr(pin, name + "SolverSettings")(), getattr(pin, name + "SolverResult")()
    settings.solve_ncp, settings.max_iterations = ncp, 1000
    for kind in ["feasibility", "complementarity"]:
        setattr(settings, f"absolute_{kind}_tol", 1e-10)
        setattr(settings, f"relative_{kind}_tol", 1e-10)
    converged = getattr(pin, name + "ConstraintSolver")(3).solve(pin.DelassusOperatorDense(W), g, constraints, datas, settings, result)
    return converged, result


print("pin", pin.__version__)
coulomb, convex, seen = (-0.5, 0, 1), (-0.8, 0, 1.6), {}
for name in ["ADMM", "PGS"]:
    for ncp in [True, False]:
        converged, result = solve(name, ncp)
        impulse = np.array(result.retrieveConstraintImpulses())
        u = W @ impulse + g
        outside = max(0, (math.hypot(u[0], u[1]) * mu - u[2]) / math.hypot(1, mu))
        seen[name, ncp] = bool(converged), tuple(float(x) + 0 for x in impulse.round(6))
        print(f"{name}, solve_ncp {ncp}: converged {converged}, impulse {impulse.round(6)}, velocity {u.round(6)}, outside the dual cone by {outside:.2f}, dual feasibility stated {result.dual_feasibility:.1g}")
        if name == "PGS":
            assert result.dual_feasibility == 0 and outside > 0.67
expected = {("ADMM", True): (True, coulomb), ("ADMM", False): (True, convex), ("PGS", True): (True, coulomb), ("PGS", False): (True, coulomb)}
assert seen == expected, seen
PY
"$work/venv/bin/python" "$work/one.py"
