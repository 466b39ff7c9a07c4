/** The command that makes a result again, as a shell takes it. */
export function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w./:=,+@%-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`))
  return ['npx featherbed', ...quoted].join(' ')
}
