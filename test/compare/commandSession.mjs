// Run by command.ts in a process of its own, with the path of the built command: one list of arguments after the other arrives as a
// message, and what the command does with it goes back. All but the command's own file is loaded once.
import { pathToFileURL } from 'node:url'

const main = process.argv[2]
let asked = 0

process.on('message', async (args) => {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text, encoding, done) => {
      said[name] += text
      const written = typeof encoding === 'function' ? encoding : done
      if (written !== undefined) queueMicrotask(written)
      return true
    }
  }
  process.argv = [process.execPath, main, ...args]
  process.exitCode = undefined
  await import(`${pathToFileURL(main).href}?asked=${asked++}`)
  for (const name of ['stdout', 'stderr']) process[name].removeAllListeners('error') // the command's own, one more each time
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  process.send({ code, ...said })
})
