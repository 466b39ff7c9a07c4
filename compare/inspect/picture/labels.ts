/** Puts words beside points so that they cover neither each other nor the marks. */

export interface Label {
  readonly text: string
  /** Named point, in the picture. */
  readonly x: number
  readonly y: number
}

export interface PlacedLabel extends Label {
  /** Middle of the text's baseline. */
  readonly left: number
  readonly baseline: number
  /** Whether it stands so far away that a line has to lead to it. */
  readonly isFar: boolean
}

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export const labelSize = 12
const near = 11

/** Widths of characters as parts of the size, on the safe side for common sans-serif fonts. */
const narrow = /[ .,:;'!|()[\]iljtfrI/-]/
const wide = /[A-HK-Zw\u2212+<>]/
const widest = /[mMW]/
/** Between words that are beside each other, in units of the picture. */
const air = 4

export function widthOf(text: string, size = labelSize): number {
  let sum = 0
  for (const c of text) sum += narrow.test(c) ? 0.36 : widest.test(c) ? 0.98 : wide.test(c) ? 0.74 : 0.58
  return size * sum
}

const overlap = (a: Box, b: Box) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))

/**
 * One label after another, where it costs least among directions and distances around its point: beyond the frame, over
 * other labels and marks, over lines, far away, in that order.
 *
 * @param marks x, y that stay free
 * @param lines x1, y1, x2, y2
 */
export function placeLabels(
  labels: readonly Label[],
  frame: Box,
  marks: readonly (readonly [number, number])[],
  lines: readonly (readonly number[])[],
): PlacedLabel[] {
  const taken: Box[] = marks.map(([x, y]) => ({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 }))
  return labels.map((label) => {
    const width = widthOf(label.text) + air
    let best: PlacedLabel | undefined
    let bestBox: Box | undefined
    let least = Infinity
    for (const distance of [near, 22, 36, 52, 70]) {
      for (let k = 0; k < 16; k++) {
        const angle = (Math.PI * k) / 8
        const x = label.x + Math.cos(angle) * (distance + 0.5 * width)
        const y = label.y - Math.sin(angle) * (distance + 0.5 * labelSize)
        const box = { left: x - 0.5 * width, right: x + 0.5 * width, top: y - 0.6 * labelSize, bottom: y + 0.6 * labelSize }
        const cost = costOf(box, frame, taken, lines) + distance + 0.2 * k
        if (cost >= least) continue
        least = cost
        bestBox = box
        best = { ...label, left: x, baseline: y + 0.36 * labelSize, isFar: distance > 22 }
      }
    }
    taken.push(bestBox!)
    return best!
  })
}

function costOf(box: Box, frame: Box, taken: readonly Box[], lines: readonly (readonly number[])[]): number {
  const area = (box.right - box.left) * (box.bottom - box.top)
  let cost = 20 * (area - overlap(box, frame))
  for (const other of taken) cost += 8 * overlap(box, other)
  for (const line of lines) cost += 1.2 * lengthInside(box, line)
  return cost
}

/** How long a line runs through a box (Liang and Barsky, 1984). */
function lengthInside(box: Box, [x1, y1, x2, y2]: readonly number[]): number {
  let low = 0
  let high = 1
  for (const [p, q] of [
    [x1 - x2, x1 - box.left],
    [x2 - x1, box.right - x1],
    [y1 - y2, y1 - box.top],
    [y2 - y1, box.bottom - y1],
  ]) {
    if (p === 0) {
      if (q < 0) return 0
    } else if (p < 0) low = Math.max(low, q / p)
    else high = Math.min(high, q / p)
  }
  return high > low ? (high - low) * Math.hypot(x2 - x1, y2 - y1) : 0
}
