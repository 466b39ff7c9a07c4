/** A run as a link, or a page that is one file, carries it. The same in Node and in a browser. */
import { Meter } from '../../dynamics/index.ts'

/** Files by their path, `/` between folders. */
export type SharedFiles = ReadonlyMap<string, Uint8Array>

/** The content of a link: settings of the page, and files that are not the page's own. */
export interface SharedRun<Settings> {
  readonly settings: Settings
  /** The robot that a controller among the files drives. */
  readonly driven?: string
  readonly files: SharedFiles
}

/** Files with their sizes in words, the largest first: what is handed on is said. */
export const sizesOf = (files: SharedFiles): { readonly name: string; readonly size: string }[] =>
  [...files]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name, { length }]) => ({
      name,
      size: length < 1e6 ? `${Math.ceil(length / 1000)} kB` : `${(length / 1e6).toFixed(1)} MB`,
    }))

const VERSION = 1
const KEY = 'run='
/** Where a page that is one file holds its run. */
const SLOT = '<script type="text/plain" id="run">'

/** Bytes that what is packed in so many may have: more than any file of ours is packed, less than harms. */
export const mostUnpacked = (packed: number): number => 16e6 + 20 * packed

/** As an address's fragment: compressed, of characters that addresses may hold. */
export async function packRun<Settings>({ settings, driven, files }: SharedRun<Settings>): Promise<string> {
  const texts = Object.fromEntries([...files].map(([path, bytes]) => [path, base64(bytes)]))
  const text = JSON.stringify({ version: VERSION, settings, driven, files: texts })
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'))
  return `#${KEY}${base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/** The content of a fragment; undefined if it is none of these. @throws Error for one that was cut off or changed */
export async function unpackRun<Settings>(fragment: string): Promise<SharedRun<Settings> | undefined> {
  if (!fragment.startsWith(`#${KEY}`)) return undefined
  try {
    const bytes = bytesOf(
      fragment
        .slice(KEY.length + 1)
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    )
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')))
    const { version, settings, driven, files } = JSON.parse(text) as {
      readonly version: unknown
      readonly settings: Settings
      readonly driven?: string
      readonly files: Readonly<Record<string, string>>
    }
    if (version !== VERSION) throw new Error(`it is of version ${version}, and this page reads version ${VERSION}`)
    return { settings, driven, files: new Map(Object.entries(files).map(([path, own]) => [path, bytesOf(own)])) }
  } catch (error) {
    throw new Error(`The link was cut off or changed (${error instanceof Error ? error.message : error}); ask for it again.`)
  }
}

/** The text of a page that is one file, with a run in it. @param page without one, of dist/viewer/single.bin */
export function withRun(page: string, fragment: string): string[] {
  const at = page.indexOf(SLOT) + SLOT.length // the script behind it holds the same words
  return [page.slice(0, at), fragment, page.slice(at)]
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const most = stream instanceof DecompressionStream ? mostUnpacked(bytes.length) : Infinity
  const meter = new Meter({ bytes: most }, () => new Error(`it unpacks to more than ${most} bytes`))
  const parts: Uint8Array<ArrayBuffer>[] = []
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
    meter.ask('bytes', value.length)
    parts.push(value)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000))
  return btoa(text)
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text)
  const bytes = new Uint8Array(letters.length)
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k)
  return bytes
}
