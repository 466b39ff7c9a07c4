// node scripts/together.mjs SCRIPT...: npm scripts side by side; the output of each stands together, and one that fails fails all.
import { spawn } from 'node:child_process'

const codes = await Promise.all(
  process.argv.slice(2).map(async (name) => {
    const child = spawn('npm', ['run', '--silent', name], {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
    const code = await new Promise((resolve) => child.on('close', resolve).on('error', () => resolve(1)))
    process.stdout.write(`${code === 0 ? 'done' : 'FAILED'}: ${name}\n${Buffer.concat(output)}`)
    return code
  }),
)
process.exit(codes.every((code) => code === 0) ? 0 : 1)
