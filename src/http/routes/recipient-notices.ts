import { aged } from '../../domain/aged'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import { withDeadline } from '../../domain/concurrency'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import type { Accounts } from '../../ports/tenants'
import type { TargetPorts } from './check-target'

type Ports = { accounts: Pick<Accounts, 'load'>; hasCode: TargetPorts['hasCode']; now: () => number }
type Recipient = Pick<DepositIntent, 'targetChainId' | 'targetAddress'>
/** Returns the notices about a recipient. */
export type RecipientNotices = (intent: Recipient) => Promise<string[]>

const chainWaitMs = 2_000
const knownMax = 20_000
const keptMs = 10 * 60_000
/** Chains that did not respond are not queried again at each request. */
const unknownMs = 60_000

/**
 * Returns a notice for a recipient that is a contract on another chain but not on the target chain. Most are wallets
 * whose owner might not control the same address on the target chain. They are not refused, because such a wallet can
 * be deployed there later.
 */
export function recipientNotices({ accounts, hasCode, now }: Ports): RecipientNotices {
  /** Null if a chain does not respond in time. */
  const isContract = (chainId: ChainId, { targetAddress }: Recipient): Promise<boolean | null> =>
    withDeadline(chainWaitMs, (signal) =>
      Promise.race([
        hasCode(chainId, targetAddress),
        new Promise<null>((done) => signal.addEventListener('abort', () => done(null), { once: true })),
      ]),
    ).catch(() => null)

  async function noticesOf(recipient: Recipient): Promise<{ notices: string[]; isKnown: boolean }> {
    const { targetChainId, targetAddress } = recipient
    // The registry deploys our accounts at the same address on every chain, when they are first used there.
    if (await accounts.load(targetAddress)) return { notices: [], isKnown: true }
    const isHere = await isContract(targetChainId, recipient)
    if (isHere !== false) return { notices: [], isKnown: isHere !== null }
    const others = chainIds.filter((id) => id !== targetChainId)
    const found = await Promise.all(others.map((id) => isContract(id, recipient)))
    const there = others.find((_, n) => found[n])
    const isKnown = there !== undefined || !found.includes(null)
    return { notices: there === undefined ? [] : [noContract(targetChainId, there)], isKnown }
  }

  const all = aged(noticesOf, {
    ...{ now, forMs: ({ isKnown }) => (isKnown ? keptMs : unknownMs), from: 'END', most: knownMax },
    keyOf: ({ targetChainId, targetAddress }) => `${targetChainId}:${targetAddress}`,
  })
  return async (recipient) => (await all.get(recipient)).notices
}

const noContract = (target: ChainId, other: ChainId): string =>
  `The recipient is a contract on ${chainOf(other).name}, but there is no contract at its address on ` +
  `${chainOf(target).name}. Make sure that its owner controls that address there before you send.`
