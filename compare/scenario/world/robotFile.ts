/** A robot file in a world: its robot and its objects, each a member by a name of its own, and what connects them. */
import { compose, inversePose, type Pose, type Robot, type RobotLoop, separated } from '../../../robots/index.ts'
import type { WorldLoop, WorldLoopEnd } from '../../../simulation/index.ts'

export type RobotFile = Readonly<ReturnType<typeof robotFileOf>>

/**
 * @param name  of a companion; undefined for the compared robot
 * @param others that bear names in the world
 */
export function robotFileOf(whole: Robot, name: string | undefined, others: readonly { readonly name: string }[]) {
  const { rest, objects: parts, between } = separated(whole)
  const objects = parts.map((robot) => ({ name: name === undefined ? robot.name : `${name}-${robot.name}`, robot }))
  const moves = rest.model.nb > 1 || objects.length === 0
  const taken = new Set([...others, ...objects].map((one) => one.name))
  const own = objects.length === 0 ? name : (name ?? freeName(whole.name || 'robot', taken))
  const ownerOf = (link: string) =>
    objects.find(({ robot }) => robot.frames.some((frame) => frame.name === link))?.name ?? (moves ? own : undefined)
  const isFixed = (link: string) => link === 'world' || (!moves && ownerOf(link) === undefined)
  const frameOf = (link: string): Pose | undefined =>
    link !== 'world' && isFixed(link) ? rest.frames.find((frame) => frame.name === link) : undefined
  const linked = (link: string) => (isFixed(link) ? link : `${ownerOf(link)}/${link}`)
  const solid = new Set(whole.shapes.map(({ link }) => link)).add('world')
  return {
    /** The robot of the file, if anything of it moves, or there is nothing else; undefined as its name is the robot's own. */
    robot: moves ? { name: own, robot: rest } : undefined,
    objects,
    /** The name of the first member, for the others. */
    first: moves ? own : objects[0].name,
    /** Parts fixed to the world, of a file without a robot. */
    still: moves ? undefined : rest,
    loops: (whole.loops ?? []).map((loop) => loopIn(loop, (link) => (isFixed(link) ? 'world' : ownerOf(link)), frameOf)),
    /** Links of different members that never touch, by their names in the world. */
    excludedCollisions: between
      .filter((pair) => pair.every((link) => solid.has(link)))
      .map(([a, b]) => [linked(a), linked(b)] as const),
  }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${wanted}-${n}`
  return name
}

/** A loop of a file as a world takes it: ends on what is fixed to the world are ends on the world. */
function loopIn(
  { name, kind, a, b, relative, softness, active }: RobotLoop,
  ownerOf: (link: string) => string | undefined,
  frameOf: (link: string) => Pose | undefined,
): WorldLoop {
  const [A, B] = [a, b].map(({ link }) => frameOf(link))
  const end = ({ link, point }: RobotLoop['a'], frame: Pose | undefined): WorldLoopEnd => {
    if (!frame) return link === 'world' ? { link, point } : { robot: ownerOf(link), link, point }
    const at = point ?? (kind === 'point' ? [0, 0, 0] : undefined)
    return { link: 'world', point: at && [...compose(frame, { R: frame.R, p: Float64Array.from(at) }).p] }
  }
  let pose: Pose | undefined = relative
  if (pose && A) pose = compose(A, pose)
  if (pose && B) pose = compose(pose, inversePose(B))
  return {
    name,
    kind,
    a: end(a, A),
    b: end(b, B),
    relative: pose,
    ...(softness && { softness }),
    ...(active === false && { active }),
  }
}
