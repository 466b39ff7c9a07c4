/**
 * Checks the length of an argument at an entry point: JavaScript drops writes past the end of a typed array and reads NaN there.
 *
 * @throws RangeError if `array` has not `length` entries
 */
export function checkLength(name: string, array: Float64Array, length: number): void {
  if (array.length !== length) throw wrongLength(name, array.length, length)
}

function wrongLength(name: string, found: number, expected: number): RangeError {
  return new RangeError(
    `${name} has ${found} entries, but this model needs ${expected}. Make it with new Float64Array(${expected}).`,
  )
}

/** @throws RangeError if `array` has fewer than `length` entries from `offset` on */
export function checkRoom(name: string, array: Float64Array, offset: number, length: number): void {
  if (array.length < offset + length) throw noRoom(name, array.length, offset, length)
}

function noRoom(name: string, found: number, offset: number, length: number): RangeError {
  return new RangeError(`${name} has ${found} entries; expected room for ${length} from ${offset} on.`)
}

/** @throws RangeError if `body` is not one of the nb bodies, 0 (the world) to nb - 1 */
export function checkBody(body: number, nb: number): void {
  if (!(body >= 0 && body < nb)) throw noSuchBody(body, nb)
}

function noSuchBody(body: number, nb: number): RangeError {
  return new RangeError(`body is ${body}; expected a whole number from 0 (the world) to ${nb - 1}.`)
}
