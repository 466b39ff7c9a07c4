import type { Box3 } from 'three'
import type { ControllerName } from './controllers.ts'
import type { ShownMarks } from './overlays/featureMarks.ts'
import type { ShownOverlays } from './overlays/overlays.ts'
import type { Plots } from './plots/plots.ts'
import { loadOwnRobot, type OwnRobotName } from './robots/robotSource.ts'
import { createWorker } from './runs/createWorker.ts'
import type { FromWorker, ToWorker } from './runs/protocol.ts'
import type { Session } from './runs/session.ts'
import type { RobotView } from './stage/robotView.ts'

/** `window.featherbed`, for tests of the page. */
export interface Featherbed {
  readonly session: Session
  /** Whether the picture is finished and shows all that there is: nothing is loaded any more, and nothing is to be drawn anew. */
  isSettled(): boolean
  /** Bounds of visuals and of collision shapes of each body of the solid robot, see `RobotView.bounds`. */
  bounds(): Bounds[]
  /** Marks of feature contacts on the stage, of each run. */
  featureMarks(): ShownMarks[]
  /** Content of a run's overlays. */
  overlays(): readonly ShownOverlays[]
  /** Where each run's robot is drawn aside of where it is [m], and whether it is there. */
  lanePlaces(): { readonly at: readonly number[]; readonly visible: boolean }[]
  /** Content of plots, and as text. */
  plots(): ReturnType<Plots['shown']>
  plotsCsv(): string
  /** The state hash of an own robot after so many steps under its usual controller, computed in a worker of this page. */
  runHash(robot: OwnRobotName, contactModel: string, steps: number, dt: number, options?: RunHashOptions): Promise<string>
  /** Hash of sine and cosine at `4 count` places, computed in a worker of this page. */
  trigonometryHash(count: number): Promise<string>
}

/** Lowest and highest corners in world axes [m]; null where there is nothing. */
export interface Bounds {
  readonly body: string
  readonly seen: Corners | null
  readonly touching: Corners | null
}
export type Corners = readonly [low: readonly number[], high: readonly number[]]

export interface RunHashOptions {
  readonly controller?: ControllerName
  /** Go back to the checkpoint of this step once, in mid-run. */
  readonly restoreAt?: number
}

declare global {
  interface Window {
    featherbed: Featherbed
  }
}

/** @param view the solid robot, if one is on the stage */
export function createTestHook(
  session: Session,
  view: () => RobotView | undefined,
  featureMarks: () => ShownMarks[],
  plots: () => Plots,
  lanePlaces: Featherbed['lanePlaces'],
  seen: Pick<Featherbed, 'overlays' | 'isSettled'>,
): Featherbed {
  const ask = questions()
  const corners = (box: Box3): Corners | null => (box.isEmpty() ? null : [box.min.toArray(), box.max.toArray()])
  return {
    session,
    featureMarks,
    lanePlaces,
    ...seen,
    plots: () => plots().shown(),
    plotsCsv: () => plots().csv(),
    bounds: () =>
      (view()?.bounds() ?? []).map(({ body, seen, touching }) => ({ body, seen: corners(seen), touching: corners(touching) })),
    async runHash(name, contactModel, steps, dt, { controller = 'usual', restoreAt } = {}) {
      const { robot } = loadOwnRobot(name)
      const setup = { robot, contactModel, dt, physical: {}, controller }
      return ask({ type: 'hash', setup, steps, restoreAt })
    },
    trigonometryHash: (count) => ask({ type: 'hash-trigonometry', count }),
  }
}

/** One question after the other, to a worker of their own. */
function questions(): (question: ToWorker) => Promise<string> {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  const answer = (question: ToWorker) =>
    new Promise<string>((resolve, reject) => {
      worker ??= createWorker(true)
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'hash') resolve(data.hash)
        else reject(new Error(data.type === 'error' ? data.message : `unexpected answer of type ${data.type}`))
      }
      worker.onerror = (event) => reject(new Error(event.message))
      worker.postMessage(question)
    })
  return (question) => {
    const answered = last.then(() => answer(question))
    last = answered.catch(() => undefined)
    return answered
  }
}
