"""MuJoCo in C by its Python package: mj_step of the MJCF that engines/mujoco/scene.ts writes, or of a robot's own file."""

import time

import mujoco
import numpy as np
from featherbed_engine import Unsupported, rotation, serve, wxyz, xyzw


class Engine:
    def __init__(self, scene, options):
        self.scene = scene
        self.holds = ["damping", "friction", "springs", "armature", "limits", "torsional friction", "rolling resistance"]
        self.lacks = options["lacks"]
        file = options.get("file")
        self.model = mujoco.MjModel.from_xml_path(file) if file else mujoco.MjModel.from_xml_string(options["mjcf"])
        self.takes_inputs = False
        if file:
            self.model.opt.timestep = scene.dt
            self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
            self.takes_inputs = 0 < options["inputs"] == self.model.nu
            if not self.takes_inputs:
                self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        self.data = mujoco.MjData(self.model)
        self.find_places(self.joints_of_file() if file else {k: self.model.joint(f"j{k + 1}").id for k in self.moving()})
        self.write(np.array(scene.q), np.array(scene.v))

    def moving(self):
        return [k for k, body in enumerate(self.scene.bodies) if body.joint.kind != "fixed"]

    def joints_of_file(self):
        """By name, also behind a robot's; those without a name in their order."""
        left = {k: self.scene.bodies[k].joint.name.split("/")[-1] for k in self.moving()}
        found, unnamed = {}, []
        for j in range(self.model.njnt):
            name = self.model.joint(j).name
            k = next((k for k, own in left.items() if name in (own, self.scene.bodies[k].joint.name)), None) if name else None
            if k is not None:
                del left[k]
                found[k] = j
            elif name == "":
                unnamed.append(j)
            else:
                raise Unsupported(f'the joint "{name}" of its reader, which this world does not have')
        if len(unnamed) != len(left):
            raise Unsupported(f"the joints {', '.join(left.values())}, of which its reader has {len(unnamed)}")
        return found | dict(zip(left, unnamed))

    def find_places(self, joints):
        """Where numbers of the scene are in MuJoCo's qpos and qvel."""
        model, bodies = self.model, self.scene.bodies
        places = [(bodies[k], model.jnt_qposadr[j], model.jnt_dofadr[j], j) for k, j in joints.items()]
        for body, _, _, j in places:
            if (body.joint.kind == "floating") != (model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE):
                raise Unsupported(f'the joint "{body.joint.name}", which is of another kind there')
        self.free = [(body.joint.q, body.joint.v, at, dof, body.given) for body, at, dof, _ in places if body.joint.kind == "floating"]
        single = [(body.joint, at, dof) for body, at, dof, _ in places if body.joint.kind != "floating" and body.joint.v >= 0]
        self.q_here, self.v_here = np.array([[joint.q, joint.v] for joint, _, _ in single], int).reshape(-1, 2).T
        self.q_there, self.v_there = np.array([[at, dof] for _, at, dof in single], int).reshape(-1, 2).T
        self.followers = [
            (body.joint.follows, bodies[body.joint.follows.body].joint, at, dof)
            for body, at, dof, _ in places
            if body.joint.follows is not None
        ]

    def write(self, q, v):
        qpos, qvel = self.data.qpos, self.data.qvel
        qpos[self.q_there], qvel[self.v_there] = q[self.q_here], v[self.v_here]
        for follows, lead, at, dof in self.followers:
            qpos[at], qvel[dof] = follows.ratio * q[lead.q] + follows.offset, follows.ratio * v[lead.v]
        for k, i, at, dof, _ in self.free:
            self.put(at, dof, q[k : k + 7], v[i : i + 6])
        self.data.qacc_warmstart[:] = 0

    def put(self, at, dof, pose, velocity):
        """Angular velocities are in the body's axes there."""
        self.data.qpos[at : at + 7] = [*pose[:3], *wxyz(pose[3:])]
        self.data.qvel[dof : dof + 3] = velocity[3:]
        self.data.qvel[dof + 3 : dof + 6] = rotation(pose[3:]).T @ velocity[:3]

    def read(self):
        qpos, qvel = self.data.qpos, self.data.qvel
        q, v = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        q[self.q_here], v[self.v_here] = qpos[self.q_there], qvel[self.v_there]
        for k, i, at, dof, _ in self.free:
            q[k : k + 7] = [*qpos[at : at + 3], *xyzw(qpos[at + 3 : at + 7])]
            v[i : i + 3] = rotation(q[k + 3 : k + 7]) @ qvel[dof + 3 : dof + 6]
            v[i + 3 : i + 6] = qvel[dof : dof + 3]
        return q, v

    def step(self, efforts, given):
        data = self.data
        if self.takes_inputs:
            data.ctrl[:] = self.inputs
        else:
            data.qfrc_applied[self.v_there] = efforts[self.v_here]
            for _, i, at, dof, is_given in self.free:
                if not is_given:
                    data.qfrc_applied[dof : dof + 3] = efforts[i + 3 : i + 6]
                    data.qfrc_applied[dof + 3 : dof + 6] = rotation(xyzw(data.qpos[at + 3 : at + 7])).T @ efforts[i : i + 3]
        for (_, _, at, dof, _), motion in zip([place for place in self.free if place[-1]], given):
            self.put(at, dof, motion[:7], motion[7:])
        begin = time.perf_counter()
        mujoco.mj_step(self.model, data)
        self.seconds = time.perf_counter() - begin

    def contacts(self):
        return int(self.data.ncon)


serve(Engine)
