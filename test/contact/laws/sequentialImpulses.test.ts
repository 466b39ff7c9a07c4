import { describe, expect, test } from 'vitest'
import { contactModels } from '../../../contact/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { wall } from './bricks.ts'
import { because, type Exception, exception, full } from './law.ts'
import { contactLaws } from './laws.ts'
import { register } from './register.ts'
import { box, g, makeWorld, run, support } from './scenes.ts'
import { byTurns } from './stacks.ts'
import { stand } from './standing.ts'

// `ncp` by ten sweeps and shock propagation is a model of its own here, Guendelman's, Bridson's and Fedkiw's
const name = 'ncp by sweeps'
const except: Record<string, Exception> = {
  'the humanoid on its wheels, held in its pose, stands and goes nowhere, 1 um deep at most, or as deep as its springs are':
    exception('ten sweeps leave a creep of 1e-5 m/s', () => {
      const { deepest, fastest, weight } = stand(name, loadOwnRobot('humanoid'))
      expect(deepest).toBeLessThan(1e-6)
      expect(fastest).toBeLessThan(5e-5)
      expect(Math.abs(weight - 1)).toBeLessThan(1e-4)
    }),
  'a wall of bricks in running bond stands without creep, and each course carries what is above it': exception(
    'ten sweeps leave a creep, and carry down a part of the load',
    () => {
      const world = run(wall(name, 2e-3), 0.2)
      const start = world.state.q.slice()
      run(world, 0.2)
      // 2.8 um
      expect(Math.max(...start.map((x, k) => Math.abs(world.state.q[k] - x)))).toBeLessThan(1e-5)
    },
  ),
  'ten boxes of 1 kg and 1000 kg by turns stand for a minute, whichever is the lowest': exception(
    'for two seconds: a step takes milliseconds',
    () => {
      for (const lowest of [1, 1000]) {
        const world = run(byTurns(name, 10, lowest), 2)
        for (const [i, { state }] of world.robots.entries()) expect(Math.abs(state.q[2] - (i + 0.5) * 0.2)).toBeLessThan(1e-6)
      }
    },
  ),
  'of a rectangular table the four legs carry a quarter each, and under a load off its middle least norm': exception(
    'an indeterminate load stays with the contacts that are swept first',
    () => {
      const world = run(makeWorld({ robot: box([0.2, 0.3, 0.1]), model: name, q: [0, 0, 0.05, 0, 0, 0, 1] }), 1)
      const { force, pressure } = support(world)
      expect(Math.abs(force / (world.robots[0].robot.massUsed * g) - 1)).toBeLessThan(1e-6)
      expect(Math.hypot(pressure[0], pressure[1])).toBeLessThan(1e-4)
    },
  ),
  ...because(
    'ten sweeps leave a creep, of 2e-5 m/s where a pull is held, 1e-5 of robots that stand',
    'friction holds a pull up to mu N; a pyramid up to its own side, and by an O(h) creep from there to mu N',
    'a box at rest on the level and on a slope stays for 60 s, but for the creep that its model states',
    'a stack of three boxes at rest stays for 60 s',
    'the diffdrive robot, held, stays for 60 s',
    'a box that is about to tip, 9 % of its weight on its upper edge, is held by friction all the same',
    'a robot on four bent legs, held in its pose, stands and goes nowhere, 1 um deep at most, or as deep as its springs are',
    'A1, held in its pose, stands and goes nowhere, 1 um deep at most, or as deep as its springs are',
    'Atlas, held in its pose, stands and goes nowhere, 1 um deep at most, or as deep as its springs are',
  ),
  ...because(
    'ten sweeps leave 1e-5 to 1e-4 of velocities and loads that several contacts of one body share',
    'a cylinder that rolls on the level goes on at its speed, without creep',
    'a hoop that rolls on the level goes on at its speed, without creep',
    'joint torques of a standing four-legged robot are those of gravity less those of its feet',
    'a ladder at a frictionless wall slips when tan < 1 / (2 mu)',
    'a pushed box slides when F > mu m g, if it is pushed below b / mu, and tips before it slides above',
  ),
  ...because(
    'an indeterminate load stays with the contacts that are swept first, 3 % of it on four legs, 59 % on wheels between casters',
    'a wheel that stands on a tread presses equally with both edges of it',
    'the diffdrive robot turns as if its wheels stood between the inner and the outer edge of their treads',
    'a table on 4, 5 and 8 like legs, loaded off its middle, stands on them as on equal springs',
    'a fifth leg under the middle of a table takes its share by the stated rule',
    'wheels between a caster in front and one behind drive with mu times what the stated rule leaves them',
    'the diffdrive robot, pushed on by 1 N m a wheel at mu = 0.8, goes as far as under every model of its kind',
    'the diffdrive robot, pushed on by 1 N m a wheel at mu = 0.1, goes as far as under every model of its kind',
    'the humanoid robot, pushed on by 6 N m a wheel at mu = 0.8, goes as far as under every model of its kind',
    'the humanoid robot, pushed on by 3 N m a wheel at mu = 0.05, goes as far as under every model of its kind',
  ),
  ...because(
    'what is below feels only as much of a load as ten sweeps have carried down: 70 % under five boxes, 7e-6 of a ton under a gram',
    'of two boxes on a slope the upper slides off at g (sin - mu cos) if its own mu is small, and else both stay',
    'of five overbalanced bricks the ten edges that hold and that break are those of the quadratic program',
    'a box between a wall and a pad that presses S holds when 2 mu S >= m g',
  ),
  ...because(
    'a sweep takes normal and friction of a contact one after the other; where they act on each other strongly ten are too few',
    'without restitution the end of a rod that strikes the ground stops dead where friction can hold it',
    "Painlevé's rod stops dead, by an impact without a collision of the impulse (0.3248, -0.4375)",
    'where the rod may either take off or stop dead, since turning lifts its tip by itself, it does one of them',
  ),
}

if (full) {
  register(name, (context, given) =>
    contactModels.ncp(context, { solver: 'contact-pgs', impulses: 'sequential', impacts: 'newton', ...given }),
  )
  describe(name, () => {
    contactLaws(name, 'one body', { except })
    contactLaws(name, 'several bodies', { except })
  })
} else test.skip(`laws of ${name}: set FEATHERBED_FULL`)
