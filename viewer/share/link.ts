import { type RunSettings, runSettings } from '../act/liveSettings.ts'
import type { Files } from '../scenes/sources.ts'
import type { Settings } from '../settings.ts'

/** A run as a link carries it: what the panel says, and files that are not the page's own. */
export interface Shared {
  readonly settings: Partial<RunSettings> & Pick<Settings, 'robot'> & Partial<Pick<Settings, 'srdf' | 'base'>>
  /** What a controller among the files drives. */
  readonly driven?: string
  /** By path, base64; empty where the page has all that is named. */
  readonly files: Readonly<Record<string, string>>
}

const VERSION = 1
/** Browsers and messengers cut longer ones [characters]. */
const LONGEST = 100_000
const KEY = 'run='

/** What a single file holds between its brackets, see `sharedBy`; `<script id="run">` of ./single. */
const SLOT = '<script type="text/plain" id="run">'

/** The page as one file that opens with this run and asks nobody for anything. @throws Error if the page cannot be had */
export async function singleFileOf(settings: Settings, files: Files, driven: string): Promise<Blob> {
  const response = location.protocol === 'file:' ? undefined : await fetch('single.html')
  if (!response?.ok)
    throw new Error(
      'The file to put it into is not here: a page that was opened as a file has none; pass on this one, or copy a link.',
    )
  const text = await response.text()
  const at = text.indexOf(SLOT) + SLOT.length // the script behind it holds the same words
  return new Blob([text.slice(0, at), await packed(settings, files, driven), text.slice(at)], { type: 'text/html' })
}

/** The fragment of an address under which the page opens with this run. @throws Error for more than a link can hold */
export async function fragmentOf(settings: Settings, files: Files, driven: string): Promise<string> {
  const fragment = await packed(settings, files, driven)
  if (fragment.length > LONGEST)
    throw new Error(
      `The link would have ${fragment.length} characters, more than the ${LONGEST} that get through everywhere: the files are too large. Save one .html, or share the files.`,
    )
  return fragment
}

async function packed(settings: Settings, files: Files, driven: string): Promise<string> {
  const { robot, srdf, base } = settings
  const texts = Object.fromEntries([...files].map(([path, bytes]) => [path, base64(bytes)]))
  const shared: Shared = { settings: { ...runSettings(settings), robot, srdf, base }, driven, files: texts }
  const text = JSON.stringify({ version: VERSION, ...shared })
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'))
  return `#${KEY}${base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/** What a fragment holds; undefined if it is none of these. @throws Error for one that was cut off or changed */
export async function sharedBy(fragment: string): Promise<(Omit<Shared, 'files'> & { readonly files: Files }) | undefined> {
  if (!fragment.startsWith(`#${KEY}`)) return undefined
  try {
    const bytes = bytesOf(
      fragment
        .slice(KEY.length + 1)
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    )
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')))
    const { version, settings, driven, files } = JSON.parse(text) as Shared & { version: unknown }
    if (version !== VERSION) throw new Error(`it is of version ${version}, and this page reads version ${VERSION}`)
    return { settings, driven, files: new Map(Object.entries(files).map(([path, own]) => [path, bytesOf(own)])) }
  } catch (error) {
    throw new Error(`The link was cut off or changed (${error instanceof Error ? error.message : error}); ask for it again.`)
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Blob([bytes]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(body).arrayBuffer())
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000))
  return btoa(text)
}

const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
