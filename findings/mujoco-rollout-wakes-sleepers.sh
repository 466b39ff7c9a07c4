#!/usr/bin/env bash
# Guess: with sleeping islands enabled, mujoco.rollout from the state of a scene that sleeps lies as still as the scene itself.
# Seen, mujoco 4.0.0: mjSTATE_FULLPHYSICS does not hold which trees sleep. In a fresh mjData the boxes are awake again and creep, by 8 um in 200 steps,
# where mj_step on the data that slept moves nothing. On that same data rollout too leaves them asleep: what it computes depends on the data that it is given.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check mujoco==4.0.0
"$work/venv/bin/python" - <<'END'
import mujoco, numpy
from mujoco import rollout
print("mujoco", mujoco.__version__)
model = mujoco.MjModel.from_xml_string("""<mujoco><option><flag sleep="enable"/></option><worldbody><geom type="plane" size="5 5 .1"/>
<body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .15 .05"/></body>
<body pos=".05 .02 .55"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
slept = mujoco.MjData(model)
for _ in range(2000): mujoco.mj_step(model, slept)
print("trees awake", slept.ntree_awake)
assert slept.ntree_awake == 0
kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
state = numpy.zeros(mujoco.mj_stateSize(model, kind))
mujoco.mj_getState(model, slept, state, kind)
q = slept.qpos.copy()
def moved(states): return float(numpy.abs(states[0, -1, 1:1 + model.nq] - q).max())
fresh = moved(rollout.rollout(model, mujoco.MjData(model), state[None], nstep=200)[0])
same = moved(rollout.rollout(model, slept, state[None], nstep=200)[0])
print("200 steps move it by", fresh, "m in a fresh mjData,", same, "m in the one that slept")
assert 1e-6 < fresh < 1e-4 and same == 0
END
