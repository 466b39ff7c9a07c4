import { sizesOf } from '../../compare/scenario/index.ts'
import type { Robot } from '../../robots/index.ts'
import { busy, complain, inform } from '../panel/notices.ts'
import type { Settings } from '../panel/settings.ts'
import type { TapeFormat } from '../recordings/tape.ts'
import type { Session } from '../runs/session.ts'
import type { Scene } from '../scenes/scene.ts'
import type { Files } from '../scenes/sources.ts'
import type { BodyVisual } from '../stage/bodyVisuals.ts'
import { Film, gltfOf, save } from './export.ts'
import { fragmentOf, singleFileOf } from './link.ts'

/** Page's interface to sharing. */
export interface SharingPage {
  readonly session: Session
  readonly settings: Settings
  readonly canvas: HTMLCanvasElement
  robot(): Robot | undefined
  bodies(): readonly (BodyVisual | undefined)[]
  scene(): Scene | undefined
  /** Of the run, the files that the page does not have itself. */
  files(): Files
  /** The robot that a controller among them drives. */
  driven(): string
  /** Draws the stage now: a picture is gone once it was shown. */
  render(): void
}

/** Exports of the run: as a link, a page, a picture, a film, a scene or a recording. */
export class Sharing {
  private readonly page: SharingPage
  private film: Film | undefined

  constructor(page: SharingPage) {
    this.page = page
  }

  /** A link, on the clipboard and in the notice. */
  async link(): Promise<void> {
    const { settings, files, driven } = this.page
    try {
      const fragment = await fragmentOf(settings, files(), driven())
      const link = `${location.origin}${location.pathname}${fragment}`
      const isCopied = await navigator.clipboard?.writeText(link).then(
        () => true,
        () => false,
      )
      const held = sizesOf(files()).map(({ name, size }) => `${name} (${size})`)
      const what = isCopied ? 'The link is on the clipboard' : 'Copy this link'
      inform(held.length === 0 ? what : `${what}; it holds ${held.join(', ')}`, link)
    } catch (error) {
      complain('No link can be made', error)
    }
  }

  /** The page with all that runs, as one file. */
  single(): Promise<void> {
    const { settings, files, driven, robot } = this.page
    return this.working('Writing one file …', 'No file can be made', async () => {
      save(`${robot()?.name ?? 'featherbed'}.html`, await singleFileOf(settings, files(), driven()))
    })
  }

  /** The stage's view. */
  picture(): void {
    this.page.render()
    this.page.canvas.toBlob((blob) => {
      if (blob) save(`${this.name}.png`, blob)
      else complain('No picture can be made', 'The browser gave none.')
    })
  }

  /** The first run, as an animated scene. */
  gltf(): Promise<void> {
    return this.working('Writing glTF …', 'The run cannot be written as glTF', async () => {
      const { session, robot, bodies } = this.page
      const [lane] = session.lanes
      const own = robot()
      if (!own || !lane?.history.first) return
      const record = lane.history.between(lane.firstStep, lane.reached)
      save(`${this.name}.glb`, new Blob([await gltfOf(own, bodies(), record)], { type: 'model/gltf-binary' }))
    })
  }

  /** All runs, every step of them from the start to the one that is shown. */
  tape(format: TapeFormat): Promise<void> {
    const { session } = this.page
    session.pause()
    return this.working('Running once more to write every step …', 'The run cannot be recorded', async () => {
      const info = this.recordingInfo()
      const saved: { readonly name: string; readonly content: Blob }[] = []
      for (const lane of session.lanes) {
        const folder = session.lanes.length > 1 ? `${lane.contactModel}${lane.fork ? ' fork' : ''}/` : ''
        for (const { name, pieces } of await lane.tape(session.laneStep(lane), format, info))
          saved.push({ name: folder + name, content: new Blob([...pieces]) })
      }
      const [only, ...others] = saved
      save(`${this.name}.${others.length === 0 ? 'mcap' : 'zip'}`, others.length === 0 ? only.content : await zipped(saved))
    })
  }

  /** Begins a film of the stage, and the second time ends it. */
  async filmStage(): Promise<void> {
    try {
      if (this.film === undefined) {
        this.film = new Film(this.page.canvas)
        busy('Filming; the same button saves the film')
        return
      }
      const { blob, extension } = await this.film.end()
      this.film = undefined
      busy('')
      save(`${this.name}.${extension}`, blob)
    } catch (error) {
      complain('No film can be made', error)
    }
  }

  /** Of a file. */
  private get name(): string {
    return `${this.page.robot()?.name ?? 'featherbed'} ${this.page.session.time.toFixed(3)} s`
  }

  /** Information on the run for players of its recording: its scenario, or the robot's own file. */
  private recordingInfo() {
    const { scene, files, settings } = this.page
    const decoder = new TextDecoder()
    const own = scene()
    if (own) return { scenario: { name: own.file, text: decoder.decode(own.files.get(own.file)) } }
    const robot = files().get(settings.robot)
    return robot ? { files: [{ name: settings.robot, text: decoder.decode(robot) }] } : {}
  }

  private async working(what: string, failure: string, work: () => Promise<void>): Promise<void> {
    busy(what)
    try {
      await work()
    } catch (error) {
      complain(failure, error)
    } finally {
      busy('')
    }
  }
}

async function zipped(files: readonly { readonly name: string; readonly content: Blob }[]): Promise<Blob> {
  const { zipSync } = await import('three/addons/libs/fflate.module.js')
  const entries = await Promise.all(
    files.map(async ({ name, content }) => [name, new Uint8Array(await content.arrayBuffer())] as const),
  )
  return new Blob([zipSync(Object.fromEntries(entries), { level: 6 })])
}
