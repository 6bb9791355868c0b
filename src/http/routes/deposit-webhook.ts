import { Elysia } from 'elysia'
import type { ChainId } from '../../domain/chain/chain'
import type { WebhookOutcome } from '../../domain/deposit/rescan-outcome'
import type { Pointer } from '../../domain/wake-messages'
import type { Pointers } from '../../ports/wakes'
import { hidden } from '../openapi/operation-docs'
import { Refusal } from '../request/failure'
import { readBytes, readJson } from '../request/read-body'
import { type AddressOf, strangers } from '../request/strangers'

export type DepositWebhookPorts = {
  pointers: Pick<Pointers, 'publish'>
  /** Returns the chains of the key that signed these bytes; none for a forgery. */
  signedFor: (rawBody: Uint8Array, signature: string) => readonly ChainId[]
  /** Reads the hints in a signed body; throws if it does not look like a webhook. */
  readPointers: (body: unknown) => Pointer[]
  /** Called for each delivery, with its hints. */
  note?: (outcome: WebhookOutcome, pointers: readonly Pointer[]) => void
  /**
   * Keeps a signed body for people to read, for the chains of its key. Callers do not wait for it, and it never throws.
   */
  keepBody?: (body: unknown, speaksFor: readonly ChainId[]) => void
  addressOf?: AddressOf
}

const bytesMax = 1024 * 1024
const publishMaxMs = 5_000
/**
 * Limit of forgeries that one network may send, and the period in seconds. Further requests are refused before they are
 * read.
 */
const forgeriesMax = { points: 100, duration: 10 }

/**
 * Receives the webhooks of the chains' watchers. Only their hints are used, and the chain itself is read again. The
 * response is 200 only after the hints are stored in the stream, so the sender repeats everything else. A forgery
 * leaves no trace.
 */
export const depositWebhook = ({
  pointers,
  signedFor,
  readPointers,
  note = () => {},
  keepBody = () => {},
  addressOf = () => undefined,
}: DepositWebhookPorts) => {
  const { assureFew, refuse } = strangers(addressOf, forgeriesMax)
  return new Elysia().post(
    '/webhooks/alchemy',
    async ({ request, body, set }) => {
      const signature = request.headers.get('x-alchemy-signature')
      const raw = body as Uint8Array
      const chains = signature ? signedFor(raw, signature) : []
      if (chains.length === 0) {
        note('FORGED', [])
        return refuse(request, 'INVALID_SIGNATURE')
      }
      set.headers['cache-control'] = 'no-store'
      const read = pointersIn(raw, readPointers)
      if (read === null) {
        note('UNREADABLE', [])
        return { received: 0 }
      }
      // A signing key belongs to its own chains, so hints to other chains are dropped.
      const own = read.pointers.filter(({ chainId }) => chains.includes(chainId))
      if (own.length === 0) {
        note('EMPTY', own)
        return { received: 0 }
      }
      await publishInTime(pointers, own).then(
        () => note('STORED', own),
        (error) => {
          note('NOT_STORED', own)
          throw error
        },
      )
      keepBody(read.body, chains)
      return { received: own.length }
    },
    {
      ...hidden,
      parse: async ({ request }: { request: Request }) => {
        await assureFew(request)
        return readBytes(request, bytesMax)
      },
    },
  )
}

type ParsedBody = { body: unknown; pointers: Pointer[] }

/**
 * Returns null for a signed body that is not a webhook. The response is then 200, because a repetition would not change
 * it.
 */
function pointersIn(raw: Uint8Array, readPointers: DepositWebhookPorts['readPointers']): ParsedBody | null {
  try {
    const body = readJson(raw)
    return { body, pointers: readPointers(body) }
  } catch {
    return null
  }
}

async function publishInTime(pointers: DepositWebhookPorts['pointers'], received: Pointer[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream took too long')), publishMaxMs)
  })
  try {
    await Promise.race([pointers.publish(received), late])
  } catch (cause) {
    throw new Refusal('STORE_UNAVAILABLE', { cause })
  } finally {
    clearTimeout(timer)
  }
}
