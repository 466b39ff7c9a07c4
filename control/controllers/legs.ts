import type { Data } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'

/** A leg of three driven joints, from the base to a spherical foot. */
export interface Leg {
  /** Indices into robot.joints, from the base on. */
  readonly joints: readonly number[]
  /** The body at its end; the ball's centre in its axes, and its radius [m]. */
  readonly body: number
  readonly centre: Float64Array
  readonly radius: number
  /** Position of the ball's centre at home, from the base's origin in the base's axes [m]. */
  readonly home: Float64Array
}

const CORNERS = ['front left', 'front right', 'rear left', 'rear right']

/**
 * The legs of a quadruped: of the chains of three joints that end in a body with a ball, the four whose balls are lowest at home. @unchecked
 *
 * @param home kinematics at home
 * @returns front left, front right, rear left, rear right; or the reason why there is not one at each corner
 */
export function fourLegs(robot: Robot, home: Data): readonly Leg[] | string {
  const { model, floating } = robot
  if (!floating) return 'its base is bolted down'
  const height = ({ home, radius }: Leg) => home[2] - radius
  const legs: Leg[] = []
  for (let body = 2; body < model.nb; body++) {
    const leg = model.parent.includes(body) ? undefined : legTo(robot, home, body)
    if (leg !== undefined) legs.push(leg)
  }
  const lowest = legs.sort((a, b) => height(a) - height(b)).slice(0, 4)
  const corners = [true, false].flatMap((front) =>
    [true, false].map((left) => lowest.filter(({ home: [x, y] }) => x > 0 === front && y > 0 === left)),
  )
  const wrong = corners.flatMap(({ length }, i) => (length === 1 ? [] : [`${length === 0 ? 'none' : length} ${CORNERS[i]}`]))
  return wrong.length === 0 ? corners.flat() : `it has ${wrong.join(', ')}`
}

function legTo({ model, joints, shapes }: Robot, home: Data, body: number): Leg | undefined {
  const chain: number[] = []
  for (let i = body; i > 1; i = model.parent[i]) chain.unshift(joints.findIndex((joint) => joint.body === i))
  if (chain.length !== 3 || chain.includes(-1)) return undefined
  const balls = shapes.flatMap(({ shape, body: carrier, p }) => {
    if (carrier !== body || shape.type !== 'sphere') return []
    const fromBase = [0, 1, 2].map((k) => home.p_WB[body][k] + turned(home.R_WB[body], p, k) - home.p_WB[1][k])
    const inBase = Float64Array.from([0, 1, 2], (c) =>
      [0, 1, 2].reduce((sum, r) => sum + home.R_WB[1][3 * r + c] * fromBase[r], 0),
    )
    return [{ joints: chain, body, centre: p, radius: shape.radius, home: inBase }]
  })
  return balls.sort((a, b) => a.home[2] - a.radius - (b.home[2] - b.radius))[0]
}

const turned = (R: Float64Array, x: Float64Array, row: number) =>
  R[3 * row] * x[0] + R[3 * row + 1] * x[1] + R[3 * row + 2] * x[2]
