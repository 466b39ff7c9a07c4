import { resolve } from 'node:path'
import { lostInUrdf, writeMjcf, writeSdf, writeUrdf } from '../../../robots/index.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { type Format, MeshesBeside } from '../meshesBeside.ts'
import { cutterOf, type OpenedRobot, openRobot, robotFlags } from '../openRobot.ts'
import { writeAs } from '../output.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  ...robotFlags,
  '--to <format>': { meaning: 'urdf, mjcf or sdf', isRequired: true },
  '--fit': 'replace collision meshes by plain shapes, as inspect does',
  '--cut': 'cut concave collision meshes into convex parts, as inspect does',
  '--out <file>': 'the file to write',
  '--with-meshes': 'copy its meshes into a folder beside it, as OBJ where the format does not read them',
} as const
type ConvertFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed convert a1.urdf --to mjcf --out a1.xml\n' +
    '  featherbed convert arm.xml --to urdf --out arm.urdf\n' +
    '  featherbed convert arm.urdf --to sdf --out /tmp/arm.sdf --with-meshes\n\n' +
    'Without --out the file is printed. Lost properties are named on stderr, and with --json in `lost`.',
  flags,
  run: convert,
}

/** `featherbed convert`: the robot with its changes made, in another format; losses of that format go to stderr. */
async function convert(source: string, xacroArguments: readonly string[], flags: ConvertFlags): Promise<void> {
  const { to, out } = flags
  if (to !== 'urdf' && to !== 'mjcf' && to !== 'sdf') throw new UsageError(`--to ${to}: expected urdf, mjcf or sdf`)
  if (to !== 'mjcf' && flags.cut) throw new UsageError(`--cut: ${to.toUpperCase()} has no word for convex parts; --to mjcf has`)
  if (flags.withMeshes && out === undefined)
    throw new UsageError('--with-meshes needs --out: the meshes are written beside that file')
  const opened = openRobot(source, xacroArguments, { ...flags, cutter: await cutterOf(flags) })
  const target = resolve(out ?? `converted.${to}`)
  if (out !== undefined && target === opened.file)
    throw new UsageError(`--out ${out}: that is the file the robot is read from; name another`)
  const meshes = new MeshesBeside(target, to, opened, flags.withMeshes ?? false)
  const written = writtenAs(to, opened, meshes)
  const { outOfReach } = meshes
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ format: to, file: out === undefined ? null : target, ...written, outOfReach }, null, 2)}\n`,
    )
  else if (out === undefined) io.stdout.write(written.text)
  if (out !== undefined) {
    meshes.write()
    writeAs(out, written.text, '--out')
    if (outOfReach.count > 0) {
      io.exitCode = exitCodes.failed
      io.stderr.write(
        `${outOfReach.count} of ${outOfReach.of} meshes lie outside of the folders that are read for ${out}: copy them beside it with --with-meshes, or read it with --root of their folder\n`,
      )
    }
  }
  if (flags.json || flags.quiet) return
  for (const lost of written.lost) io.stderr.write(`not in ${to.toUpperCase()}: ${lost}\n`)
}

function writtenAs(
  to: Format,
  { robot, examined }: OpenedRobot,
  meshes: MeshesBeside,
): { text: string; lost: readonly string[] } {
  const { repaired, root, semantic } = examined
  const meshReference = meshes.reference.bind(meshes)
  switch (to) {
    case 'mjcf':
      return writeMjcf(repaired, { semantic, overlaps: robot.selfCollision ? [] : robot.overlaps, meshReference })
    case 'sdf':
      return writeSdf(repaired, { semantic, meshReference })
    case 'urdf': {
      const source = root.name === 'robot' ? root : undefined
      return { text: writeUrdf(repaired, { source, declareWorld: true, meshReference }), lost: lostInUrdf(repaired, semantic) }
    }
  }
}
