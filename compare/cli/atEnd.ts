/** What a command gives back however it ends, and what a signal makes of it. */
import { constants } from 'node:os'
import { removeTemporaryFolders } from '../../control/ownFiles.ts'

const acts = new Set<() => void>()

/** Done once, when the command ends. */
export function atEnd(act: () => void): void {
  acts.add(act)
}

/** The command ends: locks are given back, and folders that nobody needs are gone. */
export function giveBack(): void {
  for (const act of acts) {
    try {
      act()
    } catch {}
  }
  acts.clear()
}
process.once('exit', giveBack)

/** The exit code of a command that a signal ended. */
export const codeOf = (signal: NodeJS.Signals) => 128 + constants.signals[signal]

/**
 * Watches for what ends a command from outside; a second signal ends it at once. For commands that compute in threads: while this one
 * computes it hears nothing.
 *
 * @returns what ends this watch
 */
export function whenInterrupted(act: (signal: NodeJS.Signals) => void): () => void {
  let isFirst = true
  const onSignal = (signal: NodeJS.Signals) => {
    if (!isFirst) process.exit(codeOf(signal))
    isFirst = false
    act(signal)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  const end = () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  atEnd(end)
  atEnd(removeTemporaryFolders) // threads that are ended remove none
  return end
}
