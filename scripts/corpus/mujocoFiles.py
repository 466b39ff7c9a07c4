"""Native MuJoCo on one MJCF file: a JSON request a line on stdin, a JSON answer a line on stdout.

request: {file} alone, or with
         {joints: in the order of the file [{name, type, first: of its velocities, range, frictionloss} or {name, type, follows: [leader,
          multiplier, offset]}], nv, actuators: [[name, joint]], states: [{q: {joint: [..]}, v, M, bias, passive, ctrl, act, motors}],
          start: {joint: [..]}, mass, gravity, runs: {mode: {ground: to be added, q: of each sample, every: steps}}}
answer:  {error}, or {joints: their number, cone, impratio, ground, features} of the file alone, or {unmatched}, or
         {constants: what differs, M, bias, passive, motors: largest relative differences, start, runs: {mode: {...}}}

v = [free base's angular, linear velocity in its own axes; joints]; a free joint's q is [p, quaternion xyzw].
"""

import json
import os
import sys

import mujoco
import numpy as np

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # MuJoCo prints on the first two
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
BIT = mujoco.mjtDisableBit
NOT_RIGID = BIT.mjDSBL_CONSTRAINT | BIT.mjDSBL_AUTORESET
AT_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
DISABLED = {"air": NOT_RIGID, "limits": BIT.mjDSBL_CONTACT | BIT.mjDSBL_AUTORESET, "ground": BIT.mjDSBL_AUTORESET}


def compiled(request, ground=False):
    spec = mujoco.MjSpec.from_file(request["file"])
    if ground:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    return spec.compile()


def opened(request):
    model = compiled(request)
    touches = (model.geom_bodyid == 0) & (model.geom_contype + model.geom_conaffinity > 0)
    many = np.isin(model.jnt_type[model.dof_jntid], (FREE, BALL))
    features = {
        "fluid": model.opt.density + model.opt.viscosity > 0,
        "gravcomp": model.body_gravcomp.any(),
        "tendons": model.ntendon,
        "actuators not of joints": sum(kind not in AT_JOINT for kind in model.actuator_trntype),
        "flex": model.nflex,
        "mocap": model.nmocap,
        "noslip": model.opt.noslip_iterations,
        "losses of balls": (model.dof_damping + model.dof_frictionloss)[many].any(),
        "meshes": model.nmesh,
        "loops": ((model.eq_type != mujoco.mjtEq.mjEQ_JOINT) & (model.eq_active0 != 0)).sum(),
    }
    return {
        "joints": model.njnt,
        "cone": "elliptic" if model.opt.cone else "pyramidal",
        "impratio": model.opt.impratio,
        "ground": bool((touches & (model.geom_type < 2)).any()),
        "start": [start_of(model, j) for j in range(model.njnt)],
        "features": {name: int(value) for name, value in features.items() if value},
    }


def start_of(model, j):
    k, n = model.jnt_qposadr[j], {FREE: 7, BALL: 4}.get(int(model.jnt_type[j]), 1)
    value = model.qpos0[k : k + n].tolist()
    return [*value[:-4], *value[-3:], value[-4]] if n > 1 else value


class Mapped:
    """Coordinates of a request in those of a model."""

    def __init__(self, model, request):
        self.model, self.data = model, mujoco.MjData(model)
        self.joints, self.nv = request["joints"], request["nv"]
        self.first = {joint["name"]: joint["first"] for joint in self.joints if "first" in joint}

    def place(self, q, v=None):
        """Sets qpos, and qvel to K v. @returns K and the drift of the accelerations: their a = K a + drift"""
        model, data = self.model, self.data
        K, drift = np.zeros((model.nv, self.nv)), np.zeros(model.nv)
        for j, joint in enumerate(self.joints):
            leader, ratio, offset = joint.get("follows", (joint["name"], 1, 0))
            value = [ratio * q[leader][0] + offset] if "follows" in joint else q[leader]
            if len(value) >= 4:
                value = [*value[:-4], value[-1], *value[-4:-1]]
            k, d, s = model.jnt_qposadr[j], model.jnt_dofadr[j], self.first[leader]
            data.qpos[k : k + len(value)] = value
            if model.jnt_type[j] == FREE:
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, np.array(value[3:]))
                R = R.reshape(3, 3)
                K[d : d + 3, s + 3 : s + 6] = R
                K[d + 3 : d + 6, s : s + 3] = np.eye(3)
                if v is not None:
                    drift[d : d + 3] = R @ np.cross(v[s : s + 3], v[s + 3 : s + 6])
            elif model.jnt_type[j] == BALL:
                K[d : d + 3, s : s + 3] = np.eye(3)
            else:
                K[d, s] = ratio
        data.qvel[:] = 0 if v is None else K @ v
        return K, drift


def scaled(a, b, least):
    """Of each entry, or of a thousandth of the largest or of `least`."""
    size = np.maximum(np.abs(a), np.abs(b))
    return float((np.abs(a - b) / np.maximum(size, 1e-3 * max(size.max(initial=0), least))).max(initial=0))


def matched(model, request):
    """MuJoCo's number of each of our actuators."""
    names = {model.actuator(i).name: i for i in range(model.nactuator) if model.actuator(i).name}
    joint = {joint["name"]: j for j, joint in enumerate(request["joints"])}
    free = [i for i in range(model.nactuator) if not model.actuator(i).name]
    out = []
    for name, of, _ in request["actuators"]:
        i = names.get(name)
        if i is None:
            i = next((i for i in free if of == "" or model.actuator_trnid[i, 0] == joint[of]), None)
            if i is not None:
                free.remove(i)
        out.append(i)
    return out


def constants(model, request):
    out = []
    for j, joint in enumerate(request["joints"]):
        if "range" not in joint:
            continue
        theirs = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
        ours = [np.inf * (2 * k - 1) if x is None else x for k, x in enumerate(joint["range"])]
        if any(a != b and abs(a - b) > 1e-12 * max(1, abs(a)) for a, b in zip(theirs, ours)):
            out.append(f"range of {joint['name']}: {ours}, not {list(map(float, theirs))}")
        a, b = model.dof_frictionloss[model.jnt_dofadr[j]], joint["frictionloss"]
        if abs(a - b) > 1e-12 * max(1, a):
            out.append(f"frictionloss of {joint['name']}: {b}, not {a}")
    moving = float(model.body_mass[model.body_treeid >= 0].sum())
    if abs(moving - request["mass"]) > 1e-9 * max(moving, 1e-9):
        out.append(f"mass: {request['mass']}, not {moving}")
    gravity = np.zeros(3) if model.opt.disableflags & BIT.mjDSBL_GRAVITY else model.opt.gravity
    if np.abs(gravity - request["gravity"]).max() > 1e-12:
        out.append(f"gravity: {request['gravity']}, not {gravity.tolist()}")
    return out


def algebra(model, request):
    mapped = Mapped(model, request)
    data, out = mapped.data, {"M": 0.0, "bias": 0.0, "passive": 0.0, "motors": 0.0}
    ours = matched(model, request)
    flags = model.opt.disableflags
    for state in request["states"]:
        v = np.array(state["v"])
        K, drift = mapped.place(state["q"], v)
        model.opt.disableflags = flags | NOT_RIGID
        data.ctrl[:] = 0
        data.act[:] = 0
        for i, u, a in zip(ours, state["ctrl"], state["act"]):
            if i is not None:
                data.ctrl[model.actuator_ctrladr[i]] = u
                if model.actuator_actnum[i]:
                    data.act[model.actuator_actadr[i]] = a
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        M = K.T @ full @ K
        mine = np.array(state["M"])
        size = np.sqrt(np.maximum(np.maximum(np.diag(M), np.diag(mine)), 1e-300))
        terms = {"M": float((np.abs(M - mine) / np.outer(size, size)).max(initial=0))}
        least = max(np.abs(M).max(initial=0), 1e-300)  # of an acceleration of 1
        terms["bias"] = scaled(K.T @ (data.qfrc_bias + full @ drift), np.array(state["bias"]), least)
        terms["passive"] = scaled(K.T @ data.qfrc_passive, np.array(state["passive"]), least)
        for i in set(range(model.nactuator)) - set(ours):  # which are told
            model.actuator_gainprm[i] = model.actuator_biasprm[i] = 0
        mujoco.mj_forward(model, data)
        act = K.T @ data.qfrc_actuator
        terms["motors"] = scaled(act, np.array(state["motors"]), least)
        for name, error in terms.items():
            out[name] = max(out[name], error if np.isfinite(error) else 1e300)
    model.opt.disableflags = flags
    return {**out, "unmatched actuators": [request["actuators"][k][0] for k, i in enumerate(ours) if i is None]}


def centre(model, data):
    moving = model.body_treeid >= 0
    mass = model.body_mass[moving]
    return (mass[:, None] * data.xipos[moving]).sum(axis=0) / max(mass.sum(), 1e-300)


def run(mode, asked, request):
    model = compiled(request, asked["ground"])
    opt = model.opt
    opt.timestep, opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_EULER
    opt.tolerance, opt.iterations = 1e-12, 200
    opt.disableflags |= DISABLED[mode]
    opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    mapped, probe = Mapped(model, request), Mapped(model, request)
    data = mapped.data
    path, error, way, off = 0.0, 0.0, 0.0, 0.0
    before = None
    for n, q in enumerate(asked["q"]):
        if n == 0:
            mapped.place(q)
            mujoco.mj_forward(model, data)
        else:
            for _ in range(asked["every"]):
                mujoco.mj_step(model, data)
            if not np.isfinite(data.qpos).all() or np.abs(data.qvel).max(initial=0) > 1e6:
                return {"unstable": n * asked["every"]}
        probe.place(q)
        mujoco.mj_kinematics(model, probe.data)
        mujoco.mj_kinematics(model, data)
        for j in range(model.njnt):  # q and -q are one rotation
            if model.jnt_type[j] in (FREE, BALL):
                k = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == FREE else 0)
                if data.qpos[k : k + 4] @ probe.data.qpos[k : k + 4] < 0:
                    probe.data.qpos[k : k + 4] *= -1
        own = centre(model, data)
        if before is not None:
            path += float(np.linalg.norm(data.qpos - before[0]))
            way += float(np.linalg.norm(own - before[1]))
        before = (data.qpos.copy(), own)
        far = np.abs(data.qpos - probe.data.qpos)
        error = max(error, float(np.linalg.norm(far)))
        off = max(off, float(np.linalg.norm(own - centre(model, probe.data))))
    worst = mapped.joints[np.searchsorted(model.jnt_qposadr, far.argmax(), "right") - 1]["name"]
    return {"error": error, "path": path, "off": off, "way": way, "worst": worst, "contacts": int(data.ncon)}


def compare(request):
    model = compiled(request)
    theirs = [[model.joint(j).name, int(model.jnt_type[j])] for j in range(model.njnt)]
    ours = [[joint["name"], joint["type"]] for joint in request["joints"]]
    if len(ours) != len(theirs) or any(a[1] != b[1] or b[0] not in ("", a[0]) for a, b in zip(ours, theirs)):
        return {"unmatched": {"ours": ours, "theirs": theirs}}
    probe = Mapped(model, request)
    probe.place(request["start"])
    away = np.abs(probe.data.qpos - model.qpos0)
    start = {joint["name"]: float(away[model.jnt_qposadr[j]]) for j, joint in enumerate(request["joints"])}
    answer = {"constants": constants(model, request), "start": {name: x for name, x in start.items() if x > 1e-9}}
    answer.update(algebra(model, request))
    answer["runs"] = {mode: attempt(run, mode, asked, request) for mode, asked in request["runs"].items() if asked}
    return answer


def attempt(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__} {error}".strip()[:600]}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(attempt(compare if "joints" in asked else opened, asked)), file=answers, flush=True)
