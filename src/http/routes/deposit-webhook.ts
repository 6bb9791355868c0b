import { Elysia } from 'elysia'
import type { ChainId } from '../../domain/chain/chain'
import type { Pointer } from '../../domain/deposit/pointer'
import type { WebhookOutcome } from '../../domain/deposit/webhook-outcome'
import type { Pointers } from '../../ports/wakes'
import { hidden } from '../openapi/operation-docs'
import { Refusal } from '../request/failure'
import { readBytes } from '../request/read-body'

export type DepositWebhookPorts = {
  pointers: Pick<Pointers, 'publish'>
  /** The chains whose webhook may speak by the key that signed these bytes; none for a forgery. */
  signedFor: (rawBody: Uint8Array, signature: string) => readonly ChainId[]
  /** What a signed body points at; throws when it is not what a webhook looks like. */
  readPointers: (body: unknown) => Pointer[]
  /** Each delivery, with what it pointed at. */
  note?: (outcome: WebhookOutcome, pointers: readonly Pointer[]) => void
  /** What a signed body says of chains that its key speaks for, for people to read. Not waited for; never throws. */
  keepSaid?: (body: unknown, speaksFor: readonly ChainId[]) => void
}

const bytesMax = 1024 * 1024
const publishMaxMs = 5_000

/**
 * Where the chains' watchers tell what they saw. Only the place is used: the chain is read again. 200 is said when the
 * message is stored in the stream, so that what is not stored is sent again. A stranger's leaves no trace.
 */
export const depositWebhook = ({
  pointers,
  signedFor,
  readPointers,
  note = () => {},
  keepSaid = () => {},
}: DepositWebhookPorts) =>
  new Elysia().post(
    '/webhooks/alchemy',
    async ({ request, body, set }) => {
      const signature = request.headers.get('x-alchemy-signature')
      const raw = body as Uint8Array
      const chains = signature ? signedFor(raw, signature) : []
      if (chains.length === 0) {
        note('FORGED', [])
        throw new Refusal('INVALID_SIGNATURE')
      }
      set.headers['cache-control'] = 'no-store'
      const read = pointersIn(raw, readPointers)
      if (read === null) {
        note('UNREADABLE', [])
        return { received: 0 }
      }
      // A key speaks for its own chain: whoever has it says nothing of another.
      const own = read.found.filter(({ chainId }) => chains.includes(chainId))
      if (own.length === 0) {
        note('EMPTY', own)
        return { received: 0 }
      }
      await stored(pointers, own).then(
        () => note('STORED', own),
        (error) => {
          note('NOT_STORED', own)
          throw error
        },
      )
      keepSaid(read.said, chains)
      return { received: own.length }
    },
    { ...hidden, parse: async ({ request }: { request: Request }) => readBytes(request, bytesMax) },
  )

type Read = { said: unknown; found: Pointer[] }

/** A signed body that is no webhook is not sent again: it would never be one. */
function pointersIn(raw: Uint8Array, readPointers: DepositWebhookPorts['readPointers']): Read | null {
  try {
    const said: unknown = JSON.parse(new TextDecoder().decode(raw))
    return { said, found: readPointers(said) }
  } catch {
    return null
  }
}

async function stored(pointers: DepositWebhookPorts['pointers'], found: Pointer[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream took too long')), publishMaxMs)
  })
  try {
    await Promise.race([pointers.publish(found), late])
  } catch (cause) {
    throw new Refusal('STORE_UNAVAILABLE', { cause })
  } finally {
    clearTimeout(timer)
  }
}
