import { type Address, sameAddress } from '../../../src/domain/chain/hex'
import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../../src/domain/execution/execution'

/** Checks that each deposit follows a stored version of its intent, and that each answered change was stored. */
export class IntentAuditor {
  /** The versions of each account's intent, oldest first. */
  private readonly versions = new Map<string, DepositIntent[]>()
  /** The version that was stored when an execution began. */
  private readonly begunAt = new Map<string, number>()

  private of = (account: string): readonly DepositIntent[] => this.versions.get(account) ?? []

  /** @returns The rules that the write breaks. */
  stored(intent: DepositIntent): string[] {
    const before = this.of(intent.id)
    this.versions.set(intent.id, [...before, intent])
    return intent.version === (before.at(-1)?.version ?? 0) + 1 ? [] : ['a version of an intent is missing']
  }

  /** @returns The rules that the write of an execution breaks. */
  wrote(before: Execution | null, { id, redriveOf, deposit, facts: { intent } }: Execution): string[] {
    const stored = this.of(deposit.account)
    if (!before) this.begunAt.set(id, stored.at(-1)?.version ?? 0)
    if (!intent || before?.facts.intent || redriveOf !== null) return []
    const isKnown = stored.some(
      ({ version, targetAddress }) => version === intent.version && targetAddress === intent.targetAddress,
    )
    return [
      ...(isKnown ? [] : ['I4 an intent that nobody stored']),
      ...(intent.version >= this.begunAt.get(id)! ? [] : ['I4 an intent that was replaced before the deposit']),
    ]
  }

  /** @returns The rules that the answer to a change breaks. */
  answered(account: Address, targetAddress: Address): string[] {
    const isIt = (one: DepositIntent) => sameAddress(one.targetAddress, targetAddress)
    return this.of(account).some(isIt) ? [] : ['the API answered a change of an intent that it had not stored']
  }
}
