import { cos, sin } from '../../dynamics/index.ts'

/** FNV-1a (32 bits) over the bytes of our sine and cosine at `count` points of [-20, 20] and `count` of [-8e5, 8e5]. */
export function trigonometryHash(count: number): string {
  const values = new Float64Array(4 * count)
  for (let i = 0; i < count; i++) {
    const x = (40 * i) / count - 20
    values[4 * i] = sin(x)
    values[4 * i + 1] = cos(x)
    values[4 * i + 2] = sin(x * 4e4)
    values[4 * i + 3] = cos(x * 4e4)
  }
  let hash = 0x811c9dc5
  for (const byte of new Uint8Array(values.buffer)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
