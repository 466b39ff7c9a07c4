/** What was edited, so that it can be taken back and done again. */
export class Undo<T> {
  private readonly limit: number
  private done: T[] = []
  private undone: T[] = []

  /** @param limit how many edits are kept */
  constructor(limit = 100) {
    this.limit = limit
  }

  get canUndo(): boolean {
    return this.done.length > 0
  }

  get canRedo(): boolean {
    return this.undone.length > 0
  }

  /** @param before what an edit has just changed */
  push(before: T): void {
    this.done = [...this.done, before].slice(-this.limit)
    this.undone = []
  }

  /** @returns what was before the last edit; `now` can be done again */
  undo(now: T): T | undefined {
    const before = this.done.pop()
    if (before !== undefined) this.undone.push(now)
    return before
  }

  redo(now: T): T | undefined {
    const after = this.undone.pop()
    if (after !== undefined) this.done.push(now)
    return after
  }

  clear(): void {
    this.done = []
    this.undone = []
  }
}
