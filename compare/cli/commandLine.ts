/** The command that makes a result again, as a shell takes it: from its beginning, so that a result does not say whether it was interrupted. */
export function commandLine(args: readonly string[]): string {
  const quoted = args
    .filter((arg) => arg !== '--resume')
    .map((arg) => (/^[\w./:=,+@%-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`))
  return ['npx featherbed', ...quoted].join(' ')
}
