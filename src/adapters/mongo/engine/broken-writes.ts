import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { MongoNetworkError, MongoNetworkTimeoutError } from 'mongodb'

/** The driver's connection, which its types leave out. */
type Connection = EventEmitter & {
  id: number | string
  hello: object | null
  address: string
  socket: Socket
  error: Error | null
  closed: boolean
  onError(error: Error): void
  cleanup(error: Error): void
  writeCommand(...given: unknown[]): Promise<void>
}
type Class = new (socket: Socket, options: object) => Connection

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection') as { Connection: Class }

/**
 * A write that exceeds a socket's buffer, or goes to a destroyed socket, waits for the socket's `drain` event and for
 * nothing else. If the connection closes during that wait, the driver (7.8.0) waits permanently, and so does its
 * caller. Two of these waits during a handshake keep a pool from ever opening a connection again. Under Bun (1.4), the
 * socket's timeout does not end a write that the other side never reads either. This patch ends all of these writes
 * with the error that closes the connection.
 */
function endBrokenWrites(): void {
  const driver = Connection.prototype as Connection
  const { writeCommand, cleanup } = driver
  if (typeof writeCommand !== 'function' || typeof cleanup !== 'function')
    throw new Error('This version of the MongoDB driver has a different connection class: see broken-writes.ts')

  driver.writeCommand = async function (this: Connection, ...given) {
    const name = `connection ${this.id} to ${this.address}`
    if (this.socket.destroyed) this.onError(new MongoNetworkError(`${name} closed`))
    if (this.error) throw this.error
    const beforeHandshake = this.hello === null
    const late = () => this.onError(new MongoNetworkTimeoutError(`${name} timed out`, { beforeHandshake }))
    const timer = this.socket.timeout ? setTimeout(late, this.socket.timeout) : undefined
    try {
      await writeCommand.apply(this, given)
    } finally {
      clearTimeout(timer)
    }
  }
  driver.cleanup = function (this: Connection, error) {
    if (this.closed) return
    cleanup.call(this, error)
    if (this.socket.listenerCount('drain') > 0) this.socket.emit('error', error)
  }
}

endBrokenWrites()
