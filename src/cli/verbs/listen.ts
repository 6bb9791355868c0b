import { createHmac } from 'node:crypto'
import { wallClock } from '../../adapters/clock'
import { secretText, signedHeaders } from '../../domain/webhook/signature'
import { followEvents, type ReceivedEvent, subjectOf } from '../client/follow-events'
import { type Access, clientAccess } from '../client/operator-api'
import { Failure } from '../terminal/failure'
import { interruptSignal } from '../terminal/signals'

type ListenOptions = { forward?: string; types?: string; after?: string; json?: boolean }

/** The same limit as for an endpoint in production. */
const answerMs = 15_000

/**
 * Returns the secret that signs forwarded events. It is derived one-way from the API key: stable across restarts and
 * different from every endpoint's secret.
 */
export const listenSecret = (key: string): string =>
  secretText(createHmac('sha256', key).update('switchyard/listen/v1').digest())

/** Prints events as they happen, and posts each to the given server, until interrupted. */
export async function listen(options: ListenOptions): Promise<void> {
  const access = clientAccess()
  const forwardTo = options.forward === undefined ? null : forwardUrl(options.forward)
  const ending = new AbortController()
  void interruptSignal().then(() => ending.abort())
  await listenUntil(access, { ...options, forwardTo }, ending.signal)
}

type Listening = Omit<ListenOptions, 'forward'> & { forwardTo: string | null }

/** Listens until the signal aborts. Events received by then are still forwarded. */
export async function listenUntil(access: Pick<Access, 'url' | 'key'>, listening: Listening, signal: AbortSignal) {
  const { forwardTo, json = false } = listening
  const secret = listenSecret(access.key)
  /** Lines that are not events go to standard error if a program reads the events. */
  const note = (line: string) => (json ? console.error(line) : console.log(line))
  if (forwardTo !== null) note(`The signing secret of this listener, the same for this key each time:\n${secret}`)
  let isOpen = false
  // Sequential, so lines appear in the order of the feed.
  let last: Promise<void> = Promise.resolve()
  await followEvents({
    access,
    types: listening.types,
    after: listening.after,
    signal,
    onEvent: (event) => {
      last = last.then(async () => {
        const said = forwardTo === null ? null : await forwarded(forwardTo, event, secret)
        console.log(json ? event.body : lineOf(event, said))
        if (json && said !== null) note(`${event.id} ${said}`)
      })
    },
    onOpen: () => {
      if (!isOpen)
        note(
          forwardTo === null
            ? `Listening at ${access.url}.`
            : `Ready: events of ${access.url} are forwarded to ${forwardTo}.`,
        )
      else note('The connection is back. Events continue where it broke.')
      isOpen = true
    },
    onBreak: (why) =>
      note(`${isOpen ? 'The connection broke' : `${access.url} cannot be reached`}: ${why}. Trying again.`),
    onMissed: () => note('Earlier events are no longer stored: fetch what you missed from the lists.'),
  })
  await last
}

function forwardUrl(text: string): string {
  const given = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (!URL.canParse(given)) throw new Failure('--forward must be a URL such as http://localhost:4242/hooks.')
  return new URL(given).href
}

/** Posts an event as the service does. @returns the result in words. */
async function forwarded(url: string, { id, body }: ReceivedEvent, secret: string): Promise<string> {
  const startedAt = performance.now()
  const said = await fetch(url, {
    method: 'POST',
    headers: signedHeaders({ id, body }, [secret], wallClock()),
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
  }).then(
    async (response) => {
      await response.body?.cancel().catch(() => {})
      return `${response.status}${response.ok ? '' : ', not accepted'}`
    },
    (error: Error) => (error.name === 'TimeoutError' ? `no response within ${answerMs / 1_000} s` : 'no connection'),
  )
  return `${said}, ${Math.round(performance.now() - startedAt)} ms`
}

function lineOf(event: ReceivedEvent, said: string | null): string {
  const { timestamp, type, id, data } = event
  const whose = [data.userId, subjectOf(event)].filter(Boolean)
  return [timestamp.slice(11, 19), type, id, ...whose].join(' ') + (said === null ? '' : ` → ${said}`)
}
