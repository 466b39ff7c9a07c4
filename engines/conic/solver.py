"""Conic solvers on the convex problem of associated contact: least p' W p / 2 + rhs' p with p in the cones of friction."""

import time

import clarabel
import numpy as np
import scs
from featherbed_engine import serve
from scipy import sparse

TOLERANCE, MOST_ITERATIONS = 1e-10, 10000


def by_clarabel(P, q, A, smooth, cones):
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    kinds = [clarabel.NonnegativeConeT(smooth)] * (smooth > 0) + [clarabel.SecondOrderConeT(3)] * cones
    solver = clarabel.DefaultSolver(P, q, A, np.zeros(A.shape[0]), kinds, settings)
    begin = time.perf_counter()
    answer = solver.solve()
    seconds = time.perf_counter() - begin
    return np.array(answer.x), answer.status == clarabel.SolverStatus.Solved, answer.iterations, seconds


def by_scs(P, q, A, smooth, cones):
    data = {"P": P, "A": A, "b": np.zeros(A.shape[0]), "c": q}
    solver = scs.SCS(data, {"l": smooth, "q": [3] * cones}, verbose=False, eps_abs=TOLERANCE, eps_rel=TOLERANCE, max_iters=MOST_ITERATIONS)
    begin = time.perf_counter()
    answer = solver.solve()
    seconds = time.perf_counter() - begin
    return answer["x"], answer["info"]["status"] == "solved", answer["info"]["iter"], seconds


SOLVERS = {"clarabel": by_clarabel, "scs": by_scs}


def solve(problem):
    rhs, mu = np.array(problem["rhs"]), np.array(problem["mu"])
    n = len(rhs)
    W = np.array(problem["W"]).reshape(n, n)
    # (mu p_n, p_t) lies in the second-order cone, which says nothing of p_n where mu is 0
    scale = np.ones(n)
    scale[0::3] = mu
    smooth = 3 * np.flatnonzero(mu == 0)
    A = sparse.csc_matrix(-np.vstack([np.eye(n)[smooth], np.diag(scale)]))
    z, solved, iterations, seconds = SOLVERS[problem["solver"]](sparse.csc_matrix(np.triu(W)), rhs, A, len(smooth), n // 3)
    return {"z": np.asarray(z).tolist(), "solved": bool(solved), "iterations": int(iterations), "seconds": seconds}


serve(solve=solve)
