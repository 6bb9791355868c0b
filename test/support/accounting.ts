import { expect } from 'bun:test'
import { recipientOf } from '../../src/cli/demo-deposits'
import { type ChainKey, chainKeys, chains } from '../../src/domain/chain'
import type { Execution } from '../../src/domain/execution'
import type { Address } from '../../src/domain/hex'
import type { Environment } from './environment'

export type Owner = { userId: string; account: Address; to: ChainKey }

/** What the records gave out is what the chains have mined: none twice, none left out. Gives how many. */
export async function everyNonceIsUsed({ connection, clients }: Environment): Promise<number> {
  const senders = await connection.db!.collection<{ _id: string; nextNonce: number }>('senders').find().toArray()
  expect(senders.length).toBeGreaterThan(0)
  for (const { _id, nextNonce } of senders) {
    const [chain, address] = _id.split(':') as [string, Address]
    const key = chainKeys.find((one) => one === chain || String(chains[one].id) === chain) as ChainKey
    expect(await clients[key].getTransactionCount({ address }), _id).toBe(nextNonce)
  }
  return senders.reduce((sum, { nextNonce }) => sum + nextNonce, 0)
}

/** What the records say is what the chains hold: nothing is left behind, everybody has theirs. */
export async function everyUnitIsAccountedFor(
  { devnet }: Environment,
  owners: readonly Owner[],
  executions: readonly Execution[],
): Promise<void> {
  for (const { userId, account, to } of owners) {
    const own = executions.filter((execution) => execution.userId === userId)
    const delivered = own.reduce((sum, { facts }) => sum + BigInt(facts.delivery!.amountRaw), 0n)
    expect(await devnet.balanceOf(to, 'USDC', recipientOf(userId))).toBe(delivered)
    for (const key of chainKeys) expect(await devnet.balanceOf(key, 'USDC', account)).toBe(0n)
  }
  for (const key of chainKeys) {
    const here = executions.filter(({ deposit }) => deposit.chainId === chains[key].id)
    const fees = here.map(({ facts: { fees } }) => BigInt(fees!.protocolFeeEffective) + BigInt(fees!.gasFeeRaw))
    const collected = fees.reduce((sum, fee) => sum + fee, 0n)
    expect(await devnet.balanceOf(key, 'USDC', devnet.keys.collector)).toBe(collected)
  }
}
