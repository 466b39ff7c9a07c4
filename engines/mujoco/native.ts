import { spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { RealMujoco } from './beside.ts'

/** The other end: answers a line of JSON for the file, then numbers for numbers. */
const SCRIPT = `
import json, sys
import numpy as np
import mujoco
ask, answer = open(sys.argv[2], "rb", buffering=0), open(sys.argv[3], "wb", buffering=0)
def read(n):
    out = b""
    while len(out) < 8 * n:
        part = ask.read(8 * n - len(out))
        if not part:
            sys.exit()
        out += part
    return np.frombuffer(out)
def tell(value):
    text = json.dumps(value).encode()
    answer.write(b"%08d" % len(text) + text)
try:
    m = mujoco.MjModel.from_xml_path(sys.argv[1])
    d = mujoco.MjData(m)
except Exception as error:
    tell({"error": str(error)})
    sys.exit()
joints = [{"name": m.joint(j).name, "type": int(m.jnt_type[j]), "qpos": int(m.jnt_qposadr[j]), "dof": int(m.jnt_dofadr[j])} for j in range(m.njnt)]
tell({"version": mujoco.__version__, "joints": joints, "nq": m.nq, "nv": m.nv, "nu": m.nu})
while True:
    kind = read(1)[0]
    if kind == 0:
        m.opt.timestep, acts = read(2)
        m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET) | (0 if acts else int(mujoco.mjtDisableBit.mjDSBL_ACTUATION))
    elif kind == 1:
        d.qpos[:], d.qvel[:] = read(m.nq), read(m.nv)
        d.qacc_warmstart[:] = 0
    else:
        d.ctrl[:], d.qfrc_applied[:] = read(m.nu), read(m.nv)
        mujoco.mj_step(m, d)
        answer.write(d.qpos.tobytes() + d.qvel.tobytes())
`

/** The version of a Python's MuJoCo. @throws Error that says how to get it */
export function nativeVersion(python: string): string {
  const { status, stdout, error } = spawnSync(python, ['-c', 'import mujoco; print(mujoco.__version__)'], { encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error(
    error
      ? `there is no Python ${python} (${(error as NodeJS.ErrnoException).code}); --mujoco-python names one, or FEATHERBED_PYTHON`
      : `${python} has no MuJoCo; ${python} -m pip install mujoco`,
  )
}

/** Native MuJoCo in a Python that has it, over two named pipes, so that a step waits for its answer. @throws Error in its words */
export function openNative(python: string, file: string): RealMujoco {
  nativeVersion(python)
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-mujoco-'))
  const pipes = ['ask', 'answer'].map((name) => join(folder, name))
  if (spawnSync('mkfifo', pipes).status !== 0) throw new Error('native MuJoCo needs named pipes, which this system lacks')
  const child = spawn(python, ['-c', SCRIPT, resolve(file), ...pipes], { stdio: 'ignore', cwd: folder }) // where it writes its log
  child.unref()
  const end = () => {
    process.off('exit', end)
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', end)
  // opened for both, neither waits for the other end; once it has answered, its end is the end of the pipe
  const ask = openSync(pipes[0], constants.O_RDWR)
  const first = openSync(pipes[1], constants.O_RDWR)
  const text = filled(first, Number(filled(first, 8).toString()))
  const answer = openSync(pipes[1], constants.O_RDONLY)
  closeSync(first)
  const { error, ...told } = JSON.parse(text.toString()) as Omit<RealMujoco, 'begin' | 'set' | 'step' | 'delete'> & {
    error?: string
  }
  if (error !== undefined) {
    end()
    throw new Error(error)
  }
  const send = (...numbers: readonly (number | Float64Array)[]) => {
    const bytes = Buffer.from(Float64Array.from(numbers.flatMap((one) => (typeof one === 'number' ? one : [...one]))).buffer)
    for (let at = 0; at < bytes.length; ) at += writeSync(ask, bytes, at)
  }
  return {
    ...told,
    begin: (timestep, actuates) => send(0, timestep, actuates ? 1 : 0),
    set: (qpos, qvel) => send(1, qpos, qvel),
    step(ctrl, applied, qpos, qvel) {
      send(2, ctrl, applied)
      const { buffer, byteOffset } = filled(answer, 8 * (told.nq + told.nv))
      const state = new Float64Array(buffer.slice(byteOffset, byteOffset + 8 * (told.nq + told.nv)))
      qpos.set(state.subarray(0, told.nq))
      qvel.set(state.subarray(told.nq))
    },
    delete: end,
  }
}

function filled(pipe: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    const count = readSync(pipe, bytes, at, length - at, null)
    if (count === 0) throw new Error('native MuJoCo ended')
    at += count
  }
  return bytes
}
