import { describe, expect, test } from 'vitest'
import {
  checkScenario,
  evaluator,
  materialize,
  type Program,
  parseScenario,
  ScenarioError,
} from '../../compare/scenario/index.ts'
import { contactModels } from '../../contact/index.ts'

const problemsOf = async (text: string, file = 'a.yaml') => {
  try {
    await parseScenario(text, file)
  } catch (error) {
    expect(error).toBeInstanceOf(ScenarioError)
    return (error as ScenarioError).problems
  }
  return []
}

describe('a scenario file', () => {
  test('is read with units, expressions, model options and fixtures', async () => {
    const scenario = await parseScenario(
      `
name: Box on a step
robot: box.urdf
base: floating
ground: { friction: 0.5, height: "-1 cm" }
boxes:
  - { size: ["40 cm", 1, "2*5 cm"], position: [1, 0, 5 cm], rpy: [0, 0, 30 deg], friction: 0.9 }
materials: { wheel: { friction: 0.3, restitution: 10 %, staticFriction: 0.4, stribeckVelocity: 1 mm/s, stiffness: 5 kN/m } }
combine: { friction: geometric-mean }
controller: { name: hold, options: { wheelSpeed: "36 km/hour" } }
duration: 2 s
dt: [10 ms, 1 ms]
models: [penalty, { name: stewart-trinkle, pyramidSides: 8 }]
integrator: rk4
physical: { allowedPenetration: 2 mm, stiffness: 20 kN/m, friction: 0.7 }
limits: { penetration: 5 mm, tracking: 2 %, energy: 3 % }
start: { joints: { arm: 30 deg, slide: 5 cm }, position: [0, 0, 1], linearVelocity: [1, 0, 0] }
exact: { x: 0.5*t, energy: 0 }
seed: 7
`,
      'a.yaml',
    )
    expect(scenario).toMatchObject({
      name: 'Box on a step',
      robots: ['box.urdf'],
      ground: { friction: 0.5, height: -0.01 },
      boxes: [{ name: 'box1', size: [0.4, 1, 0.1], position: [1, 0, 0.05], rpy: [0, 0, Math.PI / 6], friction: 0.9 }],
      materials: { wheel: { friction: 0.3, restitution: 0.1, staticFriction: 0.4, stribeckVelocity: 1e-3, stiffness: 5e3 } },
      combine: { friction: 'geometric-mean' },
      controller: { builtIn: 'hold', options: { wheelSpeed: 10 } },
      duration: 2,
      dt: [1e-3, 1e-2],
      models: [
        { name: 'penalty', options: {} },
        { name: 'stewart-trinkle', options: { pyramidSides: 8 } },
      ],
      integrator: 'rk4',
      physical: { allowedPenetration: 2e-3, stiffness: 2e4, friction: 0.7 },
      limits: { penetration: 5e-3, tracking: 0.02, energy: 0.03 },
      seed: 7,
    })
    // what was not stated
    expect(scenario.defaults.map(({ field }) => field)).toEqual([
      'concave',
      'physical.damping',
      'physical.restitution',
      'gravity',
      'selfCollision',
      'ccd',
    ])
    expect(scenario.start.joints.arm).toBeCloseTo(Math.PI / 6, 15)
    expect(evaluator(scenario.exact?.x as Program)(3)).toBe(1.5)
  })

  test('shows every default that applied', async () => {
    const { duration, dt, models, limits, integrator, seed, defaults } = await parseScenario('robot: diffdrive', 'a.yaml')
    expect({ duration, dt, integrator, seed }).toEqual({
      duration: 5,
      dt: [1e-3, 1e-2],
      integrator: 'semi-implicit-euler',
      seed: 1,
    })
    expect(limits).toEqual({ penetration: 2e-3, tracking: 0.01, energy: 0.01 })
    expect(models.map(({ name }) => name)).toEqual(Object.keys(contactModels))
    const shown = defaults.map(({ field }) => field)
    for (const field of [
      'duration',
      'dt',
      'models',
      'integrator',
      'ground',
      'seed',
      'limits.penetration',
      'limits.tracking',
      'limits.energy',
    ])
      expect(shown).toContain(field)
  })

  test('gives way to flags', async () => {
    const { dt, duration } = await parseScenario('robot: diffdrive\ndt: 1e-4\nduration: 9', 'a.yaml', {
      dt: ['5e-3'],
      duration: '1 s',
    })
    expect({ dt, duration }).toEqual({ dt: [5e-3], duration: 1 })
  })

  test('keeps its options of a model that a flag names', async () => {
    const text = 'robot: diffdrive\nmodels: [ncp, {name: mujoco, cone: pyramidal}]'
    const { models } = await parseScenario(text, 'a.yaml', { models: ['mujoco'] })
    expect(models).toEqual([{ name: 'mujoco', options: { cone: 'pyramidal' } }])
  })

  test('hands a script its options as they stand, and those that begin with = as numbers or functions of t', async () => {
    const { controller } = await parseScenario(
      'robot: diffdrive\ncontroller: { file: c.ts, options: { a: left, b: "=10 cm", c: ["=sin(t)"] } }',
      'a.yaml',
    )
    const options = materialize(structuredClone(controller?.options)) as { a: string; b: number; c: [(t: number) => number] }
    expect(options.a).toBe('left')
    expect(options.b).toBe(0.1)
    expect(options.c[0](0)).toBe(0)
  })

  test('play of gears has the unit of its joint', async () => {
    const gear = (backlash: string) =>
      parseScenario(
        `robot: diffdrive\nactuators: [{ joints: a, rotorInertia: 1e-4, stiffness: 100, backlash: ${backlash} }]`,
        'a.yaml',
      )
    expect((await gear('1 deg')).actuators[0].backlash).toBeCloseTo(Math.PI / 180, 15)
    expect((await gear('2 mm')).actuators[0].backlash).toBeCloseTo(2e-3, 15)
    await expect(gear('2 kg')).rejects.toThrow(/actuators\[0\].*backlash/)
  })

  test('ellipsoids are obstacles and bodies by their radii', async () => {
    const radii = '{ type: ellipsoid, radii: [10 cm, 0.2, 0.3]'
    const { obstacles, bodies } = await parseScenario(
      `robot: diffdrive\nobstacles: [${radii} }]\nbodies: [{ name: stone, mass: 1, position: [0, 0, 1], shape: ${radii} } }]`,
      'a.yaml',
    )
    expect(obstacles).toMatchObject([{ shape: { type: 'ellipsoid', radii: [0.1, 0.2, 0.3] } }])
    expect(bodies).toMatchObject([{ shape: { type: 'ellipsoid', radii: [0.1, 0.2, 0.3] } }])
  })

  test('boxes are rounded by the radius of their edges', async () => {
    const box = '{ type: box, size: [10 cm, 0.2, 0.3], rounding: 2 cm'
    const { obstacles, bodies, boxes } = await parseScenario(
      `robot: diffdrive\nobstacles: [${box}, name: block }]\nbodies: [{ name: die, mass: 1, position: [0, 0, 1], shape: ${box} } }]\n` +
        'boxes: [{ size: [1, 1, 1], position: [0, 0, 0], rounding: 0.5 }, { size: [1, 1, 1], position: [0, 0, 0] }]',
      'a.yaml',
    )
    const rounded = { type: 'box', size: [0.1, 0.2, 0.3], rounding: 0.02 }
    expect(obstacles).toMatchObject([{ shape: rounded }])
    expect(bodies).toMatchObject([{ shape: rounded }])
    expect(boxes.map(({ rounding }) => rounding)).toEqual([0.5, undefined])
  })

  const first = (text: string, expected: string) =>
    test(`error: ${text.split('\n').at(-1)?.slice(0, 60)}`, async () =>
      expect((await problemsOf(text)).join('\n')).toContain(expected))
  first(
    'robot: r\nduration: 10 kg',
    'a.yaml:2 duration: found "10 kg", whose unit does not fit; expected a number in s, or a text with units such as "5 s"',
  )
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `  k${i}: ${i}`).join('\n')
  first(`robot: r\nnames:\n${keys(20_000)}`, 'a.yaml:3 names: is not a field here')
  first(`robot: r\nnames:\n${keys(60_000)}`, 'a.yaml:25001 holds more than the 200000 words, marks and spaces')
  first(`robot: r\nnames:\n${keys(120_000)}`, 'a.yaml: holds 1937795 characters, more than the 1000000')
  first('robot: r\nduration: -1', 'a.yaml:2 duration: found -1, expected more than 0')
  first('robot: r\nlimits:\n  tracking: lots', 'a.yaml:3 limits.tracking: found "lots", which holds "lots"')
  first(
    'robot: r\nlimits:\n  trakcing: 1',
    'a.yaml:3 limits.trakcing: is not a field here; known are penetration, tracking, energy',
  )
  first('robot: r\nmodels: [penalty, penalti]', 'a.yaml:2 models[1]: found "penalti", expected one of all, ')
  first('robot: r\nmodels: [penalty, penalty]', 'names "penalty" twice')
  first('robot: r\ncontroller: { name: hodl }', 'found "hodl", expected a path to a script or one of hold')
  first(
    'robot: r\ncontroller: { name: hold, options: { wheelsped: 1 } }',
    'options.wheelsped: is not a field here; known are omega, damping, wheelSpeed',
  )
  first('robot: r\nbase: floting', 'found "floting", expected one of floating, fixed. Did you mean floating?')
  first('robot: r\nboxes:\n  - { size: [1, 1], position: [0, 0, 0] }', 'boxes[0].size: found [1,1], expected three numbers')
  first('robot: r\nboxes:\n  - { size: [1, 1, 0], position: [0, 0, 0] }', 'boxes[0].size[2]: found 0, expected more than 0')
  first(
    'robot: r\nboxes:\n  - { size: [1, 1, 1], position: [0, 0, 0], rounding: 0.51 }',
    'boxes[0].rounding: is more than half the least size',
  )
  first('robot: r\nobstacles: [{ type: box, size: [1, 2, 3], rounding: 0.6 }]', 'obstacles[0].rounding: is more than half')
  first(
    'robot: r\nobstacles: [{ type: box, size: [1, 2, 3], rounding: -1 }]',
    'obstacles[0].rounding: found -1, expected at least 0',
  )
  first('robot: r\nseed: 1.5', 'seed: found 1.5, expected a whole number')
  first('robot: r\ndt: 1e-3\nduration: 1e-4', 'expected no more than the duration')
  first('duration: 5', 'robot: is missing')
  first('robot: r\n__proto__: { a: 1 }', 'a.yaml:2 __proto__: is a reserved word')
  first('robot: r\nstart: { joints: { constructor: 1 } }', 'constructor: is a reserved word')
  first('[1, 2]', 'expected fields such as')
  first('robot: r\nrobot: s', 'a.yaml:2')
  first('a: [', 'a.yaml:')
  first(`robot: ${'x'.repeat(1_000_001)}`, 'more than the 1000000')

  first('robot: r\nobstacles: [{ type: cone }]', 'obstacles[0].type: found the type "cone", expected one of box, sphere')
  first('robot: r\nobstacles: [{ type: ellipsoid, radii: [1, 0, 1] }]', 'obstacles[0].radii[1]: found 0, expected more than 0')
  first('robot: r\nobstacles: [{ type: ramp, length: 1, width: 1 }]', 'obstacles[0]: needs either an angle or a height')
  first('robot: r\nobstacles: [{ type: ramp, length: 1, width: 1, angel: 1 }]', 'obstacles[0].angel: is not a field here')
  first(
    'robot: r\nobstacles: [{ type: stairs, count: 2.5, rise: 1, run: 1, width: 1 }]',
    'count: found 2.5, expected a whole number',
  )
  first(
    'robot: r\nobstacles: [{ type: heightfield, heights: z, size: [1, 1], spacing: 1 }]',
    'holds "z", which is neither a unit nor',
  )
  first('robot: r\nobstacles: [{ type: heightfield, heights: x, spacing: 1 }]', 'obstacles[0].size: is missing')
  first('robot: r\nobstacles: [{ type: heightfield, heights: x, size: [9, 9], spacing: 1 mm }]', 'makes 9001 x 9001 grid points')
  first(
    'robot: r\nobstacles: [{ type: heightfield, heights: [[0, 1], [0, 1, 2]], spacing: 1 }]',
    'obstacles[0].heights[1]: holds 3 heights, the first row 2',
  )
  first('robot: r\nobstacles: [{ type: hull }]', 'obstacles[0]: needs either points or a file')
  first('robot: r\nobstacles: [{ type: sphere, radius: 1, name: ground }]', 'holds the name "ground" twice')
  first('robot: r\nbodies: [{ shape: { type: box, size: [1, 1, 1] } }]', 'bodies[0]: needs a mass or a density, or a motion')
  const moved = (stated: string) => `robot: r\nbodies: [{ shape: { type: sphere, radius: 1 }, ${stated} }]`
  first(moved('mass: 1, motion: { rpy: [0, 0, t] }'), 'bodies[0].mass: belongs to a free body; leave it out beside a motion')
  first(moved('motion: { rpy: [0, 0, x] }'), 'bodies[0].motion.rpy[2]: found "x"')
  first(moved('motion: { position: [0, 0] }'), 'bodies[0].motion.position: found [0,0], expected three functions of t')
  first('robot: r\nbodies: [{ shape: { radius: 1 } }]', 'bodies[0].shape.type: is missing, expected one of box')
  first('robot: r\nbodies: [{ shape: { type: ramp } }]', 'bodies[0].shape.type: found the type "ramp", expected one of box')
  first('robot: r\nbodies: [{ shape: { type: sphere, radius: 1 }, mass: 1, inertia: [1, 2] }]', 'expected [xx, yy, zz]')
  first(
    'robot: r\nbodies: [{ shape: { type: sphere, radius: 1 }, mass: 1, repeat: [99, 99, 1], spacing: 1, position: [0, 0, 0] }]',
    'bodies[0]: makes 9801 bodies; at most 1000',
  )
  first(
    'robot: r\nbodies: [{ name: a/b, shape: { type: sphere, radius: 1 }, mass: 1 }]',
    'holds the name "a/b"; names hold no "/"',
  )
  first('robot: r\ncompanions: [{ name: a }]', 'companions[0].robot: found undefined, expected a path')
  first('robot: r\ncompanions: [{ robot: r, controller: hodl }]', 'companions[0].controller: found "hodl"')
  first(
    'robot: r\nmaterials: { a: { friction: 0.5, staticFriction: 0.4 } }',
    'materials.a.staticFriction: found 0.4, expected at least',
  )
  first('bodies: [{ shape: { type: sphere, radius: 1 }, mass: 1 }]\nstart: { position: [0, 0, 1] }', 'start: is about a robot')
  first('robot: r\nseeds: 0', 'seeds: expected a whole number from 1 up')
  first('robot: r\nseed: 1\nseeds: [1, 2]', 'seed: stands beside a list of seeds')
  first('robot: r\nperturb: { position: -1 }', 'perturb.position: found -1, expected at least 0')
  first(
    'robot: r\nsweep: { fraction: [1] }',
    'sweep["fraction"]: goes into "fraction"; a sweep may go into actuators, base, bodies',
  )
  first(
    'robot: r\nsweep: { physical.friction: [0.1, -1] }',
    'a.yaml:2 sweep["physical.friction"] = -1: physical.friction: found -1',
  )
  first('robot: r\nsweep: { models.penalti.kp: [1] }', 'there is no model "penalti" among those that are compared')
  first('robot: r\nsweep: { bodies.box.mass: [1] }', 'finds no "box" in bodies; there are none')
  first('robot: r\nsweep: { ground.__proto__.a: [1] }', 'is no path of a field')
  first(
    `robot: r\nsweep: { physical.friction: [${Array.from({ length: 40 }, (_, i) => i / 10)}], physical.restitution: [${Array.from({ length: 40 }, (_, i) => i / 40)}] }`,
    'makes 1600 combinations; at most 1000 are compared',
  )
  // 40 ^ 3 of both models that have no option of their own here, and as many times two of the third
  first(
    `robot: r\nmodels: [penalty, penalty-deepest, stewart-trinkle]\nsweep: { ${['friction', 'restitution', 'allowedPenetration']
      .map((field) => `physical.${field}: [${Array.from({ length: 40 }, (_, i) => (i + 1) / 100)}]`)
      .join(', ')}, models.penalty.kp: [1000, 2000] }`,
    'makes 192000 combinations; at most 1000 are compared',
  )
  first('robot: r\nseeds: 1000\ndt: [1e-3, 2e-3, 3e-3, 4e-3, 5e-3]\nmodels: all', 'seeds: requests')

  test('has no room for an alias bomb', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) =>
        `k${i}: &k${i} [${
          i === 0
            ? '1'
            : Array(9)
                .fill(`*k${i - 1}`)
                .join(', ')
        }]`,
    )
    expect((await problemsOf(`robot: r\n${levels.join('\n')}`)).join('\n')).toContain('aliases')
  })

  test('tells all its problems at once: of fields, of what has to agree between them, and of the sweep', async () => {
    expect(await problemsOf('robot: r\nduration: x\ndt: y\nseed: z')).toHaveLength(3)
    const file = `robots: r
robot: s
boxes:
  - { size: 1, position: 2, fricton: 0.1 }
materials: { a: { friction: 0.5, staticFriction: 0.4, restitution: 2 } }
companions: [{ robot: r, name: x }, { robot: r, name: x }]
integrator: rk5
sweep:
  physical.fricton: [1]
  physical.friction: [-1, 0.5, many]
  integrator: [rk5, rk6]
  start.joints.arm: [1 kg]
duration: -1`
    expect(await problemsOf(file)).toEqual([
      'a.yaml:1 robots: stands beside "robot"; state one of them',
      expect.stringMatching(/^a.yaml:4 boxes\[0\].size: found 1, expected three numbers/),
      expect.stringMatching(/^a.yaml:4 boxes\[0\].position: found 2, expected three numbers/),
      expect.stringMatching(/^a.yaml:4 boxes\[0\].fricton: is not a field here; .* Did you mean friction\?$/),
      expect.stringMatching(
        /^a.yaml:5 materials.a.restitution: found 2, expected at most 1: each impact would make 300 % of the energy of its approach/,
      ),
      expect.stringMatching(/^a.yaml:5 materials.a.staticFriction: found 0.4, expected at least the friction, 0.5/),
      expect.stringMatching(/^a.yaml:6 companions: holds the name "x" twice/),
      expect.stringMatching(/^a.yaml:7 integrator: found "rk5", expected one of semi-implicit-euler, rk4. Did you mean rk4\?$/),
      expect.stringMatching(/^a.yaml:9 sweep\["physical.fricton"\] = 1: physical.fricton: .* Did you mean friction\?$/),
      expect.stringMatching(/^a.yaml:10 sweep\["physical.friction"\] = -1: physical.friction: found -1, expected at least 0/),
      expect.stringMatching(/^a.yaml:10 sweep\["physical.friction"\] = "many": physical.friction: found "many"/),
      expect.stringMatching(/^a.yaml:11 sweep\["integrator"\] = "rk6": integrator: found "rk6"/),
      expect.stringMatching(
        /^a.yaml:12 sweep\["start.joints.arm"\] = "1 kg": start.joints.arm: found "1 kg", whose unit does not fit/,
      ),
      'a.yaml:13 duration: found -1, expected more than 0 s',
    ])
  })

  test('a combination of a sweep that does not agree is a problem where its values by themselves are none', async () => {
    const sweep = 'sweep: { ground.friction: [0.2, 0.5], ground.staticFriction: [0.3, 0.6] }'
    expect(await problemsOf(`robot: r\n${sweep}`)).toEqual([
      expect.stringMatching(
        /"ground.friction":0.5,"ground.staticFriction":0.3.*: ground.staticFriction: found 0.3, expected at least/,
      ),
    ])
  })

  test('laws have limits, by their names', async () => {
    expect((await parseScenario('robot: r\nlimits: { laws: { cone: 0.1 } }', 'a.yaml')).limits).toMatchObject({
      penetration: 2e-3,
      laws: { cone: 0.1 },
    })
    expect(await problemsOf('robot: r\nlimits: { laws: { cones: 0.1, offSurface: -1 } }')).toEqual([
      expect.stringMatching(/limits.laws.cones: .* Did you mean cone\?$/),
      expect.stringMatching(/limits.laws.offSurface: found -1/),
    ])
  })

  test('a flag that is wrong is named as the flag', async () => {
    await expect(checkScenario({ robots: ['r'], dt: ['1 kg'] })).rejects.toThrow('--dt found "1 kg"')
  })
})

describe('a sweep', () => {
  const read = (text: string) => parseScenario(`robot: diffdrive\n${text}`, 'a.yaml')

  test('makes a scenario of every combination, and leaves the others as they are', async () => {
    const { variants, physical } = await read(
      'models: [penalty, stewart-trinkle]\nsweep: { physical.friction: [0.2, 0.5], start.position: [[0, 0, 1], [0, 0, 2]] }',
    )
    expect(physical).toEqual({})
    expect(variants.map(({ values, scenario }) => [values, scenario.physical.friction, scenario.start.position])).toEqual([
      [{ 'physical.friction': 0.2, 'start.position': [0, 0, 1] }, 0.2, [0, 0, 1]],
      [{ 'physical.friction': 0.2, 'start.position': [0, 0, 2] }, 0.2, [0, 0, 2]],
      [{ 'physical.friction': 0.5, 'start.position': [0, 0, 1] }, 0.5, [0, 0, 1]],
      [{ 'physical.friction': 0.5, 'start.position': [0, 0, 2] }, 0.5, [0, 0, 2]],
    ])
    for (const { scenario } of variants) expect(scenario.models.map(({ name }) => name)).toEqual(['penalty', 'stewart-trinkle'])
  })

  test('over an option of one model does not run the others again', async () => {
    const { variants } = await read('models: [penalty, stewart-trinkle]\nsweep: { models.penalty.lambda: [0.8, 0.9] }')
    expect(variants.map(({ values, scenario: { models } }) => [values, models])).toEqual([
      [{}, [{ name: 'stewart-trinkle', options: {} }]],
      [{ 'models.penalty.lambda': 0.8 }, [{ name: 'penalty', options: { lambda: 0.8 } }]],
      [{ 'models.penalty.lambda': 0.9 }, [{ name: 'penalty', options: { lambda: 0.9 } }]],
    ])
  })

  test('goes into lists by name or number, and into the options of a controller that was a word', async () => {
    const { variants } = await read(
      'controller: hold\nbodies: [{ name: crate, shape: { type: sphere, radius: 1 }, mass: 1 }]\nboxes: [{ size: [1, 1, 1], position: [5, 0, 0] }]\n' +
        'sweep: { bodies.crate.mass: 2 kg, boxes.0.position.2: 30 cm, controller.options.omega: 7 }',
    )
    expect(variants).toHaveLength(1)
    expect(variants[0].scenario).toMatchObject({
      bodies: [{ mass: 2 }],
      boxes: [{ position: [5, 0, 0.3] }],
      controller: { builtIn: 'hold', options: { omega: 7 } },
    })
  })

  test('of seeds is as many as were asked for, from the first on, and one where a flag says which', async () => {
    expect((await read('seeds: 3')).seeds).toEqual([1, 2, 3])
    expect((await read('seeds: 3\nseed: 7')).seeds).toEqual([7, 8, 9])
    expect((await read('seeds: [5, 2]')).seeds).toEqual([5, 2])
    const flagged = await parseScenario('robot: r\nseeds: 10', 'a.yaml', { seed: 4, seeds: undefined })
    expect(flagged).toMatchObject({ seed: 4, seeds: [4] })
  })
})

describe('a file that is too much', () => {
  const toldSoon = async (text: string) => {
    const before = process.cpuUsage().user
    const problems = await problemsOf(text, 'much.yaml')
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(2)
    return problems.join('\n')
  }
  for (const [name, text, message] of [
    ['330,000 keys', 'a:\n'.repeat(330_000), 'holds more than the 200000 words, marks and spaces'],
    ['25,000 keys', Array.from({ length: 25_000 }, (_, i) => `k${i}: 1`).join('\n'), 'much.yaml:1 k0: is not a field here'],
    ['25,000 keys of one name', 'a: 1\n'.repeat(25_000), 'much.yaml:2 Map keys must be unique'],
    [
      'an alias within itself',
      'robot: &a {b: *a}',
      'much.yaml: is nested deeper than 50 levels, which no scenario is, or an alias',
    ],
    ['nested lists', `robot: ${'['.repeat(400_000)}`, 'much.yaml:1 is nested deeper than 50 levels'],
    ['nested items', `robot:\n  ${'- '.repeat(400_000)}1`, 'much.yaml:2 is nested deeper than 50 levels'],
    ['nested keys', '? '.repeat(400_000), 'much.yaml:1 is nested deeper than 50 levels'],
    ['many values', `dt: [${'1,'.repeat(400_000)}1]`, 'much.yaml:1 holds more than the 200000 words, marks and spaces'],
    ['many anchors', `${'&a '.repeat(300_000)}1`, 'much.yaml'],
    [
      'many swept values',
      `robot: diffdrive\nsweep: {friction: [${Array.from({ length: 60_000 }, (_, i) => i)}]}`,
      'has 60000 values',
    ],
    ['a list as a key', 'robot: diffdrive\n? [1, 2]\n: 3', 'much.yaml:2 found a list or a map as a key'],
    [
      'aliases of aliases',
      `a: &a [1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((b, i) => `${b}: &${b} [${`*${'abcdefg'[i]},`.repeat(9)}]`).join('\n')}`,
      'at most 50 aliases',
    ],
  ] as const)
    test(name, async () => expect(await toldSoon(text)).toContain(message))
})
