# The other end of worlds.ts: answers a number of threads by the seconds of a rollout, those of processor time, and the contacts
# in the last of each chunk of steps, world by world.
import json, sys, time
import numpy as np
import mujoco
from mujoco.rollout import Rollout
start = json.loads(sys.stdin.readline())
model = mujoco.MjModel.from_xml_string(start["mjcf"])
data = [mujoco.MjData(model) for _ in range(start["threads"])]
dofs = [model.joint(f"j{body}").dofadr[0] for body in start["bodies"]]
spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
first = np.zeros((len(start["v"]), mujoco.mj_stateSize(model, spec)))
for k, v in enumerate(start["v"]):
    data[0].qpos[:], data[0].qvel[dofs] = start["qpos"], v
    mujoco.mj_getState(model, data[0], first[k], spec)
tau = np.zeros((1, 1, model.nv))
tau[0, 0, dofs] = start["tau"]
for line in sys.stdin:
    threads = json.loads(line)
    with Rollout(nthread=threads if threads > 1 else 0) as rollout:
        then, spent = time.perf_counter(), time.process_time()
        out, _ = rollout.rollout(model, data[:threads], first, tau, control_spec=mujoco.mjtState.mjSTATE_QFRC_APPLIED, nstep=start["steps"])
        took, spent = time.perf_counter() - then, time.process_time() - spent
    contacts = []
    for row in out[:, start["chunk"] - 2 :: start["chunk"]].swapaxes(0, 1).reshape(-1, first.shape[1]):
        mujoco.mj_setState(model, data[0], row, spec)
        mujoco.mj_fwdPosition(model, data[0])
        contacts.append(data[0].ncon)
    print(json.dumps([took, spent, contacts]), flush=True)
