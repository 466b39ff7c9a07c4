"""MuJoCo in C by its Python package: mj_step of the MJCF that engines/mujoco/scene.ts writes, or of a robot's own file."""

import time

import mujoco
from featherbed_engine import Engine, Places, Unsupported, last_of, rotation, serve, wxyz, xyzw


class Native(Engine):
    holds = ["damping", "friction", "springs", "rotor inertia", "joint limits", "torsional friction", "rolling resistance"]

    def __init__(self, scene, options):
        super().__init__(scene, options)
        self.lacks = options["lacks"]
        file = self.file
        self.model = mujoco.MjModel.from_xml_path(file) if file else mujoco.MjModel.from_xml_string(options["mjcf"])
        self.takes_inputs = False
        if file:
            self.model.opt.timestep = scene.dt
            self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
            self.takes_inputs = 0 < options["inputs"] == self.model.nu
            if not self.takes_inputs:
                self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        self.data = mujoco.MjData(self.model)
        moving = {body.index: body.joint for body in scene.bodies if body.joint.kind != "fixed"}
        self.find_places(self.joints_of_file(moving) if file else {k: self.model.joint(f"j{k + 1}").id for k in moving})
        self.write(scene.q, scene.v)

    def joints_of_file(self, left):
        """By name, also behind a robot's; those without a name in their order."""
        found, unnamed = {}, []
        for j in range(self.model.njnt):
            name = self.model.joint(j).name
            k = next((k for k, own in left.items() if name in (last_of(own.name), own.name)), None) if name else None
            if k is not None:
                del left[k]
                found[k] = j
            elif name == "":
                unnamed.append(j)
            else:
                raise Unsupported(f'the joint "{name}" of its reader, which this world does not have')
        if len(unnamed) != len(left):
            names = ", ".join(last_of(own.name) for own in left.values())
            raise Unsupported(f"the joints {names}, of which its reader has {len(unnamed)}")
        return found | dict(zip(left, unnamed))

    def find_places(self, joints):
        """Where numbers of the scene are in MuJoCo's qpos and qvel."""
        model, bodies = self.model, self.scene.bodies
        for k, j in joints.items():
            if bodies[k].joint.floats != (model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE):
                raise Unsupported(f'the joint "{bodies[k].joint.name}", which is of another kind there')
        there = {k: (model.jnt_qposadr[j], model.jnt_dofadr[j]) for k, j in joints.items()}
        self.places = Places(self.scene, there)

    def write(self, q, v):
        self.places.write(q, v, self.data.qpos, self.data.qvel)
        self.put_all(q, v)
        self.data.qacc_warmstart[:] = 0

    def put(self, body, pose, velocity):
        """Angular velocities are in the body's axes there."""
        at, dof = self.places.slices[body.index]
        self.data.qpos[at] = [*pose[:3], *wxyz(pose[3:])]
        self.data.qvel[dof] = [*velocity[3:], *(rotation(pose[3:]).T @ velocity[:3])]

    def read_joints(self, q, v):
        self.places.read(self.data.qpos, self.data.qvel, q, v)

    def pose_of(self, body):
        at, dof = self.places.slices[body.index]
        pose, velocity = self.data.qpos[at], self.data.qvel[dof]
        turn = xyzw(pose[3:])
        return [*pose[:3], *turn], [*(rotation(turn) @ velocity[3:]), *velocity[:3]]

    def step(self, efforts, given):
        data = self.data
        if self.takes_inputs:
            data.ctrl[:] = self.inputs
        else:
            data.qfrc_applied[self.places.v_there] = efforts[self.places.v]
            for body, moment, force in self.wrenches(efforts):
                at, dof = self.places.slices[body.index]
                data.qfrc_applied[dof] = [*force, *(rotation(xyzw(data.qpos[at][3:])).T @ moment)]
        self.move(given)
        begin = time.perf_counter()
        mujoco.mj_step(self.model, data)
        self.seconds = time.perf_counter() - begin

    def contacts(self):
        return int(self.data.ncon)


serve(Native)
