import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import { type DepositIntent, isReservedAddress } from '../../domain/deposit/deposit-intent'
import type { Unspendable } from '../../domain/deposit/unspendable'
import { type TokenList, tokenOfAsset } from '../../domain/money/token'
import { leadsBack, type Owner } from '../../intents/leads-back'
import type { Blacklist, DepositIntents } from '../../ports/tenants'
import type { Payable, Payment, PaymentObjection } from '../../routing/engine/payable'
import { invalid } from '../request/address-in'
import { Refusal, type RefusalCode } from '../request/failure'

export type TargetPorts = {
  intents: Pick<DepositIntents, 'load'>
  blacklist: Blacklist
  tokens: TokenList
  /** Returns the kind of an address whose tokens cannot be spent; null for any other address. */
  unspendable: Unspendable
  /** Simulates a payment on its chain. Throws if the chain cannot be read. */
  payable: Payable
  /** Whether there is a contract at an address. Throws if the chain cannot be read. */
  hasCode: (chainId: ChainId, address: Address) => Promise<boolean>
}

type Checked = Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress' | 'targetAddress'> &
  Partial<Pick<DepositIntent, 'refundAddress'>>

/** Longest wait for a chain in a request that stores an intent. */
const chainWaitMs = 2_000

const checkedMax = 20_000

/** Every refusal of a well-formed target that cannot work. */
export const targetRefusals = [
  'TARGET_TOKEN_NOT_FOUND',
  'TARGET_TOKEN_OF_OTHER_CHAIN',
  'TARGET_TOKEN_BLACKLISTED',
  'TARGET_ADDRESS_BLACKLISTED',
  'TARGET_ADDRESS_NOT_PAYABLE',
  'TARGET_ADDRESS_BLOCKED',
  'TARGET_ADDRESS_REFUSES',
] as const satisfies readonly RefusalCode[]

/** Every refusal of a refund address, to which the same checks apply. */
export const refundRefusals = [
  'REFUND_ADDRESS_BLACKLISTED',
  'REFUND_ADDRESS_NOT_PAYABLE',
  'REFUND_ADDRESS_BLOCKED',
] as const satisfies readonly RefusalCode[]

const refused = (code: (typeof targetRefusals | typeof refundRefusals)[number], message?: string) =>
  new Refusal(code, { body: { code }, ...(message !== undefined && { message }) })

/**
 * Refuses a target or refund address that would lose the money or never receive it, before any money is sent. A chain
 * that does not respond refuses nothing: the same check runs again before an order is signed.
 */
export function targetCheck({ intents, blacklist, tokens, unspendable, payable, hasCode }: TargetPorts) {
  /** Addresses with a contract. Contracts rarely disappear, and if one does, its route fails without harm. */
  const checked = new BoundedMap<string, true>(checkedMax)

  /** Null if the chain does not respond: that is no reason to refuse an intent. */
  async function isContract(chainId: ChainId, address: Address): Promise<boolean | null> {
    const key = `${chainId}:${address}`
    if (checked.has(key)) return true
    const isFound = await withDeadline(chainWaitMs, (signal) => unless(signal, hasCode(chainId, address))).catch(
      () => null,
    )
    if (isFound) checked.set(key, true)
    return isFound
  }

  async function assureToken({ targetChainId, targetTokenAddress: token }: Checked): Promise<void> {
    if (tokens.find(targetChainId, token) !== null) return
    if ((await isContract(targetChainId, token)) !== false) return
    const { name } = chainOf(targetChainId)
    const other = chainIds.flatMap((id) => tokens.find(id, token) ?? [])[0]
    if (!other) throw refused('TARGET_TOKEN_NOT_FOUND', `There is no contract at the target token address on ${name}`)
    const whose = `The target token address belongs to ${other.symbol} on ${chainOf(other.chainId).name}`
    throw refused('TARGET_TOKEN_OF_OTHER_CHAIN', `${whose}; on ${name} there is no contract at it`)
  }

  /** Refuses a deposit address whose intents lead back to this one. */
  async function assureNoRound(target: Checked, owner: Owner): Promise<void> {
    if (await leadsBack(intents, target, owner))
      throw refused('TARGET_ADDRESS_NOT_PAYABLE', 'The target address leads back to this deposit address')
  }

  /** Refuses a payee without querying a chain. */
  function assurePayee(role: 'target' | 'refund', address: Address, chains: readonly ChainId[], { id }: Owner): void {
    const kind = role === 'target' ? 'TARGET' : 'REFUND'
    if (address === id)
      throw refused(`${kind}_ADDRESS_NOT_PAYABLE`, `The ${role} address is the deposit address itself`)
    if (isReservedAddress(address)) throw refused(`${kind}_ADDRESS_NOT_PAYABLE`)
    const what = unspendable(address)
    if (what !== null) throw refused(`${kind}_ADDRESS_NOT_PAYABLE`, `The ${role} address is ${what}`)
    if (chains.some((chainId) => blacklist.isListed('ADDRESS', chainId, address)))
      throw refused(`${kind}_ADDRESS_BLACKLISTED`)
  }

  /** Null if the payment is possible, or if its chain does not respond. */
  const objectionTo = (payment: Omit<Payment, 'amountRaw'>): Promise<PaymentObjection | null> =>
    withDeadline(chainWaitMs, (signal) => unless(signal, payable({ ...payment, amountRaw: null }))).catch(() => null)

  async function assureTaken({ targetChainId: chainId, targetTokenAddress: token, targetAddress }: Checked) {
    const objection = await objectionTo({ chainId, token, recipient: targetAddress })
    if (objection === 'BLOCKED') throw refused('TARGET_ADDRESS_BLOCKED')
    if (objection === 'REFUSED') throw refused('TARGET_ADDRESS_REFUSES')
  }

  /** A refund is paid in the token that arrived, which can be any token. USDC's list stands for all of them. */
  async function assureRefundable({ refundAddress: recipient = null }: Checked): Promise<void> {
    if (recipient === null) return
    const objections = chainIds.map((chainId) => {
      const token = tokenOfAsset(chainId, 'USD Coin')
      return token && objectionTo({ chainId, token: token.address, recipient })
    })
    if ((await Promise.all(objections)).includes('BLOCKED')) throw refused('REFUND_ADDRESS_BLOCKED')
  }

  async function assureGood(target: Checked, owner: Owner): Promise<void> {
    const { targetChainId, targetTokenAddress, targetAddress, refundAddress = null } = target
    if (targetAddress === zeroAddress) throw invalid('targetAddress')
    if (refundAddress !== null) assurePayee('refund', refundAddress, chainIds, owner)
    if (targetAddress === targetTokenAddress)
      throw refused('TARGET_ADDRESS_NOT_PAYABLE', 'The target address is the contract of a token')
    assurePayee('target', targetAddress, [targetChainId], owner)
    if (blacklist.isListed('TOKEN', targetChainId, targetTokenAddress)) throw refused('TARGET_TOKEN_BLACKLISTED')
    await Promise.all([assureToken(target), assureNoRound(target, owner)])
    await Promise.all([assureTaken(target), assureRefundable(target)])
  }

  return { all: assureGood, round: assureNoRound }
}

const unless = <Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ])
