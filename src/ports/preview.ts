import type { Hash } from '../domain/chain/hex'
import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import type { Execution } from '../domain/execution/execution'

/**
 * Runs the steps of a real deposit up to signing, of money that need not exist. Stores nothing, signs nothing.
 *
 * @param deposit a record as intake would make it. @returns the record with its fees and its route.
 * @throws {RoutingError} what the deposit would fail by.
 */
export type Preview = (deposit: Execution, intent: IntentSnapshot, routeId: Hash | undefined) => Promise<Execution>
