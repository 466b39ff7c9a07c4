import { quote, type Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** Links or joints by their names, in the order of the file. Of two with one name the second is an error, and skipped. */
export function firstOfEachName(
  reader: Reader,
  elements: readonly XmlElement[],
  kind: 'link' | 'joint',
): ReadonlyMap<string, XmlElement> {
  const byName = new Map<string, XmlElement>()
  for (const element of elements) {
    reader.account.use(element)
    const name = reader.name(element)
    if (name === undefined) continue
    const first = byName.get(name)
    if (first === undefined) {
      byName.set(name, element)
      continue
    }
    reader.findings.error(
      `duplicate-${kind}`,
      element,
      `<${kind} name=${quote(name)}>`,
      `there is a ${kind} of this name at line ${first.line} already.`,
      'Rename one of the two.',
    )
  }
  return byName
}
