import { packRun, type SharedRun, unpackRun, withRun } from '../../compare/scenario/index.ts'
import { type RunSettings, runSettings } from '../interaction/liveSettings.ts'
import type { Settings } from '../panel/settings.ts'
import type { Origin } from '../scenes/scene.ts'
import type { Files } from '../scenes/sources.ts'

/** Panel settings of a run that is passed on. */
type SharedSettings = Partial<RunSettings> & Pick<Settings, 'robot'> & Partial<Pick<Settings, 'srdf' | 'base'>>

/** Browsers and messengers cut longer ones [characters]. */
const LONGEST = 100_000

/** The page as one file that opens with this run and needs no server. @throws Error if the page cannot be had */
export async function singleFileOf(settings: Settings, files: Files, driven: string): Promise<Blob> {
  const response = location.protocol === 'file:' ? undefined : await fetch('single.bin')
  if (!response?.ok || response.body === null)
    throw new Error(
      'The file to put it into is not here: a page that was opened as a file has none; pass on this one, or copy a link.',
    )
  const page = await new Response(response.body.pipeThrough(new DecompressionStream('gzip'))).text()
  return new Blob(withRun(page, await packed(settings, files, driven)), { type: 'text/html' })
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

function packed(settings: Settings, files: Files, driven: string): Promise<string> {
  const { robot, srdf, base } = settings
  return packRun<SharedSettings>({ settings: { ...runSettings(settings), robot, srdf, base }, driven, files })
}

/** Initial run of the page. */
export interface InitialRun extends SharedRun<SharedSettings> {
  /** Its source, for the card. */
  readonly from: 'this page' | 'this machine' | 'a link'
  readonly origin: Origin
}

/** A single-file page holds its run, `featherbed view` serves it at an address with a token, a link has it in its fragment. @throws Error */
export async function sharedRun(): Promise<InitialRun | undefined> {
  const held = document.getElementById('run')?.textContent?.trim()
  if (held) return withOrigin(await unpackRun<SharedSettings>(held), 'this page')
  const token = new URLSearchParams(location.search).get('given')
  if (token === null) return withOrigin(await unpackRun<SharedSettings>(location.hash), 'a link')
  const answer = await fetch(`given?${token}`)
  const origin = answer.headers.get('x-featherbed-trust') === '1' ? 'own' : 'stranger'
  return withOrigin(await unpackRun<SharedSettings>(await answer.text()), 'this machine', origin)
}

const withOrigin = (
  run: SharedRun<SharedSettings> | undefined,
  from: InitialRun['from'],
  origin: Origin = 'stranger',
): InitialRun | undefined => run && { ...run, from, origin }

/** Of settings that came from elsewhere those that the page has, of the same types. */
export const likeOwn = (own: Settings, given: SharedSettings): SharedSettings =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => {
      const known: unknown = Object.hasOwn(own, name) ? own[name as keyof Settings] : undefined
      return known === null || (typeof known === typeof value && Array.isArray(known) === Array.isArray(value))
    }),
  ) as SharedSettings
