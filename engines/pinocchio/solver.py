"""Pinocchio's solvers of contact with Coulomb's cone, on a Delassus matrix as it is given."""

import time

import numpy as np
import pinocchio as pin
from featherbed_engine import serve

TOLERANCE, MOST_ITERATIONS = 1e-10, 10000
SOLVERS = {
    "ADMM": (pin.ADMMConstraintSolver, pin.ADMMSolverSettings, pin.ADMMSolverResult),
    "PGS": (pin.PGSConstraintSolver, pin.PGSSolverSettings, pin.PGSSolverResult),
}

# contacts need a mechanism to stand on; the numbers of the problem are all that is read
model = pin.Model()
joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
model.appendBodyToJoint(joint, pin.Inertia(1, np.zeros(3), np.eye(3)), pin.SE3.Identity())


def solve(problem):
    n = len(problem["rhs"])
    # normal first here, last there
    order = np.arange(n).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    W = np.array(problem["W"]).reshape(n, n)[np.ix_(order, order)]
    rhs = np.array(problem["rhs"])[order]
    contacts, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in problem["mu"]:
        contact = pin.PointContactConstraintModel(model, joint)
        contact.setFriction(mu)
        own = pin.ConstraintModel(contact)
        contacts.append(own)
        datas.append(own.createData())
    make, settings_of, result_of = SOLVERS[problem["solver"]]
    solver, settings, result = make(n), settings_of(), result_of()
    settings.max_iterations = MOST_ITERATIONS
    settings.solve_ncp = problem["law"] == "cone"
    for kind in ("feasibility", "complementarity"):
        setattr(settings, f"absolute_{kind}_tol", TOLERANCE)
        setattr(settings, f"relative_{kind}_tol", TOLERANCE)
    delassus = pin.DelassusOperatorDense(W)
    begin = time.perf_counter()
    solved = solver.solve(delassus, rhs, contacts, datas, settings, result)
    seconds = time.perf_counter() - begin
    z = np.zeros(n)
    z[order] = result.retrieveConstraintImpulses()
    return {"z": z.tolist(), "solved": bool(solved), "iterations": int(result.iterations), "seconds": seconds}


serve(solve=solve)
