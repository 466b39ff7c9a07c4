import { createNetwork } from '../../control/policy/network.ts'
import { readOnnx } from '../../control/policy/onnx.ts'
import { createRandom } from '../../dynamics/index.ts'

/** FNV-1a (32 bits) over the bytes of what a network gives for `count` seeded inputs; what it hands on is handed on. */
export function networkHash(bytes: readonly number[], count: number): string {
  const { inputs, outputs, run } = createNetwork(readOnnx(Uint8Array.from(bytes), 'policy.onnx'), 'policy.onnx')
  const [input, ...from] = inputs.values()
  const [, ...to] = outputs.values()
  const random = createRandom(1)
  let hash = 0x811c9dc5
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < input.length; i++) input[i] = random.between(-3, 3)
    run()
    for (const output of outputs.values()) {
      const { buffer, byteOffset, byteLength } = output
      for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) hash = Math.imul(hash ^ byte, 0x01000193)
    }
    to.forEach((value, i) => {
      from[i].set(value)
    })
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
