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

/** A function without parameters, with an i32 result. */
export interface WasmFunction {
  /** Counts and types of its locals. */
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
  section(1, new Bytes().u32(1).byte(0x60, 0, 1, I32))
  section(2, new Bytes().u32(1).name('state').name('memory').byte(2, 1).u32(pages).u32(MOST_PAGES))
  const declared = new Bytes().u32(functions.length)
  for (let k = 0; k < functions.length; k++) declared.u32(0)
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
