import { describe, expect, test } from 'vitest'
import { Motors } from '../../control/index.ts'
import { createData, createState, kinematics, TendonLengths } from '../../dynamics/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { type Checkpoint, World, type WorldOptions } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/*
 * Forces that a file of MJCF names besides those of single joints, beside MuJoCo: its WASM build runs with us for what it knows, and numbers of the
 * native 4.0.0 stand for what came later: springs that yield, servos of orientations, and the way of tendons past side sites.
 */

const dt = 1e-3
const load = (text: string) => loadRobot(text, { file: 'm.xml', ground: false })
const file = (inside: string, more = '') =>
  `<mujoco><compiler angle="radian"/><option timestep="0.001" ${more}/>${inside}</mujoco>`

function worldOf(text: string, ctrl: readonly number[] = [], options: object = {}): World {
  const robot = load(text)
  return new World({
    ...{ robot, dt, contactModel: 'mujoco', fixtures: [], controller: robot.actuators ? new Motors(robot, ctrl) : undefined },
    ...options,
  } as WorldOptions)
}

/** MuJoCo's coordinates in our order of quaternions, for joints of these sizes. */
function inOurOrder(qpos: ArrayLike<number>, world: World): number[] {
  const { jointType, qStart, nb } = world.model
  const out = Array.from(qpos)
  for (let i = 1; i < nb; i++) {
    const at = jointType[i] === 3 ? qStart[i] + 3 : jointType[i] === 5 ? qStart[i] : -1
    if (at >= 0) [out[at], out[at + 1], out[at + 2], out[at + 3]] = [out[at + 1], out[at + 2], out[at + 3], out[at]]
  }
  return out
}

const arm = `<worldbody><site name="high" pos=".1 .05 1.3"/><geom name="drum" type="cylinder" size=".06 .1" pos=".1 0 1.1" euler="1.5 .2 0" contype="0" conaffinity="0"/>
<body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass="1"/><site name="near" pos=".2 0 .1"/>
<body pos=".4 0 0"><joint name="b" axis="0 0 1"/><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/><site name="tip" pos=".25 .01 .05" euler=".1 .2 .3"/></body></body></worldbody>`
const tendons = `<tendon><fixed name="sum" stiffness="4" damping=".3" springlength="-.1 .1"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed>
<spatial name="string" stiffness="20" damping=".2" springlength=".1 .2"><site site="high"/><geom geom="drum"/><site site="near"/><pulley divisor="2"/><site site="high"/><site site="tip"/></spatial></tendon>`
const fluids = `<worldbody><body pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 .1" size=".02" mass="1" fluidshape="ellipsoid" fluidcoef=".4 .2 1 .9 1.1"/>
<body pos=".4 0 .1"><joint axis="0 0 1"/><geom type="box" size=".1 .05 .02" mass=".3"/></body></body>
<body pos="1 0 1" euler=".3 .2 .1"><freejoint/><geom type="ellipsoid" size=".1 .2 .05" mass="2" fluidshape="ellipsoid"/></body></worldbody>`
const balls = `<worldbody><body pos="0 0 1" euler=".1 .2 .3"><joint name="a" type="ball" stiffness="3" damping=".1" armature=".05" springdamper="0 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass="1"/>
<body pos=".4 0 0"><joint name="b" axis="0 0 1" springdamper=".2 .7" springref=".3"/><geom type="capsule" fromto="0 0 0 .3 .1 0" size=".02" mass="1"/></body></body>
<body pos="1 0 1" euler=".3 .2 .1"><joint name="f" type="free" damping=".3" armature=".2" stiffness="4"/><geom type="box" size=".1 .2 .3" mass="2" pos=".1 .05 .02"/></body></worldbody>`

describe('half a second of motion is MuJoCo its own, of', () => {
  test.each([
    ['springs and dampers of tendons', file(arm + tendons), []],
    [
      'motors and servos of tendons',
      file(`${arm}${tendons}<actuator><motor tendon="sum" gear="2"/><position tendon="string" kp="3" kv=".1"/></actuator>`),
      [0.4, 0.5],
    ],
    [
      'forces on sites',
      file(
        `${arm}<actuator><motor site="tip" gear="1 2 3 .1 .2 .3"/><position site="tip" refsite="high" gear="0 1 0 0 0 0" kp="5"/></actuator>`,
      ),
      [0.2, 0.1],
    ],
    [
      'a slider of a crank',
      file(
        `${arm}<actuator><general cranksite="tip" slidersite="high" cranklength="1.5" gear="2" gainprm=".3" biastype="affine" biasprm=".1 -.2 -.1"/></actuator>`,
      ),
      [0.4],
    ],
    [
      'muscles',
      file(
        `${arm}${tendons}<actuator><muscle joint="a" lengthrange="-1 1" scale="150" timeconst=".02 .05" tausmooth=".3"/><muscle tendon="sum" force="9" lengthrange="-1 1"/></actuator>`,
      ),
      [0.6, 0.3],
    ],
    [
      'motors of balls and of free bodies',
      file(
        `${balls}<actuator><motor joint="a" gear="1 2 3"/><position jointinparent="a" gear="1 .5 .2" kp="3"/><motor joint="f" gear="1 2 3 .1 .2 .3"/><motor jointinparent="f" gear="1 2 3 .1 .2 .3"/></actuator>`,
      ),
      [0.1, 0.2, 0.3, -0.2],
    ],
    ['springs, dampers and inertias of balls and of free bodies', file(balls), []],
    ['a medium', file(fluids, 'density="1000" viscosity=".3" wind="1 .2 -.3"'), []],
  ] as const)('%s', async (_, text, ctrl) => {
    const world = worldOf(text, ctrl)
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    data.ctrl.set(ctrl)
    let worst = 0
    for (let n = 0; n < 500; n++) {
      world.step()
      mj.mj_step(model, data)
      inOurOrder(data.qpos, world).forEach((x, k) => {
        worst = Math.max(worst, Math.abs(x - world.state.q[k]))
      })
    }
    data.delete()
    model.delete()
    expect(worst).toBeLessThan(1e-9)
  })
})

test.each([
  [[-2, 0.5, 0.1], 4.3245184691572955, [-0.9649784244873597, -0.2582203900384853, -0.046247923653560744]],
  [[-2, -0.5, 0.1], 4.814004866731261, [-0.7300870562987396, -0.6820900716058582, -0.04154545031355592]],
  [[-2, -1.6, 0], 5.697363024280999, [-0.4743304514615489, -0.8787707180498564, -0.05265593902327465]],
  [[0.5, -2, 0], 2.5179356624028344, [-0.5957261030921532, -0.7943014707895376, -0.11914522061843064]],
  [[2, -1.2, 0], 1.2369316876852983, [0, -0.9701425001453318, -0.24253562503633294]],
  [[-1.2, -2.5, 0], 6.341450490468858, [-0.07843017869273604, -0.9957965054148225, -0.04730778872292661]],
] as const)('a tendon to %s goes round a drum as a string that is drawn through its side site', (q, length, J) => {
  const { model } = load(
    file(`<worldbody><geom name="g" type="cylinder" size="1 1" contype="0" conaffinity="0"/><site name="side" pos="0 1.5 0"/><site name="b" pos="2 0 .3"/>
      <body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><geom size=".1" mass="1"/><site name="a"/></body></worldbody>
      <tendon><spatial><site site="a"/><geom geom="g" sidesite="side"/><site site="b"/></spatial></tendon>`),
  )
  const [state, data, lengths] = [createState(model), createData(model), new TendonLengths(model)]
  state.q.set(q)
  kinematics(model, state, data)
  lengths.evaluate(state.q, data)
  expect(lengths.length[0]).toBeCloseTo(length, 12)
  for (let k = 0; k < 3; k++) expect(lengths.J[0][k]).toBeCloseTo(J[k], 12)
})

test('a tendon inside a drum touches it at equal angles', () => {
  const { model } = load(
    file(`<worldbody><geom name="g" type="sphere" size=".3" contype="0" conaffinity="0"/><site name="in" pos="0 .1 0"/><site name="b" pos=".2 .5 0"/>
      <body pos="-.3 .4 0"><joint type="slide" axis="1 0 0"/><geom size=".1" mass="1"/><site name="a"/></body></worldbody>
      <tendon><spatial><site site="a"/><geom geom="g" sidesite="in"/><site site="b"/></spatial></tendon>`),
  )
  const [state, data, lengths] = [createState(model), createData(model), new TendonLengths(model)]
  kinematics(model, state, data)
  lengths.evaluate(state.q, data)
  // the shortest way by the circle, found by trying
  let least = Infinity
  for (let n = 0; n <= 200_000; n++) {
    const angle = Math.PI / 4 + (n / 200_000) * (Math.PI / 2)
    const [x, y] = [0.3 * Math.cos(angle), 0.3 * Math.sin(angle)]
    least = Math.min(least, Math.hypot(x + 0.3, y - 0.4) + Math.hypot(x - 0.2, y - 0.5))
  }
  expect(lengths.length[0]).toBeCloseTo(least, 9)
})

const orientation = (actuator: string) =>
  file(
    `<worldbody><body pos="0 0 1"><joint name="j" type="ball"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1"/><site name="s" pos=".4 0 0" euler="0.17453292519943295 0.3490658503988659 0.5235987755982988"/></body>
    <site name="r" pos="0 0 1" euler="0.5235987755982988 0 0"/></worldbody><actuator>${actuator}</actuator>`,
  )

test.each([
  [
    'of a ball',
    '<orientation joint="j" kp="10" kv=".3"/>',
    [0.5, -0.3, 0.8],
    [0.18439013619005057, -0.09636348890081663, 0.5117896166411724, 0.8335380879005823],
  ],
  [
    'with a ratio, a bound and quaternions',
    '<orientation joint="j" kp="10" dampratio="1" input="quat" forcerange="0 4"/>',
    [0.5, 0.5, 0.5, -0.5],
    [0.2190428721521404, 0.7182572466937329, -0.6462201165016446, 0.13611138365280348],
  ],
  [
    'of a site in another',
    '<orientation site="s" refsite="r" kp="10" kv=".2"/>',
    [0.5, -0.3, 0.8],
    [0.4616898933841085, -0.26836951393763375, -0.06894781203194876, 0.8426544045763102],
  ],
] as const)('a servo of an orientation %s', (_, actuator, ctrl, q) => {
  const world = worldOf(orientation(actuator), ctrl)
  for (let n = 0; n < 300; n++) world.step()
  for (let k = 0; k < 4; k++) expect(world.state.q[k]).toBeCloseTo(q[k], 9)
})

describe('a spring that yields', () => {
  const text = `<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="0 0 0"/><worldbody><body><joint name="j" type="slide" axis="1 0 0" stiffness="100" springyield="0.1"/><geom size="0.1" mass="1"/></body></worldbody></mujoco>`
  const moving = (options: object = {}) => worldOf(text, [], { v: Float64Array.of(5), ...options })
  const set = (world: World) => (world.checkpoint() as Checkpoint).springSet![0]

  test('moves and takes its set as in MuJoCo', () => {
    const world = moving()
    for (let n = 0; n < 1000; n++) world.step()
    expect(world.state.q[0]).toBeCloseTo(1.2186326446744762, 12)
    expect(world.state.v[0]).toBeCloseTo(0.9834355218256947, 11)
    expect(set(world)).toBeCloseTo(1.200015285834851, 12)
  })

  test('has its set in checkpoints and in the hash of the state', () => {
    const [whole, halved] = [moving(), moving()]
    for (let n = 0; n < 400; n++) whole.step()
    for (let n = 0; n < 200; n++) halved.step()
    const resumed = moving()
    resumed.restore(structuredClone(halved.checkpoint()))
    for (let n = 0; n < 200; n++) resumed.step()
    expect(resumed.hash()).toBe(whole.hash())
    const { springSet: _, ...without } = whole.checkpoint()
    const forgetful = moving()
    forgetful.restore({ ...without, springSet: Float64Array.of(0) })
    expect(forgetful.hash()).not.toBe(whole.hash())
  })

  test.each(['ncp', 'penalty', 'lcp', 'stewart-trinkle', 'drake'])(
    'at the same place under %s, to the order of its steps',
    (contactModel) => {
      // to x1 = yield elastically, then at 10 N to rest, then a swing back and forth about x2 - yield
      const omega = 10
      const v1 = Math.sqrt(25 - 100 * 0.01)
      const rest = 0.1 + (v1 * v1) / 20
      const t2 = Math.asin(0.2) / omega + v1 / 10
      const exact = rest - 0.1 + 0.1 * Math.cos(omega * (1 - t2))
      const errors = [4e-3, 2e-3, 1e-3].map((step) => {
        const world = moving({ contactModel, dt: step })
        while (world.state.t[0] < 1 - 1e-9) world.step()
        return Math.abs(world.state.q[0] - exact)
      })
      expect(errors[2]).toBeLessThan(4e-3)
      expect(errors[0] / errors[2]).toBeGreaterThan(2.5)
    },
  )
})

test('a keyframe has the sets of springs of joints, then those of tendons as free ranges', () => {
  const { poses } = load(
    file(`<worldbody><body><joint name="j" type="slide" axis="1 0 0" stiffness="100" springyield="0.1"/><geom size="0.1" mass="1"/></body></worldbody>
      <tendon><fixed name="t" stiffness="100" springyield=".2" springlength="-.1 .3"><joint joint="j" coef="1"/></fixed></tendon><keyframe><key name="bent" plastic=".5 .2 .6"/></keyframe>`),
  )
  expect(poses[0].springSets![0]).toBe(0.5)
  expect(poses[0].springSets![1]).toBeCloseTo(0.3, 15)
})
