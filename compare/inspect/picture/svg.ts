/** Pieces of SVG text that the parts of a picture share. Numbers have fixed decimals. */

export const round = (x: number) => String(Math.round(100 * x) / 100 + 0)

export function lineOf([x1, y1, x2, y2]: readonly number[], kind: string, more = ''): string {
  const rest = more === '' ? '' : ` ${more}`
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"${rest}/>`
}

/** Lines of a style are one path. */
export class Lines {
  readonly #paths = new Map<string, string>()
  readonly #ends = new Map<string, string>()

  add(kind: string, [x1, y1, x2, y2]: readonly number[]): void {
    const [from, to] = [`${round(x1)} ${round(y1)}`, `${round(x2)} ${round(y2)}`]
    const start = this.#ends.get(kind) === from ? '' : `M${from}`
    this.#paths.set(kind, `${this.#paths.get(kind) ?? ''}${start}L${to}`)
    this.#ends.set(kind, to)
  }

  toString(): string {
    return [...this.#paths].map(([kind, path]) => `<path class="line ${kind}" d="${path}"/>`).join('\n')
  }
}
