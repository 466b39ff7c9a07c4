import type { AddressInfo } from 'node:net'
import { readMcap } from '../scenario/logs/mcap.ts'

/** Names of the protocol: the present one, and that of programs before it (Foxglove SDK; ws-protocol 0.8). */
const PROTOCOLS = ['foxglove.sdk.v1', 'foxglove.websocket.v1']
/** Between two portions of messages, and after the end of the run [ms]. */
const [PORTION, PAUSE] = [20, 1000]

/** A stream to Foxglove and to whatever else speaks its WebSocket protocol. */
export type Live = Readonly<Awaited<ReturnType<typeof streamLive>>>

/**
 * Streams a recording on 127.0.0.1 over Foxglove's WebSocket protocol, at the pace of simulated time, again and again.
 *
 * @param name of the file, for errors @param bytes an MCAP file
 * @param port 0 for any that is free
 * @throws Error where the port is taken
 */
export async function streamLive(name: string, bytes: Uint8Array, port: number) {
  const [protocol, { WebSocketServer }] = await Promise.all([import('@foxglove/ws-protocol'), import('ws')])
  const { FoxgloveServer } = protocol.default // CommonJS, whose names Node does not see
  const { channels, messages } = readMcap(name, bytes, () => true)
  const server = new FoxgloveServer({ name: 'featherbed', capabilities: ['time'] })
  const numbers = new Map(
    channels.map((channel) => {
      const { topic, encoding, schema } = channel
      const stated = { topic, encoding, schemaName: schema.name, schema: schema.text, schemaEncoding: schema.encoding }
      return [channel, server.addChannel(stated)]
    }),
  )
  const sockets = new WebSocketServer({
    ...{ host: '127.0.0.1', port },
    handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  })
  sockets.on('connection', (socket, { socket: { remoteAddress, remotePort } }) =>
    server.handleConnection(socket as unknown as Parameters<typeof server.handleConnection>[0], `${remoteAddress}:${remotePort}`),
  )
  await new Promise<void>((resolve, reject) => sockets.once('listening', resolve).once('error', reject))
  const first = messages[0]?.time ?? 0n
  let [next, begun] = [0, performance.now()]
  // shapes and fixed frames are sent once a run: a client that subscribes later gets the last message of each channel
  const last = new Map<number, () => void>()
  server.on('subscribe', (channel) => last.get(channel)?.())
  const timer = setInterval(() => {
    const now = first + BigInt(Math.round(1e6 * (performance.now() - begun)))
    for (; next < messages.length && messages[next].time <= now; next++) {
      const { channel, time, data } = messages[next]
      const number = numbers.get(channel) as number
      const send = () => server.sendMessage(number, time, data as Uint8Array<ArrayBuffer>)
      last.set(number, send)
      send()
    }
    server.broadcastTime(now)
    if (next < messages.length) return
    next = 0
    begun = performance.now() + PAUSE
  }, PORTION)
  return {
    url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    /** Ends it. */
    close() {
      clearInterval(timer)
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}
