import { expect, test } from 'vitest'
import { contactModelNamed } from '../../contact/index.ts'
import { World } from '../../simulation/index.ts'
import { makeRobot, sphere } from '../contact/laws/scenes.ts'
import { body, hinge, solid } from '../dynamics/bodies.ts'

test('a body that a loop ties to the world still strikes what is bolted to it', () => {
  // a ball on a string of 2 m flies at a box that is the foot of another robot, half a metre away
  const machine = makeRobot(
    'machine',
    [body('lever', hinge('pivot', 0, [0, 1, 0], [0, 0, 3]), solid(1, [0.01, 0.01, 0.01]))],
    [{ body: 0, shape: { type: 'box', size: [0.2, 1, 1] }, p: [0.5, 0, 0] }],
  )
  const bob = sphere(0.1, 1)
  for (const contactModel of ['ncp', 'lcp', 'penalty']) {
    const world = new World({
      robots: [
        { name: 'bob', robot: bob, q: [0, 0, 0, 0, 0, 0, 1], v: [0, 0, 0, 1, 0, 0] },
        { name: 'machine', robot: machine },
      ],
      contactModel: contactModelNamed(contactModel),
      dt: 1e-3,
      fixtures: [],
      loops: [{ kind: 'point', a: { robot: 'bob', link: bob.frames[0].name, point: [0, 0, 2] }, b: { link: 'world' } }],
    })
    let farthest = 0
    for (let k = 0; k < 500; k++) {
      world.step()
      farthest = Math.max(farthest, world.state.q[0])
    }
    // the box begins at 0.4 m, the ball has a radius of 0.1; springs let it in by a little
    expect(farthest).toBeGreaterThan(0.29)
    expect(farthest).toBeLessThan(0.301)
  }
})
