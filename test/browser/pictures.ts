import type { Page } from 'playwright-core'

/** Which part of two pictures of the stage differs, and how many colours the second has, of 4096. */
export async function compared(page: Page, first: Buffer, second: Buffer): Promise<{ differing: number; colours: number }> {
  return page.evaluate(
    async (pictures) => {
      const [before, after] = await Promise.all(
        pictures.map(async (text) => {
          const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
          const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d') as OffscreenCanvasRenderingContext2D
          context.drawImage(bitmap, 0, 0)
          return context.getImageData(0, 0, bitmap.width, bitmap.height).data
        }),
      )
      let differing = 0
      const colours = new Set<number>()
      for (let i = 0; i < after.length; i += 4) {
        if ([0, 1, 2].some((k) => Math.abs(after[i + k] - before[i + k]) > 24)) differing++
        colours.add(((after[i] >> 4) << 8) | ((after[i + 1] >> 4) << 4) | (after[i + 2] >> 4))
      }
      return { differing: (4 * differing) / after.length, colours: colours.size }
    },
    [first, second].map((picture) => picture.toString('base64')),
  )
}
