import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, sep } from 'node:path'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
}

/**
 * Serves a folder on a free port of the loopback interface, as any static host would.
 *
 * @param answers texts that are served beside the files, by name
 */
export async function serveFolder(
  folder: string,
  answers: Readonly<Record<string, () => Promise<string>>> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const answer = answers[path.slice(1)]
    if (answer) {
      await answer().then(
        (text) => response.end(text),
        (error: Error) => response.writeHead(500).end(error.message),
      )
      return
    }
    const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path))
    try {
      if (!file.startsWith(folder + sep)) throw new Error('outside the folder')
      const body = await readFile(file)
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}
