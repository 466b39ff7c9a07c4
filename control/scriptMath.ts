import { cos, sin } from '../dynamics/index.ts'

/**
 * `Math` for controller scripts. JavaScript engines do not agree on the last bit of Math.sin, Math.cos and Math.pow,
 * and one such bit is a different trajectory after the first contact; these three are the project's own. Math.random
 * throws, because a run that uses it cannot be repeated. All else is the engine's.
 */
export const scriptMath: Math = Object.freeze(
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(Math),
      sin: { value: sin, enumerable: false },
      cos: { value: cos, enumerable: false },
      pow: { value: pow, enumerable: false },
      random: { value: random, enumerable: false },
    },
  ),
) as Math

/** Whole exponents up to this are powers by squaring; beyond, rounding errors would add up to more than exp and log make. */
const LARGEST_SQUARED = 64

/**
 * x to the y from products, square roots, exp and log, which engines agree on. Whole |y| <= 64 by repeated squaring, halves
 * by the square root, all else by exp(y log x), with a relative error of about |y log x| 1e-16.
 */
export function pow(x: number, y: number): number {
  if (y === 0) return 1
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN
  if (Number.isInteger(y) && Math.abs(y) <= LARGEST_SQUARED) return y > 0 ? power(x, y) : 1 / power(x, -y)
  if (y === 0.5 && x > 0) return Math.sqrt(x)
  if ((x < 0 || Object.is(x, -0)) && Number.isInteger(y)) return (y % 2 === 0 ? 1 : -1) * Math.exp(y * Math.log(-x))
  if (x === -Infinity) return y > 0 ? Infinity : 0
  if (Math.abs(y) === Infinity) return Math.abs(x) === 1 ? NaN : Math.abs(x) > 1 === y > 0 ? Infinity : 0
  return Math.exp(y * Math.log(x))
}

function power(x: number, n: number): number {
  let result = 1
  let square = x
  for (let k = n; k > 0; k >>= 1) {
    if (k & 1) result *= square
    square *= square
  }
  return result
}

function random(): never {
  throw new Error(
    'Math.random cannot be repeated; use createRandom(seed) of featherbed/dynamics, and keep it in memory as a seed',
  )
}
