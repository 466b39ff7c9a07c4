import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import protocols from '@foxglove/ws-protocol'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { streamLive } from '../../../compare/recording/live.ts'
import { readMcap } from '../../../compare/scenario/logs/mcap.ts'
import { ended, featherbed, refusal, temporaryFolder } from '../command.ts'

const folder = temporaryFolder()

test.each(['foxglove.sdk.v1', 'foxglove.websocket.v1'])(
  'a run is streamed over %s: channels with their schemas, messages byte by byte',
  async (protocol) => {
    const file = join(folder.path, 'run.mcap')
    await ended(
      0,
      featherbed(['run', 'diffdrive', '--model', 'ncp', '--duration', '0.1', '--no-timing', '--record', file, '--quiet']),
    )
    const own = readMcap(file, readFileSync(file), () => true)
    const live = await streamLive(file, readFileSync(file), 0)
    onTestFinished(() => live.close())
    const client = new protocols.FoxgloveClient({ ws: new WebSocket(live.url, protocol) as never })
    onTestFinished(() => client.close())
    const got = await new Promise<{ topic: string; schema: string; data: Uint8Array; time: bigint }>((resolve, reject) => {
      client.on('error', reject)
      client.on('advertise', (channels) => {
        const state = channels.find(({ topic }) => topic === '/tf')
        if (!state) return
        client.subscribe(state.id)
        client.on('message', ({ data, timestamp }) =>
          resolve({
            topic: state.topic,
            schema: state.schema,
            time: timestamp,
            data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
          }),
        )
      })
    })
    const sent = own.messages.filter(({ channel }) => channel.topic === '/tf').find(({ time }) => time === got.time)
    expect(Buffer.from(got.data).equals(Buffer.from(sent?.data as Uint8Array))).toBe(true)
    expect(got.schema).toBe(sent?.channel.schema.text)
  },
)

test('--live needs a recording, and a port', async () => {
  expect(await refusal(['run', 'diffdrive', '--live', '8765'])).toContain('--record FILE.mcap')
  expect(await refusal(['run', 'diffdrive', '--live', 'here', '--record', join(folder.path, 'a.mcap')])).toContain(
    'from 0 to 65535',
  )
})
