/** MCAP files as they are read, those of other programs too. */
import { McapStreamReader } from '@mcap/core'
import { decompress as decompressZstd } from 'fzstd'
import { Meter } from '../../../dynamics/index.ts'
import { mostUnpacked } from '../sharedRun.ts'

export interface McapChannel {
  readonly topic: string
  readonly encoding: string
  readonly schema: { readonly name: string; readonly encoding: string; readonly text: string }
}

export interface McapContents {
  readonly channels: readonly McapChannel[]
  /** Time in [ns]. */
  readonly messages: readonly { readonly channel: McapChannel; readonly time: bigint; readonly data: Uint8Array }[]
  readonly metadata: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** The schema of a robot's joints in ROS 2. */
export const JOINT_STATE = 'sensor_msgs/msg/JointState'

/**
 * Contents of an MCAP file in the order of its bytes; of one that was cut off, as far as it goes.
 *
 * @param wants the channels whose messages are kept
 * @throws Error for bytes that are damaged, or unpack to more than `mostUnpacked`
 */
export function readMcap(name: string, bytes: Uint8Array, wants: (channel: McapChannel) => boolean): McapContents {
  const textOf = (data: Uint8Array) => new TextDecoder().decode(data)
  const schemas = new Map([[0, { name: '', encoding: '', text: '' }]])
  const channels = new Map<number, McapChannel>()
  const messages: McapContents['messages'][number][] = []
  const metadata = new Map<string, ReadonlyMap<string, string>>()
  const files: { name: string; text: string }[] = []
  const most = mostUnpacked(bytes.length)
  const meter = new Meter({ bytes: most }, () => new Error(`it unpacks to more than ${most} bytes`))
  const unpacked = (unpack: (packed: Uint8Array, out: Uint8Array) => unknown) => (packed: Uint8Array, size: bigint) => {
    meter.ask('bytes', Number(size))
    const out = new Uint8Array(Number(size))
    unpack(packed, out)
    return out
  }
  const decompressHandlers = { zstd: unpacked(decompressZstd), lz4: unpacked(decompressLz4) }
  try {
    const reader = new McapStreamReader({ validateCrcs: true, decompressHandlers })
    reader.append(bytes)
    for (let one = reader.nextRecord(); one !== undefined; one = reader.nextRecord()) {
      if (one.type === 'Schema') schemas.set(one.id, { name: one.name, encoding: one.encoding, text: textOf(one.data) })
      else if (one.type === 'Channel' && !channels.has(one.id)) {
        const schema = schemas.get(one.schemaId)
        if (schema) channels.set(one.id, { topic: one.topic, encoding: one.messageEncoding, schema })
      } else if (one.type === 'Metadata') metadata.set(one.name, one.metadata)
      else if (one.type === 'Attachment') files.push({ name: one.name, text: textOf(one.data) })
      else if (one.type === 'Message') {
        const channel = channels.get(one.channelId)
        if (channel && wants(channel)) messages.push({ channel, time: one.logTime, data: one.data })
      }
    }
  } catch (error) {
    throw new Error(`${name} is no recording that can be read: ${error instanceof Error ? error.message : error}`)
  }
  return { channels: [...channels.values()], messages, metadata, files }
}

/** Facts of the run in a file of `featherbed run --record` or of the page. @throws Error for a file of others, or without states */
export function runIn(name: string, { channels, metadata }: McapContents): ReadonlyMap<string, string> {
  const run = metadata.get('featherbed.run')
  const has = (schema: string) => channels.some((channel) => channel.schema.name === schema)
  if (run !== undefined && has('featherbed.State')) return run
  throw new Error(
    `${name} holds no run of ours: recordings are made by "featherbed run --record", or by this page. ${has(JOINT_STATE) ? 'It is a log of ROS 2: drop it on the page when its robot stands there, or name it in a trajectory.' : 'Others are for Foxglove.'}`,
  )
}

/** An LZ4 frame (LZ4 Frame Format 1.6) into an array of its length. The chunk has a checksum of its own. @throws Error */
function decompressLz4(packed: Uint8Array, out: Uint8Array): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length)
  if (view.getUint32(0, true) !== 0x184d2204) throw new Error('it is no LZ4 frame')
  const flags = view.getUint8(4) // 0x08: with its length, 0x01: with a dictionary, 0x10: a checksum a block
  let length = 0
  for (let at = 7 + (flags & 8) + (flags & 1 ? 4 : 0), head = 1; ; ) {
    head = view.getUint32(at, true)
    if (head === 0) return
    const [start, end] = [at + 4, at + 4 + (head & 0x7fff_ffff)]
    if (end > packed.length) throw new Error('a block of LZ4 was cut off')
    if (head >>> 31 === 0) length = unpackBlock(packed.subarray(start, end), out, length)
    else out.set(packed.subarray(start, end), length)
    if (head >>> 31 === 1) length += end - start
    at = end + (flags & 16 ? 4 : 0)
  }
}

/** A block of LZ4 (LZ4 Block Format), behind the first `length` bytes of an array; its new length. @throws Error */
function unpackBlock(packed: Uint8Array, out: Uint8Array, length: number): number {
  let at = 0
  const counted = (count: number) => {
    for (let more = count === 15 ? 255 : 0; more === 255; count += more) more = packed[at++] ?? 0
    return count
  }
  while (at < packed.length) {
    const token = packed[at++]
    const literals = counted(token >> 4)
    out.set(packed.subarray(at, at + literals), length)
    at += literals
    length += literals
    if (at >= packed.length) break
    const offset = packed[at] + 256 * packed[at + 1]
    at += 2
    const end = length + 4 + counted(token & 15)
    if (!(offset > 0 && offset <= length && end <= out.length)) throw new Error('a block of LZ4 is damaged')
    for (; length < end; length++) out[length] = out[length - offset]
  }
  return length
}
