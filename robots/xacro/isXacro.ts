import { Findings, robotError } from '../diagnostics.ts'
import type { Diagnostic } from '../robot.ts'
import type { XmlElement } from '../xml.ts'

/** Elements of xacro that are no calls of macros. */
const own: ReadonlySet<string> = new Set(
  ['property', 'arg', 'macro', 'call', 'insert_block', 'include', 'if', 'unless', 'element', 'attribute'].map(
    (w) => `xacro:${w}`,
  ),
)

/**
 * The first element specific to xacro: one of its own, or an expression in a file that declares xacro's namespace.
 * Undefined for plain URDF, and where only calls of undefined macros are left of xacro (`withoutStrayCalls`). @unchecked
 */
export function isXacro(root: XmlElement): XmlElement | undefined {
  const declared = root.attributes['xmlns:xacro'] !== undefined
  const stack = [root]
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (own.has(element.name)) return element
    const xacro = declared || element.name.startsWith('xacro:')
    if (xacro && (Object.values(element.attributes).some(hasSubstitution) || hasSubstitution(element.text))) return element
    for (let k = element.children.length - 1; k >= 0; k--) stack.push(element.children[k])
  }
  return undefined
}

/**
 * The tree of plain URDF without calls of macros, which generated files keep although their definitions are gone. Each is
 * a repair.
 */
export function withoutStrayCalls(root: XmlElement): { readonly root: XmlElement; readonly diagnostics: readonly Diagnostic[] } {
  const findings = new Findings()
  const without = (element: XmlElement): XmlElement => {
    const kept = element.children.filter((child) => {
      if (!child.name.startsWith('xacro:')) return true
      const remedy = 'Passed by, with what is in it; remove it, or load the xacro file that this one was made of.'
      findings.repair(
        'xacro-call',
        child,
        `<${child.name}>`,
        'it calls a macro, and the file neither defines nor includes any.',
        remedy,
      )
      return false
    })
    const children = kept.map(without)
    const same = children.length === element.children.length && children.every((child, k) => child === element.children[k])
    return same ? element : { ...element, children, content: undefined }
  }
  return { root: without(root), diagnostics: findings.list }
}

/** Elements of xacro in files from before the prefix was required. */
const old: ReadonlySet<string> = new Set(['include', 'property', 'macro', 'insert_block'])

/** @throws RobotError for a file of macros without xacro's prefix, which no later reader expands */
export function refuseOldXacro({ children }: XmlElement): void {
  const first = children.find(({ name }) => old.has(name))
  if (!first || children.some(({ name }) => name === 'link' || own.has(name))) return
  const message = 'this is xacro as it was before ROS Jade: its elements lack the prefix "xacro:".'
  const remedy = 'Write xacro: before include, property, macro and their calls, or expand it with the xacro of its time.'
  throw robotError('xacro-old', first, `<${first.name}>`, message, remedy)
}

function hasSubstitution(text: string): boolean {
  return text.includes('${') || text.includes('$(')
}
