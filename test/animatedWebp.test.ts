import { expect, test } from 'vitest'
import { animatedWebp } from '../scripts/animatedWebp.ts'

/** One transparent pixel, lossless, as Chromium writes it. */
const pixel = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

/** Name and bytes of each chunk. */
function chunks(bytes: Buffer): [string, Buffer][] {
  const list: [string, Buffer][] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    list.push([bytes.toString('latin1', at, at + 4), bytes.subarray(at + 8, at + 8 + length)])
    at += 8 + length + (length % 2)
  }
  return list
}

test('an animation has the pictures as frames, with their size and time', () => {
  const [[riff, body], ...rest] = chunks(Buffer.from(animatedWebp([pixel, pixel, pixel], 80)))
  expect([riff, body.toString('latin1', 0, 4), rest]).toEqual(['RIFF', 'WEBP', []])
  const [[extended, header], [animation, loops], ...frames] = chunks(body.subarray(4))
  expect([extended, header[0], header.readUIntLE(4, 3) + 1, header.readUIntLE(7, 3) + 1]).toEqual(['VP8X', 2, 1, 1])
  expect([animation, loops.readUInt16LE(4)]).toEqual(['ANIM', 0])
  expect(frames).toHaveLength(3)
  for (const [name, frame] of frames) {
    expect([name, frame.readUIntLE(6, 3) + 1, frame.readUIntLE(12, 3)]).toEqual(['ANMF', 1, 80])
    expect(chunks(frame.subarray(16))).toEqual(chunks(pixel.subarray(12)))
  }
})

test('no picture, no WebP and another size are refused', () => {
  const wide = Buffer.from(pixel)
  wide[21] |= 1 // two pixels wide
  expect(() => animatedWebp([], 80)).toThrow('no pictures')
  expect(() => animatedWebp([Buffer.from('GIF89a')], 80)).toThrow('no WebP file')
  expect(() => animatedWebp([pixel, wide], 80)).toThrow('picture 1 has 2 x 1 pixels, the first 1 x 1')
})
