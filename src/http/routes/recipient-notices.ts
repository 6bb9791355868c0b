import { aged } from '../../domain/aged'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import type { Accounts } from '../../ports/tenants'
import type { TargetPorts } from './check-target'

type Ports = { accounts: Pick<Accounts, 'load'>; now: () => number } & Pick<TargetPorts, 'hasCode' | 'payable'>
type Payees = Pick<DepositIntent, 'targetChainId' | 'targetAddress' | 'refundAddress'>
type Recipient = { address: Address; chainIds: readonly ChainId[]; isRefund: boolean }
type Lookup = { notices: string[]; isCertain: boolean }
/** Returns the notices about an intent's recipient and its refund address. */
export type RecipientNotices = (intent: Payees) => Promise<string[]>

const chainWaitMs = 2_000
const cachedMax = 20_000
const cachedMs = 10 * 60_000
/** Chains that did not respond are not queried again at each request. */
const unknownMs = 60_000

/**
 * Returns a notice for a recipient that is a contract on another chain but not where it may be paid. A delivery is paid
 * on the target chain, a refund on any chain. Most are wallets whose owner might not control the same address there.
 * Such a wallet can be deployed later, so nothing is refused. A refund is paid in the token that arrived, so a second
 * notice names the chains whose native coin the refund address refuses.
 */
export function recipientNotices({ accounts, hasCode, payable, now }: Ports): RecipientNotices {
  const isContract = (chainId: ChainId, address: Address) => inTime(hasCode(chainId, address))

  /** Returns the chains whose native coin a contract refuses. Null if one of them does not respond. */
  async function refusingCoin(address: Address, contractOn: readonly ChainId[]): Promise<ChainId[] | null> {
    const refuses = async (chainId: ChainId) =>
      (await payable({ chainId, token: zeroAddress, recipient: address, amountRaw: null })) === 'REFUSED'
    const answers = await Promise.all(contractOn.map((chainId) => inTime(refuses(chainId))))
    return answers.includes(null) ? null : contractOn.filter((_, n) => answers[n])
  }

  async function noticesOf({ address, chainIds: paidOn, isRefund }: Recipient): Promise<Lookup> {
    // The registry deploys our accounts at the same address on every chain, when they are first used there.
    if (await accounts.load(address)) return { notices: [], isCertain: true }
    const here = await Promise.all(paidOn.map((id) => isContract(id, address)))
    const contractOn = paidOn.filter((_, n) => here[n])
    const refusing = isRefund ? await refusingCoin(address, contractOn) : []
    const coin = refusing && refusing.length > 0 ? [noCoin(refusing)] : []
    const isRead = !here.includes(null) && refusing !== null
    const missing = paidOn.filter((_, n) => here[n] === false)
    if (missing.length === 0) return { notices: coin, isCertain: isRead }
    const others = chainIds.filter((id) => !paidOn.includes(id))
    const elsewhere = await Promise.all(others.map((id) => isContract(id, address)))
    const there = contractOn[0] ?? others.find((_, n) => elsewhere[n])
    const isCertain = isRead && (there !== undefined || !elsewhere.includes(null))
    if (there === undefined) return { notices: coin, isCertain }
    return { notices: [noContract(isRefund ? 'refund address' : 'recipient', missing, there), ...coin], isCertain }
  }

  const all = aged(noticesOf, {
    ...{ now, forMs: ({ isCertain }) => (isCertain ? cachedMs : unknownMs), from: 'END', most: cachedMax },
    keyOf: ({ address, chainIds: paidOn, isRefund }) => `${isRefund}:${paidOn.join()}:${address}`,
  })
  return async ({ targetChainId, targetAddress, refundAddress = null }) => {
    const paid = { address: targetAddress, chainIds: [targetChainId], isRefund: false }
    const refunded = refundAddress === null ? [] : [{ address: refundAddress, chainIds, isRefund: true }]
    const results = await Promise.all([paid, ...refunded].map((recipient) => all.get(recipient)))
    return results.flatMap(({ notices }) => notices)
  }
}

/** Null if a chain does not respond in time. */
const inTime = (answer: Promise<boolean>): Promise<boolean | null> =>
  withDeadline(chainWaitMs, (signal) =>
    Promise.race([
      answer,
      new Promise<null>((done) => signal.addEventListener('abort', () => done(null), { once: true })),
    ]),
  ).catch(() => null)

const namesOf = (ids: readonly ChainId[]): string => new Intl.ListFormat('en').format(ids.map((id) => chainOf(id).name))

const noCoin = (refusing: readonly ChainId[]): string =>
  `The refund address is a contract that does not accept the native coin of ${namesOf(refusing)}. ` +
  `A deposit of that coin could not be refunded.`

const noContract = (who: string, missing: readonly ChainId[], other: ChainId): string =>
  `The ${who} is a contract on ${chainOf(other).name}, but there is no contract at its address on ` +
  `${namesOf(missing)}. Make sure that its owner controls that address there before you send.`
