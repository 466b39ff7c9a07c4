import { MeshError } from './meshError.ts'

/** Longest tag, processing instruction or CDATA section, in characters. */
const maxMarkup = 262_144
const maxTags = 1_000_000
const maxAttributes = 1_000_000
/** Most character references such as `&lt;`; numbers need none. */
const maxReferences = 100_000

/**
 * Refuses XML that costs far more to read than its length: the parser puts names, values and sections together character by
 * character, at some thirty bytes each, and mesh files may be long. Text between tags costs nothing and may be of any length.
 *
 * @throws MeshError
 */
export function checkMarkup(text: string): void {
  let attributes = 0
  let tags = 0
  const failure = (at: number, message: string): MeshError => {
    let line = 1
    for (let k = text.indexOf('\n'); k !== -1 && k < at; k = text.indexOf('\n', k + 1)) line++
    return new MeshError(`line ${line}: ${message}`)
  }
  for (let at = text.indexOf('<'); at !== -1; ) {
    if (++tags > maxTags) throw failure(at, `more than ${maxTags} tags`)
    let end: number
    if (text.startsWith('<!--', at)) end = text.indexOf('-->', at + 4)
    else if (text.startsWith('<![CDATA[', at)) end = text.indexOf(']]>', at)
    else if (text.startsWith('<?', at)) end = text.indexOf('?>', at)
    else if (text.startsWith('<!', at)) throw failure(at, 'document types are refused; remove the <!DOCTYPE ...>')
    else {
      let quote = 0
      end = at + 1
      for (; end < text.length && end - at <= maxMarkup; end++) {
        const code = text.charCodeAt(end)
        if (quote !== 0) {
          if (code === quote) quote = 0
        } else if (code === 0x22 || code === 0x27) {
          quote = code
          attributes++
        } else if (code === 0x3e || code === 0x3c) break
      }
      if (attributes > maxAttributes) throw failure(at, `more than ${maxAttributes} attributes`)
    }
    if (end === -1) end = text.length
    if (end - at > maxMarkup && !text.startsWith('<!--', at)) {
      throw failure(at, `a tag or section longer than ${maxMarkup} characters`)
    }
    at = text.indexOf('<', Math.max(end, at + 1))
  }
  let references = 0
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++references > maxReferences) throw failure(at, `more than ${maxReferences} character references`)
  }
}
