/** The problems of a scenario, with their places. */
import type * as z from 'zod'

/** Problems that are reported one by one. */
const MOST = 200

/** A scenario that cannot be read: all its problems at once, one a line, in the order of the file; those without a line first. */
export class ScenarioError extends Error {
  override name = 'ScenarioError'
  readonly problems: readonly string[]
  constructor(found: readonly string[]) {
    const lineOf = (problem: string) => Number(/^\S+:(\d+) /.exec(problem)?.[1] ?? 0)
    const all = [...new Set(found)].toSorted((a, b) => lineOf(a) - lineOf(b))
    const problems = all.length > MOST ? [...all.slice(0, MOST), `and ${all.length - MOST} more like these`] : all
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The flag of a field: `--step-budget` of stepBudget. */
export const flagOf = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Where a field stands, for messages: `file.yaml:12`, or the flag that set it. */
export type Locate = (path: readonly PropertyKey[]) => string

export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Unions report one list of issues per member: the member that got furthest is reported. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[]): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'invalid_union') {
      // a member that looked inside, or that took the value for one of its kind and found it wrong
      const inner = issue.errors
        .map((errors) => ({ errors, list: issuesOf(errors, path) }))
        .filter(
          ({ errors, list }) => list.some((i) => i.path.length > path.length) || errors.some(({ code }) => code === 'custom'),
        )
      if (inner.length > 0) return inner[inner.length - 1].list
    }
    const { message } = issue
    if (issue.code !== 'unrecognized_keys') return [{ path, message }]
    const lines = message.split('\n')
    return issue.keys.map((key, i) => ({ path: [...path, key], message: lines[i] }))
  })
}

export function fieldOf(path: readonly PropertyKey[]): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`)).join('')
}

export function describe({ path, message }: Issue, locate: Locate): string {
  const field = fieldOf(path)
  const where = locate(path)
  if (where === flagOf(field.replace(/\[\d+\]$/, ''))) return `${where} ${message}` // the message quotes the item
  return `${where} ${field}: ${message}`
}
