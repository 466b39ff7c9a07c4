#!/usr/bin/env bash
# Guess: fzstd.decompress(bytes, out) throws where the data are longer than `out`, and gives the part that it wrote where they are shorter.
# Seen, fzstd 0.1.1: neither. Of a frame of 1000 bytes it fills an `out` of 10 and returns it without an error; an `out` of 2000 comes back whole, its second half zeros. A chunk of MCAP
# with a wrong length and no checksum is read as what it is not.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --silent --no-audit --no-fund fzstd@0.1.1 @foxglove/wasm-zstd@1.0.1 >> npm.log
cat > short.mjs <<'JS'
import assert from 'node:assert'
import zstd from '@foxglove/wasm-zstd'
import { decompress } from 'fzstd'

await zstd.isLoaded
const packed = zstd.compress(new Uint8Array(1000).map((_, i) => 1 + (i % 7)))
const seen = [10, 1000, 2000].map((length) => {
  const out = decompress(packed, new Uint8Array(length))
  return [length, out.length, out.filter((x) => x > 0).length]
})
console.log('length of out, of the result, bytes that are not 0:', seen)
assert.deepEqual(seen, [[10, 10, 10], [1000, 1000, 1000], [2000, 2000, 1000]])
assert.throws(() => zstd.decompress(packed, 10))
JS
node short.mjs
