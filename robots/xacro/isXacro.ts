import type { XmlElement } from '../xml.ts'

/**
 * The first element that only xacro understands: one with the prefix `xacro`, or an expression in a file that declares
 * xacro's namespace. Undefined for plain URDF.
 */
export function isXacro(root: XmlElement): XmlElement | undefined {
  const declared = root.attributes['xmlns:xacro'] !== undefined
  const stack = [root]
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (element.name.startsWith('xacro:')) return element
    if (declared && (Object.values(element.attributes).some(hasSubstitution) || hasSubstitution(element.text))) return element
    for (let k = element.children.length - 1; k >= 0; k--) stack.push(element.children[k])
  }
  return undefined
}

function hasSubstitution(text: string): boolean {
  return text.includes('${') || text.includes('$(')
}
