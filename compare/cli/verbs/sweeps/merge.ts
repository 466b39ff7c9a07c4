import { SweepFolder } from '../../../sweeps/folder.ts'
import { Merged, writeMerged } from '../../../sweeps/merge.ts'
import { io } from '../../io.ts'
import { outputFolder } from '../../output.ts'
import type { FlagsOf, Verb } from '../../verb.ts'
import { machine, writtenText } from './sweep.ts'

const flags = { '--out <dir>': { meaning: 'folder of the merged results', isRequired: true } } as const

export const verb: Verb = {
  example:
    '  featherbed merge shard1 shard2 shard3 --out results\n\n' +
    'Writes runs.parquet with a row a run, and cells.parquet with a row a combination, model and step, of up to 10,000 runs as JSON too.\n' +
    'They have the same bytes however the sweep was parted. times.json alone tells of the machines.',
  arguments: { dir: 'folders of all shards of one sweep' },
  flags,
  run: async (folders: string[], { out, json }: FlagsOf<typeof flags>) => {
    const merged = new Merged(folders.map((folder) => SweepFolder.open(folder)))
    const folder = await outputFolder(out)
    const written = await writeMerged(merged, folder, machine())
    io.stdout.write(json ? `${JSON.stringify(written, null, 2)}\n` : writtenText(written, folder))
  },
}
