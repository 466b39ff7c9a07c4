import { describe, expect, test } from 'vitest'
import { contactModelNames, softnessOf } from '../../contact/index.ts'
import { createRandom, type Random } from '../../dynamics/index.ts'
import { examineRobot, loadRobot, type Robot, writeMjcf } from '../../robots/index.ts'
import { World, type WorldOptions } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/*
 * Which geoms of an MJCF file touch, and the condim and friction of each pair, as MuJoCo has them in the same file.
 */

const load = (text: string): Robot => loadRobot(text, { file: 'geoms.xml', ground: false })

const worldOf = (robot: Robot, more: Partial<WorldOptions> = {}) =>
  new World({
    robot,
    fixtures: robot.surroundings,
    contactModel: 'penalty',
    dt: 1e-3,
    ...more,
  } as WorldOptions)

/** Per pair of geoms that touch at home: sliding, torsional and rolling coefficients, solref and solimp; 0 where condim excludes them. Bodies bear the names of their geoms. */
function ours(robot: Robot, more?: Partial<WorldOptions>): Record<string, readonly number[]> {
  const world = worldOf(robot, more)
  const { pairs, fixtures } = world
  const moving = [...world.shapes, ...robot.shapes.filter(({ body }) => body === 0)].slice(0, pairs.shapeCount)
  const names = [...moving.map(({ link }) => link), ...fixtures.map(({ name }) => name)]
  const pairNames = new Map<number, string>()
  for (let b = 0; b < names.length; b++)
    for (let a = 0; a < b; a++) if (pairs.allows(a, b)) pairNames.set(pairs.numberOf(a, b), [names[a], names[b]].sort().join(' '))
  world.step()
  const { count, pair, gap, mu, torsion, rolling } = world.contacts
  const found: Record<string, readonly number[]> = {}
  const softness = softnessOf(pairs, moving, fixtures, [], 0)?.pairs
  for (let c = 0; c < count; c++) {
    const own = softness?.length ? softness.subarray(7 * pair[c], 7 * pair[c] + 7) : [Number.NaN]
    const soft = Number.isNaN(own[0]) ? [0.02, 1, 0.9, 0.95, 0.001, 0.5, 2] : own
    if (gap[c] < 0) found[pairNames.get(pair[c])!] = [mu[c], torsion[c] * Math.max(mu[c], 1e-5), rolling[c], ...soft]
  }
  return found
}

async function theirs(text: string): Promise<Record<string, readonly number[]>> {
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  mj.mj_forward(model, data)
  const found: Record<string, readonly number[]> = {}
  for (let i = 0; i < data.ncon; i++) {
    const contact = data.contact.get(i)!
    const names = [...contact.geom].map((geom) => model.geom(geom).name)
    const { dim, friction, solref, solimp } = contact
    if (contact.dist < 0)
      found[names.sort().join(' ')] = [
        dim > 1 ? friction[0] : 0,
        dim > 3 ? friction[2] : 0,
        dim > 4 ? friction[3] : 0,
        ...solref,
        ...solimp,
      ]
    contact.delete()
  }
  data.delete()
  model.delete()
  return found
}

async function expectSame(text: string): Promise<number> {
  const [mine, wanted] = [ours(load(text)), await theirs(text)]
  // what we write has the pairs and coefficients of what we read
  const written = writeMjcf(examineRobot(text, { file: 'geoms.xml' }).repaired).text
  expect(await theirs(written)).toEqual(wanted)
  expect(Object.keys(mine).sort()).toEqual(Object.keys(wanted).sort())
  for (const [pair, values] of Object.entries(wanted))
    values.forEach((x, k) => {
      expect(mine[pair][k]).toBeCloseTo(x, 12)
    })
  return Object.keys(wanted).length
}

/** Attributes of a geom or of a class, each stated or not. */
function surface(random: Random): string {
  const one = <T>(values: readonly T[]) => values[Math.floor(random.between(0, values.length))]
  const some = (share: number, text: () => string) => (random.between(0, 1) < share ? text() : '')
  const friction = () => Array.from({ length: one([1, 2, 3]) }, () => random.between(0.01, 1.5).toFixed(3)).join(' ')
  return [
    some(0.5, () => `condim="${one([1, 3, 4, 6])}"`),
    some(0.3, () => `priority="${one([-1, 0, 1, 2])}"`),
    some(0.6, () => `friction="${friction()}"`),
    some(0.4, () => `contype="${one([0, 1, 2, 3])}"`),
    some(0.2, () => one(['solref="0.05"', 'solref="0.01 2"', 'solref="-300 -20"'])),
    some(0.2, () => one(['solimp="0.8"', 'solimp="0.5 0.7 0.01 0.4 3"', 'solimp="0.9 0.99 0.002"'])),
    some(0.2, () => `solmix="${one([0, 0.5, 2])}"`),
    some(0.4, () => `conaffinity="${one([0, 1, 2, 3])}"`),
  ].join(' ')
}

/** Spheres on free bodies and on a static one, and geoms of the world, all in each other. */
function heap(random: Random): string {
  const names = ['a', 'b', 'c', 'still']
  const pick = (list: readonly string[]) => list[Math.floor(random.between(0, list.length))]
  const at = () => [0, 0, 0].map(() => random.between(-0.05, 0.05).toFixed(4)).join(' ')
  const ball = (name: string) =>
    `<geom name="${name}" ${random.between(0, 1) < 0.5 ? 'class="c"' : ''} size="0.2" pos="${at()}" ${surface(random)}/>`
  const pairs = new Map<string, string>()
  for (let n = 0; n < 3; n++) {
    const [x, y] = [pick(names), pick([...names, 'floor', 'post'])]
    // MuJoCo fails on a contact of two that are fixed
    const areFixed = [x, y].every((name) => ['still', 'floor', 'post'].includes(name))
    const friction = random.between(0.1, 1).toFixed(3)
    const own =
      random.between(0, 1) < 0.5
        ? ''
        : `condim="${pick(['1', '3', '4', '6'])}" friction="${friction} ${friction} 0.02 0.03 0.03" ${pick(['', 'solref="0.04 1"', 'solimp="0.7 0.8"'])}`
    if (x !== y && !areFixed && !pairs.has(`${y} ${x}`)) pairs.set(`${x} ${y}`, `<pair geom1="${x}" geom2="${y}" ${own}/>`)
  }
  const excludes = new Map<string, string>()
  for (let n = 0; n < 2; n++) {
    const [x, y] = [pick(names), pick([...names, 'world'])]
    if (x !== y && !excludes.has(`${y} ${x}`)) excludes.set(`${x} ${y}`, `<exclude body1="${x}" body2="${y}"/>`)
  }
  return `<mujoco><default><geom ${surface(random)}/><default class="c"><geom ${surface(random)}/></default></default><worldbody>
    <geom name="floor" type="plane" size="1 1 1" ${surface(random)}/>
    <geom name="post" type="box" size="0.1 0.1 0.1" ${surface(random)}/>
    ${names.map((name) => `<body name="${name}">${name === 'still' ? '' : '<freejoint/>'}${ball(name)}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>`).join('\n')}
    </worldbody><contact>${[...pairs.values(), ...excludes.values()].join('')}</contact></mujoco>`
}

test('pairs of a hundred random heaps: which touch, their sliding, torsional and rolling coefficients, solref and solimp', async () => {
  const random = createRandom(11)
  let count = 0
  for (let n = 0; n < 100; n++) count += await expectSame(heap(random))
  expect(count).toBeGreaterThan(400)
})

const tilted = (x: number, floor: string, crate: string) => `<mujoco><option gravity="${x} 0 -9.81"/><worldbody>
  <geom name="floor" type="plane" size="5 5 1" ${floor}/>
  <body name="crate" pos="0 0 0.1"><freejoint/><geom name="crate" type="box" size="0.1 0.1 0.1" mass="1" ${crate}/></body></worldbody></mujoco>`

/** Where the base is after some seconds from home, by the file's own surroundings. */
function endOf(
  text: string,
  contactModel: WorldOptions['contactModel'],
  seconds: number,
  more: Partial<WorldOptions> = {},
): Float64Array {
  const robot = load(text)
  const world = new World({ robot, fixtures: robot.surroundings, contactModel, dt: 1e-3, ...more } as WorldOptions)
  for (let n = 0; n < 1000 * seconds; n++) world.step()
  return world.state.q
}

describe.each(contactModelNames)('under %s', (contactModel) => {
  test('a crate without friction of its own stays on a floor that has some, and slides where both have none', () => {
    expect(Math.abs(endOf(tilted(3, 'condim="3"', 'condim="1"'), contactModel, 0.3)[0])).toBeLessThan(5e-3)
    expect(endOf(tilted(3, 'condim="1"', 'condim="1"'), contactModel, 0.3)[0]).toBeCloseTo(0.135, 2)
  })

  test('the geom of higher priority has the say', () => {
    expect(Math.abs(endOf(tilted(6, 'friction="0.3"', 'friction="0.9" priority="1"'), contactModel, 0.3)[0])).toBeLessThan(5e-3)
    const slid = endOf(tilted(6, 'friction="0.3" priority="1"', 'friction="0.9"'), contactModel, 0.3)[0]
    expect(slid).toBeCloseTo(0.5 * (6 - 0.3 * 9.81) * 0.09, 2)
    expect(endOf(tilted(3, 'condim="1" priority="1"', ''), contactModel, 0.3)[0]).toBeCloseTo(0.135, 2)
  })

  test('a pair lets geoms touch that nothing else does, with its own friction', () => {
    const masked = (pair: string) =>
      tilted(3, 'contype="0" conaffinity="0"', 'contype="0" conaffinity="0"').replace(
        '</mujoco>',
        `<contact>${pair}<exclude body1="world" body2="crate"/></contact></mujoco>`,
      )
    expect(endOf(masked(''), contactModel, 0.3)[2]).toBeLessThan(-0.3)
    const held = endOf(masked('<pair geom1="floor" geom2="crate"/>'), contactModel, 0.3)
    expect(Math.abs(held[0])).toBeLessThan(5e-3)
    expect(held[2]).toBeCloseTo(0.1, 2)
    const slid = endOf(masked('<pair geom1="crate" geom2="floor" friction="0.1 0.1"/>'), contactModel, 0.3)
    expect(slid[0]).toBeCloseTo(0.5 * (3 - 0.981) * 0.09, 2)
  })

  test('condim 4 stops a ball that spins at spin m g / I, condim 3 does not', () => {
    const ball = (condim: number) => `<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/>
      <geom size="0.1" mass="1" condim="${condim}" friction="0.5 0.01 0.02"/></body></worldbody></mujoco>`
    const spun = (condim: number) => {
      const robot = load(ball(condim))
      const v = [0, 0, 10, 0, 0, 0]
      const world = new World({ robot, fixtures: robot.surroundings, contactModel, dt: 1e-3, v } as WorldOptions)
      for (let n = 0; n < 200; n++) world.step()
      return world.state.v[2]
    }
    expect(spun(3)).toBeCloseTo(10, 3)
    // 0.01 m 1 kg 9.81 m/s² / 0.004 kg m², for 0.2 s
    expect(spun(4)).toBeCloseTo(10 - 0.2 * 24.525, 0)
  })
})

/**
 * Bodies on all kinds of joints, welded to their parents and to the world, some without a geom, all in each other; with excludes, pairs
 * and bits.
 */
function thicket(random: Random): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random.between(0, list.length))]
  const chance = (share: number) => random.between(0, 1) < share
  const names: string[] = []
  // of two that are welded together MuJoCo finds contacts without effect
  const jointed: string[] = []
  const joints = ['', '', '<joint/>', '<joint/>', '<joint type="slide"/>', '<joint type="ball"/>']
  const body = (depth: number): string => {
    const name = `b${names.length}`
    names.push(name)
    const moved = depth === 0 && chance(0.4) ? '<freejoint/>' : pick([...joints, '<joint/><joint axis="1 0 0" pos="0.01 0 0"/>'])
    const mocap = depth === 0 && moved === '' && chance(0.7) ? 'mocap="true"' : ''
    const geom = chance(0.15)
      ? ''
      : `<geom name="${name}" size="0.2" pos="${random.between(-0.05, 0.05)} 0 0" ${chance(0.2) ? `contype="${pick([0, 1, 2])}"` : ''}/>`
    const inside = Array.from({ length: depth < 3 ? pick([0, 1, 1, 2]) : 0 }, () => body(depth + 1)).join('')
    if (geom !== '' && moved !== '') jointed.push(name)
    return `<body name="${name}" ${mocap}>${moved}${geom}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>${inside}</body>`
  }
  const bodies = Array.from({ length: 3 }, () => body(0)).join('')
  const related = new Map<string, string>()
  for (let n = 0; n < 3; n++) {
    const [a, b] = [pick(names), pick([...names, 'world'])]
    if (a !== b && !related.has(`${b} ${a}`)) related.set(`${a} ${b}`, `<exclude body1="${a}" body2="${b}"/>`)
  }
  const [a, b] = [pick(jointed), pick(jointed)]
  if (a !== b) related.set('pair', `<pair geom1="${a}" geom2="${b}"/>`)
  const flag = chance(0.2) ? '<option><flag filterparent="disable"/></option>' : ''
  return `<mujoco>${flag}<worldbody><geom name="floor" type="plane" size="1 1 1"/>${bodies}</worldbody>
    <contact>${[...related.values()].join('')}</contact></mujoco>`
}

test('sixty random thickets: which geoms touch, over joints, welds, mocap bodies and the world', async () => {
  const random = createRandom(5)
  let count = 0
  for (let n = 0; n < 60; n++) count += await expectSame(thicket(random))
  expect(count).toBeGreaterThan(600)
})

test('a pair of parent and child, and of a moving geom with one of a still body, acts where parts of one robot do not touch', () => {
  const arm = (pair: string) => `<mujoco><worldbody>
    <body name="stand" pos="0 0 -0.55"><geom name="stand" type="box" size="0.05 0.05 0.05"/></body>
    <body name="upper"><joint type="slide" axis="0 0 1"/><geom name="upper" size="0.1" mass="1"/>
      <body name="lower" pos="0 0 -0.35"><joint type="slide" axis="0 0 1"/><geom name="lower" size="0.1" mass="1"/></body></body>
    </worldbody><contact>${pair}</contact></mujoco>`
  // both fall freely; the lower one lands on the stand, and the upper one on the lower
  const ends = (pair: string, selfCollision?: 'none') => endOf(arm(pair), 'stewart-trinkle', 0.5, { selfCollision })
  expect(ends('', 'none')[0]).toBeLessThan(-1)
  // as the file says, parent and child alone do not touch: both lie on the stand
  const mixed = ends('')
  expect(mixed[0]).toBeCloseTo(-0.4, 3)
  expect(mixed[0] + mixed[1] - 0.35).toBeCloseTo(-0.4, 3)
  const held = ends('<pair geom1="stand" geom2="lower"/><pair geom1="lower" geom2="upper"/>', 'none')
  expect(held[0] + held[1] - 0.35).toBeCloseTo(-0.4, 3)
  expect(held[0]).toBeCloseTo(-0.2, 3)
})

test('a floating robot is set down on what its floor touches, and left where it is if that is nothing', () => {
  const skirt = (bits: string, more = '') => `<mujoco><worldbody><geom name="floor" type="plane" size="2 2 1"/>
    <body name="skirt" pos="0 0 0.25"><freejoint/><geom type="box" size="0.2 0.2 0.2" ${bits} mass="2"/>
    <body name="leg"><geom size="0.1" mass="1" ${more}/></body></body></worldbody></mujoco>`
  const height = (text: string) => loadRobot(text, { file: 'skirt.xml' }).home[2]
  expect(height(skirt(''))).toBeCloseTo(0.2, 12)
  expect(height(skirt('contype="2" conaffinity="2"'))).toBeCloseTo(0.1, 12)
  expect(height(skirt('contype="2" conaffinity="2"', 'contype="2" conaffinity="2"'))).toBeCloseTo(0.25, 12)
  const apart = '<contact><exclude body1="skirt" body2="world"/></contact></mujoco>'
  expect(height(skirt('').replace('</mujoco>', apart))).toBeCloseTo(0.1, 12)
})

test('condim is 1, 3, 4 or 6; a margin, and rolling resistance of a pair by direction, are told', () => {
  expect(() => load(tilted(0, '', 'condim="2"'))).toThrow('condim is 2')
  const pair =
    '<contact><pair geom1="floor" geom2="crate" condim="6" friction="0.5 0.7 0.1 0.2 0.3" gap="0.01" solreffriction="0.1 1"/></contact></mujoco>'
  const told = load(tilted(0, '', 'margin="0.02"').replace('</mujoco>', pair)).diagnostics.map(({ code, message }) => [
    code,
    message,
  ])
  expect(told).toEqual([
    ['friction-anisotropic', expect.stringContaining('friction 0.5 0.7 0.1 0.2 0.3: rolling resistance differs')],
    ['contact-margin', expect.stringMatching(/^margin 0.02/)],
  ])
  expect(() => load(tilted(0, '', '').replace('</mujoco>', pair.replace('crate', 'cart')))).toThrow('there is none called "cart"')
})

test('a margin holds a body above the floor under mujoco alone; under other models it touches', () => {
  const robot = load(
    '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1" margin="0.01"/></body></worldbody></mujoco>',
  )
  for (const [contactModel, height] of [
    ['ncp', 0.1],
    ['penalty', 0.1],
    ['lcp', 0.1],
    ['mujoco', 0.11],
  ] as const) {
    const world = new World({ robot, fixtures: robot.surroundings, contactModel, dt: 1e-3 })
    for (let k = 0; k < 500; k++) world.step()
    // springs yield by a millimetre at most
    expect(Math.abs(world.state.q[2] - height)).toBeLessThan(1.1e-3)
  }
})

test('under mujoco, bodies sink as deep as in MuJoCo by solref and solimp of their geoms', async () => {
  const ball = (floor: string, geom: string) => `<mujoco><option timestep="0.001" cone="elliptic"/><worldbody>
    <geom type="plane" size="1 1 1" ${floor}/><body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1" ${geom}/></body></worldbody></mujoco>`
  for (const [floor, geom] of [
    ['', 'solref="0.1 1"'],
    ['', 'solimp="0.5 0.8 0.02 0.3 3"'],
    ['solref="-200 -20"', 'solmix="2"'],
    ['solimp="0.1 0.9 0.01 0.5 2" solmix="3"', 'solref="0.05 0.5" solimp="0.2 0.9 0.05 0.4 4"'],
    ['solref="0.2" priority="1"', 'solref="0.01 1" solmix="5"'],
    ['margin="0.01"', 'margin="0.004" solref="0.05"'],
    ['', 'margin="0.02" gap="0.015"'],
  ]) {
    const { mj, model } = await mjcfModelOf(ball(floor, geom))
    const data = new mj.MjData(model)
    const robot = load(ball(floor, geom))
    const world = new World({ robot, fixtures: robot.surroundings, contactModel: 'mujoco', dt: 1e-3 } as WorldOptions)
    for (let n = 0; n < 500; n++) {
      mj.mj_step(model, data)
      world.step()
      expect(world.state.q[2]).toBeCloseTo(data.qpos[2], 9)
    }
    expect(Math.abs(world.state.q[2] - 0.1)).toBeGreaterThan(5e-4)
    // contacts report the distance between shapes
    if (/margin/.test(geom)) expect(world.contacts.gap[0]).toBeCloseTo(world.state.q[2] - 0.1, 3)
    data.delete()
    model.delete()
  }
})

test('under mujoco, limits and dry joints are as soft as in MuJoCo by their solref and solimp', async () => {
  const arm = (
    more: string,
  ) => `<mujoco><option timestep="0.001"/><compiler angle="radian"/><worldbody><body><joint axis="0 1 0" ${more}/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/></body></worldbody></mujoco>`
  for (const more of [
    'range="-1 0.2" solreflimit="0.1 0.7"',
    'range="-1 0.2" solimplimit="0.2 0.8 0.1 0.4 3"',
    'range="-1 0.2" solreflimit="-900 -20" solimplimit="0.5"',
    'frictionloss="1.5" solreffriction="0.2"',
    'frictionloss="1.5" range="-1 0.3" solimpfriction="0.2 0.8 0.1" solreflimit="0.05"',
    'frictionloss="1.5" range="-1 0.3"',
  ]) {
    const { mj, model } = await mjcfModelOf(arm(more))
    const data = new mj.MjData(model)
    const robot = load(arm(more))
    const world = new World({ robot, fixtures: [], contactModel: 'mujoco', dt: 1e-3 } as WorldOptions)
    const written = load(writeMjcf(examineRobot(arm(more), { file: 'arm.xml' }).repaired).text)
    expect(written.joints).toEqual(robot.joints)
    for (let n = 0; n < 500; n++) {
      mj.mj_step(model, data)
      world.step()
      expect(world.state.q[0]).toBeCloseTo(data.qpos[0], 9)
    }
    data.delete()
    model.delete()
  }
})

test('limbs that begin at the end of a fixed one do not turn by contacts on the axis of their joint', async () => {
  for (const [x, y] of [
    [0.2, 0.2],
    [0.2, -0.2],
    [-0.2, 0.2],
    [0.3, 0.1],
    [0.1, 0.3],
    [0.11, 0.07],
  ]) {
    const limb = `<geom type="capsule" size=".08" fromto="0 0 0 ${x} ${y} 0" density="50"/>`
    const text = `<mujoco><option timestep="0.001" gravity="0 0 -9.81"/><worldbody><body>${limb}<body pos="${x} ${y} 0"><joint/>${limb}</body></body></worldbody></mujoco>`
    const { mj, model } = await mjcfModelOf(text)
    const data = new mj.MjData(model)
    for (const cone of ['pyramidal', 'elliptic'] as const) {
      const world = worldOf(load(text), { contactModel: 'mujoco', contactOptions: { cone } })
      for (let n = 0; n < 20; n++) {
        mj.mj_step(model, data)
        world.step()
      }
      const { count, impulse } = world.contacts
      expect([count > 0, data.ncon > 0, impulse.subarray(0, 3 * count).every((p) => Math.abs(p) < 20)]).toEqual([
        true,
        true,
        true,
      ])
      expect([world.state.v[0], data.qvel[0]].map((v) => Math.abs(v) < 1e-9)).toEqual([true, true])
    }
    data.delete()
    model.delete()
  }
})

test.each([
  [
    'a capsule across the plane',
    '<geom type="capsule" size="0.1 0.3" euler="90 0 35"/>',
    '<geom type="plane" size="0 0 1"/>',
    '0.4 0.9 0',
  ],
  [
    'a capsule that leans',
    '<geom type="capsule" size="0.1 0.3" euler="60 20 50"/>',
    '<geom type="plane" size="0 0 1"/>',
    '0.4 0.9 0',
  ],
  ['a capsule that stands', '<geom type="capsule" size="0.1 0.2"/>', '<geom type="plane" size="0 0 1"/>', '0.3 0.1 0'],
  [
    'a sphere on a slope',
    '<geom type="sphere" size="0.1"/>',
    '<geom type="plane" size="0 0 1" euler="25 15 0"/>',
    '0.2 0.4 -0.1',
  ],
  [
    'a sphere on a steep one',
    '<geom type="sphere" size="0.1"/>',
    '<geom type="plane" size="0 0 1" euler="-70 10 0"/>',
    '0.2 0.4 -0.1',
  ],
  [
    'a sphere on a leaning capsule',
    '<geom type="sphere" size="0.1"/>',
    '<geom type="capsule" size="0.1 3" euler="70 40 0"/>',
    '0.2 0.3 -0.3',
  ],
])('the edges of a pyramid of friction are those of MuJoCo: %s', async (_, geom, ground, speed) => {
  const text = `<mujoco><option timestep="0.001"/><worldbody>${ground}<body pos="0.02 0.01 0.4"><freejoint/>${geom}</body></worldbody>
    <keyframe><key qvel="${speed} 0.1 0.2 0.3"/></keyframe></mujoco>`
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  mj.mj_resetDataKeyframe(model, data, 0)
  const robot = load(text)
  const [{ q, v }] = robot.poses
  const world = worldOf(robot, { contactModel: 'mujoco', contactOptions: { cone: 'pyramidal' }, q, v })
  let touched = false
  for (let n = 0; n < 400; n++) {
    mj.mj_step(model, data)
    world.step()
    touched ||= data.ncon > 0
    for (let k = 0; k < 3; k++) expect(Math.abs(world.state.q[k] - data.qpos[k])).toBeLessThan(1e-5)
  }
  expect(touched).toBe(true)
  data.delete()
  model.delete()
})

test('damped joints at their limits and on the floor move as in MuJoCo, whose damping acts after contact', async () => {
  const text = `<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.5"><joint axis="0 1 0" damping=".3"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <body pos=".3 0 0"><joint axis="0 1 0" range="-10 40" damping=".2"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/></body></body></worldbody></mujoco>`
  const robot = loadRobot(text, { file: 'm.xml' })
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  const world = new World({
    ...{ robot, fixtures: robot.surroundings ?? [], selfCollision: 'all-but-parent', dt: 1e-3 },
    ...{ contactModel: 'mujoco', contactOptions: { cone: 'pyramidal' } },
  })
  for (let k = 0; k < 500; k++) {
    world.step()
    mj.mj_step(model, data)
  }
  const theirs = [...data.qpos]
  data.delete()
  model.delete()
  theirs.forEach((q, k) => {
    expect(Math.abs(q - world.state.q[k])).toBeLessThan(1e-9)
  })
})
