import { aged } from '../../domain/aged'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import type { Accounts } from '../../ports/tenants'
import type { TargetPorts } from './check-target'

type Ports = { accounts: Pick<Accounts, 'load'>; hasCode: TargetPorts['hasCode']; now: () => number }
type Payees = Pick<DepositIntent, 'targetChainId' | 'targetAddress' | 'refundAddress'>
type Recipient = { address: Address; chainIds: readonly ChainId[] }
type Lookup = { notices: string[]; isCertain: boolean }
/** Returns the notices about an intent's recipient and its refund address. */
export type RecipientNotices = (intent: Payees) => Promise<string[]>

const chainWaitMs = 2_000
const cachedMax = 20_000
const cachedMs = 10 * 60_000
/** Chains that did not respond are not queried again at each request. */
const unknownMs = 60_000

/**
 * Returns a notice for a recipient that is a contract on another chain but not where it may be paid: on the target
 * chain, or for a refund on any chain. Most are wallets whose owner might not control the same address there. They are
 * not refused, because such a wallet can be deployed there later.
 */
export function recipientNotices({ accounts, hasCode, now }: Ports): RecipientNotices {
  /** Null if a chain does not respond in time. */
  const isContract = (chainId: ChainId, address: Address): Promise<boolean | null> =>
    withDeadline(chainWaitMs, (signal) =>
      Promise.race([
        hasCode(chainId, address),
        new Promise<null>((done) => signal.addEventListener('abort', () => done(null), { once: true })),
      ]),
    ).catch(() => null)

  async function noticesOf({ address, chainIds: paidOn }: Recipient): Promise<Lookup> {
    // The registry deploys our accounts at the same address on every chain, when they are first used there.
    if (await accounts.load(address)) return { notices: [], isCertain: true }
    const here = await Promise.all(paidOn.map((id) => isContract(id, address)))
    const missing = paidOn.filter((_, n) => here[n] === false)
    if (missing.length === 0) return { notices: [], isCertain: !here.includes(null) }
    const others = chainIds.filter((id) => !paidOn.includes(id))
    const elsewhere = await Promise.all(others.map((id) => isContract(id, address)))
    const there = [...paidOn, ...others].find((_, n) => [...here, ...elsewhere][n])
    const isCertain = !here.includes(null) && (there !== undefined || !elsewhere.includes(null))
    if (there === undefined) return { notices: [], isCertain }
    return { notices: [noContract(paidOn.length > 1 ? 'refund address' : 'recipient', missing, there)], isCertain }
  }

  const all = aged(noticesOf, {
    ...{ now, forMs: ({ isCertain }) => (isCertain ? cachedMs : unknownMs), from: 'END', most: cachedMax },
    keyOf: ({ address, chainIds: paidOn }) => `${paidOn.join()}:${address}`,
  })
  return async ({ targetChainId, targetAddress, refundAddress = null }) => {
    const paid = { address: targetAddress, chainIds: [targetChainId] }
    const refunded = refundAddress === null ? [] : [{ address: refundAddress, chainIds }]
    const results = await Promise.all([paid, ...refunded].map((recipient) => all.get(recipient)))
    return results.flatMap(({ notices }) => notices)
  }
}

const noContract = (who: string, missing: readonly ChainId[], other: ChainId): string => {
  const where = new Intl.ListFormat('en').format(missing.map((id) => chainOf(id).name))
  return (
    `The ${who} is a contract on ${chainOf(other).name}, but there is no contract at its address on ${where}. ` +
    `Make sure that its owner controls that address there before you send.`
  )
}
