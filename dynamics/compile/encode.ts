/** WebAssembly's binary format, as far as straight arithmetic needs it (specification, version 2, chapter 5). */

/** Bytes of a function or section. */
export class Bytes {
  private bytes = new Uint8Array(256)
  length = 0

  byte(...values: number[]): this {
    this.room(values.length)
    for (const value of values) this.bytes[this.length++] = value
    return this
  }

  /** An unsigned integer, LEB128. */
  u32(value: number): this {
    let rest = value
    for (; rest > 127; rest >>>= 7) this.byte((rest & 127) | 128)
    return this.byte(rest)
  }

  f64(value: number): this {
    this.room(8)
    new DataView(this.bytes.buffer).setFloat64(this.length, value, true)
    this.length += 8
    return this
  }

  name(text: string): this {
    return this.u32(text.length).byte(...Array.from(text, (c) => c.charCodeAt(0)))
  }

  append(other: Bytes): this {
    this.room(other.length)
    this.bytes.set(other.view(), this.length)
    this.length += other.length
    return this
  }

  /** With its length before it. */
  sized(other: Bytes): this {
    return this.u32(other.length).append(other)
  }

  view(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length)
  }

  private room(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = new Uint8Array(2 * (this.length + more))
    grown.set(this.bytes)
    this.bytes = grown
  }
}

export const F64 = 0x7c
export const I32 = 0x7f
export const V128 = 0x7b

/** A function of i32 parameters with an i32 result. */
export interface WasmFunction {
  readonly parameters: number
  /** Types and counts of its locals after the parameters. */
  readonly locals: readonly (readonly [count: number, type: number])[]
  readonly body: Bytes
  /** By which it is exported. */
  readonly name?: string
}

/** Of 64 KiB, in 4 GiB. */
const MOST_PAGES = 65536

/** A module that imports its memory as `state.memory`, of so many pages or more. */
export function moduleOf(functions: readonly WasmFunction[], pages: number): Uint8Array<ArrayBuffer> {
  const module = new Bytes().byte(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
  const section = (id: number, content: Bytes) => module.byte(id).sized(content)
  const arities = [...new Set(functions.map(({ parameters }) => parameters))]
  const types = new Bytes().u32(arities.length)
  for (const n of arities) types.byte(0x60).u32(n).byte(...new Array(n).fill(I32)).byte(1, I32) // biome-ignore format: a type
  section(1, types)
  section(2, new Bytes().u32(1).name('state').name('memory').byte(2, 1).u32(pages).u32(MOST_PAGES))
  const declared = new Bytes().u32(functions.length)
  for (const { parameters } of functions) declared.u32(arities.indexOf(parameters))
  section(3, declared)
  const named = functions.flatMap(({ name }, index) => (name === undefined ? [] : [{ name, index }]))
  const exported = new Bytes().u32(named.length)
  for (const { name, index } of named) exported.name(name).byte(0).u32(index)
  section(7, exported)
  const code = new Bytes().u32(functions.length)
  for (const { locals, body } of functions) {
    const used = locals.filter(([count]) => count > 0)
    const all = new Bytes().u32(used.length)
    for (const [count, type] of used) all.u32(count).byte(type)
    code.sized(all.append(body).byte(0x0b))
  }
  section(10, code)
  return module.view()
}
