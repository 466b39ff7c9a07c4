/** Blocks of the page's data: raw deflate in base64. */
export async function unpack(text: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

export const unpackText = async (text: string): Promise<string> => new TextDecoder().decode(await unpack(text))
