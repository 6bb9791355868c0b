import { connect, createServer, type Socket } from 'node:net'
import { BSON, type Document } from 'mongodb'

/**
 * The fault that a command meets. `Refused` without `isApplied`: a server that is no longer primary refuses the
 * command. `Refused` with `isApplied`: the command runs, but the response reports that no majority has it yet. `cut`:
 * the connection ends before or after the command runs.
 */
export type Fault = Refused | { cut: 'BEFORE' | 'AFTER' }
/** `ofEach`: the command succeeds, but each of its writes is refused. */
type Refused = { code: number; codeName: string; isApplied: boolean; ofEach?: boolean }

export type Command = Document & { name: string; collection: string; isWrite: boolean }

/** Responses of a real primary that steps down, shuts down, or has lost its role. */
export const faults: Record<string, Fault> = {
  'is not the primary': { code: 10107, codeName: 'NotWritablePrimary', isApplied: false },
  'steps down before': { code: 189, codeName: 'PrimarySteppedDown', isApplied: false },
  'is interrupted before': { code: 11602, codeName: 'InterruptedDueToReplStateChange', isApplied: false },
  'is interrupted after': { code: 11602, codeName: 'InterruptedDueToReplStateChange', isApplied: true },
  'steps down after': { code: 189, codeName: 'PrimarySteppedDown', isApplied: true },
  'shuts down': { code: 91, codeName: 'ShutdownInProgress', isApplied: false },
  'finds no majority in time': { code: 64, codeName: 'WriteConcernTimeout', isApplied: true },
  'is cut off before': { cut: 'BEFORE' },
  'is cut off after': { cut: 'AFTER' },
}

/** Responses of a server to a write when its disk is full. */
export const fullDiskFaults: Record<string, Fault> = {
  'refuses the command': { code: 14031, codeName: 'OutOfDiskSpace', isApplied: false },
  'refuses each write': { code: 14031, codeName: 'OutOfDiskSpace', isApplied: false, ofEach: true },
}

const [legacyReply, legacyQuery, message] = [1, 2004, 2013]
const writes = ['insert', 'update', 'delete', 'findAndModify', 'findandmodify']
const greetings = ['hello', 'ismaster', 'isMaster']
const unfailing = [...greetings, 'endSessions', 'ping', 'killCursors', 'buildInfo']
const setName = 'wire'
/** A write that timed out waiting for its majority is applied, and is not repeated. */
const slowMajority = 64
const fullDisk = 14031

const framed = (kind: number, responseTo: number, body: Uint8Array): Buffer => {
  const header = Buffer.alloc(16)
  for (const [n, value] of [16 + body.length, 1, responseTo, kind].entries()) header.writeInt32LE(value, n * 4)
  return Buffer.concat([header, body])
}
const answerOf = (responseTo: number, document: Document): Buffer =>
  framed(message, responseTo, Buffer.concat([Buffer.alloc(5), BSON.serialize(document)]))

/** Offset of a message's document: after the flags and the section kind, or after OP_REPLY's counts. */
const bodyAt = (frame: Buffer): number => (frame.readInt32LE(12) === legacyReply ? 36 : 21)
function documentOf(frame: Buffer): Document {
  const at = bodyAt(frame)
  return BSON.deserialize(frame.subarray(at, at + frame.readInt32LE(at)), { promoteValues: false })
}

function commandOf(frame: Buffer): Command | null {
  if (frame.readInt32LE(12) !== message) return null
  const at = bodyAt(frame)
  const document = BSON.deserialize(frame.subarray(at, at + frame.readInt32LE(at)))
  const name = Object.keys(document)[0]!
  return { ...document, name, collection: String(document[name]), isWrite: writes.includes(name) }
}

/** Splits a stream of bytes into messages. */
function messages(socket: Socket, onMessage: (frame: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0)
      onMessage(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  })
}

/**
 * A MongoDB-protocol proxy that fails as members of a replica set fail, in front of a server that never fails. With
 * `isSet` it presents itself as a member of a set, and the driver then retries. It caches replies by session and
 * transaction number, as a real member does, so a repeated write is not applied twice. With `runsAgain` it applies a
 * repeated write again, as FerretDB does.
 */
export async function mongoOnTheWire(
  host: string,
  port: number,
  { isSet, runsAgain = false }: { isSet: boolean; runsAgain?: boolean },
) {
  const open = new Set<Socket>()
  const applied = new Map<string, Buffer>()
  const asked: Command[] = []
  let rule: (command: Command) => Fault | null = () => null
  let isPrimary = true

  const asMember = (document: Document): Document => {
    const self = `127.0.0.1:${own}`
    const role = { isWritablePrimary: isPrimary, ismaster: isPrimary, secondary: !isPrimary }
    const set = { setName, setVersion: 1, hosts: [self], me: self, ...(isPrimary && { primary: self }) }
    return { ...document, ...role, ...set, logicalSessionTimeoutMinutes: 30 }
  }

  function greeted(frame: Buffer): Buffer {
    const at = bodyAt(frame)
    const body = BSON.serialize(asMember(documentOf(frame)))
    return framed(frame.readInt32LE(12), frame.readInt32LE(8), Buffer.concat([frame.subarray(16, at), body]))
  }

  function begin(client: Socket): void {
    const server = connect(port, host)
    const waiting: ((frame: Buffer) => void)[] = []
    let before: Promise<unknown> = Promise.resolve()
    const end = () => {
      for (const socket of [client, server]) socket.destroy()
      open.delete(client)
    }
    open.add(client)
    for (const socket of [client, server]) socket.on('error', end).on('close', end)
    messages(server, (frame) => waiting.shift()?.(Buffer.from(frame)))
    const forwarded = (frame: Buffer): Promise<Buffer> =>
      new Promise((resolve) => {
        waiting.push(resolve)
        server.write(frame)
      })

    async function answer(frame: Buffer): Promise<void> {
      const command = commandOf(frame)
      const isGreeting = frame.readInt32LE(12) === legacyQuery || greetings.includes(command?.name ?? '')
      if (isGreeting) {
        const greeting = await forwarded(frame)
        client.write(isSet ? greeted(greeting) : greeting)
        return
      }
      if (!command || unfailing.includes(command.name)) return void client.write(await forwarded(frame))
      const id = frame.readInt32LE(4)
      const key = `${BSON.EJSON.stringify(command['lsid'] ?? null)}:${command['txnNumber']}`
      const isNumbered = !runsAgain && command['txnNumber'] !== undefined
      asked.push(command)
      const fault = rule(command) ?? null
      if (fault && 'cut' in fault && fault.cut === 'BEFORE') return end()
      if (fault && 'code' in fault && !(fault.isApplied && command.isWrite))
        return void client.write(answerOf(id, refusal(fault, command)))
      const known = isNumbered ? applied.get(key) : undefined
      const reply = known ?? (await forwarded(frame))
      if (isNumbered) applied.set(key, reply)
      const cursor = documentOf(reply)['cursor']
      way.returned += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length
      if (fault && 'cut' in fault) return end()
      const result = { ...documentOf(reply), ...(fault && { writeConcernError: fault, ...labels(command, fault) }) }
      client.write(answerOf(id, result))
    }

    messages(client, (frame) => {
      const copy = Buffer.from(frame)
      before = before.then(() => answer(copy)).catch(end)
    })
  }

  const labels = ({ isWrite }: Command, { code }: { code: number }) =>
    isSet && isWrite && ![slowMajority, fullDisk].includes(code) ? { errorLabels: ['RetryableWriteError'] } : {}
  const refusal = (fault: Refused, command: Command): Document => {
    const { code, codeName } = fault
    if (fault.ofEach && !/^findandmodify$/i.test(command.name))
      return { ok: 1, n: 0, nModified: 0, writeErrors: [{ index: 0, code, errmsg: `${codeName} on the wire` }] }
    return { ok: 0, errmsg: `${codeName} on the wire`, code, codeName, ...labels(command, fault) }
  }

  const server = createServer(begin)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = (server.address() as { port: number }).port
  const query = isSet ? `replicaSet=${setName}` : 'directConnection=true'
  const way = {
    /** Number of documents returned. */
    returned: 0,
    /** Server monitoring runs immediately instead of after half a second, which shortens the tests. */
    url: `mongodb://127.0.0.1:${own}/?${query}&minHeartbeatFrequencyMS=5&heartbeatFrequencyMS=1000`,
    asked,
    /** Sets the fault for each further command. None by default. */
    fail(next: (command: Command) => Fault | null = () => null): void {
      rule = next
    },
    /** Reports itself as the primary, or as a secondary that refuses commands for a primary. */
    become(role: 'PRIMARY' | 'SECONDARY'): void {
      isPrimary = role === 'PRIMARY'
      rule = isPrimary ? () => null : () => faults['is not the primary']!
    },
    stop(): void {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
  return way
}
