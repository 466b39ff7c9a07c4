import type { RecordingFrame, World } from '../../simulation/index.ts'

/** Facts that the world does not know itself; all of them are optional. */
export interface RecordingInfo {
  /** The command that makes the run again. */
  readonly command?: string
  /** Of Featherbed. */
  readonly version?: string
  readonly seed?: number
  /** The scenario file. */
  readonly scenario?: RecordedText
  /** The robots' files, such as their URDF, or any other text that belongs to the run. */
  readonly files?: readonly RecordedText[]
}

export interface RecordedText {
  /** As the recording calls it, such as `slide.yaml`. */
  readonly name: string
  readonly text: string
}

/** Foxglove's levels of a log message. */
export const LogLevel = { info: 2, warning: 3, error: 4, fatal: 5 } as const
export type LogLevel = (typeof LogLevel)[keyof typeof LogLevel]

/** How a run ended. */
export interface RecordedEnd {
  readonly status: 'ok' | 'failed'
  /** Failure in words, or ''. */
  readonly failure: string
  readonly frames: number
  readonly steps: number
  /** [s] */
  readonly t: number
  /** `World.hash()` at the end. */
  readonly hash: string
}

/** One format of recordings. Each call throws a RecordingError if the disk does not take it. */
export interface FrameWriter {
  /** The files that it writes. */
  readonly files: readonly string[]
  /** Bytes on the disk so far. */
  readonly bytes: number
  write(frame: RecordingFrame): void
  log(level: LogLevel, message: string, t: number): void
  flush(): void
  close(end: RecordedEnd): void
}

/** Description of a run before its first step, as plain data. */
export function describeRun(world: World, every: number, { command, version, seed, scenario }: RecordingInfo) {
  const { robots, contactModel, dt, physical } = world
  return {
    robots: robots.map(({ name }) => name),
    contactModel: contactModel.name,
    dt_s: dt,
    every,
    physical: { ...physical },
    parameters: contactModel.parameters,
    ...(command === undefined ? {} : { command }),
    ...(version === undefined ? {} : { version }),
    ...(seed === undefined ? {} : { seed }),
    ...(scenario === undefined ? {} : { scenario: scenario.name }),
  }
}

/** The same as texts, as a file of MCAP has it. */
export const runFacts = (world: World, every: number, info: RecordingInfo): Record<string, string> =>
  textsOf(describeRun(world, every, info))

/** How the run ended, as texts. */
export const endFacts = ({ status, failure, frames, steps, t, hash }: RecordedEnd): Record<string, string> =>
  textsOf({ status, failure, frames, steps, t_s: t, hash })

const textsOf = (facts: object) =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
