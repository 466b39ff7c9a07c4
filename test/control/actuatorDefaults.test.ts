import { expect, test } from 'vitest'
import { loadRobot } from '../../robots/index.ts'

/*
 * What actuators have of the classes of others, by MuJoCo 4.0.0: gains, bias and dynamics of the nearest class that is written with the same
 * element or with <general>, all else of the class. (Until 3.15 a <velocity> had the gain of a class of <position>.) Each line: element, gear: gain,
 * bias, dynamics, ranges of ctrl and act.
 */
const classes: readonly (readonly [defaults: string, lines: string])[] = [
  [
    `<default class="c"><position kp="5" kv="1" inheritrange="1"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0
     <position/> 1: 5 0 0, 0 -5 -1 ctrl -1 3
     <velocity/> 1: 1 0 0, 0 0 -1
     <general/> 1: 5 0 0, 0 -5 -1 ctrl -1 3
     <intvelocity/> 1: 1 0 0, 0 -1 0 integrator
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter`,
  ],
  [
    `<default class="c"><position kp="5" ctrlrange="-0.5 0.5"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0 ctrl -0.5 0.5
     <position/> 1: 5 0 0, 0 -5 0 ctrl -0.5 0.5
     <velocity/> 1: 1 0 0, 0 0 -1 ctrl -0.5 0.5
     <general/> 1: 5 0 0, 0 -5 0 ctrl -0.5 0.5
     <intvelocity actrange="-1 1"/> 1: 1 0 0, 0 -1 0 integrator ctrl -0.5 0.5 act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter ctrl -0.5 0.5`,
  ],
  [
    `<default class="c"><position kp="5" inheritrange="1"/><motor ctrlrange="-7 7"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0 ctrl -7 7
     <position/> 1: 1 0 0, 0 -1 0 ctrl -7 7
     <velocity/> 1: 1 0 0, 0 0 -1 ctrl -7 7
     <general/> 1: 1 0 0, 0 0 0 ctrl -7 7
     <intvelocity/> 1: 1 0 0, 0 -1 0 integrator ctrl -7 7
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter ctrl -7 7`,
  ],
  [
    `<default class="c"><general inheritrange="1"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0
     <position/> 1: 1 0 0, 0 -1 0 ctrl -1 3
     <velocity/> 1: 1 0 0, 0 0 -1
     <general/> 1: 1 0 0, 0 0 0
     <intvelocity/> 1: 1 0 0, 0 -1 0 integrator act -1 3
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter`,
  ],
  [
    `<default class="c"><intvelocity kp="5" inheritrange="1"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0
     <position/> 1: 1 0 0, 0 -1 0
     <velocity/> 1: 1 0 0, 0 0 -1
     <general/> 1: 5 0 0, 0 -5 0 integrator act -1 3
     <intvelocity/> 1: 5 0 0, 0 -5 0 integrator act -1 3
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter`,
  ],
  [
    `<default class="c"><velocity kv="3" gear="2"/></default>`,
    `<motor/> 2: 1 0 0, 0 0 0
     <position/> 2: 1 0 0, 0 -1 0
     <velocity/> 2: 3 0 0, 0 0 -3
     <general/> 2: 3 0 0, 0 0 -3
     <intvelocity actrange="-1 1"/> 2: 1 0 0, 0 -1 0 integrator act -1 1
     <damper ctrlrange="0 1"/> 2: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 2: 1 0 0, 0 0 0 filter`,
  ],
  [
    `<default class="c"><general gainprm="4" biastype="affine" biasprm="0 -4 -0.5"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0
     <position/> 1: 4 0 0, 0 -4 -0.5
     <velocity/> 1: 4 0 0, 0 0 -4
     <general/> 1: 4 0 0, 0 -4 -0.5
     <intvelocity actrange="-1 1"/> 1: 4 0 0, 0 -4 -0.5 integrator act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 4 0 0, 0 -4 -0.5 filter`,
  ],
  [
    `<default class="c"><cylinder area="3" timeconst="0.2"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0
     <position/> 1: 1 0 0, 0 -1 0
     <velocity/> 1: 1 0 0, 0 0 -1
     <general/> 1: 3 0 0, 0 0 0 filter
     <intvelocity actrange="-1 1"/> 1: 1 0 0, 0 -1 0 integrator act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 3 0 0, 0 0 0 filter`,
  ],
  [
    `<default class="c"><damper kv="2" ctrlrange="0 2"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0 ctrl 0 2
     <position/> 1: 1 0 0, 0 -1 0 ctrl 0 2
     <velocity/> 1: 1 0 0, 0 0 -1 ctrl 0 2
     <general/> 1: 0 0 -2, 0 0 0 ctrl 0 2
     <intvelocity actrange="-1 1"/> 1: 1 0 0, 0 -1 0 integrator ctrl 0 2 act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 -2, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter ctrl 0 2`,
  ],
  [
    `<default class="c"><muscle ctrllimited="true" ctrlrange="0 0.6"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0 ctrl 0 0.6
     <position/> 1: 1 0 0, 0 -1 0 ctrl 0 0.6
     <velocity/> 1: 1 0 0, 0 0 -1 ctrl 0 0.6
     <intvelocity actrange="-1 1"/> 1: 1 0 0, 0 -1 0 integrator ctrl 0 0.6 act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter ctrl 0 0.6`,
  ],
  [
    `<position kp="10"/><default class="c"><motor ctrlrange="-0.7 0.7"/></default>`,
    `<motor/> 1: 1 0 0, 0 0 0 ctrl -0.7 0.7
     <position/> 1: 10 0 0, 0 -10 0 ctrl -0.7 0.7
     <velocity/> 1: 1 0 0, 0 0 -1 ctrl -0.7 0.7
     <general/> 1: 1 0 0, 0 0 0 ctrl -0.7 0.7
     <intvelocity actrange="-1 1"/> 1: 1 0 0, 0 -1 0 integrator ctrl -0.7 0.7 act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 1 0 0, 0 0 0 filter ctrl -0.7 0.7`,
  ],
  [
    `<general gainprm="6"/><default class="b"><position kp="10"/><default class="c"><velocity kv="3"/></default></default>`,
    `<motor/> 1: 1 0 0, 0 0 0
     <position/> 1: 10 0 0, 0 -10 0
     <velocity/> 1: 3 0 0, 0 0 -3
     <general/> 1: 3 0 0, 0 0 -3
     <intvelocity actrange="-1 1"/> 1: 6 0 0, 0 -6 0 integrator act -1 1
     <damper ctrlrange="0 1"/> 1: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 1: 6 0 0, 0 0 0 filter`,
  ],
  [
    `<position kp="9"/><default class="b"><position kv="2"/><default class="c"><motor gear="2"/></default></default>`,
    `<motor/> 2: 1 0 0, 0 0 0
     <position/> 2: 9 0 0, 0 -9 -2
     <velocity/> 2: 1 0 0, 0 0 -1
     <general/> 2: 1 0 0, 0 0 0
     <intvelocity actrange="-1 1"/> 2: 1 0 0, 0 -1 0 integrator act -1 1
     <damper ctrlrange="0 1"/> 2: 0 0 0, 0 0 0 ctrl 0 1
     <cylinder/> 2: 1 0 0, 0 0 0 filter`,
  ],
]

test.each(classes)('%s', (defaults, lines) => {
  for (const line of lines.split('\n')) {
    const [, tag, stated, wanted] = /^\s*<(\w+)(.*)\/> (.*)$/.exec(line)!
    const { actuators = [] } = loadRobot(
      `<mujoco><compiler angle="radian"/><default>${defaults}</default><worldbody><body><joint name="j" range="-1 3"/><geom size=".1"/></body></worldbody>
        <actuator><${tag} class="c" joint="j"${stated}/></actuator></mujoco>`,
      { file: 'm.xml' },
    )
    const [{ gear, gain, bias, dynamics, control, activation }] = actuators
    const range = (name: string, [low, high]: readonly number[]) => (Number.isFinite(low) ? ` ${name} ${low} ${high}` : '')
    const plain = (list: readonly number[]) => list.map((x) => x + 0).join(' ')
    const kind = dynamics === 'none' ? '' : ` ${dynamics}`
    const found = `${gear}: ${plain(gain)}, ${plain(bias)}${kind}${range('ctrl', control)}${range('act', activation)}`
    expect(`${tag} ${found}`).toBe(`${tag} ${wanted}`)
  }
})

test('a general in the class of a muscle is one', () => {
  const robot = loadRobot(
    '<mujoco><default><muscle ctrlrange="0 1"/></default><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator><general joint="j"/></actuator></mujoco>',
    { file: 'm.xml' },
  )
  const [{ muscle, dynamics, control }] = robot.actuators!
  expect([dynamics, control, muscle!.range, muscle!.scale]).toEqual(['muscle', [0, 1], [0.75, 1.05], 200])
})
