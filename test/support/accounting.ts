import { expect } from 'bun:test'
import type { AuditReport } from '../../src/app/audit/audit'
import { auditInstallation } from '../../src/app/audit/installation'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { type ChainKey, chainKeys, chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import type { Slot } from '../../src/domain/chain/relayer'
import type { Execution } from '../../src/domain/execution/execution'
import type { Environment } from './environment'
import { until } from './until'

export type Owner = { userId: string; account: Address; to: ChainKey }

/** Checks that every nonce in the records is mined. Returns how many transactions were mined. */
export async function everyNonceIsUsed({ connection, clients }: Environment): Promise<number> {
  const senders = await connection.db!.collection<{ _id: string; slots: Slot[] }>('senders').find().toArray()
  let mined = 0
  expect(senders.length).toBeGreaterThan(0)
  for (const { _id, slots } of senders) {
    const [chain, address] = _id.split(':') as [string, Address]
    const key = chainKeys.find((one) => one === chain || String(chains[one].id) === chain) as ChainKey
    const count = await clients[key].getTransactionCount({ address })
    expect(Math.max(-1, ...slots.map(({ nonce }) => nonce)), _id).toBeLessThan(count)
    mined += count
  }
  return mined
}

/** Checks that the audit explains every unit, that the accounts are empty, and that the recipients are paid. */
export async function everyUnitIsAccountedFor(
  environment: Environment,
  owners: readonly Owner[],
  executions: readonly Execution[],
): Promise<void> {
  const { devnet } = environment
  for (const { userId, account, to } of owners) {
    const own = executions.filter((execution) => execution.userId === userId)
    const delivered = own.reduce((sum, { facts }) => sum + BigInt(facts.delivery!.amountRaw), 0n)
    expect(await devnet.balanceOf(to, 'USDC', recipientOf(userId))).toBe(delivered)
    for (const key of chainKeys) expect(await devnet.balanceOf(key, 'USDC', account)).toBe(0n)
  }
  await everyUnitIsExplained(environment)
}

/** Runs the audit until every chain has scanned what is mined, and returns its report without faults. */
export const everyUnitIsExplained = ({ installation }: Environment): Promise<AuditReport> =>
  until('every unit is explained', async (note) => {
    const report = await auditInstallation(installation.installationEnv())
    note([report.unexplained, report.chains])
    return report.unexplained.length === 0 && report.chains.every(({ reason }) => reason === null) ? report : null
  })
