import address from './simulation.worker.ts?worker&url'

/** @param isTrusted whether scripts may be evaluated in it; the server's answer says what either may do */
export function createWorker(isTrusted: boolean): Worker {
  return new Worker(isTrusted ? `${address}?trusted` : address, { type: 'module', name: 'featherbed simulation' })
}
