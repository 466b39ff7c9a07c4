import { dirname, relative, resolve, sep } from 'node:path'
import { lostInUrdf, type Place, resolveReference, writeMjcf, writeUrdf } from '../../../robots/index.ts'
import { UsageError } from '../errors.ts'
import { referenceFrom } from '../fix.ts'
import { io } from '../io.ts'
import { cutterOf, type OpenedRobot, openRobot, robotFlags } from '../openRobot.ts'
import { writeAs } from '../output.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  ...robotFlags,
  '--to <format>': { meaning: 'urdf or mjcf', isRequired: true },
  '--fit': 'put plain shapes in place of collision meshes, as inspect does',
  '--cut': 'cut concave collision meshes into convex parts, as inspect does',
  '--out <file>': 'where to write it',
} as const
type ConvertFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed convert a1.urdf --to mjcf --out a1.xml\n' +
    '  featherbed convert arm.xml --to urdf --out arm.urdf\n\n' +
    'Without --out the file is printed. What is lost is named on stderr, and with --json in `lost`.',
  flags,
  run: convert,
}

/** `featherbed convert`: the robot with its changes made, in another format; losses of that format go to stderr. */
async function convert(source: string, xacroArguments: readonly string[], flags: ConvertFlags): Promise<void> {
  const { to, out } = flags
  if (to !== 'urdf' && to !== 'mjcf') throw new UsageError(`--to ${to}: expected urdf or mjcf`)
  if (to === 'urdf' && flags.cut) throw new UsageError('--cut: URDF has no word for convex parts; --to mjcf has')
  const opened = openRobot(source, xacroArguments, { ...flags, cutter: await cutterOf(flags) })
  const target = resolve(out ?? `converted.${to}`)
  if (out !== undefined && target === opened.file)
    throw new UsageError(`--out ${out}: that is the file the robot is read from; name another`)
  const { repaired, root, semantic } = opened.examined
  const written =
    to === 'mjcf'
      ? writeMjcf(repaired, { semantic, meshReference: (reference, place) => pathFrom(target, reference, place, opened) })
      : {
          text: writeUrdf(repaired, {
            source: root.name === 'robot' ? root : undefined,
            declareWorld: true,
            meshReference: (reference, place) => referenceFrom(target, reference, place, opened),
          }),
          lost: lostInUrdf(repaired, semantic),
        }
  if (flags.json)
    io.stdout.write(`${JSON.stringify({ format: to, file: out === undefined ? null : target, ...written }, null, 2)}\n`)
  else if (out === undefined) io.stdout.write(written.text)
  if (out !== undefined) writeAs(out, written.text, '--out')
  if (flags.json || flags.quiet) return
  for (const lost of written.lost) io.stderr.write(`not in ${to.toUpperCase()}: ${lost}\n`)
}

/** The way from the written file to a mesh, without packages, which MuJoCo does not know. */
function pathFrom(target: string, reference: string, place: Place, { file, resolver }: OpenedRobot): string {
  const found = resolveReference(reference, file, resolver) ?? resolveReference(reference, place.file, resolver)
  return found === undefined ? reference : relative(dirname(target), found.path).replaceAll(sep, '/')
}
