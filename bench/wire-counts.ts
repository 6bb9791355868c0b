import { connect, createServer, type Socket } from 'node:net'
import { BSON } from 'mongodb'

/** Counts of what passed, by name, such as `update executions` or `PUB wakes`. */
export type WireCounts = Map<string, number>

/** Reads the bytes of one direction of a connection, in pieces of any size, and reports the name of each message. */
type Reader = (bytes: Buffer) => void
type Protocol = { fromClient: (onMessage: (name: string) => void) => Reader; fromServer: Protocol['fromClient'] }

export type CountedServer = { url: string; counts: WireCounts; stop(): Promise<void> }

/** Listens in front of a server and counts the messages that pass, in both directions. */
export async function counted(url: string, protocol: Protocol): Promise<CountedServer> {
  const target = new URL(url)
  const counts: WireCounts = new Map()
  const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const [sent, received] = [protocol.fromClient(count), protocol.fromServer(count)]
    client.on('data', (bytes: Buffer) => sent(bytes))
    upstream.on('data', (bytes: Buffer) => received(bytes))
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        open.delete(socket)
        for (const other of [client, upstream]) other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const own = new URL(url)
  own.port = String((server.address() as { port: number }).port)
  const stop = () => {
    for (const socket of open) socket.destroy()
    return new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
  }
  return { url: own.href, counts, stop }
}

const [headerBytes, opMsg] = [16, 2013]
/** The command's document begins after the header, four bytes of flags and a kind. */
const documentAt = headerBytes + 4 + 1

/** Counts MongoDB's commands by their name, their collection and the fields of their filter. */
export const mongoCommands: Protocol = {
  fromClient: (onMessage) => {
    let rest = Buffer.alloc(0)
    return (bytes) => {
      rest = Buffer.concat([rest, bytes])
      while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0))
        rest = rest.subarray(message.length)
        onMessage(message.readInt32LE(12) === opMsg ? commandOf(message) : 'unread')
      }
    }
  },
  fromServer: () => () => {},
}

function commandOf(message: Buffer): string {
  const command = BSON.deserialize(message.subarray(documentAt, documentAt + message.readInt32LE(documentAt)))
  const [name, collection] = Object.entries(command)[0]!
  const fields = Object.keys(command['filter'] ?? {}).join(', ')
  return [name, typeof collection === 'string' ? collection : '', fields && `by ${fields}`].filter(Boolean).join(' ')
}

/** Counts published and delivered messages of NATS by the first parts of their subject. */
export const natsMessages: Protocol = {
  fromClient: (onMessage) => linesOf(['PUB', 'HPUB'], onMessage),
  fromServer: (onMessage) => linesOf(['MSG', 'HMSG'], onMessage),
}

function linesOf(operations: readonly string[], onMessage: (name: string) => void): Reader {
  let [rest, payloadLeft] = [Buffer.alloc(0), 0]
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const skipped = Math.min(payloadLeft, rest.length)
      rest = rest.subarray(skipped)
      payloadLeft -= skipped
      const end = rest.indexOf('\r\n')
      if (payloadLeft > 0 || end < 0) return
      const words = rest.toString('utf8', 0, end).split(' ')
      rest = rest.subarray(end + 2)
      if (!operations.includes(words[0]!)) continue
      onMessage(`${words[0]!.replace('H', '')} ${words[1]!.startsWith('_INBOX') ? 'answers' : subjectOf(words[1]!)}`)
      payloadLeft = Number(words.at(-1)) + 2
    }
  }
}

const subjectOf = (subject: string): string =>
  subject
    .split('.')
    .slice(0, 3)
    .join('.')
    .replace(/\.\d+$/, '')
