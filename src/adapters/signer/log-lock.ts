import { unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'

/** Two signers with one log would each sign what the other does not know of. */
class SigningLogInUse extends Error {
  override name = 'SigningLogInUse'

  constructor() {
    super('Another signer runs with this signing log: end it first, or name another file in SIGNER_LOG_PATH')
  }
}

/**
 * Holds a lock for as long as this process lives: a socket beside the file, on which nobody but its process listens.
 * The system closes it however the process ends, and what a dead one left behind is taken over.
 *
 * @returns what gives it up.
 * @throws {SigningLogInUse}
 */
export async function lockBeside(path: string): Promise<() => Promise<void>> {
  const place = `${path}.lock`
  let server = await listening(place)
  if (!server) {
    if (await isAnswered(place)) throw new SigningLogInUse()
    await unlink(place).catch(() => {})
    server = await listening(place)
  }
  if (!server) throw new SigningLogInUse()
  const held = server
  held.unref()
  return () => new Promise((resolve) => held.close(() => resolve()))
}

/** Null when the place is taken. */
const listening = (place: string): Promise<Server | null> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(place, () => resolve(server))
  })

const isAnswered = (place: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(place)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
