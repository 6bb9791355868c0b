import { connect, Events, type NatsConnection } from 'nats'

type Options = {
  /** The URL of the server's monitoring, where `/varz` tells its durability; nothing else does. */
  monitorUrl?: string | undefined
  onWarning?: (warning: string) => void
  /** Called when the connection is lost and when it is back. */
  onChange?: (isConnected: boolean) => void
}

const versionLeast = [2, 12]
const connectTimeoutMs = 3_000

/** nats.js ignores the user in a URL. Here it is read for all servers: with a password, or as a token alone. */
function addressed(url: string): { servers: string[]; user?: string; pass?: string; token?: string } {
  const parts = url.split(',').map((one) => /^(\w+:\/\/)?(?:([^@/]*)@)?(.+)$/.exec(one.trim()) ?? [])
  const servers = parts.map(([, protocol = '', , host = '']) => `${protocol}${host}`)
  const [user, pass] =
    parts
      .flatMap(([, , named]) => named ?? [])[0]
      ?.split(':')
      .map(decodeURIComponent) ?? []
  if (!user) return { servers }
  return pass === undefined ? { servers, token: user } : { servers, user, pass }
}

/**
 * Opens a connection that reconnects for ever.
 *
 * @throws when there is no server now, or one that is too old.
 */
export async function connectNats(
  url: string,
  { monitorUrl, onWarning = () => {}, onChange = () => {} }: Options = {},
): Promise<NatsConnection> {
  const connection = await connect({
    ...addressed(url),
    name: 'switchyard',
    timeout: connectTimeoutMs,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true, // otherwise two refusals close it for good, silently
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
  const { version = '0', jetstream } = connection.info ?? {}
  const objection = objectionTo(version, jetstream === true)
  if (objection) {
    await connection.close()
    throw new Error(objection)
  }
  void reportChanges(connection, onChange)
  const warning = await durabilityWarning(monitorUrl)
  if (warning) onWarning(warning)
  return connection
}

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

async function durabilityWarning(monitorUrl: string | undefined): Promise<string | null> {
  const wish = 'nats-server should run with `sync_interval: always`'
  if (!monitorUrl) return `${wish}; without its monitoring URL this cannot be checked`
  try {
    const answer = await fetch(new URL('/varz', monitorUrl), { signal: AbortSignal.timeout(connectTimeoutMs) })
    const { jetstream } = (await answer.json()) as { jetstream?: { config?: { sync_always?: boolean } } }
    return jetstream?.config?.sync_always === true ? null : `${wish}: it does not, and a power cut can lose messages`
  } catch {
    return `${wish}; its monitoring URL did not answer`
  }
}
