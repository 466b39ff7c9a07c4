/** Cleanup of a command however it ends, and its handling of signals. */
import { constants } from 'node:os'
import { removeTemporaryFolders } from '../../control/ownFiles.ts'

const acts = new Set<() => void>()

/** Done once, when the command ends. */
export function atEnd(act: () => void): void {
  acts.add(act)
}

/** End of the command: releases locks and removes temporary folders. */
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
 * Watches for signals that end a command; a second one ends it at once. For commands that compute in threads: while this one
 * computes it receives none.
 *
 * @returns its stop function
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
