"""Native MuJoCo on one environment: a JSON request a line on stdin, a JSON answer a line on stdout.

request: {file} alone, or {file, ctrl: of each action, skip: steps an action, start: qpos, shift: of the second run}
answer:  {error}, or {version, types: of joints, qpos0, ctrlrange, timestep}, or
         {runs: [[qpos before each action and at the end], ...]}: as asked, and from a start that is `shift` away

Quaternions of the base are xyzw.
"""

import json
import os
import sys

import mujoco
import numpy as np

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # MuJoCo prints on the first two


def turned(model, qpos, places):
    """With w of a floating base's quaternion first, or last with places -1."""
    out = qpos.copy()
    if model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE:
        out[3:7] = np.roll(out[3:7], places)
    return out.tolist()


def opened(model):
    return {
        "version": mujoco.__version__,
        "types": model.jnt_type.tolist(),
        "qpos0": turned(model, model.qpos0, -1),
        "ctrlrange": model.actuator_ctrlrange.tolist(),
        "timestep": model.opt.timestep,
    }


def run(model, asked, shift):
    data = mujoco.MjData(model)
    data.qpos[:] = turned(model, np.array(asked["start"]), 1)
    if shift:
        away = np.random.default_rng(1).normal(size=model.nv)
        mujoco.mj_integratePos(model, data.qpos, away / np.linalg.norm(away), shift)
    path = []
    for ctrl in asked["ctrl"]:
        path.append(turned(model, data.qpos, -1))
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data, asked["skip"])
    return [*path, turned(model, data.qpos, -1)]


for line in sys.stdin:
    asked = json.loads(line)
    try:
        model = mujoco.MjModel.from_xml_path(asked["file"])
        answer = opened(model) if "ctrl" not in asked else {"runs": [run(model, asked, shift) for shift in (0, asked["shift"])]}
    except Exception as error:
        answer = {"error": f"{type(error).__name__} {error}".strip()[:600]}
    print(json.dumps(answer), file=answers, flush=True)
