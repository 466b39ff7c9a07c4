"""Solvers of Siconos' numerics, by name: of LCPs and of contact with Coulomb's cone. Debian's python3-siconos."""

import time

import numpy as np
import siconos.numerics as sn
from featherbed_engine import serve

TOLERANCE, MOST_ITERATIONS = 1e-10, 10000


def options_of(number):
    options = sn.SolverOptions(number)
    options.dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = MOST_ITERATIONS
    return options


def solve(problem):
    W, rhs = np.array(problem["W"]), np.array(problem["rhs"])
    n = len(rhs)
    W = W.reshape(n, n)
    z, w = np.zeros(n), np.zeros(n)
    if problem["kind"] == "lcp":
        options = options_of(getattr(sn, "SICONOS_LCP_" + problem["solver"]))
        stated = sn.LCP(W, rhs)
        driver = sn.linearComplementarity_driver
    else:
        options = options_of(getattr(sn, "SICONOS_FRICTION_3D_" + problem["solver"]))
        stated = sn.FrictionContactProblem(3, n // 3, W, rhs, np.array(problem["mu"]))
        driver = sn.fc3d_driver
    begin = time.perf_counter()
    info = driver(stated, z, w, options)
    seconds = time.perf_counter() - begin
    iterations = int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE])
    return {"z": z.tolist(), "solved": info == 0, "iterations": iterations, "seconds": seconds}


serve(solve=solve)
