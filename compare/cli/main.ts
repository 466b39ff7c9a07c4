/** The process of the `featherbed` command: its words, streams and exit code. */
import { runCommand } from './command.ts'
import { exitCodes } from './errors.ts'

// a reader may close the pipe early, as `head` does: files are still written to the end
process.stderr.on('error', () => {})
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.stderr.write(`featherbed: the result cannot be written to the standard output (${error.code}); send it elsewhere\n`)
  process.exit(exitCodes.failed)
})
process.exitCode = await runCommand(process.argv.slice(2), process)
