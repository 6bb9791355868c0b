import type { Hash } from '../domain/chain/hex'
import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import type { Execution } from '../domain/execution/execution'

/**
 * Runs the steps of a real deposit up to signing, for money that need not exist. It stores nothing and signs nothing.
 *
 * @param deposit A record as the intake would make it.
 * @returns The record with its fees and its route.
 * @throws {RoutingError} the error that the deposit would fail with.
 */
export type Preview = (deposit: Execution, intent: IntentSnapshot, routeId: Hash | undefined) => Promise<Execution>
