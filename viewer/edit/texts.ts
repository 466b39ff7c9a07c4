import type { Files } from '../scenes/sources.ts'

/** Larger files are no texts to edit here [B]. */
const LARGEST = 1e6
const editable = /\.(urdf|xacro|srdf|xml|mjcf|sdf|world|ya?ml|json|[cm]?[jt]s|csv)$/i

/** Paths of the files that can be edited, in their order. */
export const editablePaths = (files: Files): string[] =>
  [...files].filter(([path, { length }]) => editable.test(path) && length <= LARGEST).map(([path]) => path)

/** A file and the texts that it names, and that these name, by the last part of their path; the file first. */
export function namedFrom(file: string, files: Files): string[] {
  const paths = editablePaths(files)
  const found = [file]
  const decoder = new TextDecoder()
  for (const path of found) {
    const text = decoder.decode(files.get(path) ?? new Uint8Array())
    for (const other of paths) {
      const name = other.slice(other.lastIndexOf('/') + 1)
      if (!found.includes(other) && text.includes(name)) found.push(other)
    }
  }
  return found
}

/** Something that was said of a place in a file. */
export interface Problem {
  /** Path of the file as the message has it; '' where it names none. */
  readonly file: string
  /** From 1; 0 where none is named. */
  readonly line: number
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
}

const place = /([^\s():"'<>]+\.(?:urdf|xacro|srdf|xml|mjcf|sdf|world|ya?ml|json|[cm]?[jt]s|csv)):(\d+)/i

/** The problems that an error's message holds, one a line of it that names a place; else the whole of it, without a place. */
export function problemsOf(message: string): Problem[] {
  const lines = message.split('\n').filter((line) => line.trim() !== '')
  const found = lines.flatMap((line): Problem[] => {
    const [, file, number] = place.exec(line) ?? []
    return file === undefined ? [] : [{ file, line: Number(number), severity: 'error', message: line.trim() }]
  })
  return found.length > 0 || message === '' ? found : [{ file: '', line: 0, severity: 'error', message }]
}

/** Whether a message's file is this one: messages shorten paths. */
export const isOf = (problem: Problem, path: string): boolean =>
  problem.file === path || path.endsWith(`/${problem.file}`) || problem.file.endsWith(`/${path}`)
