import { expect, test } from 'vitest'
import { loadRobot, RobotError } from '../../robots/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/* Files that MuJoCo 4.0.0 refuses because they contradict themselves are refused here too, by an error that says where; what it compiles is not. */

const body = '<body name="b"><joint name="j"/><geom name="g" size=".1"/></body>'
const world = `<worldbody>${body}</worldbody>`

const refused: readonly (readonly [name: string, inside: string])[] = [
  ['missing childclass unused', `<worldbody><body childclass="x"/>${body}</worldbody>`],
  ['two of one name: site', `<worldbody><site name="s"/><site name="s"/>${body}</worldbody>`],
  ['two of one name: actuator', `${world}<actuator><motor name="m" joint="j"/><motor name="m" joint="j"/></actuator>`],
  [
    'two of one name: mesh',
    `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world}`,
  ],
  ['two of one name: keyframe', `${world}<keyframe><key name="k" qpos="0"/><key name="k" qpos="1"/></keyframe>`],
  [
    'two of one name: tendon',
    `${world}<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>`,
  ],
  ['two of one name: sensor', `${world}<sensor><jointpos name="s" joint="j"/><jointvel name="s" joint="j"/></sensor>`],
  ['two of one name: joint', `<worldbody>${body}<body name="c"><joint name="j"/><geom size=".1"/></body></worldbody>`],
  ['two of one name: geom', `<worldbody>${body}<body name="c"><joint/><geom name="g" size=".1"/></body></worldbody>`],
  [
    'two of one name: equality',
    `<worldbody>${body}<body name="c"><joint name="k"/><geom size=".1"/></body></worldbody><equality><joint name="e" joint1="j" joint2="k"/><joint name="e" joint1="k"/></equality>`,
  ],
  ['two of one name: default class', `<default><default class="a"/><default class="a"/></default>${world}`],
  ['two of one name: body', `<worldbody>${body}<body name="b"><joint/><geom size=".1"/></body></worldbody>`],
  ['limited no range', `<worldbody><body><joint limited="true"/><geom size=".1"/></body></worldbody>`],
  [
    'range no autolimits',
    `<compiler autolimits="false"/><worldbody><body><joint range="0 1"/><geom size=".1"/></body></worldbody>`,
  ],
  ['ctrllimited no range', `${world}<actuator><motor joint="j" ctrllimited="true"/></actuator>`],
  ['damper no ctrlrange', `${world}<actuator><damper joint="j" kv="1"/></actuator>`],
  ['damper negative ctrl', `${world}<actuator><damper joint="j" kv="1" ctrlrange="-1 1"/></actuator>`],
  ['damper negative kv', `${world}<actuator><damper joint="j" kv="-1" ctrlrange="0 1"/></actuator>`],
  ['position kv neg', `${world}<actuator><position joint="j" kv="-5"/></actuator>`],
  ['position kv and dampratio', `${world}<actuator><position joint="j" kv="5" dampratio="1"/></actuator>`],
  ['position timeconst neg', `${world}<actuator><position joint="j" timeconst="-1"/></actuator>`],
  [
    'range of actuator no autolimits',
    `<compiler autolimits="false"/>${world}<actuator><motor joint="j" ctrlrange="-1 1"/></actuator>`,
  ],
  [
    'posrange no autolimits',
    `<compiler autolimits="false"/>${world}<actuator><pid joint="j" kp="1" posrange="-1 1"/></actuator>`,
  ],
  ['posrange exchanged and limited', `${world}<actuator><pid joint="j" kp="1" posrange="1 -1" ctrllimited="true"/></actuator>`],
  [
    'actrange no autolimits',
    `<compiler autolimits="false"/>${world}<actuator><intvelocity joint="j" kp="1" actrange="-1 1" actlimited="true"/></actuator>`,
  ],
  ['forcelimited no range', `${world}<actuator><motor joint="j" forcelimited="true"/></actuator>`],
  [
    'actuatorfrcrange no autolimits',
    `<compiler autolimits="false"/><worldbody><body><joint actuatorfrcrange="0 1"/><geom size=".1"/></body></worldbody>`,
  ],
  [
    'actuatorfrcrange exchanged and limited',
    `<worldbody><body><joint actuatorfrcrange="1 0" actuatorfrclimited="true"/><geom size=".1"/></body></worldbody>`,
  ],
  ['two orientations of a class', `<default><geom quat="1 0 0 0" zaxis="1 0 0"/></default>${world}`],
  ['joint in a frame of the world', `<worldbody><frame><joint/></frame>${body}</worldbody>`],
  ['two orientations', `<worldbody><body euler="1 0 0" zaxis="1 0 0"><joint/><geom size=".1"/></body></worldbody>`],
  ['fromto sphere', `<worldbody><body><joint/><geom type="sphere" size=".1" fromto="0 0 0 1 0 0"/></body></worldbody>`],
  ['free and hinge', `<worldbody><body><freejoint/><joint/><geom size=".1"/></body></worldbody>`],
  ['two free', `<worldbody><body><freejoint/><freejoint/><geom size=".1"/></body></worldbody>`],
  ['ball and hinge after', `<worldbody><body><joint type="ball"/><joint/><geom size=".1"/></body></worldbody>`],
  ['two balls', `<worldbody><body><joint type="ball"/><joint type="ball"/><geom size=".1"/></body></worldbody>`],
  [
    'seven hinges',
    `<worldbody><body><joint axis="1 0 0"/><joint axis="1 0 0"/><joint axis="1 0 0"/><joint axis="1 0 0"/><joint axis="1 0 0"/><joint axis="1 0 0"/><joint axis="1 0 0"/><geom size=".1"/></body></worldbody>`,
  ],
  ['joint in world', `<worldbody><joint/>${body}</worldbody>`],
  ['inertial in world', `<worldbody><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>${body}</worldbody>`],
  [
    'two inertials',
    `<worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody>`,
  ],
  [
    'inertial both',
    `<worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/></body></worldbody>`,
  ],
  [
    'inertial full and quat',
    `<worldbody><body><joint/><inertial pos="0 0 0" mass="1" quat="1 1 0 0" fullinertia="1 1 1 0 0 0"/></body></worldbody>`,
  ],
  ['inertial no pos', `<worldbody><body><joint/><inertial mass="1" diaginertia="1 1 1"/></body></worldbody>`],
  ['connect no anchor', `${world}<equality><connect body1="b"/></equality>`],
  [
    'connect body and site',
    `<worldbody>${body}<site name="s"/></worldbody><equality><connect body1="b" site1="s" site2="s" anchor="0 0 0"/></equality>`,
  ],
  ['connect same body', `${world}<equality><connect body1="b" body2="b" anchor="0 0 0"/></equality>`],
  ['connect world world', `${world}<equality><connect body1="world" anchor="0 0 0"/></equality>`],
  ['equality joint self', `${world}<equality><joint joint1="j" joint2="j"/></equality>`],
  [
    'tendon one joint twice',
    `${world}<tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="j" coef="2"/></fixed></tendon>`,
  ],
  ['tendon empty', `${world}<tendon><fixed name="t"/></tendon>`],
  [
    'hfield size neg',
    `<asset><hfield name="h" nrow="2" ncol="2" size="-1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/>${body}</worldbody>`,
  ],
  ['default joint dup', `<default><joint damping="1"/><joint damping="2"/></default>${world}`],
  ['contype fraction', `<worldbody><body><joint/><geom size=".1" contype="1.5"/></body></worldbody>`],
  [
    'replicate fraction',
    `<worldbody><replicate count="2.5"><body><joint/><geom size=".1"/></body></replicate>${body}</worldbody>`,
  ],
  ['bool bad', `<worldbody><body><joint limited="yes"/><geom size=".1"/></body></worldbody>`],
  ['negative mass geom', `<worldbody><body><joint/><geom size=".1" mass="-1"/></body></worldbody>`],
  ['negative density', `<worldbody><body><joint/><geom size=".1" density="-1"/></body></worldbody>`],
  ['missing class', `<worldbody><body><joint class="x"/><geom size=".1"/></body></worldbody>`],
  ['sphere size 0', `<worldbody><body><joint/><geom size="0"/></body></worldbody>`],
  ['box size neg', `<worldbody><body><joint/><geom type="box" size=".1 -.1 .1"/></body></worldbody>`],
  ['condim 2', `<worldbody><body><joint/><geom size=".1" condim="2"/></body></worldbody>`],
  ['axis zero', `<worldbody><body><joint axis="0 0 0"/><geom size=".1"/></body></worldbody>`],
]

test.each(refused)('%s', (_, inside) => {
  let error: unknown
  try {
    loadRobot(`<mujoco>${inside}</mujoco>`, { file: 'm.xml', ground: false })
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(RobotError)
  expect((error as RobotError).message).toMatch(/^m\.xml:1 <\w+.*>.*: .+\. [A-Z].*\.$/m)
})

const slides = '<joint type="slide"/><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'

test.each([
  ['one name in several kinds', `<worldbody><site name="j"/>${body}</worldbody><actuator><motor name="j" joint="j"/></actuator>`],
  ['copies', '<worldbody><replicate count="3"><body><joint name="k"/><geom size=".1"/></body></replicate></worldbody>'],
  ['exchanged numbers as a range', '<worldbody><body><joint range="1 -1"/><geom size=".1"/></body></worldbody>'],
  ['equal ones', '<worldbody><body><joint range="1 1"/><geom size=".1"/></body></worldbody>'],
  ['exchanged ones of an actuator', `${world}<actuator><motor joint="j" ctrlrange="1 -1"/></actuator>`],
  ['a gear of 0', `${world}<actuator><motor joint="j" gear="0"/></actuator>`],
  ['a gain of 0', `${world}<actuator><general joint="j" gainprm="0"/></actuator>`],
  ['no names', '<worldbody><body><joint name=""/><geom name="" size=".1"/><geom name="" size=".1"/></body></worldbody>'],
  ['0 0 without autolimits', `<compiler autolimits="false"/>${world}<actuator><motor joint="j" ctrlrange="0 0"/></actuator>`],
  ['an exchanged posrange', `${world}<actuator><pid joint="j" kp="1" posrange="1 -1" velrange="1 -1"/></actuator>`],
  [
    'a class that no geom is of',
    `<default><geom density="-1"/><default class="c"><geom density="1000"/></default></default><worldbody><body childclass="c"><joint/><geom size=".1"/></body></worldbody>`,
  ],
  [
    'a free joint with a range',
    `<compiler autolimits="false"/><worldbody><body><joint type="free" range="0 1"/><geom size=".1"/></body></worldbody>`,
  ],
  ['slides before a ball', `<worldbody><body>${slides}<joint type="ball"/><geom size=".1"/></body></worldbody>`],
  ['two sections of defaults', `<default><joint damping="1"/></default><default><joint armature="2"/></default>${world}`],
  [
    'a class that is defined behind',
    '<worldbody><body childclass="c"><joint/><geom size=".1"/></body></worldbody><default><default class="c"><joint damping="1"/></default></default>',
  ],
])('but not %s', async (_, inside) => {
  const text = `<mujoco>${inside}</mujoco>`
  const { model } = await mjcfModelOf(text)
  model.delete()
  const { lower, effortLimit } = loadRobot(text, { file: 'm.xml', ground: false }).model
  expect(lower.every((x) => x === -Infinity)).toBe(true)
  expect(effortLimit.some(Number.isNaN)).toBe(false)
})

test('a class without a name inside another, and one inside itself, end in an error and not in a circle', () => {
  const body =
    '<worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator><motor class="a" joint="j"/></actuator>'
  const load = (inside: string) => () =>
    loadRobot(`<mujoco><default><default class="a">${inside}</default></default>${body}</mujoco>`, {
      file: 'm.xml',
      ground: false,
    })
  expect(load('<default class="a"><joint damping="2"/></default>')).toThrow('there is a class of this name already')
  expect(load('<default><joint damping="2"/></default>')).toThrow('a class in it has no name')
})
