// Preloaded before the service. The process kills itself right after its n-th write, or its first write of a kind, as in
// a power failure.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..', 'node_modules')
const { Connection } = require(join(root, 'mongodb/lib/cmap/connection.js'))
const { JsMsgImpl } = require(join(root, 'nats/lib/jetstream/jsmsg.js'))

const last = Number(process.env['DIE_AFTER_WRITES'])
const lastKind = process.env['DIE_AFTER_WRITE_OF']
const noteAt = process.env['DIE_NOTE']!
const records = ['executions', 'lanes', 'senders', 'deliveries']
const writes: string[] = []

function written(what: string): void {
  writes.push(what)
  writeFileSync(noteAt, writes.join('\n'))
  if (writes.length === last || (lastKind && what.endsWith(lastKind))) process.kill(process.pid, 'SIGKILL')
}

const command = Connection.prototype.command
Connection.prototype.command = async function (...given: [unknown, Record<string, unknown>]) {
  const [verb] = Object.keys(given[1])
  const name = String(given[1][verb!])
  const answer = await command.apply(this, given)
  if ((verb === 'insert' || verb === 'update') && records.includes(name)) written(`${verb} ${name}`)
  return answer
}

const ack = JsMsgImpl.prototype.ack
JsMsgImpl.prototype.ack = function () {
  ack.call(this)
  setImmediate(() => written('acknowledge'))
}

const send = globalThis.fetch
const sent = async (...given: Parameters<typeof fetch>): Promise<Response> => {
  const answer = await send(...given)
  if (String(given[1]?.body ?? '').includes('eth_sendRawTransaction')) written('broadcast')
  return answer
}
globalThis.fetch = Object.assign(sent, send)
