import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aggregators } from '../src/adapters/aggregators'
import { accounts } from '../src/devnet/chains/accounts'
import { tokenOf } from '../src/devnet/chains/tokens'
import { startDevnet } from '../src/devnet/devnet'
import { chains } from '../src/domain/chain/chain'
import { defaultPolicy, type Route } from '../src/domain/execution/route'
import { gasFeeOf, splitDeposit } from '../src/domain/money/fees'
import type { RouteRequest } from '../src/ports/gate'
import type { Aggregator } from '../src/providers/aggregator'
import { bestQuote } from '../src/routing/pricing/quotes'
import { relayRules } from '../src/signer/relay-deposit'
import { lifiBridges, lifiRules, routeObjection } from '../src/signer/route-rules'
import { believing } from '../test/support/appraisers'
import { openGate } from '../test/support/gates'
import { percentile } from './rig'

const rounds = 300
const checks = 5_000
const delaysMs = [5, 10, 20]

/** Measures how much longer all providers take than the slowest of them, and the time to check an offer. */
export async function quotes(): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const devnet = await startDevnet({ dir })
  try {
    const providers = aggregators({
      lifi: { url: devnet.lifiUrl, apiKey: null, bridges: lifiBridges },
      relay: { url: devnet.relayUrl, apiKey: null, solver: accounts.relaySolver.address },
    })
    const request: RouteRequest = {
      fromChainId: chains.base.id,
      fromToken: tokenOf(chains.base.id, 'USDC')!.address,
      amountIn: 25_000_000n,
      toChainId: chains.arbitrum.id,
      toToken: tokenOf(chains.arbitrum.id, 'USDC')!.address,
      policy: defaultPolicy,
      account: '0x3820000000000000000000000000000000000021',
      recipient: '0xbe00000000000000000000000000000000000079',
    }
    const routes = await Promise.all(
      providers.map(async (each) => ({ ...(await each.quote(request, AbortSignal.timeout(5_000)))!, quotedAt: 0 })),
    )
    const misreads = routeObjection([...lifiRules(), ...relayRules(accounts.relaySolver.address)], { now: Date.now })
    return [await fanOut(request, routes[0]!), ...routes.map((route) => checking(route, request, misreads)), fees()]
  } finally {
    await devnet.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function fanOut(request: RouteRequest, route: Route): Promise<string> {
  const tookMs: number[] = []
  let slowestMs = 0
  const provider = (delayMs: number): Aggregator =>
    ({
      name: `after ${delayMs} ms`,
      quote: async () => {
        const startedAt = performance.now()
        await Bun.sleep(delayMs)
        slowestMs = Math.max(slowestMs, performance.now() - startedAt)
        return route
      },
    }) as unknown as Aggregator
  const list = delaysMs.map(provider)
  for (let n = 0; n < rounds; n++) {
    slowestMs = 0
    const startedAt = performance.now()
    await bestQuote(request, {
      aggregators: list.map((one) => openGate(one)),
      prices: { usd: async () => 1n },
      appraiser: believing,
      quoteTimeoutMs: 5_000,
      now: Date.now,
    })
    tookMs.push(performance.now() - startedAt - slowestMs)
  }
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(tookMs, share).toFixed(2))
  return `quotes: asking three providers takes p50 ${p50} ms, p99 ${p99} ms longer than the slowest of them (target 5 ms)`
}

function checking(route: Route, request: RouteRequest, misreads: ReturnType<typeof routeObjection>): string {
  if (misreads(route, request) !== null) throw new Error(`${route.provider} was misread`)
  const startedAt = performance.now()
  for (let n = 0; n < checks; n++) misreads(route, request)
  const micros = ((performance.now() - startedAt) * 1_000) / checks
  return `quotes: judging a call of ${route.provider} that was read before takes ${micros.toFixed(0)} µs`
}

function fees(): string {
  const startedAt = performance.now()
  for (let n = 0; n < checks * 10; n++) {
    const cost = {
      costWei: 10n ** 14n + BigInt(n),
      nativeUsd: 3_000n * 10n ** 8n,
      tokenUsd: 10n ** 8n,
      tokenDecimals: 6,
    }
    splitDeposit({ totalReceivedRaw: 25_000_000n, protocolFeeBps: 50, gasFeeRaw: gasFeeOf(cost) })
  }
  return `quotes: the fees of a deposit take ${(((performance.now() - startedAt) * 1_000) / (checks * 10)).toFixed(2)} µs`
}
