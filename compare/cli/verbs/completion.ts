import { contactModelNames } from '../../../contact/index.ts'
import { OWN_ROBOTS } from '../../../robots/files.ts'
import { builtInControllers } from '../../scenario/controllers.ts'
import { io } from '../io.ts'
import { commonFlags, type Verb } from '../verb.ts'
import { verbs } from './index.ts'

export const verb: Verb = {
  example:
    '  featherbed completion bash > ~/.local/share/bash-completion/completions/featherbed\n  featherbed completion zsh > ~/.zfunc/_featherbed',
  arguments: { shell: { meaning: 'the shell that is to complete', choices: ['bash', 'zsh'] } },
  flags: {},
  run: async (shell: string) => void io.stdout.write(await script(shell)),
}

/** Words that follow a flag. */
const values: Readonly<Record<string, readonly string[]>> = {
  '--model': contactModelNames,
  '--models': ['all', ...contactModelNames],
  '--controller': Object.keys(builtInControllers),
}

/** `featherbed completion SHELL`: verbs, flags, models, built-in controllers and robots; files where none of these fits. */
async function script(shell: string): Promise<string> {
  const cases = await Promise.all(
    Object.entries(verbs).map(async ([usage, { load }]) => {
      const flags = Object.keys({ ...(await load()).verb.flags, ...commonFlags }).map((flag) => flag.split(' ')[0])
      return `    ${usage.split(' ')[0]}) words="${[...flags, ...OWN_ROBOTS].join(' ')}" ;;`
    }),
  )
  const names = Object.keys(verbs).map((usage) => usage.split(' ')[0])
  return `${shell === 'zsh' ? '#compdef featherbed\nautoload -U +X bashcompinit && bashcompinit\n' : ''}_featherbed() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" = 1 ] && words="${names.join(' ')}"
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${Object.entries(values)
  .map(([flag, words]) => `    ${flag}) words="${words.join(' ')}" ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _featherbed featherbed
`
}
