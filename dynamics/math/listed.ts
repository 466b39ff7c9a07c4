/** `a, b and c`; with more than `most` names, all but the last few, and the number of those. @unchecked */
export function listed(names: readonly string[], most = Infinity, count = names.length): string {
  const shown = names.slice(0, count > most ? most - 1 : most)
  if (count > shown.length) shown.push(`${count - shown.length} more`)
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown[shown.length - 1]}`
}

/** `a, b, c`; with more than `most` names, the first ones, and `rest` with the number of others. @unchecked */
export function shortened(
  names: readonly string[],
  most: number,
  rest = ` and ${names.length - most} more`,
  separator = ', ',
): string {
  return names.slice(0, most).join(separator) + (names.length > most ? rest : '')
}
