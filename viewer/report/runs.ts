import {
  decodeFrames,
  decodeSeries,
  type PageData,
  type PageRun,
  type ReplayFrames,
  type ReplayScene,
  type RunSeries,
  sceneOf,
} from '../../compare/recording/replay/index.ts'
import { unpack, unpackText } from './unpack.ts'

/** A run as it is shown: unpacked, with its colour in the theme of the moment. */
export interface ShownRun {
  /** Among the runs of its subject. */
  readonly index: number
  readonly run: PageRun
  readonly name: string
  readonly scene: ReplayScene | undefined
  readonly frames: ReplayFrames | undefined
  readonly series: RunSeries | undefined
}

export const nameOf = ({ model, step }: PageRun): string => `${model}, ${step}`

export const colorOf = ({ color }: PageRun): string => styleColor(`--c${color}`)

/** A colour of the page's style. */
export const styleColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Unpacked runs stay: a reader opens the same ones again. */
export class Runs {
  private readonly data: PageData
  private readonly scenes = new Map<number, Promise<ReplayScene>>()
  private readonly known = new Map<PageRun, Promise<ShownRun>>()

  constructor(data: PageData) {
    this.data = data
  }

  get(run: PageRun, index: number): Promise<ShownRun> {
    const found = this.known.get(run) ?? this.read(run, index)
    this.known.set(run, found)
    return found
  }

  private async read(run: PageRun, index: number): Promise<ShownRun> {
    const [scene, frames, series] = await Promise.all([
      run.scene === null ? undefined : this.scene(run.scene),
      run.frames === null ? undefined : unpack(run.frames).then(decodeFrames),
      run.series === null ? undefined : unpack(run.series).then(decodeSeries),
    ])
    return { index, run, name: nameOf(run), scene, frames, series }
  }

  private scene(index: number): Promise<ReplayScene> {
    const lines = () => Promise.all(this.data.scenes[index].map((block) => unpackText(this.data.blocks[block])))
    const found = this.scenes.get(index) ?? lines().then((texts) => sceneOf(texts.join('\n')))
    this.scenes.set(index, found)
    return found
  }
}
