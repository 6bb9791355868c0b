import { randomBytes } from 'node:crypto'
import type { Hex } from '../../domain/chain/hex'
import { SignerSilent } from '../../domain/unavailable'
import type { RemoteSigning } from '../../ports/signer'
import { certificatesOf, signerAccess, type TlsFiles } from './signer-access'
import {
  errorOf,
  headerNames,
  type IntentAnswer,
  readSignAnswer,
  type SignerStatus,
  type Verb,
} from './signer-messages'

type Settings = {
  /** `http://host:port`, `https://host:port` or `unix:/path`. */
  url: string
  accessKeys: readonly Hex[]
  /** Certificates, if both sides show one. */
  tls?: TlsFiles | null
  now: () => number
  timeoutMs?: number
}

/** Retry delay of a worker while the signer is away, in milliseconds. */
const awayMs = 2_000
const answerBytesMax = 1_000_000

/** The signer as a separate process. Only an authenticated response counts as a response. */
export function remoteSigner({ url, accessKeys, tls, now, timeoutMs = 10_000 }: Settings): RemoteSigning & {
  /** @throws {SignerSilent} */
  status(): Promise<SignerStatus>
} {
  const access = signerAccess(accessKeys)
  const isSocket = url.startsWith('unix:')
  const base = isSocket ? 'http://signer' : url.replace(/\/+$/, '')
  const way = isSocket ? { unix: url.slice('unix:'.length) } : {}

  async function ask<Answer>(verb: Verb, question: object): Promise<Answer> {
    const request = {
      verb,
      time: String(now()),
      nonce: randomBytes(16).toString('hex'),
      body: JSON.stringify(question),
    }
    const headers = {
      'content-type': 'application/json',
      [headerNames.time]: request.time,
      [headerNames.nonce]: request.nonce,
      [headerNames.mac]: access.ofRequest(request),
    }
    let response: Response
    let body: string
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const sent = { method: 'POST', headers, body: request.body, redirect: 'manual', signal, ...way } as const
      response = await fetch(`${base}/v1/${verb}`, tls ? { ...sent, tls: certificatesOf(tls) } : sent)
      body = await textOf(response)
    } catch (cause) {
      throw away(cause)
    }
    const { status } = response
    const isProven = access.isAnswer({ nonce: request.nonce, status, body }, response.headers.get(headerNames.mac))
    if (!isProven) throw away(new Error(status === 401 ? refused : `Its response (${status}) is not authenticated`))
    if (status !== 200) throw away(new Error(`It failed (${status}); its own log has the reason`))
    return JSON.parse(body) as Answer
  }

  return {
    async sign({ organization, ...request }) {
      const limits = organization && {
        id: organization.id,
        policy: organization.policy ?? null,
        policySeal: organization.policySeal ?? null,
      }
      const answer = readSignAnswer(await ask<unknown>('sign', { ...request, organization: limits }))
      if (!answer) throw away(new Error('Its response has no valid form'))
      if ('failure' in answer)
        throw errorOf(answer.failure) ?? away(new Error('It returned an error that a signer may not decide'))
      return { ...answer.order, log: answer.log }
    },
    async verifyIntent({ organizationId, userId, refundOf, redriveOf, deposit, facts: { intent } }) {
      const { account, chainId, token, amountRaw } = deposit
      const { objection } = await ask<IntentAnswer>('verify-intent', {
        ...{ organizationId, userId, refundOf, redriveOf },
        deposit: { account, chainId, token, amountRaw },
        facts: intent ? { intent } : {},
      })
      return objection
    },
    status: () => ask<SignerStatus>('status', {}),
  }
}

/** Reads a response, up to the longest that a signer sends, because the sender has not proved anything yet. */
async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  // Leaving the loop early cancels the stream, and with it the connection.
  for await (const part of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    length += part.length
    if (length > answerBytesMax) throw new Error('Its response is longer than any response of the signer')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const refused = 'It refuses this process: SIGNER_ACCESS_KEY or the clocks of the two machines differ'

const away = (cause: unknown) => new SignerSilent(awayMs, { cause })
