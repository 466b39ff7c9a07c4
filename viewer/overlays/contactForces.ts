import { contactStride, type Snapshot } from '../runs/protocol.ts'

/** Sum of the forces of contacts on a body, mean over the step that ended here, in world axes [N]. */
export function forceOn({ contacts, contactBodies }: Snapshot, body: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0]
  for (let i = 0; i < contacts.length / contactStride; i++) {
    const sign = Number(contactBodies[2 * i + 1] === body) - Number(contactBodies[2 * i] === body)
    for (let k = 0; k < 3; k++) sum[k] += sign * contacts[i * contactStride + 6 + k]
  }
  return sum
}

export const newtons = (force: number): string =>
  force >= 1000 ? `${(force / 1000).toFixed(2)} kN` : `${force.toFixed(force < 10 ? 2 : 1)} N`
