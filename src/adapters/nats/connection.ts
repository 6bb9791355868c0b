import { connect, ErrorCode, Events, type NatsConnection, NatsError, type TlsOptions } from 'nats'
import { firstConnection } from '../../domain/first-connection'

type Options = {
  /** PEM file with the certificate authorities to trust instead of the public ones. */
  caFile?: string | null
  onWarning?: (warning: string) => void
  /** Called when the connection is lost, and when it is back. */
  onChange?: (isConnected: boolean) => void
}

const versionLeast = [2, 12]
const connectTimeoutMs = 3_000
/** Only the server's monitoring shows its durability, and the doctor reads that. */
const durabilityAdvice =
  'nats-server should run with `sync_interval: always`; without its monitoring URL this cannot be checked'

type Addressed = { servers: string[]; tls?: TlsOptions; user?: string; pass?: string; token?: string }

/**
 * Reads the credentials in the URL for all servers, because nats.js ignores them: a user with a password, or a token
 * alone. nats.js also ignores `tls://`. Here that scheme ensures that no password is sent to a server that does not
 * encrypt.
 */
function addressed(url: string, caFile: string | null): Addressed {
  const parts = url.split(',').map((one) => /^(\w+:\/\/)?(?:([^@/]*)@)?(.+)$/.exec(one.trim()) ?? [])
  const servers = parts.map(([, protocol = '', , host = '']) => `${protocol}${host}`)
  const isEncrypted = caFile !== null || servers.some((server) => server.startsWith('tls://'))
  const where = { servers, ...(isEncrypted && { tls: caFile === null ? {} : { caFile } }) }
  const [user, pass] =
    parts
      .flatMap(([, , named]) => named ?? [])[0]
      ?.split(':')
      .map(decodeURIComponent) ?? []
  if (!user) return where
  return pass === undefined ? { ...where, token: user } : { ...where, user, pass }
}

/**
 * Opens a connection that reconnects indefinitely.
 *
 * @throws If no server is reachable, or if the server is too old, has no JetStream or cannot be trusted.
 */
export async function connectNats(
  url: string,
  { caFile = null, onWarning = () => {}, onChange = () => {} }: Options = {},
): Promise<NatsConnection> {
  const options = {
    ...addressed(url, caFile),
    name: 'switchyard',
    noEcho: true, // signals reach the listeners of their own process without the server
    timeout: connectTimeoutMs,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true, // otherwise two refusals close it permanently and silently
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 3_000, // a frozen server is left for another after two of these
    maxPingOut: 2,
  }
  const connection = await firstConnection(() => connect(options), isSilence)
  const { version = '0', jetstream } = connection.info ?? {}
  const objection = objectionTo(version, jetstream === true)
  if (objection) {
    await connection.close()
    throw new Error(objection)
  }
  void reportChanges(connection, onChange)
  onWarning(durabilityAdvice)
  return connection
}

const isSilence = (error: unknown): boolean => error instanceof NatsError && error.code === ErrorCode.Timeout

async function reportChanges(connection: NatsConnection, onChange: (isConnected: boolean) => void): Promise<void> {
  let isConnected = true
  for await (const { type } of connection.status()) {
    const isNowConnected: boolean = type === Events.Reconnect || (type !== Events.Disconnect && isConnected)
    if (isNowConnected !== isConnected) onChange(isNowConnected)
    isConnected = isNowConnected
  }
}

export function objectionTo(version: string, hasJetStream: boolean): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorLeast, minorLeast] = versionLeast as [number, number]
  if (major < majorLeast || (major === majorLeast && minor < minorLeast))
    return `NATS ${version} is too old: ${versionLeast.join('.')} or newer is needed`
  return hasJetStream ? null : 'The NATS server runs without JetStream'
}
