/** Text from a file, as short as a message can bear. */
export function shorten(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`
}

export function quote(name: string): string {
  return `"${shorten(name)}"`
}
