import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { withDeadline } from '../../domain/concurrency'
import { type DepositIntent, isNobodys } from '../../domain/deposit/deposit-intent'
import type { TokenList } from '../../domain/money/token'
import type { Blacklist, DepositIntents } from '../../ports/tenants'
import { invalid } from '../request/address-in'
import { Refusal, type RefusalCode } from '../request/failure'
import type { AccountFactory } from './users'

export type TargetPorts = {
  intents: Pick<DepositIntents, 'load'>
  blacklist: Blacklist
  tokens: TokenList
  factory: AccountFactory
  /** Whether there is a contract at an address. Fails where the chain cannot be read at present. */
  hasCode: (chainId: ChainId, address: Address) => Promise<boolean>
}

type Checked = Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress' | 'targetAddress'> &
  Partial<Pick<DepositIntent, 'refundAddress'>>
/** The owner of a target; `id` is the deposit address. */
type Owner = Pick<DepositIntent, 'id' | 'organizationId'>

/** A request to store an intent waits no longer than this for a chain. */
const chainWaitMs = 2_000
const knownMax = 20_000
/** The longest cycle of deposit addresses that is looked for. Nobody builds a longer one by mistake. */
const hopsMax = 8

/** Every refusal of a target that is well-formed and cannot work. */
export const targetRefusals = [
  'TARGET_TOKEN_NOT_FOUND',
  'TARGET_TOKEN_OF_OTHER_CHAIN',
  'TARGET_TOKEN_BLACKLISTED',
  'TARGET_ADDRESS_BLACKLISTED',
  'TARGET_ADDRESS_NOT_PAYABLE',
] as const satisfies readonly RefusalCode[]

const refused = (code: (typeof targetRefusals)[number], message?: string) =>
  new Refusal(code, { body: { code }, ...(message !== undefined && { message }) })

/** Refuses a target at which money would be lost or never arrive, before any money is sent. */
export function targetCheck({ intents, blacklist, tokens, factory, hasCode }: TargetPorts) {
  /** Addresses with a contract. Contracts hardly ever disappear, and if one does, its route fails without harm. */
  const known = new BoundedMap<string, true>(knownMax)

  /** Null where the chain does not answer: an intent that may be good is not refused for that. */
  async function isContract(chainId: ChainId, address: Address): Promise<boolean | null> {
    const key = `${chainId}:${address}`
    if (known.has(key)) return true
    const isFound = await withDeadline(chainWaitMs, (signal) => unless(signal, hasCode(chainId, address))).catch(
      () => null,
    )
    if (isFound) known.set(key, true)
    return isFound
  }

  async function assureToken({ targetChainId, targetTokenAddress: token }: Checked): Promise<void> {
    if (tokens.find(targetChainId, token) !== null) return
    if ((await isContract(targetChainId, token)) !== false) return
    const { name } = chainOf(targetChainId)
    const other = chainIds.flatMap((id) => tokens.find(id, token) ?? [])[0]
    if (!other) throw refused('TARGET_TOKEN_NOT_FOUND', `There is no contract at the target token address on ${name}`)
    const whose = `The target token address is that of ${other.symbol} on ${chainOf(other.chainId).name}`
    throw refused('TARGET_TOKEN_OF_OTHER_CHAIN', `${whose}; on ${name} there is no contract at it`)
  }

  /** Refuses a deposit address from which the money would in the end come back here. */
  async function assureNoRound({ targetAddress }: Checked, { id, organizationId }: Owner): Promise<void> {
    let at = targetAddress
    for (let hops = 0; hops < hopsMax; hops++) {
      const intent = await intents.load(at)
      if (intent?.organizationId !== organizationId) return
      at = intent.targetAddress
      if (at === id) throw refused('TARGET_ADDRESS_NOT_PAYABLE', 'The target address sends the money back here')
    }
  }

  function assurePayable(target: Checked, { id }: Owner): void {
    const { targetChainId, targetTokenAddress, targetAddress, refundAddress = null } = target
    if (targetAddress === zeroAddress) throw invalid('targetAddress')
    if (refundAddress !== null && (refundAddress === id || isNobodys(refundAddress)))
      throw new Refusal('VALIDATION_FAILED', { message: 'refundAddress must be the address of somebody who can pay' })
    if (targetAddress === id)
      throw refused('TARGET_ADDRESS_NOT_PAYABLE', 'The target address is the deposit address itself')
    const isToken = targetAddress === targetTokenAddress || tokens.find(targetChainId, targetAddress) !== null
    if (isToken) throw refused('TARGET_ADDRESS_NOT_PAYABLE', 'The target address is the contract of a token')
    const isOurs = targetAddress === factory.registry || targetAddress === factory.implementation
    if (isOurs || isNobodys(targetAddress)) throw refused('TARGET_ADDRESS_NOT_PAYABLE')
    if (blacklist.isListed('ADDRESS', targetChainId, targetAddress)) throw refused('TARGET_ADDRESS_BLACKLISTED')
    if (blacklist.isListed('TOKEN', targetChainId, targetTokenAddress)) throw refused('TARGET_TOKEN_BLACKLISTED')
  }

  return async (target: Checked, owner: Owner): Promise<void> => {
    assurePayable(target, owner)
    await Promise.all([assureToken(target), assureNoRound(target, owner)])
  }
}

const unless = <Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ])
