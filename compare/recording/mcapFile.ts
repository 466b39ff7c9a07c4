import { crc32, crc32Final, crc32Init, crc32Update } from '@foxglove/crc'
import { McapChunkBuilder, McapRecordBuilder, type McapTypes, Opcode } from '@mcap/core'
import type { Compression } from './compression.ts'
import type { Output } from './output.ts'

const encoder = new TextEncoder()

/** When messages go to the disk as a chunk: as soon as one of these is reached. */
export interface FlushLimits {
  /** Default 100. */
  readonly flushFrames?: number
  /** Computing time, checked whenever a frame ends [s]. Default 0.5. */
  readonly flushSeconds?: number
}

const CHUNK_BYTES = 256 * 1024

export interface McapFileOptions extends FlushLimits {
  /** Of the file, such as ros2; default none. */
  readonly profile?: string
  /** Of chunks; default none. */
  readonly compression?: Compression
}

/** A kind of message on a topic: JSON, or CDR where the schema is one of ROS 2. */
export interface Topic {
  readonly topic: string
  readonly schema: { readonly name: string; readonly encoding?: 'ros2msg'; readonly text: string }
  /** Facts about the topic that hold for the whole file. */
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * An MCAP file (mcap.dev/spec), written in one go: chunks with message indices, then the summary. It is
 * written as it grows, so that whatever ends the process leaves every chunk that was finished: readers that stream read such a
 * file to its end, and `mcap recover` gives it its summary.
 *
 * The library's own writer cannot be used from a loop that never awaits; this one puts its records together instead.
 */
export class McapFile {
  readonly #file: Output
  readonly #limits: Required<FlushLimits>
  readonly #compression: Compression | undefined
  readonly #records = new McapRecordBuilder()
  readonly #chunk = new McapChunkBuilder({ useMessageIndex: true })
  readonly #schemas = new Map<string, McapTypes.Schema>()
  readonly #channels: McapTypes.Channel[] = []
  readonly #chunks: McapTypes.ChunkIndex[] = []
  readonly #attachments: McapTypes.AttachmentIndex[] = []
  readonly #metadata: McapTypes.MetadataIndex[] = []
  readonly #counts: bigint[] = []
  readonly #message = { channelId: 0, sequence: 0, logTime: 0n, publishTime: 0n, data: new Uint8Array() }
  #text = new Uint8Array(64 * 1024)
  #start: bigint | undefined
  #end = 0n
  #crc = crc32Init()
  #frames = 0
  #lastTime = 0
  #flushedAt = performance.now()

  /** @throws RecordingError if it cannot be written */
  constructor(output: Output, library: string, options: McapFileOptions = {}) {
    const { flushFrames = 100, flushSeconds = 0.5, profile = '', compression } = options
    this.#limits = { flushFrames, flushSeconds }
    this.#compression = compression
    this.#file = output
    this.#guard(() => {
      this.#records.writeMagic()
      this.#records.writeHeader({ profile, library })
      this.#append()
    })
  }

  get size(): number {
    return this.#file.size
  }

  /** Notes down facts about the recording. @throws RecordingError */
  addMetadata(name: string, entries: Readonly<Record<string, string>>): void {
    const offset = BigInt(this.#file.size)
    this.#guard(() => {
      const length = this.#records.writeMetadata({ name, metadata: new Map(Object.entries(entries)) })
      this.#append()
      this.#metadata.push({ name, offset, length })
    })
  }

  /** Puts a whole text into the file. @throws RecordingError */
  addAttachment(name: string, mediaType: string, text: string): void {
    const offset = BigInt(this.#file.size)
    const data = encoder.encode(text)
    const times = { logTime: 0n, createTime: 0n } // of simulated time; 0 also says that it is not known
    this.#guard(() => {
      const length = this.#records.writeAttachment({ ...times, name, mediaType, data })
      this.#append()
      this.#attachments.push({ ...times, offset, length, name, mediaType, dataSize: BigInt(data.length) })
    })
  }

  /** Announces a topic; answers its number. Every topic is announced before the first message. */
  addTopic({ topic, schema, metadata = {} }: Topic): number {
    let known = this.#schemas.get(schema.name)
    if (known === undefined) {
      const { name, encoding = 'jsonschema', text } = schema
      known = { id: this.#schemas.size + 1, name, encoding, data: encoder.encode(text) }
      this.#schemas.set(schema.name, known)
      this.#chunk.addSchema(known)
    }
    const id = this.#channels.length
    const messageEncoding = known.encoding === 'ros2msg' ? 'cdr' : 'json'
    const channel = { id, schemaId: known.id, topic, messageEncoding, metadata: new Map(Object.entries(metadata)) }
    this.#channels.push(channel)
    this.#counts.push(0n)
    this.#chunk.addChannel(channel)
    return id
  }

  /** @param logTime simulated time [ns] @param content JSON, or bytes of CDR, which are read at once */
  addMessage(topic: number, logTime: bigint, content: string | Uint8Array<ArrayBuffer>): void {
    const message = this.#message
    message.channelId = topic
    message.sequence = Number(this.#counts[topic]++)
    message.logTime = logTime
    message.publishTime = logTime
    message.data = typeof content === 'string' ? this.#encoded(content) : content
    this.#chunk.addMessage(message)
    if (this.#start === undefined || logTime < this.#start) this.#start = logTime
    if (logTime > this.#end) this.#end = logTime
  }

  #encoded(json: string): Uint8Array<ArrayBuffer> {
    // UTF-8 takes up to 3 bytes for one unit of a string
    if (this.#text.length < 3 * json.length) this.#text = new Uint8Array(6 * json.length)
    return this.#text.subarray(0, encoder.encodeInto(json, this.#text).written)
  }

  /** Ends a frame, t its time [s]: now a chunk may go to the disk. @throws RecordingError */
  endFrame(t: number): void {
    this.#frames++
    this.#lastTime = t
    const { flushFrames, flushSeconds } = this.#limits
    const due = this.#frames - this.#file.frames >= flushFrames || this.#chunk.byteLength >= CHUNK_BYTES
    if (due || performance.now() - this.#flushedAt >= 1e3 * flushSeconds) this.flush()
  }

  /** Writes the buffer. @throws RecordingError */
  flush(): void {
    this.#flushedAt = performance.now()
    this.#guard(() => this.#writeChunk())
  }

  #writeChunk(): void {
    const chunk = this.#chunk
    if (chunk.numMessages === 0) return
    const whole = chunk.buffer
    const { name: compression = '', compress } = this.#compression ?? {}
    const records = compress?.(whole) ?? whole
    const { messageStartTime, messageEndTime } = chunk
    const uncompressedSize = BigInt(whole.length)
    const chunkStartOffset = BigInt(this.#file.size)
    const chunkLength = this.#records.writeChunk({
      messageStartTime,
      messageEndTime,
      uncompressedSize,
      uncompressedCrc: crc32(whole),
      compression,
      records,
    })
    const messageIndexOffsets = new Map<number, bigint>()
    let messageIndexLength = 0n
    for (const index of chunk.indices) {
      if (index.records.length === 0) continue
      messageIndexOffsets.set(index.channelId, chunkStartOffset + chunkLength + messageIndexLength)
      messageIndexLength += this.#records.writeMessageIndex(index)
    }
    this.#append(this.#frames)
    this.#chunks.push({
      messageStartTime,
      messageEndTime,
      chunkStartOffset,
      chunkLength,
      messageIndexOffsets,
      messageIndexLength,
      compression,
      compressedSize: BigInt(records.length),
      uncompressedSize,
    })
    chunk.reset()
  }

  /** Writes the summary and closes. @throws RecordingError */
  close(): void {
    this.#guard(() => {
      this.#writeChunk()
      this.#writeEnd()
      this.#file.close()
    })
  }

  /** When something cannot be written, there may still be room for the summary of old data; then the file is closed. */
  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#records.reset()
      this.#chunk.reset()
      try {
        this.#writeEnd()
        this.#file.close()
      } catch {
        this.#file.abandon()
      }
      throw error
    }
  }

  #writeEnd(): void {
    this.#records.writeDataEnd({ dataSectionCrc: crc32Final(this.#crc) })
    this.#writeSummary(BigInt(this.#file.size + this.#records.length))
    this.#append()
  }

  /** Behind the end of the data, whose length is at `start`: contents, and where. */
  #writeSummary(start: bigint): void {
    const records = this.#records
    const from = records.length
    const offsets: { groupOpcode: Opcode; groupStart: bigint; groupLength: bigint }[] = []
    const group = (groupOpcode: Opcode, write: () => void) => {
      const before = records.length
      write()
      const groupLength = BigInt(records.length - before)
      if (groupLength > 0n) offsets.push({ groupOpcode, groupStart: start + BigInt(before - from), groupLength })
    }
    group(Opcode.SCHEMA, () => {
      for (const schema of this.#schemas.values()) records.writeSchema(schema)
    })
    group(Opcode.CHANNEL, () => {
      for (const channel of this.#channels) records.writeChannel(channel)
    })
    group(Opcode.STATISTICS, () => {
      records.writeStatistics({
        messageCount: this.#counts.reduce((sum, count) => sum + count, 0n),
        schemaCount: this.#schemas.size,
        channelCount: this.#channels.length,
        attachmentCount: this.#attachments.length,
        metadataCount: this.#metadata.length,
        chunkCount: this.#chunks.length,
        messageStartTime: this.#start ?? 0n,
        messageEndTime: this.#end,
        channelMessageCounts: new Map([...this.#counts.entries()].filter(([, count]) => count > 0n)),
      })
    })
    group(Opcode.METADATA_INDEX, () => {
      for (const index of this.#metadata) records.writeMetadataIndex(index)
    })
    group(Opcode.ATTACHMENT_INDEX, () => {
      for (const index of this.#attachments) records.writeAttachmentIndex(index)
    })
    group(Opcode.CHUNK_INDEX, () => {
      for (const index of this.#chunks) records.writeChunkIndex(index)
    })
    const summaryOffsetStart = start + BigInt(records.length - from)
    for (const offset of offsets) records.writeSummaryOffset(offset)

    // the checksum covers the footer too, up to where it stands itself
    const footer = new DataView(new ArrayBuffer(1 + 8 + 8 + 8))
    footer.setUint8(0, Opcode.FOOTER)
    footer.setBigUint64(1, 20n, true)
    footer.setBigUint64(9, start, true)
    footer.setBigUint64(17, summaryOffsetStart, true)
    const summaryCrc = crc32Final(crc32Update(crc32Update(crc32Init(), records.buffer.subarray(from)), footer))
    records.writeFooter({ summaryStart: start, summaryOffsetStart, summaryCrc })
    records.writeMagic()
  }

  /** Appends the records put together so far. */
  #append(frames = this.#file.frames): void {
    const piece = this.#records.buffer
    this.#records.reset()
    this.#file.append(piece, frames, this.#lastTime)
    this.#crc = crc32Update(this.#crc, piece)
  }
}
