/** Numbers with their units as text. */

/** A number to so many digits, without an exponent between 1e-4 and 1e6. */
export function significant(x: number, digits: number): string {
  if (!Number.isFinite(x)) return String(x)
  if (x === 0) return '0'
  const size = Math.abs(x)
  if (size < 1e-4 || size >= 1e6) return Number(x.toPrecision(digits)).toExponential().replace('e+', 'e')
  return String(Number(x.toPrecision(digits)))
}

export const milliseconds = (s: number) => `${significant(s * 1e3, 3)} ms`
export const millimetres = (m: number) => `${significant(m * 1e3, 3)} mm`
export const degrees = (rad: number) => `${significant((rad * 180) / Math.PI, 3)} deg`
export const percent = (x: number) => `${significant(x * 100, 3)} %`
export const seconds = (s: number) =>
  s < 1e-3 ? `${significant(s * 1e6, 2)} \u00b5s` : s < 1 ? `${significant(s * 1e3, 2)} ms` : `${significant(s, 2)} s`
/** `1 row`, `2 rows`. */
export const counted = (n: number, one: string, several = `${one}s`) => `${n} ${n === 1 ? one : several}`
