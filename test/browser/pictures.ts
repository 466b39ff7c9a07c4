import type { Page } from 'playwright-core'

export interface Compared {
  /** Part of the points that differ. */
  readonly differing: number
  /** How many colours the second has, of 4096. */
  readonly colours: number
  /** How many points of the second are far from grey; ground and background are grey. */
  readonly colourful: number
}

/** Two pictures of the stage. */
export async function compared(page: Page, first: Buffer, second = first): Promise<Compared> {
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
      let colourful = 0
      const colours = new Set<number>()
      for (let i = 0; i < after.length; i += 4) {
        const [r, g, b] = after.subarray(i, i + 3)
        if (Math.max(r, g, b) - Math.min(r, g, b) > 60) colourful++
        if ([0, 1, 2].some((k) => Math.abs(after[i + k] - before[i + k]) > 24)) differing++
        colours.add(((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4))
      }
      return { differing: (4 * differing) / after.length, colours: colours.size, colourful }
    },
    [first, second].map((picture) => picture.toString('base64')),
  )
}
