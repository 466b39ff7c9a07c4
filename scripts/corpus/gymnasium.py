"""Native MuJoCo on one environment: a JSON request a line on stdin, a JSON answer a line on stdout.

request: {file} alone, or {file, ctrl: of each action, skip: steps an action, start: qpos, shift: of the second run}
answer:  {error}, or {version, names, types: of joints, qpos0, ctrlrange, timestep}, or
         {runs: [[qpos before each action and at the end], ...]}: as asked, and from a start that is `shift` away
"""

import json
import os
import sys

import mujoco
import numpy as np

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # MuJoCo prints on the first two


def opened(model):
    return {
        "version": mujoco.__version__,
        "names": [model.joint(j).name for j in range(model.njnt)],
        "types": model.jnt_type.tolist(),
        "qpos0": model.qpos0.tolist(),
        "ctrlrange": model.actuator_ctrlrange.tolist(),
        "timestep": model.opt.timestep,
    }


def run(model, asked, shift):
    data = mujoco.MjData(model)
    data.qpos[:] = asked["start"]
    if shift:
        away = np.random.default_rng(1).normal(size=model.nv)
        mujoco.mj_integratePos(model, data.qpos, away / np.linalg.norm(away), shift)
    path = []
    for ctrl in asked["ctrl"]:
        path.append(data.qpos.tolist())
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data, asked["skip"])
    return [*path, data.qpos.tolist()]


for line in sys.stdin:
    asked = json.loads(line)
    try:
        model = mujoco.MjModel.from_xml_path(asked["file"])
        answer = opened(model) if "ctrl" not in asked else {"runs": [run(model, asked, shift) for shift in (0, asked["shift"])]}
    except Exception as error:
        answer = {"error": f"{type(error).__name__} {error}".strip()[:600]}
    print(json.dumps(answer), file=answers, flush=True)
