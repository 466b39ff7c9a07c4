import { readFileSync } from 'node:fs'
import { McapIndexedReader, McapStreamReader, type McapTypes } from '@mcap/core'

/** One message as a reader of the file sees it. */
export interface ReadMessage {
  readonly topic: string
  readonly schema: string
  readonly logTime: bigint
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON holds; the tests say what they expect
  readonly json: any
}

const parse = (data: Uint8Array) => JSON.parse(Buffer.from(data).toString())

/** Reads a complete file by its summary, with the library's own reader. */
export async function readIndexed(path: string) {
  const bytes = readFileSync(path)
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, length) => bytes.subarray(Number(offset), Number(offset + length)),
    },
  })
  const messages: ReadMessage[] = []
  for await (const { channelId, logTime, data } of reader.readMessages()) {
    const channel = reader.channelsById.get(channelId) as McapTypes.Channel
    const schema = reader.schemasById.get(channel.schemaId) as McapTypes.Schema
    messages.push({ topic: channel.topic, schema: schema.name, logTime, json: parse(data) })
  }
  const metadata = new Map<string, Map<string, string>>()
  for await (const record of reader.readMetadata()) metadata.set(record.name, record.metadata)
  const attachments = new Map<string, { mediaType: string; text: string }>()
  for await (const { name, mediaType, data } of reader.readAttachments())
    attachments.set(name, { mediaType, text: Buffer.from(data).toString() })
  return { reader, messages, metadata, attachments }
}

/** Reads what there is from the first byte on, checksums included, as far as it goes; a file without an end is no error. */
export function readStream(bytes: Uint8Array) {
  const reader = new McapStreamReader({ validateCrcs: true })
  const channels = new Map<number, string>()
  const messages: { topic: string; json: ReadMessage['json'] }[] = []
  const kinds = new Map<string, number>()
  reader.append(bytes)
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    kinds.set(record.type, (kinds.get(record.type) ?? 0) + 1)
    if (record.type === 'Channel') channels.set(record.id, record.topic)
    if (record.type === 'Message') messages.push({ topic: channels.get(record.channelId) as string, json: parse(record.data) })
  }
  return { messages, kinds, done: reader.done() }
}

/** Rows of a table by RFC 4180. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

interface JsonSchema {
  readonly type?: string
  readonly const?: unknown
  readonly oneOf?: readonly JsonSchema[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
}

/** Where a value does not follow a JSON schema, as far as the schemas of recordings go; a property that it does not know is a fault. */
export function schemaFaults(value: unknown, schema: JsonSchema, at = ''): string[] {
  if (schema.oneOf) {
    const fits = schema.oneOf.filter((one) => schemaFaults(value, one, at).length === 0).length
    return fits === 1 ? [] : [`${at}: ${fits} of the alternatives fit ${JSON.stringify(value)}`]
  }
  if ('const' in schema) return value === schema.const ? [] : [`${at}: ${value} is not ${schema.const}`]
  const wrong = (what: string) => [`${at}: ${JSON.stringify(value)} is not ${what}`]
  switch (schema.type) {
    case 'number':
    case 'integer': {
      if (typeof value !== 'number' || (schema.type === 'integer' && !Number.isInteger(value))) return wrong(schema.type)
      const { minimum = -Infinity, maximum = Infinity } = schema
      return value >= minimum && value <= maximum ? [] : wrong(`from ${minimum} to ${maximum}`)
    }
    case 'string':
      return typeof value === 'string' ? [] : wrong('a string')
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('a boolean')
    case 'array':
      if (!Array.isArray(value)) return wrong('an array')
      return schema.items ? value.flatMap((item, i) => schemaFaults(item, schema.items as JsonSchema, `${at}[${i}]`)) : []
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('an object')
      const properties = schema.properties ?? {}
      const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key)).map((key) => `${at}.${key} is missing`)
      const faults = Object.entries(value).flatMap(([key, inner]) =>
        Object.hasOwn(properties, key) ? schemaFaults(inner, properties[key], `${at}.${key}`) : [`${at}.${key} is unknown`],
      )
      return [...missing, ...faults]
    }
    default:
      return [`${at}: a schema of type ${schema.type} is not understood`]
  }
}
