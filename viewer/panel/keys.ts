/**
 * Actions of keys, by `KeyboardEvent.key` in lower case. Keys keep their usual meaning in fields that one types into, and Space
 * on buttons that the keyboard has reached; a click leaves the focus where it is. The time slider is moved by the same keys as time.
 */
export function handleKeys(actions: Readonly<Record<string, () => void>>): void {
  addEventListener('mousedown', (event) => {
    if (event.target instanceof Element && event.target.closest('button, summary')) event.preventDefault()
  })
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target instanceof Element ? event.target : document.body
    if (target.closest('input:not([type="range"]), select, textarea, [contenteditable]')) return
    if (event.key === ' ' && target.closest('button, summary')) return
    const action = actions[event.key.toLowerCase()]
    if (!action) return
    event.preventDefault()
    action()
  })
}
