import { INVISIBLE, visible } from '../elements/index.ts'
export type Attributes = Record<string, string | undefined>

/** Writes XML text, an element or more to a line, two blanks for each level. */
export class XmlWriter {
  protected readonly lines: string[] = []
  protected depth: number

  constructor(depth: number) {
    this.depth = depth
  }

  /** @param onlyFilled leaves the element out where it would be empty */
  protected element(name: string, attributes: Attributes, content?: () => void, onlyFilled = false): void {
    const open = `<${name}${attributeText(attributes)}`
    const start = this.lines.length
    this.line(`${open}>`)
    this.depth++
    content?.()
    this.depth--
    if (this.lines.length > start + 1) this.line(`</${name}>`)
    else if (onlyFilled) this.lines.pop()
    else this.lines[start] = `${'  '.repeat(this.depth)}${open}/>`
  }

  protected textElement(name: string, text: string, attributes: Attributes = {}): void {
    this.line(`<${name}${attributeText(attributes)}>${escapeText(text)}</${name}>`)
  }

  protected line(text: string): void {
    this.lines.push('  '.repeat(this.depth) + text)
  }
}

/** The shortest decimal that reads as the same double; minus zero keeps its sign. */
export function written(x: number): string {
  return Object.is(x, -0) ? '-0' : String(x)
}

/** Nothing for 0, which is the default. */
export function positive(x: number): string | undefined {
  return x === 0 ? undefined : written(x)
}

export function attributeText(attributes: Attributes): string {
  let text = ''
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) text += ` ${key}="${escapeText(value).replaceAll('"', '&quot;')}"`
  }
  return text
}

/**
 * Blanks other than the space would be read back as spaces from an attribute; they, and invisible characters, are written
 * as references. XML has none for other control characters.
 */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(INVISIBLE, (one) => (one >= ' ' || /[\t\n\r]/.test(one) ? `&#${one.charCodeAt(0)};` : visible(one)))
}
