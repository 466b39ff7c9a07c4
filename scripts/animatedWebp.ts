/**
 * Still WebP pictures of one size -> one animated WebP that repeats for ever.
 * WebP Container Specification (Google, 2012), sections "Extended File Format" and "Animation".
 *
 * @param stills files as a browser writes them: lossy or lossless, with or without an extended header
 * @param milliseconds how long each is shown
 * @throws RangeError if there is none, or if one is no WebP or of another size
 */
export function animatedWebp(stills: readonly Uint8Array[], milliseconds: number): Uint8Array {
  if (stills.length === 0) throw new RangeError('no pictures: an animation has at least one')
  const pictures = stills.map(readStill)
  const { width, height } = pictures[0]
  const frames = pictures.map((picture, k) => {
    if (picture.width !== width || picture.height !== height)
      throw new RangeError(`picture ${k} has ${picture.width} x ${picture.height} pixels, the first ${width} x ${height}`)
    const header = Buffer.alloc(16)
    header.writeUIntLE(width - 1, 6, 3)
    header.writeUIntLE(height - 1, 9, 3)
    header.writeUIntLE(milliseconds, 12, 3)
    header[15] = 0b10 // replaces what was there, and stays
    return chunk('ANMF', Buffer.concat([header, ...picture.chunks]))
  })
  const extended = Buffer.alloc(10)
  extended[0] = 0b10 // animated
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', extended), chunk('ANIM', Buffer.alloc(6)), ...frames])
  return chunk('RIFF', body)
}

/** Four letters, the length, the bytes; padded to an even length. */
function chunk(name: string, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.write(name)
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)])
}

/** Size and bitstream chunks of a still picture. */
function readStill(file: Uint8Array): { width: number; height: number; chunks: Buffer[] } {
  const bytes = Buffer.from(file)
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    throw new RangeError(`no WebP file: it begins with "${bytes.toString('latin1', 0, 12)}"`)
  const chunks: Buffer[] = []
  let [width, height] = [0, 0]
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const end = at + 8 + bytes.readUInt32LE(at + 4)
    if (name === 'VP8 ') {
      // 3 bytes of frame tag and 3 of start code, then 14 bits each
      width = bytes.readUInt16LE(at + 14) & 0x3fff
      height = bytes.readUInt16LE(at + 16) & 0x3fff
    } else if (name === 'VP8L') {
      // 1 byte of signature, then 14 bits each, less 1
      const bits = bytes.readUInt32LE(at + 9)
      width = (bits & 0x3fff) + 1
      height = ((bits >>> 14) & 0x3fff) + 1
    }
    if (['VP8 ', 'VP8L', 'ALPH'].includes(name)) chunks.push(bytes.subarray(at, end + (end % 2)))
    at = end + (end % 2)
  }
  if (width === 0) throw new RangeError('a WebP file without a picture')
  return { width, height, chunks }
}
