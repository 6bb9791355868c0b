import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { balanceCall } from './balances'
import { asHash, asList, asObject, asWord } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

/** The token computes its balances, so no storage slot holds one. */
export class NoBalanceSlot extends Error {
  override name = 'NoBalanceSlot'
}

/**
 * Finds the storage slot of an account's balance: among the slots that `balanceOf` reads, the slot that changes its
 * result.
 *
 * @throws {RoutingError} RPC_FAILED if there is none because the token computes its balances.
 */
export const balanceSlot =
  (ask: Ask) =>
  async (token: Address, account: Address, amount: bigint): Promise<Hash> => {
    const call = balanceCall(token, account)
    const read = asObject(await ask('eth_createAccessList', [{ ...call, from: account }, 'latest']))
    const own = asList(read['accessList'])
      .map(asObject)
      .filter(({ address }) => String(address).toLowerCase() === token.toLowerCase())
    const slots = own.flatMap(({ storageKeys }) => asList(storageKeys).map(asHash))
    const answers = await Promise.all(slots.map(answerWith))
    const slot = slots.find((_, n) => answers[n] === amount)
    if (slot) return slot
    throw new RoutingError('RPC_FAILED', {
      cause: new NoBalanceSlot('The token stores no balance that could be overridden'),
    })

    async function answerWith(slot: Hash): Promise<bigint | null> {
      const word = `0x${amount.toString(16).padStart(64, '0')}`
      const override = { [token]: { stateDiff: { [slot]: word } } }
      const answer = await ask<string>('eth_call', [call, 'latest', override]).catch(() => '0x')
      return answer.length === 66 ? asWord(answer) : null
    }
  }
