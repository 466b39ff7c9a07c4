"""Pinocchio, Drake, MuJoCo and xacro on one robot file: a JSON request a line on stdin, a JSON answer a line on stdout.

request: {tool: "xacro" | "pinocchio" | "drake" | "mujoco", file, root, text: of xacro's expansion, floating, joints: [[name, nv]],
          followers: [[name, leader, multiplier, offset]], armature, bodies: {joint: its body's inertia as ten numbers about the joint},
          states: [{base: [p, quaternion xyzw] | null, q: {joint: [..]}, v, M, bias, gravity}]}
answer:  {error}, or {text} of xacro, or {unmatched, difference: {M, bias, gravity}, singular, changed: [{joint, own, before, after}]}

v = [base angular, linear in its own axes; joints]. A free joint's q is [p, quaternion xyzw], a planar one's [x, y, angle]; their v
stand in the axes of the body, angular first for the free one. The base's joint is "".
"""

import json
import os
import sys
import tempfile

import mujoco
import numpy as np
import pinocchio
import xacro
import xacro.substitution_args
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries print on the first two


EQUAL = 1e-9  # relative: rounding in another order
PRINTED = 1e-6  # of the largest moment, by which printed inertias may be impossible
LEAST = 1e-12  # of the largest moment, below which there is none; likewise of the mass with arms of 1 mm


def compared(request, terms, width, columns, armature=0):
    """Largest relative differences of M, bias and gravity over the velocities of the request; followers move with their leaders."""
    leaders = {name: (leader, multiplier) for name, leader, multiplier, _ in request["followers"]}
    first, count = {"": 0}, 6 if request["floating"] else 0
    for name, nv in request["joints"]:
        first[name] = count
        count += nv
    G = np.zeros((width, count))
    for name, rows in columns.items():
        leader, ratio = leaders.get(name, (name, 1))
        for k, row in enumerate(rows):
            G[row, first[leader] + k] = ratio
    difference, least = {"M": 0.0, "bias": 0.0, "gravity": 0.0}, 1
    for state in request["states"]:
        M, *forces = terms(state, G @ np.array(state["v"]))
        M = G.T @ M @ G
        if count == 0:
            continue
        ours = np.array(state["M"]) - np.diag(armature * np.array(request["armature"]))
        scale = np.sqrt(np.maximum(np.maximum(np.diag(M), np.diag(ours)), 1e-300))
        difference["M"] = max(difference["M"], (np.abs(M - ours) / np.outer(scale, scale)).max())
        for name, force in zip(("bias", "gravity"), forces):  # of each entry, or of a thousandth of the largest
            a, b = G.T @ force, np.array(state[name])
            size = np.maximum(np.abs(a), np.abs(b))
            difference[name] = max(difference[name], (np.abs(a - b) / np.maximum(size, 1e-3 * size.max() + 1e-300)).max())
        scale = np.sqrt(np.maximum(np.diag(M), 0))
        least = min(least, np.linalg.eigvalsh(M / np.outer(scale, scale)).min() if scale.all() else 0)
    return {"difference": difference, "singular": bool(least < EQUAL)}


def changed_bodies(request, bodies):
    """The bodies whose inertia is not the one that the file gives them: mass, distance of its centre, principal moments about it."""
    out = []
    for joint, Y in bodies.items():
        m, hx, hy, hz, xx, yy, zz, xy, xz, yz = request["bodies"].get(joint, [0] * 10)
        c = np.array([hx, hy, hz]) / (m or 1)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        after = np.array([m, np.linalg.norm(c), *np.linalg.eigvalsh(inertia)])
        before = np.array([Y.mass, np.linalg.norm(Y.lever), *np.linalg.eigvalsh(Y.inertia)])
        size = np.array([before[0], before[1], *[np.abs(before[2:]).max()] * 3])
        if (np.abs(before - after) <= EQUAL * np.maximum(size, 1e-6)).all():
            continue
        mass, _, low, middle, high = before
        if np.abs(before[2:]).max() <= LEAST * 1e-6 * mass:
            own = "missing"
        elif mass <= 0 or low < -PRINTED * high or low + middle < (1 - PRINTED) * high:
            own = "impossible"
        else:
            own = "missing" if low <= LEAST * high else "proper"
        out.append({"joint": joint, "own": own, "before": before.tolist(), "after": after.tolist()})
    return out


def positions(request, state, name):
    for follower, leader, multiplier, offset in request["followers"]:
        if follower == name:
            return [multiplier * state["q"][leader][0] + offset]
    return state["q"][name] if name else state["base"]


def unmatched(request, names):
    """Joints that one side alone moves."""
    ours = {name for name, _ in request["joints"]} | {follower[0] for follower in request["followers"]}
    return {"onlyOurs": sorted(ours - names), "onlyTheirs": sorted(names - ours)} if ours != names else None


def with_pinocchio(request):
    root = [pinocchio.JointModelFreeFlyer()] if request["floating"] else []
    text = request.get("text")
    model = pinocchio.buildModelFromXML(text, *root) if text else pinocchio.buildModelFromUrdf(request["file"], *root)
    data = model.createData()
    names = ["" if root and j == 1 else model.names[j] for j in range(1, model.njoints)]
    joints = {name: model.joints[j + 1] for j, name in enumerate(names)}
    answer = {"changed": changed_bodies(request, {name: model.inertias[j + 1] for j, name in enumerate(names)})}
    missing = unmatched(request, set(names) - {""})
    if missing:
        return {**answer, "unmatched": missing}
    columns = {name: [*range(joint.idx_v, joint.idx_v + joint.nv)] for name, joint in joints.items()}
    for name, rows in columns.items():
        if len(rows) == 6:  # linear first
            columns[name] = rows[3:] + rows[:3]

    def terms(state, v):
        q = pinocchio.neutral(model)
        for name, joint in joints.items():
            value = positions(request, state, name)
            if joint.nq != len(value):  # an angle as its cosine and sine
                value = [*value[:-1], np.cos(value[-1]), np.sin(value[-1])]
            q[joint.idx_q : joint.idx_q + joint.nq] = value
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T - np.diag(model.armature)
        bias = pinocchio.nonLinearEffects(model, data, q, v)
        return M, bias, pinocchio.computeGeneralizedGravity(model, data, q)

    return {**answer, **compared(request, terms, model.nv, columns, armature=1)}


def with_drake(request):
    plant = MultibodyPlant(0.0)  # without a scene graph: meshes are not read
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    parser.package_map().PopulateFromFolder(request["root"])
    if "text" in request:
        parser.AddModelsFromString(request["text"], "urdf")
    else:
        parser.AddModels(request["file"])
    held = {plant.get_joint(j).child_body().index() for j in plant.GetJointIndices()}
    free = [plant.get_body(BodyIndex(b)) for b in range(1, plant.num_bodies()) if BodyIndex(b) not in held]
    if not request["floating"]:
        for body in free:
            plant.WeldFrames(plant.world_frame(), body.body_frame(), plant.GetDefaultFreeBodyPose(body))
    plant.Finalize()
    joints = {}
    for j in plant.GetJointIndices():
        joint = plant.get_joint(j)
        if joint.num_velocities() > 0 and not (request["floating"] and joint.child_body() in free):
            joints[joint.name()] = joint
    missing = unmatched(request, set(joints))
    if missing or (request["floating"] and len(free) != 1) or any(joint.num_velocities() > 1 for joint in joints.values()):
        return {"unmatched": missing or {"notCompared": "several free bodies, or joints of several coordinates"}}
    context = plant.CreateDefaultContext()
    columns = {name: [joint.velocity_start()] for name, joint in joints.items()}
    base = free[0] if request["floating"] else None
    if base is not None:
        start = base.floating_velocities_start_in_v()
        columns[""] = range(start, start + 6)

    def terms(state, v):
        q = np.zeros(plant.num_positions())
        T = np.eye(plant.num_velocities())  # the base's velocity from its own axes to the world's
        if base is not None:
            p, (x, y, z, w) = state["base"][:3], state["base"][3:]
            k = base.floating_positions_start()
            q[k : k + 7] = [w, x, y, z, *p]
            R = pinocchio.Quaternion(w, x, y, z).toRotationMatrix()
            T[start : start + 3, start : start + 3] = T[start + 3 : start + 6, start + 3 : start + 6] = R
        for name, joint in joints.items():
            q[joint.position_start()] = positions(request, state, name)[0]
        plant.SetPositions(context, q)
        plant.SetVelocities(context, T @ v)
        M = plant.CalcMassMatrix(context)
        gravity = -plant.CalcGravityGeneralizedForces(context)
        bias = plant.CalcBiasTerm(context) + gravity
        if base is not None:  # d/dt (R u) = R u' + w x (R u)
            u = T @ v
            carried = np.zeros(len(v))
            carried[start + 3 : start + 6] = np.cross(u[start : start + 3], u[start + 3 : start + 6])
            bias = bias + M @ carried
        return T.T @ M @ T, T.T @ bias, T.T @ gravity

    return compared(request, terms, plant.num_velocities(), columns)


def find_package(root):
    def find(name):
        found = [folder for folder, _, _ in os.walk(root) if os.path.basename(folder) == name]
        if not found:
            raise xacro.substitution_args.SubstitutionException("package not found: " + name)
        return min(found, key=len)

    return find


def attempt(call, *arguments):
    """The result, or why there is none: the exception with what the library printed on the way."""
    with tempfile.TemporaryFile() as printed:
        kept = os.dup(2)
        os.dup2(printed.fileno(), 2)
        try:
            return call(*arguments)
        except Exception as error:
            sys.stderr.flush()
            printed.seek(0)
            lines = [line for line in printed.read().decode(errors="replace").splitlines() if "rror" in line]
            return {"error": " ".join([str(error).strip(), *lines[:3]])[:600]}
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def expand(request):
    xacro.substitution_args._eval_find = find_package(request["root"])
    return {"text": xacro.process_file(request["file"]).toprettyxml(indent="  ")}


def with_mujoco(request):
    model = mujoco.MjModel.from_xml_path(request["file"])
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    model.opt.gravity[:] = [0, 0, -9.81]
    data = mujoco.MjData(model)
    joints = {}
    for j in range(model.njnt):
        name = "" if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE and request["floating"] and j == 0 else model.joint(j).name
        joints[name] = j
    missing = unmatched(request, set(joints) - {""})
    if missing:
        return {"unmatched": missing}
    size = {int(mujoco.mjtJoint.mjJNT_FREE): 6, int(mujoco.mjtJoint.mjJNT_BALL): 3}
    columns = {}
    for name, j in joints.items():
        start, n = model.jnt_dofadr[j], size.get(int(model.jnt_type[j]), 1)
        rows = [*range(start, start + n)]
        columns[name] = rows[3:] + rows[:3] if n == 6 else rows  # linear first

    def terms(state, v):
        T = np.eye(model.nv)  # the base's linear velocity from its own axes to the world's
        data.qpos[:] = model.qpos0
        for name, j in joints.items():
            value = positions(request, state, name)
            k = model.jnt_qposadr[j]
            if len(value) == 7:
                value = [*value[:3], value[6], *value[3:6]]
            elif len(value) == 4:
                value = [value[3], *value[:3]]
            data.qpos[k : k + len(value)] = value
        start = model.jnt_dofadr[joints[""]] if "" in joints else None
        if start is not None:
            x, y, z, w = state["base"][3:]
            T[start : start + 3, start : start + 3] = R = pinocchio.Quaternion(w, x, y, z).toRotationMatrix()
        M = np.zeros((model.nv, model.nv))
        forces = []
        for speed in (T @ v, np.zeros(model.nv)):
            data.qvel[:] = speed
            mujoco.mj_forward(model, data)
            forces.append(data.qfrc_bias.copy())
        mujoco.mj_fullM(model, data, M)
        if start is not None:  # d/dt (R u) = R u' + R (w x u)
            u = (T @ v)[start : start + 6]
            carried = np.zeros(model.nv)
            carried[start : start + 3] = R @ np.cross(u[3:], R.T @ u[:3])
            forces[0] = forces[0] + M @ carried
        return T.T @ M @ T, T.T @ forces[0], T.T @ forces[1]

    return compared(request, terms, model.nv, columns)


tools = {"xacro": expand, "pinocchio": with_pinocchio, "drake": with_drake, "mujoco": with_mujoco}
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(attempt(tools[asked["tool"]], asked)), file=answers, flush=True)
