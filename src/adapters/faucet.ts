import type { Hash } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Faucet } from '../ports/chain-client'
import { fetchJson, refusalOf } from './http'

const timeoutMs = 10_000

/** The faucet at `FAUCET_URL`, on this machine. */
export const httpFaucet = (url: string): Faucet => ({
  async send({ chainKey, tokenSymbol, amountRaw, to }) {
    const answer = await fetchJson(`${url}/deposits`, {
      signal: AbortSignal.timeout(timeoutMs),
      body: { depositAddress: to, fromChainKey: chainKey, fromTokenSymbol: tokenSymbol, amountIn: String(amountRaw) },
    })
    if (answer.status !== 201) throw refusalOf(answer)
    const hash = (answer.body as { depositTxHash?: unknown } | null)?.depositTxHash
    if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/.test(hash)) throw new RoutingError('PROVIDER_MALFORMED')
    return hash as Hash
  },
})
