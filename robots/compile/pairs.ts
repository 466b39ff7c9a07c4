/** A set of unordered pairs of names. */
export class Pairs {
  private readonly partners = new Map<string, Set<string>>()

  /** @returns whether the pair is new */
  add(a: string, b: string): boolean {
    const [first, second] = a < b ? [a, b] : [b, a]
    let partners = this.partners.get(first)
    if (!partners) this.partners.set(first, (partners = new Set()))
    if (partners.has(second)) return false
    partners.add(second)
    return true
  }

  has(a: string, b: string): boolean {
    const [first, second] = a < b ? [a, b] : [b, a]
    return this.partners.get(first)?.has(second) ?? false
  }
}
