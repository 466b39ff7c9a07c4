/** WebAssembly as far as it is used here: it is the same in Node and in a page, but TypeScript declares it for pages alone. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}
/** A compiled module; it can be sent to workers. */
export type WasmModule = object

interface WasmHost {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule
  readonly Instance: new (module: WasmModule, imports: { state: { memory: WasmMemory } }) => { readonly exports: object }
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule>
}

declare const WebAssembly: WasmHost
/** Refuses where a page's policy forbids it. */
export const webAssembly = WebAssembly
