import { basename } from 'node:path'
import type { PlacedShape } from '../../../contact/geometry/index.ts'
import { baseOf, type ExaminedRobot, inspectRobot, MeshStore, readOtherwise } from '../../../robots/index.ts'
import { UsageError } from '../errors.ts'
import type { Fixed } from '../fix.ts'
import { inspectionText, jointsText } from '../inspectionText.ts'
import { io } from '../io.ts'
import { baseOption, cutterOf, type OpenedRobot, openRobot, robotFlags } from '../openRobot.ts'
import type { FlagsOf, Verb } from '../verb.ts'

/** Output of `featherbed inspect --json`. */
export type RobotReport = ReturnType<typeof reportOf> & Partial<Fixed>

const flags = {
  ...robotFlags,
  '--pose <name>': 'use this pose of the SRDF or keyframe of MJCF as home: name, or group/name',
  '--key <name>': { meaning: 'the same, for a keyframe', conflicts: 'pose' },
  '--fit': 'replace collision meshes that are a cylinder, sphere, capsule or box within 1 % of their size by that shape',
  '--concave': 'keep closed collision meshes concave (default: use their convex hulls)',
  '--cut': 'cut concave collision meshes into convex parts (needs the package @dimforge/rapier3d-compat)',
  '--fix <out.urdf>': 'write the robot with all changes made, and list them',
  '--all': 'show every place of every finding',
  '--joints': 'list the joints, with the names that controllers, scenarios and policies use, instead of the findings',
} as const
type InspectFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed inspect a1.urdf\n' +
    '  featherbed inspect humanoid --joints\n' +
    '  featherbed inspect arm.urdf.xacro prefix:=left_ --srdf arm.srdf\n' +
    '  featherbed inspect gripper.urdf --fix repaired.urdf\n\n' +
    'Each finding is an error, a change (a choice or repair by the loader that affects the motion), a warning or\n' +
    'information. Exit code 0 if the robot loads, with warnings too; 1 if it does not; 2 if the command is wrong.',
  flags,
  run: inspect,
}

async function inspect(source: string, xacroArguments: readonly string[], flags: InspectFlags): Promise<void> {
  if (flags.fix !== undefined && flags.strict) {
    throw new UsageError('--fix and --strict exclude each other: one repairs what the other refuses')
  }
  if (flags.fix !== undefined && flags.cut) {
    throw new UsageError(
      '--fix and --cut exclude each other: URDF cannot express convex parts; convert --to mjcf --cut writes them',
    )
  }
  const opened = openRobot(source, xacroArguments, { ...flags, cutter: await cutterOf(flags) })
  const fixed = flags.fix === undefined ? undefined : await (await import('../fix.ts')).fix(opened, flags.fix, flags)
  const report: RobotReport = { ...reportOf(opened, flags), ...fixed }
  const text = () => (flags.joints ? jointsText(report) : inspectionText(report, source, flags.all === true))
  io.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : text())
}

function reportOf({ robot, examined, file, resolver }: OpenedRobot, flags: InspectFlags) {
  const { model } = robot
  const shapes: Record<string, number> = {}
  for (const { shape } of robot.shapes) shapes[shape.type] = (shapes[shape.type] ?? 0) + 1
  const stating = (limits: Float64Array) => robot.joints.filter(({ vIndex }) => Number.isFinite(limits[vIndex])).length
  const inspection = inspectRobot(robot)
  return {
    ...inspection,
    name: robot.name === '' ? basename(file) : robot.name,
    file,
    base: { floating: robot.floating, link: examined.repaired.root, why: whyBase(examined, flags) },
    /** Parts that move as one, the world not among them. */
    bodies: model.nb - 1,
    /** How many joints have a coordinate of their own to drive, and how many of them state a range, an effort and a speed. */
    limits: {
      joints: robot.joints.length,
      range: stating(model.lower),
      effort: stating(model.effortLimit),
      velocity: stating(model.velocityLimit),
      /** Those whose effort is limited to 0. */
      motorless: robot.joints.flatMap(({ name, vIndex }) => (model.effortLimit[vIndex] === 0 ? [name] : [])),
    },
    /** Joints that have a coordinate of their own, as controllers, scenarios and policies name them. A limit that there is not is null. */
    drivable: robot.joints.map(({ name, type, qIndex, vIndex }) => ({
      name,
      type,
      range: [finite(model.lower[vIndex]), finite(model.upper[vIndex])] as const,
      effort: finite(model.effortLimit[vIndex]),
      velocity: finite(model.velocityLimit[vIndex]),
      home: robot.home[qIndex],
      /** Places in q and v. */
      q: qIndex,
      v: vIndex,
    })),
    /** How many collision shapes of each type. */
    shapes,
    /** Surfaces that have friction by direction, run or adhere, one line each. */
    surfaces: [...new Set([...robot.shapes, ...(robot.surroundings ?? [])].flatMap(surfaceText))],
    mimics: robot.mimics.map(({ name, follows, multiplier, offset }) => ({ name, follows, multiplier, offset })),
    freeJoints: robot.freeJoints.map(({ name, type }) => ({ name, type })),
    /** Free bodies of its file that are things of their own in a world. */
    objects: (robot.objects ?? []).map((body) => model.bodyName[body]),
    poses: robot.poses.map(({ name, group }) => ({ name, group })),
    /** How many pairs of links are not to collide, and how many overlap in the home pose. */
    disabledCollisions: robot.disabledCollisions.length,
    overlaps: robot.overlaps.length,
    frames: robot.frames.length,
    /** How many fixed shapes of the environment. */
    surroundings: robot.surroundings?.length ?? 0,
    /** What other tools read otherwise in a URDF, or refuse. */
    otherwise: readOtherwise(examined, new MeshStore(file, resolver)),
  }
}

const finite = (limit: number) => (Number.isFinite(limit) ? limit : null)

/** One line each for anisotropic friction, adhesion and surface velocity of a shape and its pairs; empty if it has none. */
function surfaceText({
  link,
  name,
  friction,
  frictionAcross,
  frictionAxis,
  surfaceVelocity,
  geom,
  geomPairs = [],
}: PlacedShape): string[] {
  const axis = typeof frictionAxis === 'object' ? `(${frictionAxis.join(', ')})` : "the world's y"
  const pairs = geom?.adhesion ? [`adheres with ${geom.adhesion} N a contact`] : []
  if (frictionAcross !== undefined) pairs.unshift(`friction ${friction} along ${axis}, ${frictionAcross} across`)
  if (Array.isArray(surfaceVelocity)) pairs.push(`runs at (${surfaceVelocity.slice(0, 3).join(', ')}) m/s`)
  if (Array.isArray(surfaceVelocity) && surfaceVelocity.slice(3).some((x) => x !== 0))
    pairs.push(`turns at (${surfaceVelocity.slice(3).join(', ')}) rad/s`)
  const ofPairs = geomPairs.flatMap(({ geoms, surface: { friction: along, frictionAcross: across } }) =>
    across === undefined ? [] : [`${geoms.join(' on ')}: friction ${along} along the first tangent, ${across} along the second`],
  )
  return [...(pairs.length > 0 ? [`${link ?? name}: ${pairs.join(', ')}`] : []), ...ofPairs]
}

/** Reason why the base floats or not. */
function whyBase({ repaired, semantic }: ExaminedRobot, flags: InspectFlags): string {
  const { floats, by, joint } = baseOf(repaired, baseOption(flags), semantic)
  switch (by) {
    case 'option':
      return floats ? 'by --floating' : 'by --fixed'
    case 'srdf':
      return 'by the virtual joint of the SRDF'
    case 'file':
      if (joint) return `by joint "${joint.name}"`
      return repaired.worldUndeclared ? 'its root is "world", which no link declares' : `its root is "${repaired.root}"`
    case 'mass':
      return `its root "${repaired.root}" has no mass`
    case 'default':
      return `nothing ties its root "${repaired.root}" to a world`
  }
}
