/** Scenes made to mislead a verdict, of each kind four in which something is wrong and four in which nothing is. */
import { describe, expect, test } from 'vitest'
import { compare } from '../../compare/judge/compare.ts'
import type { Verdict } from '../../compare/judge/verdict.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { temporaryFolder } from './command.ts'

const folder = temporaryFolder()

type Raw = Readonly<Record<string, unknown>>
interface Expected {
  readonly state: Verdict['state'] | readonly Verdict['state'][]
  /** In the sentence or the lines below it. */
  readonly says?: readonly (string | RegExp)[]
  readonly silent?: readonly (string | RegExp)[]
  /** Models of the set, among others, and models that are not. */
  readonly takes?: readonly string[]
  readonly leaves?: readonly string[]
}

const quick = { duration: 0.3, dt: 1e-3, models: ['penalty', 'lcp', 'ncp', 'convex'] }

async function verdictOf(raw: Raw): Promise<Verdict> {
  const scenario = await checkScenario({ ...quick, ...raw })
  const { results } = await compare(scenario, { timing: false, threads: 0 })
  return results.verdicts[0]
}

function signed(kind: string, scenes: Readonly<Record<string, readonly [Raw, Expected]>>): void {
  describe(kind, () => {
    for (const [name, [raw, { state, says = [], silent = [], takes = [], leaves = [] }]] of Object.entries(scenes)) {
      test(name, async () => {
        const verdict = await verdictOf(raw)
        const text = [verdict.sentence, ...verdict.reasons].join('\n')
        expect([state].flat(), text).toContain(verdict.state)
        for (const words of says) expect(text).toMatch(words)
        for (const words of silent) expect(text).not.toMatch(words)
        const set = verdict.set.map(({ model }) => model)
        expect(set, text).toEqual(expect.arrayContaining([...takes]))
        for (const model of leaves) expect(set).not.toContain(model)
      })
    }
  })
}

let files = 0
const urdf = (text: string) => folder.write(`robot${files++}.urdf`, `<robot name="r">${text}</robot>`)
const inertial = (mass: number, xyz = '0 0 0', i = 0.01) =>
  `<inertial><origin xyz="${xyz}"/><mass value="${mass}"/><inertia ixx="${i}" iyy="${i}" izz="${i}" ixy="0" ixz="0" iyz="0"/></inertial>`
const box = (size: string, xyz = '0 0 0', name = '') =>
  `<collision${name && ` name="${name}"`}><origin xyz="${xyz}"/><geometry><box size="${size}"/></geometry></collision>`
const ball = (radius: number, xyz: string) =>
  `<collision><origin xyz="${xyz}"/><geometry><sphere radius="${radius}"/></geometry></collision>`
const joint = (name: string, type: string, parent: string, child: string, more: string) =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${more}</joint>`
const range = (lower: number, upper: number, effort = 100) =>
  `<limit lower="${lower}" upper="${upper}" effort="${effort}" velocity="100"/>`

// a bracket of two pads on a pole, its mass an arm's length out: it holds itself above mu = height / (2 arm), and may fall as well
const bracket = (arm: number, height: number) =>
  urdf(
    `<link name="bracket">${inertial(1, `${arm} 0 0`, 0.02)}${ball(0.01, `0.03 0 ${-height / 2}`)}${ball(0.01, `-0.03 0 ${height / 2}`)}</link>`,
  )
const onPole = (arm: number, height: number, friction: number): Raw => ({
  ...{
    robot: bracket(arm, height),
    base: 'floating',
    start: { position: [0, 0, 2] },
    ground: false,
    models: ['lcp', 'ncp', 'convex', 'stewart-trinkle'],
  },
  boxes: [{ name: 'pole', position: [0, 0, 1.5], size: [0.04, 0.04, 3], friction }],
})
const slope = (degrees: number, friction: number): Raw => ({
  gravity: [9.81 * Math.sin((degrees * Math.PI) / 180), 0, -9.81 * Math.cos((degrees * Math.PI) / 180)],
  ground: { friction },
  bodies: [{ name: 'block', shape: { type: 'box', size: [0.2, 0.2, 0.05] }, mass: 2 }],
})

signed('friction that may hold or let go', {
  'a bracket above its bound': [
    onPole(0.3, 0.1, 0.5),
    {
      state: 'undecided',
      says: [
        'it may hold or fall',
        'with several solutions',
        /under lcp, ncp and stewart-trinkle, by less than 0.001 mm under convex/,
      ],
    },
  ],
  'a bracket with a longer arm': [onPole(0.5, 0.1, 0.4), { state: 'undecided', says: ['it may hold or fall'] }],
  'a taller bracket': [onPole(0.4, 0.2, 0.5), { state: 'undecided', says: ['it may hold or fall'] }],
  'a bracket far above its bound': [onPole(0.3, 0.1, 0.9), { state: 'undecided', says: ['it may hold or fall'] }],
  'a bracket below its bound falls': [onPole(0.3, 0.1, 0.02), { state: 'take', silent: ['may hold'] }],
  'a bracket that is balanced falls': [onPole(0, 0.1, 0.5), { state: ['take', 'any'], silent: ['may hold'] }],
  'a block holds on a slope': [slope(10, 0.5), { state: 'take', silent: ['may hold'] }],
  'a block slides down a slope': [slope(30, 0.3), { state: 'take', silent: ['may hold'] }],
})

// an arm on a post; its hand swings through the post where self-collision is off
const swing = (start: number, extra: Raw = {}): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}${box('0.1 0.1 1', '0 0 0.5', 'foot')}</link><link name="upper">${inertial(1, '0.3 0 0')}${box('0.4 0.05 0.05', '0.3 0 0')}</link>` +
      `<link name="hand">${inertial(0.5, '0.2 0 0')}${box('0.3 0.05 0.05', '0.2 0 0')}</link>` +
      joint('shoulder', 'continuous', 'base', 'upper', '<origin xyz="0 0.1 1"/><axis xyz="0 1 0"/>') +
      joint('elbow', 'continuous', 'upper', 'hand', '<origin xyz="0.55 -0.1 0"/><axis xyz="0 1 0"/>'),
  ),
  ...{ base: 'fixed', ground: false, controller: 'none', start: { joints: { shoulder: start, elbow: 0 } }, duration: 0.8 },
  models: ['lcp', 'ncp'],
  ...extra,
})
const cross = (y: number, extra: Raw = {}): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}${box('0.2 0.6 0.2')}</link>` +
      ['left', 'right']
        .map(
          (side, i) =>
            `<link name="${side}">${inertial(1)}${box('0.1 0.1 0.1')}</link>${joint(side, 'prismatic', 'base', side, `<origin xyz="0.3 ${i === 0 ? 0.2 : -0.2} 0"/><axis xyz="0 ${i === 0 ? -1 : 1} 0"/>${range(-1, 1)}`)}`,
        )
        .join(''),
  ),
  ...{
    base: 'fixed',
    ground: false,
    controller: 'none',
    gravity: [0, 0, 0],
    start: { jointVelocities: { left: y, right: y } },
    models: ['lcp', 'ncp'],
  },
  ...extra,
})
const through = [/contact between ".*" and ".*" of r is off/, /overlapped by/]

signed('a robot that passes through itself', {
  'an arm through its own post': [swing(-0.4), { state: 'unhealthy', says: [...through, /"foot"|base/] }],
  'from the other side': [swing(Math.PI + 0.4), { state: 'unhealthy', says: through }],
  'two fingers through each other': [cross(1), { state: 'unhealthy', says: [...through, 'left', 'right'] }],
  slowly: [cross(0.7), { state: 'unhealthy', says: through }],
  'an arm that stays clear': [swing(-0.4, { duration: 0.1 }), { state: 'any', silent: through }],
  'fingers that stay clear': [cross(0.3), { state: 'any', silent: through }],
  'fingers that collide': [
    cross(1, { selfCollision: 'all-but-adjacent' }),
    { state: ['take', 'undecided', 'none'], silent: through },
  ],
  'fingers that move apart': [cross(-1), { state: 'any', silent: through }],
})

// what a joint holds: a pendulum of 1 kg on 0.5 m, 4.9 N m at the level
const pendulum = (friction: number, more = '', start = 0): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}</link><link name="arm">${inertial(1, '0.5 0 0')}</link>` +
      joint(
        'hinge',
        more === '' ? 'continuous' : 'revolute',
        'base',
        'arm',
        `<axis xyz="0 1 0"/><dynamics friction="${friction}" damping="0"/>${more}`,
      ),
  ),
  ...{ base: 'fixed', ground: false, controller: 'none', start: { joints: { hinge: start } }, models: ['penalty', 'lcp', 'ncp'] },
})
const bead = (upper: number): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}</link><link name="bead">${inertial(1)}</link>` +
      joint('rail', 'prismatic', 'base', 'bead', `<axis xyz="0 0 -1"/>${range(0, upper)}`),
  ),
  ...{ base: 'fixed', ground: false, controller: 'none', models: ['lcp', 'ncp', 'stewart-trinkle'] },
})
/** A four-bar linkage, with its loop closed or open. */
const linkage = (isClosed: boolean): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}</link>` +
      ['left', 'right'].map((link) => `<link name="${link}">${inertial(1, '0 0 -0.2')}</link>`).join('') +
      `<link name="bar">${inertial(1, '0.25 0 0')}</link>` +
      joint('hip', 'continuous', 'base', 'left', '<axis xyz="0 1 0"/>') +
      joint('knee', 'continuous', 'left', 'bar', '<origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>') +
      joint('hip2', 'continuous', 'base', 'right', '<origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>'),
  ),
  ...{ base: 'fixed', ground: false, controller: 'none', models: ['lcp', 'ncp', 'stewart-trinkle'] },
  start: { jointVelocities: { hip: 1, knee: -1, hip2: 1 } },
  ...(isClosed
    ? {
        loops: [
          {
            name: 'pin',
            kind: 'hinge',
            a: { link: 'bar', point: [0.5, 0, 0], axis: [0, 1, 0] },
            b: { link: 'right', point: [0, 0, -0.4] },
          },
        ],
      }
    : {}),
})

signed('joints that decide', {
  'a pendulum held by dry friction': [
    pendulum(8),
    { state: ['take', 'none'], says: ['dry friction of hinge'], silent: ['any model will do'] },
  ],
  'a pendulum that dry friction brakes': [
    pendulum(2),
    { state: ['take', 'none'], says: ['dry friction of hinge'], silent: ['any model will do'] },
  ],
  'a bead into its stop': [
    bead(0.1),
    { state: ['take', 'none', 'undecided'], says: ['the stop of rail'], silent: ['any model will do'] },
  ],
  'a pendulum into its stop': [
    pendulum(0, range(-1, 0.2)),
    { state: ['take', 'none', 'undecided'], says: ['the stop of hinge'], silent: ['any model will do'] },
  ],
  'a four-bar linkage': [
    linkage(true),
    { state: ['take', 'none', 'undecided'], says: ['a closed loop'], silent: ['any model will do'] },
  ],
  'the same with its loop open': [linkage(false), { state: 'any', silent: ['closed loop'] }],
  'a free pendulum': [pendulum(0), { state: 'any', says: ['any model will do'], silent: ['stop of', 'friction of hinge'] }],
  'a pendulum with limits that it does not reach': [pendulum(0, range(-3, 3)), { state: 'any', silent: ['stop of'] }],
  'a bead that falls and does not arrive': [bead(2), { state: 'any', silent: ['stop of'] }],
  'a pendulum that hangs': [pendulum(0, '', Math.PI / 2), { state: 'any' }],
})

signed('what holds, and for how long', {
  'springs creep on a slope': [
    { ...slope(10, 0.5), models: ['penalty', 'ncp'] },
    { state: 'take', says: [/Do not trust penalty for longer: .*block.* slides at up to [\d.e-]+ mm\/s, .* in a minute/] },
  ],
  'and are no default': [
    { ...slope(10, 0.5), models: ['penalty', 'lcp', 'ncp'] },
    { state: 'take', says: [/If in doubt, take ncp/] },
  ],
  'springs alone creep': [
    { ...slope(10, 0.5), models: ['penalty', 'hunt-crossley'] },
    { state: 'take', says: [/Do not trust .* for longer/] },
  ],
  'a steeper slope': [
    { ...slope(20, 0.8), models: ['penalty', 'ncp'] },
    { state: 'take', says: [/Do not trust penalty for longer/] },
  ],
  'exact models hold': [
    { ...slope(10, 0.5), models: ['lcp', 'ncp', 'stewart-trinkle'] },
    {
      state: 'take',
      says: ['Judged over the 0.3 s simulated, by what 3 of 3 models agree on.'],
      silent: ['Do not trust'],
    },
  ],
  'a block that slides does not creep': [
    { ...slope(30, 0.3), models: ['lcp', 'ncp', 'stewart-trinkle'] },
    { state: 'take', silent: ['Do not trust'] },
  ],
  'a ball that rolls does not creep': [
    {
      bodies: [
        { name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, linearVelocity: [1, 0, 0], angularVelocity: [0, 10, 0] },
      ],
      models: ['lcp', 'ncp'],
    },
    { state: 'take', silent: ['Do not trust'] },
  ],
  'a ball in flight does not': [
    { bodies: [{ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 3] }], models: ['lcp', 'ncp'] },
    { state: 'any', silent: ['Do not trust'] },
  ],
})

const thrown = (speed: number, more: Raw = {}): Raw => ({
  bodies: [{ name: 'block', shape: { type: 'box', size: [0.2, 0.2, 0.1] }, mass: 2, linearVelocity: [speed, 0, 0] }],
  ...{ ground: { friction: 0.4 }, models: ['penalty', 'hunt-crossley', 'lcp', 'ncp'] },
  ...more,
})
const ballOn = (more: Raw, height = 0): Raw => ({
  bodies: [{ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [0, 0, 0.1 + height], ...more }],
  models: ['penalty', 'lcp', 'ncp'],
})
const depth = [/into each other/]

signed('the depth that springs are allowed', {
  'a block that slides': [thrown(1), { state: 'take', takes: ['penalty', 'ncp'], silent: depth }],
  'a block that slides fast': [thrown(3), { state: 'take', silent: depth }],
  'a ball that rolls': [
    ballOn({ linearVelocity: [1, 0, 0], angularVelocity: [0, 10, 0] }),
    { state: 'take', takes: ['penalty', 'ncp'], silent: depth },
  ],
  'a block that is set down': [thrown(0), { state: 'take', takes: ['penalty', 'ncp'], silent: depth }],
  'springs that are too soft': [
    { ...thrown(0), models: [{ name: 'penalty', kp: 500, kv: 30 }, 'lcp', 'ncp'] },
    { state: 'take', says: [/penalty (at 1 ms )?lets shapes into each other by/], leaves: ['penalty'] },
  ],
  'a limit that is stated': [
    { ...thrown(0), limits: { penetration: 1e-4 } },
    { state: 'take', says: [/lets shapes into each other by .* \(limit 0.1 mm\)/] },
  ],
  'a ball that is dropped under soft springs': [
    { ...ballOn({}, 0.05), models: ['mujoco', 'lcp', 'ncp'] },
    { state: 'take', says: [/mujoco .*into each other by/] },
  ],
  'a limit that follows the allowed depth': [
    { ...thrown(0), physical: { allowedPenetration: 1e-4 }, models: [{ name: 'penalty', kp: 500, kv: 30 }, 'lcp', 'ncp'] },
    { state: 'take', says: [/\(limit 0.2 mm\)/] },
  ],
})

const exact = ['lcp', 'ncp', 'stewart-trinkle', 'anitescu-potra', 'peg']
signed('equals', {
  'exact models on a block that slides': [
    { ...thrown(1), models: exact },
    { state: 'take', takes: exact, says: [/^bodies: take ncp, .* at a step of 1 ms, whose motions differ by less than 0.01 %/] },
  ],
  'exact models on a block that holds': [
    { ...slope(10, 0.5), models: exact },
    { state: 'take', takes: exact, says: ['less than 0.01 %'] },
  ],
  'on a ball that rolls': [
    { ...ballOn({ linearVelocity: [1, 0, 0], angularVelocity: [0, 10, 0] }), models: exact },
    { state: 'take', takes: exact },
  ],
  'two steps: the longer': [
    { ...thrown(1), models: exact, dt: [1e-3, 2e-3] },
    { state: 'take', says: ['at a step of 2 ms', 'least work'] },
  ],
  'one that is off is none': [
    { ...thrown(5), models: ['lcp', 'ncp', 'mujoco'] },
    { state: 'take', leaves: ['mujoco'] },
  ],
  'one model is no set': [
    { ...thrown(1), models: ['ncp'] },
    { state: 'take', says: ['take ncp at a step of 1 ms', 'the choice of model'], silent: ['If in doubt'] },
  ],
  'swept options are named': [
    { ...thrown(1), models: ['ncp', 'mujoco'], sweep: { 'models.ncp.compliance': [1e-6, 5e-6] } },
    { state: 'take', says: [/ncp with compliance/] },
  ],
  'where laws of impact differ there is no set': [
    { ...ballOn({ restitution: 0.6, linearVelocity: [0, 0, -3] }, 0.01), models: ['ncp', 'hunt-crossley', 'drake'] },
    { state: ['take', 'none', 'undecided'], leaves: ['drake'] },
  ],
})

// a joint that its controller shakes: damping of 2 I / T is the bound, I = 0.01 kg m2
const servo = (kd: number, effort = 100, extra: Raw = {}): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}</link><link name="arm">${inertial(1, '0 0 0', 0.01)}</link>` +
      joint('hip', 'revolute', 'base', 'arm', `<axis xyz="0 1 0"/>${range(-3, 3, effort)}`),
  ),
  ...{ base: 'fixed', ground: false, start: { jointVelocities: { hip: 1 } } },
  controller: folder.write(
    `servo${files++}.ts`,
    `export default { rate: 1000, init: () => ({}), update: ({ q, v, robot }) => robot.joints.map(({ qIndex, vIndex }) => -1 * q[qIndex] - ${kd} * v[vIndex]) }`,
  ),
  models: ['lcp', 'ncp', 'stewart-trinkle'],
  ...extra,
})
const standing = (tilt: number, kp = 200): Raw => ({
  robot: urdf(
    `<link name="trunk">${inertial(10, '0 0 0.5', 0.3)}${box('0.2 0.2 0.4', '0 0 0.5')}</link><link name="foot">${inertial(1)}${box('0.2 0.2 0.05')}</link>` +
      joint('ankle', 'revolute', 'trunk', 'foot', `<axis xyz="0 1 0"/>${range(-1.5, 1.5)}`),
  ),
  ...{ base: 'floating', start: { rpy: [0, tilt, 0] }, duration: 1, models: ['lcp', 'ncp'] },
  controller: folder.write(
    `stand${files++}.ts`,
    `export default { rate: 500, init: () => ({}), update: ({ q, v, robot }) => robot.joints.map(({ qIndex, vIndex }) => -${kp} * q[qIndex] - 2 * v[vIndex]) }`,
  ),
})
const lift = (effort: number, kp: number): Raw => ({
  robot: urdf(
    `<link name="base">${inertial(5)}</link><link name="arm">${inertial(1, '0.5 0 0')}</link>` +
      joint('shoulder', 'revolute', 'base', 'arm', `<axis xyz="0 -1 0"/>${range(-2, 2, effort)}`),
  ),
  ...{ base: 'fixed', ground: false, duration: 1.5, models: ['lcp', 'ncp'] },
  controller: folder.write(
    `lift${files++}.ts`,
    `export default { rate: 500, init: () => ({}), update({ q, v, target }) { target.joints[0] = 0.5; return [${kp} * (0.5 - q[0]) - 10 * v[0]] } }`,
  ),
})
const restless = (at: number): Raw => ({
  bodies: [{ name: 'block', shape: { type: 'box', size: [0.2, 0.2, 0.2] }, mass: 1, position: [0, 0, at] }],
})

signed('health', {
  'a controller beyond its stable gain': [
    servo(30),
    { state: 'unhealthy', says: ['the controller alone is unstable', 'hip', 'are stable up to a tick of'] },
  ],
  'two overlapping boxes': [
    { ...restless(0.05), models: ['lcp', 'ncp'] },
    { state: 'unhealthy', says: ['before the first step'] },
  ],
  'restitution under mujoco': [
    { ...ballOn({ restitution: 0.5 }, 0.1), models: ['mujoco', 'ncp', 'lcp'], duration: 0.4 },
    { state: ['take', 'none', 'undecided'], says: ['mujoco cannot do what is stated of surfaces: '] },
  ],
  'a motor that is too weak': [
    lift(3, 300),
    {
      state: ['any', 'take', 'none'],
      says: [/motor of joint shoulder stands at its effort limit for \d+/, /joint shoulder is .* from its target at the end/],
    },
  ],
  'a controller that is unstable at the longer step alone': [
    servo(15, 100, { dt: [1e-3, 5e-3] }),
    { state: 'take', says: [/shakes the robot, at 5 ms under every model/], silent: ['whatever the model'] },
  ],
  'a robot that falls': [standing(0.35, 0), { state: ['take', 'none', 'undecided'], says: [/r falls, at t = /] }],
  'a controller within its gain': [servo(0.5), { state: 'any', silent: ['unstable'] }],
  'a block on the ground': [restless(0.1), { state: 'take', silent: ['before the first step'] }],
  'restitution under models that have it': [
    { ...ballOn({ restitution: 0.5 }, 0.1), models: ['ncp', 'lcp'], duration: 0.4 },
    { state: 'take', silent: ['cannot do what is stated'] },
  ],
  'a motor that is strong enough': [lift(100, 300), { state: 'any', silent: ['effort limit', 'from its target'] }],
  'a robot that stands': [standing(0), { state: 'take', silent: ['falls'] }],
})
