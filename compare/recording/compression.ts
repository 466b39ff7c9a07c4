/** Compression of a file's chunks. */
export interface Compression {
  readonly name: 'zstd' | 'lz4'
  compress(bytes: Uint8Array): Uint8Array
}

/** By its name, loaded; none for 'none'. @unchecked @throws Error for another name */
export async function compressionOf(name: string): Promise<Compression | undefined> {
  if (name === 'none') return undefined
  if (name === 'lz4') {
    const { default: lz4 } = await import('lz4js')
    return { name, compress: (bytes) => lz4.compress(bytes) }
  }
  if (name !== 'zstd') throw new RangeError(`there is no compression "${name}"; it is zstd, lz4 or none`)
  const { default: zstd } = await import('@foxglove/wasm-zstd')
  await zstd.isLoaded
  return { name, compress: (bytes) => zstd.compress(bytes) }
}
