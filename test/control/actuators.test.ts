import { describe, expect, test } from 'vitest'
import { RotorsWithPlay } from '../../control/actuators/backlash.ts'
import { type ActuatorOptions, actuated, type Controller, createControllerLoop, withRotors } from '../../control/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

/** A wheel of 0.1 kg m² on a fixed axle; effort up to 50 N m. */
const wheel = loadRobot(
  '<robot name="wheel"><link name="world"/><link name="disc"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>' +
    '<joint name="axle" type="continuous"><parent link="world"/><child link="disc"/><axis xyz="0 0 1"/><limit effort="50" velocity="1000"/></joint></robot>',
  { file: 'wheel.urdf' },
)
const inertia = 0.1

function spin(actuators: ActuatorOptions[], command: (t: number) => number, rate = 1000) {
  const robot = withRotors(wheel, actuators)
  const controller: Controller = { rate, init: () => ({}), update: ({ t }) => [command(t)] }
  const loop = actuated(createControllerLoop(controller, robot), robot, actuators)
  return new World({ robot, controller: loop, contactModel: 'ncp', dt: 1e-3 })
}
const run = (world: World, seconds: number) => {
  const efforts: number[] = []
  for (let k = 0; k < seconds * 1000; k++) {
    world.step()
    efforts.push(world.tau[0])
  }
  return efforts
}

describe('an actuator', () => {
  test('without anything passes efforts on; the joint keeps its limit', () => {
    expect(
      run(
        spin([{ joints: ['axle'] }], () => 2),
        0.01,
      ),
    ).toEqual(new Array(10).fill(2))
    expect(
      run(
        spin([{ joints: ['axle'], effortLimit: 5 }], () => 80),
        0.01,
      ),
    ).toEqual(new Array(10).fill(5))
    expect(
      run(
        spin([], () => 80),
        0.01,
      ),
    ).toEqual(new Array(10).fill(50))
  })

  test('with a lag has come 63.2 % of the way after its time constant, at any rate of the controller', () => {
    for (const rate of [1000, 100]) {
      const efforts = run(
        spin([{ joints: ['*'], lag: 0.05 }], () => 10, rate),
        0.1,
      )
      expect(efforts[49]).toBeCloseTo(10 * (1 - Math.exp(-1)), 9)
      expect(efforts[99]).toBeCloseTo(10 * (1 - Math.exp(-2)), 9)
    }
  })

  test('with a torque-speed line runs up to the no-load speed, as w0 (1 - exp(-t stall / (J w0)))', () => {
    const world = spin([{ joints: ['axle'], effortLimit: 4, noLoadSpeed: 20 }], () => 100)
    const time = (inertia * 20) / 4
    run(world, time)
    expect(Math.abs(world.state.v[0] / (20 * (1 - Math.exp(-1))) - 1)).toBeLessThan(2e-3)
    run(world, 10 * time)
    expect(world.state.v[0]).toBeCloseTo(20, 2)
    // against the motion all of the effort is there
    const braking = spin([{ joints: ['axle'], effortLimit: 4, noLoadSpeed: 20 }], () => -100)
    braking.state.v[0] = 20
    expect(run(braking, 0.001)).toEqual([-4])
  })

  test('with a rotor is slower to turn by the rotor times the ratio squared', () => {
    const world = spin([{ joints: ['axle'], rotorInertia: 1e-4, gearRatio: 50 }], () => 1)
    run(world, 0.1)
    expect(world.state.v[0]).toBeCloseTo(0.1 / (inertia + 1e-4 * 2500), 9)
  })

  test('with friction does not move below it, and loses it above', () => {
    const still = spin([{ joints: ['axle'], friction: 0.5 }], () => 0.4)
    run(still, 0.1)
    expect(Math.abs(still.state.v[0])).toBeLessThan(1e-2)
    const moving = spin([{ joints: ['axle'], friction: 0.5 }], () => 1.5)
    run(moving, 0.1)
    expect(moving.state.v[0]).toBeCloseTo(1, 1)
  })

  test('that takes a velocity or a position reaches it', () => {
    const velocity = spin([{ joints: ['axle'], interface: 'velocity', kd: 2 }], () => 3)
    run(velocity, 0.5) // ten time constants J / kd
    expect(velocity.state.v[0]).toBeCloseTo(3, 3)
    const position = spin([{ joints: ['axle'], interface: 'position', kp: 40, kd: 4 }], () => 0.7)
    run(position, 2)
    expect(position.state.q[0]).toBeCloseTo(0.7, 4)
  })

  describe('with backlash', () => {
    const play: ActuatorOptions = { joints: ['axle'], rotorInertia: 1e-4, gearRatio: 50, backlash: 0.1, stiffness: 1e4 }
    const rotor = 1e-4 * 2500

    test('moves the joint once its rotor has crossed half the play, after sqrt(2 J h / tau)', () => {
      const efforts = run(
        spin([play], () => 2),
        0.3,
      )
      const crossing = Math.sqrt((2 * rotor * 0.05) / 2)
      const first = efforts.findIndex((effort) => effort !== 0)
      expect(Math.abs(first * 1e-3 - crossing)).toBeLessThanOrEqual(2e-3)
      expect(efforts[first]).toBeGreaterThan(0)
    })

    test('keeps momentum: rotor and joint together have the impulse of the motor, exactly', () => {
      const rotors = new RotorsWithPlay(Float64Array.of(50))
      rotors.add(0, rotor, 0.1, 1e4)
      const [q, v, tau] = [new Float64Array(1), Float64Array.of(-3), new Float64Array(1)]
      rotors.meet(0, q, 0, Float64Array.of(5))
      let touches = 0
      for (let k = 1; k <= 500; k++) {
        tau[0] = 2
        rotors.step(tau, 0, q, 0, v, 1e-3)
        if (tau[0] !== 0) touches++
        v[0] += (1e-3 * tau[0]) / inertia
        q[0] += 1e-3 * v[0]
        expect(rotor * rotors.velocity[0] + inertia * v[0]).toBeCloseTo(rotor * 5 - inertia * 3 + 2e-3 * k, 12)
      }
      expect(touches).toBeGreaterThan(10)
    })

    test('leaves the joint half the play behind a slow motion, on either side', () => {
      const actuators: ActuatorOptions[] = [{ ...play, interface: 'position', kp: 400, kd: 40, friction: 0.2, damping: 1 }]
      const world = spin(actuators, (t) => (t < 4 ? 0.1 * t : 0.8 - 0.1 * t))
      run(world, 3.9)
      // and behind its own servo: friction and damping wind up kp and the teeth, kd drags the rotor
      const behind = (0.2 + 0.1) / 1e4 + (0.2 + 0.1 + 40 * 0.1) / 400
      expect(Math.abs(0.39 - world.state.q[0] - 0.05 - behind)).toBeLessThan(2e-3)
      run(world, 2.1)
      expect(Math.abs(world.state.q[0] - 0.2 - 0.05 - behind)).toBeLessThan(2e-3)
    })

    test('a joint within the play feels nothing of a motor that holds its place', () => {
      const world = spin([{ ...play, interface: 'position', kp: 400, kd: 20 }], () => 0)
      world.step()
      world.state.v[0] = 0.1
      expect(run(world, 0.4).every((effort) => effort === 0)).toBe(true)
      expect(run(world, 0.3).some((effort) => effort < 0)).toBe(true) // 0.05 rad are through
    })
  })

  test('goes on after a checkpoint as it would have', () => {
    const actuators: ActuatorOptions[] = [
      {
        joints: ['axle'],
        interface: 'position',
        kp: 40,
        kd: 1,
        lag: 0.02,
        noLoadSpeed: 30,
        rotorInertia: 0.1,
        backlash: 0.05,
        stiffness: 1e4,
      },
    ]
    const world = spin(actuators, (t) => (t < 0.1 ? 1 : -1), 300)
    run(world, 0.077)
    const checkpoint = structuredClone(world.checkpoint())
    const first = run(world, 0.1)
    world.restore(checkpoint)
    expect(run(world, 0.1)).toEqual(first)
  })

  test('that cannot be is an error that says why', () => {
    expect(() => spin([{ joints: ['axel'] }], () => 0)).toThrow(/no moving joint of "wheel" is called "axel".*axle/)
    expect(() => spin([{ joints: ['axle'] }, { joints: ['a*'] }], () => 0)).toThrow('joint "axle" has two')
    expect(() => spin([{ joints: ['axle'], interface: 'position' }], () => 0)).toThrow('takes a position and has no gain')
    const play = { joints: ['axle'], backlash: 0.1 }
    expect(() => spin([{ joints: ['axle'], noLoadSpeed: 5 }], () => 0)).not.toThrow() // the joint has a limit of its own
    expect(() => spin([play], () => 0)).toThrow('state rotorInertia and stiffness')
    const stiff = { ...play, rotorInertia: 1, stiffness: 1e6 }
    expect(() => spin([stiff], () => 0).step()).toThrow(
      /stiffness 1000000 is too much at a step of 0.001 s; at most 1.00e\+5 is stable/,
    )
  })
})
