/** A verb of the command as a table: its parser and its help come from it. */

/** A flag by its form on the command line, `--out <dir>`: its meaning and further properties. */
export interface Flag {
  readonly meaning: string
  readonly isRequired?: boolean
  /** May be given several times, each with a value more. */
  readonly isRepeated?: boolean
  readonly default?: string
  /** The flag that excludes it. */
  readonly conflicts?: string
}
export type Flags = Readonly<Record<string, string | Flag>>

export interface Verb {
  /** Example commands, and the help text below them. */
  readonly example: string
  /** Meaning of arguments whose name does not state it; that of `name:=value` is known. */
  readonly arguments?: Readonly<Record<string, string | { readonly meaning: string; readonly choices: readonly string[] }>>
  readonly flags: Flags
  /** @param words one for each argument, then the flags as `FlagsOf` types them */
  readonly run: (...words: never[]) => void | Promise<void>
}

/** Flags that every verb has. */
export const commonFlags = {
  '--json': 'print one JSON document on stdout and nothing else',
  '--quiet': 'no progress on stderr',
  '--debug': 'show the stack trace of an error',
} as const

/** Flags of verbs that run many jobs. */
export const jobFlags = {
  '--resume': 'continue an interrupted command from the finished runs in --out; the results have the same bits',
  '--serial': 'one run after the other instead of one per processor; the results have the same bits',
  '--threads <n>': { meaning: 'runs at a time (default: one per processor)', conflicts: 'serial' },
} as const

/** Flags of verbs that read a robot, with `scenarioFlags` and `robotFlags`. */
export const rootFlag = {
  '--root <dir>': { meaning: 'a folder that robots may read besides their own package; may be repeated', isRepeated: true },
} as const
/** Flags of verbs that open what others made. */
export const allowFlag = {
  '--allow <dir>': {
    meaning: "a folder in which someone else's scenario may name files, besides its own; may be repeated",
    isRepeated: true,
  },
} as const
export const baseFlags = {
  '--floating': "let the robot's base float",
  '--fixed': "fix the robot's base to the world",
} as const

type Camel<Words> = Words extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Words
type NameOf<Key> = Key extends `--${infer Name} <${string}`
  ? Camel<Name>
  : Key extends `--no-${infer Name}`
    ? Camel<Name>
    : Key extends `--${infer Name}`
      ? Camel<Name>
      : never
type ValueOf<Key, Row> = Key extends `${string}<${string}`
  ? Row extends { isRepeated: true }
    ? readonly string[]
    : string
  : boolean
type Present = { readonly isRequired: true } | { readonly default: string }

/** Parsed form of a table of flags, and of those that every verb has: `--step-budget <n>` is `stepBudget`, and `--no-open` makes `open` false. */
export type FlagsOf<Table> = {
  readonly [Key in keyof Table as Table[Key] extends Present ? NameOf<Key> : never]: ValueOf<Key, Table[Key]>
} & {
  readonly [Key in keyof Table as Table[Key] extends Present ? never : NameOf<Key>]?: ValueOf<Key, Table[Key]>
} & { readonly [Key in keyof typeof commonFlags as NameOf<Key>]?: boolean }
