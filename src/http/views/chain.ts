import { type ChainId as ChainIdNumber, chainKeyOf, chainOf, chains } from '../../domain/chain/chain'
import { view } from '../../domain/schema'
import { pausedMessages } from '../../domain/tenant/pause-scope'
import type { ChainFigures } from '../../ports/prices'
import { ChainId, ChainKeyName, Count, Flag, isoTime, Text, TextOrNull, Time } from './scalar'

/** A chain, and whether it currently accepts and delivers deposits (extensions 5.1). */
export const ChainView = view({
  chainId: ChainId('Chain id'),
  chainKey: ChainKeyName('Chain key'),
  name: Text('Name', chains.base.name),
  nativeTokenSymbol: Text('Symbol of the native coin', 'ETH'),
  nativeTokenDecimals: Count('Decimals of the native coin', 18),
  explorerUrl: Text('Explorer; add `/tx/<hash>` or `/address/<address>`', chains.base.explorerUrl),
  confirmationsRequired: Count('Confirmations required before a deposit is routed', 10),
  confirmationTypicalSeconds: Count(
    'Typical seconds for these confirmations: measured, or estimated without enough data',
    20,
  ),
  acceptsDeposits: Flag('Whether deposits on it are currently routed', true),
  delivers: Flag('Whether it can currently be a destination', true),
  message: TextOrNull('Why `acceptsDeposits` or `delivers` is false', null),
  updatedAt: Time('When any of this last changed', '2026-11-21T09:59:41.000Z'),
})

/** Returns the chain as a pause, or its end, defines it. Measurements are left out. */
export const pausedChainView = (id: ChainIdNumber, confirmations: number, isPaused: boolean, at: number) =>
  chainView(id, confirmations, {
    confirmationTypicalSeconds: null,
    acceptsDeposits: !isPaused,
    delivers: !isPaused,
    message: isPaused ? pausedMessages.chain : null,
    updatedAt: at,
  })

export function chainView(id: ChainIdNumber, confirmations: number, figures: ChainFigures): typeof ChainView.infer {
  const { name, native, explorerUrl, blockSeconds } = chainOf(id)
  const { confirmationTypicalSeconds, acceptsDeposits, delivers, message, updatedAt } = figures
  return {
    chainId: id,
    chainKey: chainKeyOf(id),
    name,
    nativeTokenSymbol: native.symbol,
    nativeTokenDecimals: 18,
    explorerUrl,
    confirmationsRequired: confirmations,
    confirmationTypicalSeconds: confirmationTypicalSeconds ?? Math.ceil(confirmations * blockSeconds),
    acceptsDeposits,
    delivers,
    message,
    updatedAt: isoTime(updatedAt),
  }
}
