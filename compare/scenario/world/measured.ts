/** What the measures of a scenario name, in a world. */
import { didYouMean, type Frame } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import type { Scenario } from '../index.ts'
import { SetupError } from './setupError.ts'

/** A body, a link, or something fixed. */
export interface Thing {
  /** Among the bodies of the world. */
  readonly frame: Frame
  /** Numbers of its shapes, as pairs have them. */
  readonly shapes: readonly number[]
}

const atOrigin = (name: string, body: number): Frame => ({
  name,
  body,
  R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  p: new Float64Array(3),
})

/** @param measure its name, for the message @throws SetupError where there is none of this name */
export function thingOf(world: World, name: string, measure: string): Thing {
  const { robots, fixtures, robot, pairs } = world
  const shapes = [...world.shapes, ...robot.shapes.filter(({ body }) => body === 0)].slice(0, pairs.shapeCount)
  const numbers = (of: (shape: (typeof shapes)[number]) => boolean) => shapes.flatMap((shape, i) => (of(shape) ? [i] : []))
  const member = robots.find((one) => one.name === name)
  if (member) {
    const first = member.start.body + 1
    const last = member.start.body + member.robot.model.nb - 1
    return { frame: atOrigin(name, first), shapes: numbers(({ body }) => body >= first && body <= last) }
  }
  const frame = [name, `${robots[0].name}/${name}`].flatMap((full) => robot.frames.find((one) => one.name === full) ?? [])[0]
  if (frame) return { frame, shapes: numbers(({ link }) => link === frame.name) }
  const fixed = fixtures.flatMap((fixture, i) => (fixture.name === name ? [shapes.length + i] : []))
  if (fixed.length > 0 || name === 'world') return { frame: atOrigin(name, 0), shapes: fixed }
  const known = [...robots, ...robots[0].robot.frames, ...fixtures].map((one) => one.name)
  throw new SetupError(`measure ${measure}: there is no "${name}"; there are ${known.join(', ')}${didYouMean(name, known)}`)
}

/** Coordinate of a joint of one degree of freedom. @throws SetupError where there is none of this name */
export function jointOf({ robot: { joints }, robots }: World, name: string, measure: string): number {
  const found = joints.find((joint) => joint.name === name || joint.name === `${robots[0].name}/${name}`)
  if (found) return found.qIndex
  const known = joints.map((joint) => joint.name)
  throw new SetupError(
    `measure ${measure}: there is no joint "${name}"; there are ${known.join(', ') || 'none'}${didYouMean(name, known)}`,
  )
}

/** That all that is named is there. @throws SetupError */
export function checkMeasures(world: World, measures: Scenario['measure']): void {
  for (const [measure, own] of Object.entries(measures)) {
    if (own.kind === 'reached' && own.joint !== undefined) jointOf(world, own.joint, measure)
    if (own.body !== undefined) thingOf(world, own.body, measure)
    for (const name of own.kind === 'held' ? (own.by ?? []) : own.kind === 'slipped' ? [own.on] : [])
      thingOf(world, name, measure)
  }
}
