#!/usr/bin/env bash
# Guess: limit_ke and limit_kd of a joint are the stiffness and damping of its stop in N m/rad and N m s/rad, under SolverMuJoCo too, whose documentation lists both as supported.
# Seen, newton 1.8.0: they hold for a torque that rests on the stop, 2 mrad of 20 N m at 10000 N m/rad, and are 20 times too small for a blow. A link of 0.02 kg m2 that strikes the stop
# at 2 rad/s goes 11 mrad past it and leaves at 1.58 rad/s; a spring of 10000 and a damper of 10 let it 1.8 mrad past and out at 0.61. A tenth of the step changes nothing. Its code
# scales both by 1 - dmax = 0.05 of the limit's solimp; but MuJoCo's row is a = (1 - d) a_free + d a_ref, which is stiffer by 1 / (1 - d) against a load alone, and a blow has none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check newton==1.8.0 mujoco==3.17.0 mujoco-warp==3.17.0 warp-lang==1.19.0 numpy==2.4.6
cat > "$folder/stop.py" <<'PY'
import importlib.metadata
import math

import newton
import numpy as np
import warp as wp

wp.config.quiet = True
stiffness, damping, inertia = 10000.0, 10.0, 0.02


def stop(dt, duration, speed=0.0, torque=0.0):
    """Largest and last angle past the stop [rad], last velocity [rad/s]; the link starts at the stop."""
    builder = newton.ModelBuilder(gravity=(0, 0, 0))
    link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * inertia), lock_inertia=True)
    joint = builder.add_joint_revolute(-1, link, axis=(0, 0, 1), limit_lower=-9.0, limit_upper=0.0, limit_ke=stiffness, limit_kd=damping)
    builder.add_articulation([joint])
    builder.joint_qd[0] = speed
    model = builder.finalize(device="cpu")
    # MuJoCo's C code gives the same as mujoco-warp, with fewer kernels to compile
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    state, after, control = model.state(), model.state(), model.control()
    control.joint_f.fill_(torque)
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    most = 0.0
    for _ in range(round(duration / dt)):
        state.clear_forces()
        solver.step(state, after, control, None, dt)
        state, after = after, state
        most = max(most, float(state.joint_q.numpy()[0]))
    return most, float(state.joint_q.numpy()[0]), float(state.joint_qd.numpy()[0])


def spring(k, c, speed):
    """The same of a spring and damper, to the end of the contact."""
    x, v, most, dt = 0.0, speed, 0.0, 1e-7
    while x >= 0:
        v -= (k * x + c * v) / inertia * dt
        x += v * dt
        most = max(most, x)
    return most, v


print(*(f"{name} {importlib.metadata.version(name)}" for name in ["newton", "mujoco", "mujoco-warp", "warp-lang"]))
held, struck = spring(stiffness, damping, 2.0)
print(f"expected: 20 N m rest {1000 * 20 / stiffness:.2f} mrad past the stop; a blow at 2 rad/s goes {1000 * held:.2f} mrad past it and leaves at {-struck:.2f} rad/s")
held, struck = spring(stiffness * 0.05 * 0.95, damping * 0.05 * 0.95, 2.0)
print(f"a twentieth of both: {1000 * held:.2f} mrad, {-struck:.2f} rad/s")
_, rest, _ = stop(0.001, 1.0, torque=20.0)
print(f"SolverMuJoCo: 20 N m rest {1000 * rest:.2f} mrad past it")
assert abs(rest - 0.002) < 5e-5
for dt in [0.001, 0.0001]:
    most, _, out = stop(dt, 0.03, speed=2.0)
    print(f"SolverMuJoCo, step {1000 * dt:g} ms: a blow goes {1000 * most:.2f} mrad past it and leaves at {-out:.2f} rad/s")
    assert 0.0105 < most < 0.012 and -1.62 < out < -1.5
PY
WARP_CACHE_PATH="$folder/kernels" "$folder/venv/bin/python" "$folder/stop.py"
