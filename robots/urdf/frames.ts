import type { FrameDescription } from '../description.ts'
import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { readPlacement } from './origin.ts'

/** `<frame name link xyz rpy>`, Drake's named frames. One with a duplicate name or an unknown link is left out. */
export function readFrames(reader: Reader, elements: readonly XmlElement[], links: ReadonlySet<string>): FrameDescription[] {
  const frames: FrameDescription[] = []
  const taken = new Set(links)
  for (const element of elements) {
    reader.account.use(element)
    const name = reader.name(element)
    if (name === undefined) continue
    const what = `<frame name=${quote(name)}>`
    const link = reader.required(element, 'link', what)
    const origin = readPlacement(reader, element, what)
    if (link === undefined || origin === undefined) continue
    if (!links.has(link)) {
      reader.findings.warning('frame-link', element, what, `there is no link ${quote(link)}.`, 'Left out; correct the name.')
    } else if (taken.has(name)) {
      const message = 'a link or another frame has this name already.'
      reader.findings.warning('frame-name', element, what, message, 'Left out; rename it.')
    } else {
      taken.add(name)
      frames.push({ name, link, origin, place: element })
    }
  }
  return frames
}
