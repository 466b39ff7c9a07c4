import { spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Native MuJoCo in a Python that has it, over two named pipes, so that a step waits for its answer. */
export class NativeMujoco implements RealMujoco {
  readonly version: string
  readonly joints: RealMujoco['joints']
  readonly nq: number
  readonly nv: number
  readonly nu: number
  private readonly folder: string
  private readonly ask: number
  private readonly answer: number
  private readonly kill: () => void
  private readonly numbers: Float64Array
  private readonly state: Float64Array

  /** @throws Error for a file that MuJoCo refuses, in its words */
  constructor(python: string, file: string) {
    NativeMujoco.versionOf(python)
    this.folder = mkdtempSync(join(tmpdir(), 'featherbed-mujoco-'))
    const [ask, answer] = ['ask', 'answer'].map((name) => join(this.folder, name))
    if (spawnSync('mkfifo', [ask, answer]).status !== 0)
      throw new Error('native MuJoCo needs named pipes, which this system lacks')
    const child = spawn(python, ['-c', SCRIPT, file, ask, answer], { stdio: 'ignore' })
    child.unref()
    const end = () => this.delete()
    this.kill = () => {
      process.off('exit', end)
      child.kill()
    }
    process.once('exit', end)
    // opened for both, neither waits for the other end; once it has answered, its end is the end of the pipe
    this.ask = openSync(ask, constants.O_RDWR)
    const first = openSync(answer, constants.O_RDWR)
    const length = Buffer.alloc(8)
    fill(first, length)
    const text = Buffer.alloc(Number(length.toString()))
    fill(first, text)
    this.answer = openSync(answer, constants.O_RDONLY)
    closeSync(first)
    const told = JSON.parse(text.toString()) as RealMujoco & { readonly error?: string }
    if (told.error !== undefined) {
      this.version = ''
      this.joints = []
      this.nq = this.nv = this.nu = 0
      this.numbers = this.state = new Float64Array(0)
      this.delete()
      throw new Error(told.error)
    }
    this.version = told.version
    this.joints = told.joints
    this.nq = told.nq
    this.nv = told.nv
    this.nu = told.nu
    this.numbers = new Float64Array(1 + Math.max(2, told.nq + told.nv, told.nu + told.nv))
    this.state = new Float64Array(told.nq + told.nv)
  }

  /** @throws Error that says how to get it */
  static versionOf(python: string): string {
    const { status, stdout, error } = spawnSync(python, ['-c', 'import mujoco; print(mujoco.__version__)'], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
    throw new Error(
      error
        ? `there is no Python ${python} (${(error as NodeJS.ErrnoException).code}); --mujoco-python names one, or FEATHERBED_PYTHON`
        : `${python} has no MuJoCo; ${python} -m pip install mujoco`,
    )
  }

  begin(timestep: number, actuates: boolean): void {
    this.send(0, Float64Array.of(timestep), Float64Array.of(actuates ? 1 : 0))
  }

  set(qpos: Float64Array, qvel: Float64Array): void {
    this.send(1, qpos, qvel)
  }

  step(ctrl: Float64Array, applied: Float64Array, qpos: Float64Array, qvel: Float64Array): void {
    this.send(2, ctrl, applied)
    fill(this.answer, new Uint8Array(this.state.buffer))
    qpos.set(this.state.subarray(0, this.nq))
    qvel.set(this.state.subarray(this.nq))
  }

  delete(): void {
    this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private send(kind: number, a: Float64Array, b: Float64Array): void {
    const { numbers } = this
    numbers[0] = kind
    numbers.set(a, 1)
    numbers.set(b, 1 + a.length)
    const bytes = new Uint8Array(numbers.buffer, 0, 8 * (1 + a.length + b.length))
    for (let at = 0; at < bytes.length; ) at += writeSync(this.ask, bytes, at)
  }
}

function fill(pipe: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(pipe, bytes, at, bytes.length - at, null)
    if (count === 0) throw new Error('native MuJoCo ended')
    at += count
  }
}
