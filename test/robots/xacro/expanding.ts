import { expandXacro, memoryResolver, parseXml, type XacroOptions, type XmlElement } from '../../../robots/index.ts'

export interface Expanding extends Partial<XacroOptions> {
  /** Files beside the one that is expanded, by their paths; `pkg` is a package. */
  readonly files?: Readonly<Record<string, string>>
}

/** Expands what stands on line 2 and after inside of a robot. */
export function expand(body: string, { files = {}, ...options }: Expanding = {}) {
  const text = `<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n${body}\n</robot>`
  const encoder = new TextEncoder()
  const bytes = new Map(Object.entries(files).map(([path, content]) => [path, encoder.encode(content)]))
  const file = 'main.xacro'
  return expandXacro(parseXml(text, file), { file, resolver: memoryResolver(bytes), ...options })
}

/** An element as XML on one line, its text in front of its children. */
export function print({ name, attributes, text, children }: XmlElement): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
  const inner = text.replace(/\s+/g, ' ') + children.map(print).join('')
  return inner === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${inner}</${name}>`
}

/** What is inside of the expanded robot. */
export function expanded(body: string, options?: Expanding): string {
  const { root } = expand(body, options)
  return root.text + root.children.map(print).join('')
}

/** The text that an expression of Python stands for. */
export function textOf(expression: string): string {
  const root: XmlElement = { name: 'r', attributes: { v: `\${` + expression + '}' }, children: [], text: '', file: 'f', line: 1 }
  return expandXacro(root, { file: 'f' }).root.attributes.v
}
