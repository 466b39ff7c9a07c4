import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createNetwork } from '../../../control/policy/network.ts'
import { readOnnx } from '../../../control/policy/onnx.ts'

interface Row {
  readonly op: string
  readonly type: string
  readonly variant: string
  readonly file: string
  readonly inputs: Readonly<Record<string, readonly (number | string)[]>>
  /** Of onnxruntime; none where it takes no such numbers. */
  readonly outputs?: Readonly<Record<string, readonly (number | string)[]>>
}

const path = new URL('./operators.jsonl', import.meta.url)
const [versions, ...rows] = readFileSync(path, 'utf8').trim().split('\n')
const { onnxruntime } = JSON.parse(versions) as { onnxruntime: string }
const opened = (file: string) => createNetwork(readOnnx(new Uint8Array(Buffer.from(file, 'base64')), 'one.onnx'), 'one.onnx')

describe(`each operator over its types gives what onnxruntime ${onnxruntime} gives, or is refused with it`, () => {
  test.each(rows.map((line) => JSON.parse(line) as Row).map((row) => [`${row.op} ${row.type} ${row.variant}`, row] as const))(
    '%s',
    (_, { op, type, variant, file, inputs, outputs }) => {
      if (outputs === undefined) {
        expect(() => opened(file)).toThrow(new RegExp(`operator ${op} .*numbers of type ${type} are not taken`))
        return
      }
      const network = opened(file)
      for (const [name, numbers] of Object.entries(inputs)) network.inputs.get(name)!.set(numbers.map(Number))
      const last = Object.values(inputs)[0]
      if (op === 'Cast' && variant.startsWith('int') && last.some((x) => !Number.isFinite(Number(x)))) {
        expect(() => network.run()).toThrow(/no whole number|no int32/)
        return
      }
      network.run()
      for (const [name, numbers] of Object.entries(outputs)) {
        const ours = network.outputs.get(name)!
        const theirs = numbers.map(Number)
        expect(ours.length).toBe(theirs.length)
        const size = theirs.reduce((most, x) => Math.max(most, Number.isFinite(x) ? Math.abs(x) : 0), 1)
        // sums in another order: 1e-6 of the largest in single precision; in half precision a last place of the largest
        const tolerance =
          op === 'Cast' || /^(int|bool)/.test(type)
            ? 0
            : type === 'float16'
              ? size / 512
              : type === 'double'
                ? 1e-14 * size
                : 1e-6 * size
        theirs.forEach((x, i) => {
          if (Number.isFinite(x)) expect(Math.abs(ours[i] - x)).toBeLessThanOrEqual(tolerance)
          else expect(ours[i]).toBe(x)
        })
      }
    },
  )
})
