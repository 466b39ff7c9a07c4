export function createWorker(): Worker {
  return new Worker(new URL('./simulation.worker.ts', import.meta.url), { type: 'module', name: 'featherbed simulation' })
}
