#!/usr/bin/env bash
# Guess: mujoco.rollout from the last state that it returned goes on as the whole rollout would: the state is said to hold the full physics.
# Seen, mujoco 4.0.0: each call begins the solver at zero, since mjSTATE_FULLPHYSICS has no warm start. With the iterations that training sets (1 to 5) the
# motion is another: two boxes that fall on one another end 0.5 m away with 1 iteration and 1 mm with 2, in pieces of 40 steps; with 100 iterations it is
# 1e-15. Passing qacc_warmstart of the data as initial_warmstart gives the whole rollout to the bit.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check mujoco==4.0.0
"$work/venv/bin/python" - <<'END'
import mujoco, numpy
from mujoco import rollout
print("mujoco", mujoco.__version__)
model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
<body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .15 .05"/></body>
<body pos=".05 .02 .55"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
start = numpy.zeros(mujoco.mj_stateSize(model, kind))
mujoco.mj_getState(model, mujoco.MjData(model), start, kind)
def pieces(length, warm):
    data, state, begin, out = mujoco.MjData(model), start, numpy.zeros(model.nv), []
    for _ in range(400 // length):
        more = {"initial_warmstart": begin[None]} if warm else {}
        states, _ = rollout.rollout(model, data, state[None], nstep=length, **more)
        state, begin = states[0, -1].copy(), data.qacc_warmstart.copy()
        out.append(states[0])
    return numpy.concatenate(out)
found = {}
for iterations in (1, 2, 100):
    model.opt.iterations = iterations
    whole = pieces(400, False)
    found[iterations] = [float(numpy.abs(pieces(40, warm) - whole).max()) for warm in (False, True)]
    print(iterations, "iterations, pieces of 40 steps: off by", found[iterations][0], "with the warm start passed", found[iterations][1])
assert found[1][0] > 0.1 and 1e-4 < found[2][0] < 1e-2 and found[100][0] < 1e-12
assert all(passed == 0 for _, passed in found.values())
END
