import type { Shape } from '../../contact/geometry/index.ts'
import type { BodyDefinition } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { World } from '../../simulation/index.ts'
import { makeRobot } from '../contact/laws/scenes.ts'
import { body, free, hinge, solid } from '../dynamics/bodies.ts'

/** A robot of given bodies, with at most one shape a body, centred there and of its name. */
export function robotOf(
  name: string,
  bodies: readonly BodyDefinition[],
  shapes: Record<string, Shape> = {},
  home?: number[],
): Robot {
  const shapesOn = Object.entries(shapes).map(([link, shape]) => {
    return { name: link, body: 1 + bodies.findIndex((body) => body.name === link), shape }
  })
  const robot = makeRobot(name, bodies, shapesOn)
  return home ? { ...robot, home: Float64Array.from(home) } : robot
}

/** A rod of length 2 l and mass m about y, hanging from the world; angle 0 hangs down. */
export function pendulum(mass = 2, l = 0.4, home = 0): Robot {
  const inertia = (mass * (2 * l) ** 2) / 12
  return robotOf(
    'pendulum',
    [
      body('rod', hinge('swing', 0, [0, 1, 0], [0, 0, 2]), solid(mass, [inertia, inertia, 1e-4], [0, 0, -l]), {
        lower: -10,
        upper: 10,
      }),
    ],
    {},
    [home],
  )
}

/** Six revolute joints in a row on a fixed base, axes alternating; no two links alike. */
export function arm(): Robot {
  const axes = [
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 0],
    [1, 0, 0],
    [0, 1, 0],
    [1, 0, 0],
  ] as const
  const bodies = axes.map((axis, i): BodyDefinition => {
    const mass = 4 - 0.5 * i
    const inertia = mass * 0.01
    return body(
      `link${i}`,
      hinge(`joint${i}`, i, axis, [0, 0, i === 0 ? 0.5 : 0.25]),
      solid(mass, [inertia, 1.1 * inertia, 0.5 * inertia], [0.02, 0.01, 0.12]),
      { lower: -2.5, upper: 2.5, damping: 0.1 },
    )
  })
  return robotOf('arm', bodies, {}, [0, 0.4, 0.6, 0, 0.5, 0])
}

/** A free box that carries a hinged flap; it stands on the ground at home. */
export function box(): Robot {
  return robotOf(
    'box',
    [
      body('box', free('free'), solid(3, [0.02, 0.03, 0.04])),
      body('flap', hinge('hinge', 1, [0, 1, 0], [0, 0, 0.1]), solid(0.5, [1e-3, 2e-3, 2e-3], [0.1, 0, 0]), {
        lower: -1,
        upper: 1,
      }),
    ],
    { box: { type: 'box', size: [0.3, 0.2, 0.2] } },
    [0, 0, 0.1, 0, 0, 0, 1, 0],
  )
}

/** A world after so many steps more. */
export function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step()
  return world
}
