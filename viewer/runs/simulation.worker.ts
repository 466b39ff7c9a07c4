/**
 * The entry of the worker and nothing else: other files import from one that does something, and under `?trusted` it would be
 * loaded a second time for them.
 */
const scope = globalThis as unknown as { onmessage: (event: MessageEvent) => void }
const early: MessageEvent[] = []
scope.onmessage = (event) => void early.push(event)
void import('./simulation.ts').then(({ receive }) => {
  scope.onmessage = receive
  early.forEach(receive)
})
