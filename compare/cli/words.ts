import { UsageError } from './errors.ts'

/**
 * Sorts a command's words into names of robots or files, and `key:=value` for the arguments of xacro.
 *
 * @throws UsageError for an argument that is given twice, or a malformed one
 */
export function splitArguments(words: readonly string[]): { targets: string[]; xacro: Record<string, string> } {
  const targets: string[] = []
  const xacro = Object.create(null) as Record<string, string>
  for (const word of words) {
    const [, key, value] = /^([^\s:=/\\]*):=(.*)$/s.exec(word) ?? []
    if (key === undefined) targets.push(word)
    else if (key === '') throw new UsageError(`found "${word}"; an argument for xacro is written name:=value, without blanks`)
    else if (key in xacro)
      throw new UsageError(`the xacro argument "${key}" is given twice, as "${xacro[key]}" and as "${value}"`)
    else xacro[key] = value
  }
  return { targets, xacro }
}

/** Words after the robot, which have to be for xacro. @throws UsageError */
export function onlyXacro(words: readonly string[]): readonly string[] {
  const [stray] = splitArguments(words).targets
  if (stray !== undefined)
    throw new UsageError(
      `found "${stray}" after the robot; this command takes one robot, and name:=value for its xacro arguments`,
    )
  return words
}
