import fc from 'fast-check'
import { type Turns, turnsWatched } from '../processes/turns'
import { conforms, peopledWorld } from '../world'
import { bytesOf, type Sent } from './bytes'
import { neighbours } from './neighbours'
import { type FuzzRequest, requestsTo } from './requests'
import { type Answer, wire } from './wire'

/** `refusedByBun` counts responses to bytes that are not HTTP, which the server gives itself without our body. */
export type Fuzzed = Turns & {
  requests: number
  overSockets: number
  refusedByBun: number
  statuses: Record<number, number>
}

type FuzzStep = { way: 'HANDLE'; asked: FuzzRequest } | { way: 'SOCKET'; sent: Sent }

/** Bun's statuses for malformed requests, too long headers and unknown versions. */
const bunSays = [400, 413, 414, 431, 501, 505]

/**
 * Sends generated requests of one organization: valid, senseless and malicious ones, one in ten over sockets. Throws at
 * the first 5xx or undocumented response, or when another organization sees a changed byte. Measures the event loop's
 * turns in which the API works, leaving out the test's own work.
 */
export async function fuzz(runs: number, seed?: number): Promise<Fuzzed> {
  const world = await peopledWorld()
  const { api, ask, client, operator, clock, bugs } = world
  const routes = (api.routes as { method: string; path: string }[]).filter(({ path }) => path.startsWith('/api/'))
  const watch = turnsWatched()
  const found = { requests: 0, overSockets: 0, refusedByBun: 0, statuses: {} as Record<number, number> }

  const { handle } = api
  api.handle = (request) => watch.during(`${request.method} ${request.url}`, () => handle(request))
  const seenByStranger = await neighbours(world)
  const before = await seenByStranger()
  const isDocumented = await conforms(api)
  api.listen({ port: 0, hostname: '127.0.0.1' })
  const sockets = wire(api.server!.port!)

  function noteStatus(status: number, said: string): void {
    found.statuses[status] = (found.statuses[status] ?? 0) + 1
    if (status >= 500) throw new Error(`${said} answered ${status}: ${String(bugs.at(-1))}`)
  }

  function check({ method, path }: FuzzRequest, { status, headers, text }: Answer): void {
    noteStatus(status, `${method} ${path}`)
    const objection = isDocumented({ method, path: new URL(`http://localhost${path}`).pathname, status, headers, text })
    if (objection) throw new Error(`An answer is not as the document says: ${objection}\n${text.slice(0, 500)}`)
  }

  /** Bun accepts no head above 16 KB, and only HTTP. */
  function isBuns({ status, headers, text }: Answer): boolean {
    const isIt = bunSays.includes(status) && text === '' && !headers.has('x-request-id')
    if (isIt) found.refusedByBun++
    return isIt
  }

  async function sendBytes({ bytes, isHttp, requests }: Sent): Promise<void> {
    found.overSockets++
    const data = Buffer.from(bytes, 'latin1')
    const answers = await watch.during('SOCKET', async () =>
      isHttp ? [await sockets.ask(data)] : sockets.throwAt(data),
    )
    for (const [n, answer] of answers.entries())
      if (!isBuns(answer)) (isHttp ? check : checkOdd)(requests[n] ?? requests[0]!, answer)
  }

  /** The route is unknown, so only the form of the response is checked. */
  function checkOdd(asked: FuzzRequest, { status, headers, text }: Answer): void {
    noteStatus(status, `Bytes like ${asked.method} ${asked.path}`)
    const isOurs = headers.has('x-request-id') && (status < 400 || isFailure(status, headers, text))
    if (!isOurs) throw new Error(`Bytes like ${asked.method} ${asked.path} answered ${status}: ${text.slice(0, 500)}`)
  }

  async function send(turn: FuzzStep): Promise<void> {
    found.requests++
    if (turn.way === 'SOCKET') await sendBytes(turn.sent)
    else {
      const { method, path, key, headers, content } = turn.asked
      const { status } = await ask(path, { method, key, headers, ...(content !== undefined && { raw: content }) })
      noteStatus(status, `${method} ${path}`)
    }
    if (found.requests % 20 === 0) clock.now += 700
    if (found.requests % 5_000 === 0) await assureUnseen()
  }

  async function assureUnseen(): Promise<void> {
    if (before !== (await seenByStranger())) throw new Error('Another organization sees something else')
  }

  const asked = requestsTo(routes, client, operator)
  const turn = fc.oneof(
    { weight: 9, arbitrary: asked.map((one): FuzzStep => ({ way: 'HANDLE', asked: one })) },
    { weight: 1, arbitrary: bytesOf(asked).map((sent): FuzzStep => ({ way: 'SOCKET', sent })) },
  )
  try {
    await fc.assert(fc.asyncProperty(turn, send), { numRuns: runs, ...(seed !== undefined && { seed }) })
    await assureUnseen()
  } finally {
    sockets.close()
    await api.stop(true)
  }
  return { ...found, ...watch.found }
}

function isFailure(status: number, headers: Headers, text: string): boolean {
  const { statusCode, message, error } = JSON.parse(text)
  return (
    statusCode === status && typeof message === 'string' && typeof error === 'string' && headers.has('x-error-code')
  )
}
