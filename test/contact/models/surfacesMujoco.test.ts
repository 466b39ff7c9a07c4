import { describe, expect, test } from 'vitest'
import { type ContactModelOptions, contactChoice } from '../../../contact/index.ts'
import { Motors } from '../../../control/index.ts'
import { loadRobot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'

const floor = '<geom name="floor" type="plane" size="1 1 1"/>'
const box = 'type="box" size=".1 .1 .1" mass="1"'
const free = '<freejoint/><geom name="b"'
type Three = readonly number[]

/**
 * MuJoCo 4.0.0 (native, mj_step at 1 ms; npm's 3.14 has neither surfacevel nor adhesion): inside of worldbody and behind it, steps, velocity
 * at the start [m/s], and where the body is then [m], under the pyramidal and the elliptic cone.
 */
const rows: readonly (readonly [string, string, string, number, Three, Three, Three])[] = [
  [
    'a belt',
    `<geom type="box" size="5 1 .05" pos="0 0 -.05" surfacevel="0.5 0 0 0 0 0"/><body name="box" pos="0 0 .1">${free} ${box}/></body>`,
    ``,
    500,
    [],
    [0.237183443, 0, 0.099892245],
    [0.237289978, 0, 0.099892245],
  ],
  [
    'a belt that is turned, with a part along its normal',
    `<geom type="box" size="5 1 .05" pos="0 0 -.05" euler="0 0 30" surfacevel="0.5 0 0.7"/><body name="box" pos="0.3 0.1 .1">${free} ${box}/></body>`,
    ``,
    500,
    [],
    [0.502068352, 0.215289284, 0.099892245],
    [0.504760739, 0.218045, 0.099892245],
  ],
  [
    'a turntable',
    `<geom type="box" size="1 1 .05" pos="0 0 -.05" surfacevel="0 0 0 0 0 2"/><body name="box" pos="0.3 0.1 .1">${free} ${box}/></body>`,
    ``,
    500,
    [],
    [0.107211543, 0.307174213, 0.099892319],
    [0.103710447, 0.307265546, 0.099892319],
  ],
  [
    'a crawler',
    `${floor}<body name="hull" pos="0 0 .1"><freejoint/><geom type="box" size=".3 .2 .05" mass="9" pos="0 0 .05" contype="0" conaffinity="0"/><geom type="box" size=".3 .05 .1" pos="0 .25 0" mass="3" surfacevel="-0.5"/><geom type="box" size=".3 .05 .1" pos="0 -.25 0" mass="3" surfacevel="-0.3"/></body>`,
    ``,
    500,
    [],
    [0.188589729, -0.00602913, 0.100016592],
    [0.186581224, -0.004552003, 0.099993674],
  ],
  [
    'two that run',
    `<geom type="box" size="5 1 .05" pos="0 0 -.05" surfacevel="0.5 0 0"/><body name="box" pos="0 0 .1">${free} ${box} surfacevel="0.1 0.2 0"/></body>`,
    ``,
    500,
    [],
    [0.188652136, -0.092692024, 0.099892245],
    [0.190712742, -0.095392328, 0.099892245],
  ],
  [
    'adhesion at rest',
    `${floor}<body name="box" pos="0 0 .1">${free} size=".1" mass="1" adhesion="20"/></body>`,
    ``,
    500,
    [],
    [0, 0, 0.099632818],
    [0, 0, 0.099632818],
  ],
  [
    'adhesion within a gap',
    `<geom type="box" size="1 1 .1" pos="0 0 1.1" gap=".02"/><body name="box" pos="0 0 .88">${free} size=".1" mass="1" adhesion="20" gap="0.01"/></body>`,
    ``,
    500,
    [],
    [0, 0, 0.899632818],
    [0, 0, 0.899632818],
  ],
  [
    'adhesion that does not hold',
    `<geom type="box" size="1 1 .1" pos="0 0 1.1"/><body name="box" pos="0 0 .90005">${free} size=".1" mass="1" adhesion="9"/></body>`,
    ``,
    500,
    [],
    [0, 0, -0.279913749],
    [0, 0, -0.279913749],
  ],
  [
    'adhesion and friction',
    `<geom type="box" size=".1 1 1" pos="-.1 0 1" adhesion="1"/><body name="box" pos=".0999 0 1">${free} ${box} adhesion="1" friction=".7"/></body>`,
    ``,
    500,
    [],
    [0.163979278, 0, -0.080020794],
    [0.196919277, 0, -0.014134161],
  ],
  [
    'adhesion of the geom of higher priority',
    `<geom type="box" size=".1 1 1" pos="-.1 0 1" adhesion="9" priority="1" gap="0.01"/><body name="box" pos=".0999 0 1">${free} ${box} adhesion="1"/></body>`,
    ``,
    500,
    [],
    [0.099999942, 0, 0.995042886],
    [0.099999942, 0, 0.997465583],
  ],
  [
    'adhesion and margin of a pair',
    `<geom name="wall" type="box" size=".1 1 1" pos="-.1 0 1"/><body name="box" pos=".11 0 1">${free} ${box}/></body>`,
    `<contact><pair geom1="wall" geom2="b" adhesion="15" margin="0.005" gap="0.02" friction="0.9 0.9"/></contact>`,
    100,
    [],
    [0.105227252, 0, 0.9504595],
    [0.105227252, 0, 0.9504595],
  ],
  [
    'friction of a pair, the first larger',
    `${floor}<body name="box" pos="0 0 .0999">${free} ${box} euler="0 0 40"/></body>`,
    `<contact><pair geom1="floor" geom2="b" friction="0.8 0.2"/></contact>`,
    200,
    [1, 0.7, 0],
    [0.182567004, 0.05183891, 0.100085344],
    [0.17196825, 0.044587782, 0.100054943],
  ],
  [
    'friction of a pair, the second larger',
    `${floor}<body name="box" pos="0 0 .0999">${free} ${box}/></body>`,
    `<contact><pair geom1="floor" geom2="b" friction="0.2 0.8"/></contact>`,
    200,
    [1, 0.7, 0],
    [0.074862256, 0.131829917, 0.099991595],
    [0.074401955, 0.119988472, 0.100002161],
  ],
  [
    'friction of a pair, a capsule on a plane',
    `${floor}<body name="box" pos="0 0 .0999">${free} type="capsule" size=".1 .2" euler="0 90 30" mass="1"/></body>`,
    `<contact><pair geom1="floor" geom2="b" friction="0.2 0.8"/></contact>`,
    200,
    [1, 0.7, 0],
    [0.167569653, 0.111896477, 0.099974622],
    [0.162684195, 0.102533583, 0.099977894],
  ],
  [
    'solreffriction of a pair',
    `${floor}<body name="box" pos="0 0 .0999">${free} ${box}/></body>`,
    `<contact><pair geom1="floor" geom2="b" friction="0.2 0.8" solreffriction="0.05 1"/></contact>`,
    200,
    [1, 0.7, 0],
    [0.074862256, 0.131829917, 0.099991595],
    [0.07840766, 0.118429231, 0.099983085],
  ],
  [
    'solreffriction of a pair, as damping',
    `${floor}<body name="box" pos="0 0 .0999">${free} ${box}/></body>`,
    `<contact><pair geom1="floor" geom2="b" friction="0.6 0.6" solreffriction="-100 -30"/></contact>`,
    200,
    [1, 0.7, 0],
    [0.120167522, 0.10147062, 0.099988762],
    [0.105790088, 0.074694463, 0.099923161],
  ],
]

function worldOf(text: string, model: string, options: ContactModelOptions, velocity: Three, ctrl?: Three): World {
  const robot = loadRobot(text, { file: 'a.xml' })
  const q = robot.home.slice()
  q.set(/<body[^>]*pos="([^"]*)"/.exec(text)![1].split(' ').map(Number))
  const v = new Float64Array(robot.model.nv)
  v.set(velocity, velocity.length > 0 ? 3 : 0)
  const controller = ctrl && new Motors(robot, ctrl)
  return new World({ robot, q, v, controller, fixtures: robot.surroundings ?? [], ...contactChoice(model, options), dt: 1e-3 })
}

describe('surfaces, under mujoco as in MuJoCo 4.0.0:', () => {
  test.each(rows)('%s', (_, inside, more, steps, velocity, ofPyramid, ofCone) => {
    const text = `<mujoco><worldbody>${inside}</worldbody>${more}</mujoco>`
    for (const [cone, expected] of [
      ['pyramidal', ofPyramid],
      ['elliptic', ofCone],
    ] as const) {
      const world = worldOf(text, 'mujoco', { cone }, velocity)
      for (let k = 0; k < steps; k++) world.step()
      // MuJoCo's solver ends at 1e-8 of its cost
      for (let k = 0; k < 3; k++) expect(Math.abs(world.state.q[k] - expected[k])).toBeLessThan(1e-7)
    }
  })
})

/** The same, after 300 steps with this ctrl. */
const driven: readonly (readonly [string, string, string, number, Three, Three])[] = [
  [
    'a box under a ceiling',
    `<geom type="box" size="1 1 .1" pos="0 0 1.1"/><body name="box" pos="0 0 .9002"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>`,
    `<actuator><adhesion body="box" gain="5" ctrlrange="0 10"/></actuator>`,
    5,
    [0, 0, 0.900163733],
    [0, 0, 0.900163733],
  ],
  [
    'a ball on a floor',
    `<geom type="plane" size="1 1 1"/><body name="box" pos="0 0 .1"><freejoint/><geom size=".1" mass="1"/></body>`,
    `<actuator><adhesion body="box" gain="5" ctrlrange="0 3"/></actuator>`,
    5,
    [0, 0, 0.099358789],
    [0, 0, 0.099358789],
  ],
  [
    'a ball drawn up within a gap',
    `<geom type="box" size="1 1 .1" pos="0 0 1.1" gap=".03"/><body name="box" pos="0 0 .88"><freejoint/><geom size=".1" mass="1"/></body>`,
    `<actuator><adhesion body="box" gain="5" ctrlrange="0 10"/></actuator>`,
    4,
    [0, 0, 0.900377332],
    [0, 0, 0.900377332],
  ],
  [
    'a box on a wall, by a general actuator',
    `<geom type="box" size=".1 1 1" pos="-.1 0 1"/><body name="box" pos=".0998 0 1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" friction="1.2"/></body>`,
    `<actuator><general body="box" gainprm="20" ctrlrange="0 1"/></actuator>`,
    1,
    [0.099699253, 0, 0.998028155],
    [0.099795543, 0, 0.999195458],
  ],
]

describe('actuators that adhere, under mujoco as in MuJoCo 4.0.0:', () => {
  test.each(driven)('%s', (_, inside, actuator, ctrl, ofPyramid, ofCone) => {
    const text = `<mujoco><worldbody>${inside}</worldbody>${actuator}</mujoco>`
    for (const [cone, expected] of [
      ['pyramidal', ofPyramid],
      ['elliptic', ofCone],
    ] as const) {
      const world = worldOf(text, 'mujoco', { cone }, [], [ctrl])
      for (let k = 0; k < 300; k++) world.step()
      for (let k = 0; k < 3; k++) expect(Math.abs(world.state.q[k] - expected[k])).toBeLessThan(1e-8)
    }
  })

  test('a box hangs by one under other models too, and falls as soon as its input is less', () => {
    const [, inside, actuator] = driven[0]
    const text = `<mujoco><worldbody>${inside}</worldbody>${actuator}</mujoco>`
    for (const model of ['ncp', 'lcp', 'penalty', 'drake'] as const) {
      const [holds, falls] = [5, 0.5].map((ctrl) => worldOf(text, model, {}, [], [ctrl]))
      for (const world of [holds, falls]) for (let k = 0; k < 300; k++) world.step()
      expect(Math.abs(holds.state.q[2] - 0.9)).toBeLessThan(2e-3)
      expect(falls.state.q[2]).toBeLessThan(0.6)
      expect(holds.events.energyGains).toBe(0)
    }
  })
})
