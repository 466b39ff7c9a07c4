/** Text from a file, shortened for a message. */
export function shorten(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`
}

/** Control characters, line breaks included, and those that change the direction of writing. */
export const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
  /[\0-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text of a file on one line, with control characters written as `\u001b`. @unchecked */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function quote(name: string): string {
  return `"${shorten(name)}"`
}
