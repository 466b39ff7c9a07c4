/** History of edits, for undo and redo. */
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

  /** @param before state before the latest edit */
  push(before: T): void {
    this.done = [...this.done, before].slice(-this.limit)
    this.undone = []
  }

  /** @returns the state before the last edit; `now` can be redone */
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
