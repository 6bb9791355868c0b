import { ConfigError } from './config/config'

/** Returns the sentences for an operator whose start failed, without a stack or any value. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { name, code } = error as { name?: string; code?: string }
  if (/^Mongo/.test(name ?? '')) return 'MongoDB cannot be reached: check MONGODB_URL and that the server runs.'
  if (name === 'NatsError')
    return `NATS cannot be used (${code}): check NATS_URL and that the server runs with JetStream.`
  return error instanceof Error ? error.message.split('\n')[0]! : 'The start failed.'
}
