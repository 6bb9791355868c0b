import { shortId } from '../../data/format'

/** The subject of an event, and the page that shows it. */
type Subject = { what: string; label: string; href: string }

type Told = { type: string; seq: number | null; data: { id?: unknown; userId?: unknown } }

/**
 * Returns the page of an event's subject; null if there is none. A real event of an execution or a deposit has a
 * sequence number, `seq`. A sample has none, because its subject is invented.
 */
export function subjectOf(body: string): Subject | null {
  const { type, seq, data } = JSON.parse(body) as Told
  const id = typeof data?.id === 'string' ? data.id : null
  const userId = typeof data?.userId === 'string' ? data.userId : null
  const isReal = seq !== null && id !== null
  switch (type.slice(0, type.indexOf('.'))) {
    case 'execution':
      return isReal ? { what: 'Execution', label: shortId(id), href: `/executions/${encodeURIComponent(id)}` } : null
    case 'deposit':
      return isReal ? { what: 'Deposit', label: shortId(id), href: `/deposits/${encodeURIComponent(id)}` } : null
    case 'intent':
      return userId ? { what: 'Intent of', label: userId, href: `/address?user=${encodeURIComponent(userId)}` } : null
    case 'quota':
      return { what: 'Quota', label: 'Usage', href: '/usage' }
    case 'api_key':
      return { what: 'API key', label: 'API keys', href: '/keys' }
    case 'webhook_endpoint':
      return id ? { what: 'Endpoint', label: id, href: `/webhooks/${encodeURIComponent(id)}` } : null
    default:
      return null
  }
}
