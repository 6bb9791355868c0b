import { concatHex, encodeFunctionData, parseAbi, toFunctionSelector } from 'viem/utils'
import { BoundedMap } from '../../domain/bounded-map'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { isNative } from '../../domain/money/token'
import type { Acceptance } from '../../ports/chain-client'
import { balanceSlot, NoBalanceSlot } from './balances'
import { asBytes, toQuantity, toTopic } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

const abi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])
const [blacklistedByCircle, blacklistedByTether, pausedSelector] = (
  ['isBlacklisted(address)', 'isBlackListed(address)', 'paused()'] as const
).map((view) => toFunctionSelector(view)) as [Hex, Hex, Hex]

/** Payer and second recipient of a trial. Neither address has a key, code or history. */
const payer: Address = '0x5157a7c011111111111111111111111111111111'
const stranger: Address = '0x5157a7c022222222222222222222222222222222'
const plentyWei = 10n ** 24n
/** Amounts to try if the amount is unknown: a recipient might accept large amounts and refuse small ones. */
const anyCoin = [1n, 10n ** 18n]
/** Gas of a trial. No bridge pays with more. */
const trialGas = toQuantity(3_000_000)
const slotsMax = 1_000

/**
 * Tries at the newest block whether a recipient accepts an amount of a token. The payer's balance is overridden, so no
 * account needs to hold the amount. If a token refuses, the same transfer to a second recipient shows whether the
 * recipient is the reason.
 */
export function acceptance(ask: Ask) {
  const slotOf = balanceSlot(ask)
  /** Storage slot of the payer's balance in each token. Null if the token has no balance that can be overridden. */
  const slots = new BoundedMap<Address, Hash | null>(slotsMax)

  async function takesCoin(recipient: Address, amountRaw: bigint): Promise<boolean> {
    const call = { from: payer, to: recipient, value: toQuantity(amountRaw), gas: trialGas }
    return succeeds(ask('eth_call', [call, 'latest', { [payer]: { balance: toQuantity(plentyWei + amountRaw) } }]))
  }

  async function payersSlot(token: Address): Promise<Hash | null> {
    const cached = slots.get(token)
    if (cached !== undefined) return cached
    const slot = await slotOf(token, payer, 1n).catch((error) => {
      if (isRevert(error) || isWithoutBalance(error)) return null
      throw error
    })
    slots.set(token, slot)
    return slot
  }

  async function takesToken(token: Address, recipient: Address, amountRaw: bigint): Promise<boolean> {
    const slot = await payersSlot(token)
    const data = encodeFunctionData({ abi, args: [recipient, slot ? amountRaw : 0n] })
    const pretended = slot ? { [token]: { stateDiff: { [slot]: wordOf(amountRaw) } } } : {}
    return succeeds(ask('eth_call', [{ from: payer, to: token, data, gas: trialGas }, 'latest', pretended]))
  }

  /** Whether a view of the token returns true. A token without such a view counts as false. */
  async function says(token: Address, data: Hex): Promise<boolean> {
    const answer = await ask('eth_call', [{ to: token, data }, 'latest']).catch((error) => {
      if (isRevert(error)) return '0x'
      throw error
    })
    const word = asBytes(answer)
    return word.length === 66 && BigInt(word) === 1n
  }

  return {
    async acceptance(token: Address, recipient: Address, amountRaw: bigint | null): Promise<Acceptance> {
      if (isNative(token)) {
        const amounts = amountRaw === null ? anyCoin : [amountRaw]
        for (const amount of amounts) if (await takesCoin(recipient, amount)) return 'ACCEPTED'
        return 'REFUSED'
      }
      const amount = amountRaw ?? 1n
      if (await takesToken(token, recipient, amount)) return 'ACCEPTED'
      const of = toTopic(recipient)
      const [isBlocked, isListed, isPaused, isTaken] = await Promise.all([
        says(token, concatHex([blacklistedByCircle, of])),
        says(token, concatHex([blacklistedByTether, of])),
        says(token, pausedSelector),
        takesToken(token, stranger, amount),
      ])
      if (isBlocked || isListed) return 'BLOCKED'
      if (isTaken) return 'REFUSED'
      return isPaused ? 'PAUSED' : 'UNTRIED'
    },
  }
}

/** Whether a call succeeded and did not return false. A token may return nothing. */
async function succeeds(answer: Promise<unknown>): Promise<boolean> {
  try {
    const data = asBytes(await answer)
    return data.length !== 66 || BigInt(data) !== 0n
  } catch (error) {
    if (isRevert(error)) return false
    throw error
  }
}

/** Whether a token has no balance that can be overridden. The node is not at fault. */
const isWithoutBalance = (error: unknown): boolean =>
  error instanceof RoutingError && error.code === 'RPC_FAILED' && error.cause instanceof NoBalanceSlot

const wordOf = (value: bigint): Hash => `0x${value.toString(16).padStart(64, '0')}`
