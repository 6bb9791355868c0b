import { type ChainId, perChain } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Chains, Transfer } from '../../ports/chain-client'
import type { ScanCursors, UnsupportedDeposits } from '../../ports/detection'
import type { IsPriced } from '../../ports/prices'
import type { AddressMap } from '../intake/address-map'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import { pricedTokens } from './priced-tokens'
import { scanUnlisted } from './scan-unlisted'
import { tendUnsupported } from './tend-unsupported'
import { unsupportedIntake } from './unsupported-intake'

type Ports = {
  chains: Chains
  accounts: AddressMap
  cursors: ScanCursors
  unsupported: UnsupportedDeposits
  isDeposit: (chainId: ChainId, transfer: Transfer) => boolean
  isScanned: (chainId: ChainId, token: Address) => boolean
  scannedTo: (chainId: ChainId) => Promise<number>
  sweeps: Record<ChainId, BalanceSweep['sweep']>
  isPriced?: IsPriced | undefined
  beatMs: (chainId: ChainId) => number
  now: () => number
  onTrouble: (chainId: ChainId, error: unknown) => void
}

/**
 * Finds and tends transfers of unlisted tokens. They are recorded, and routed when somebody wants it or a provider
 * prices the token.
 */
export function unlistedTokens({
  isScanned,
  isDeposit,
  scannedTo,
  sweeps,
  isPriced,
  beatMs,
  onTrouble,
  ...ports
}: Ports) {
  const { chains, unsupported, now } = ports
  const priced = pricedTokens({ isPriced: isPriced ?? (async () => null), now })
  const intake = unsupportedIntake({ unsupported, priced, now })
  const parts = perChain((chainId) => {
    const given = { ...ports, chain: chains[chainId], intake, priced, sweep: sweeps[chainId] }
    const trouble = (error: unknown) => onTrouble(chainId, error)
    const scan = scanUnlisted({
      ...given,
      isUnlisted: (transfer) => isDeposit(chainId, transfer) && !isScanned(chainId, transfer.token),
      scannedTo: () => scannedTo(chainId),
      beatMs: beatMs(chainId),
      onTrouble: trouble,
    })
    return { scan, tending: tendUnsupported({ ...given, onTrouble: trouble }) }
  })

  return {
    pointed: intake.pointed,
    apart: intake.apart,
    want: (chainId: ChainId, id: string, isMeasured: boolean) => parts[chainId].tending.want(id, isMeasured),
    /** Does the work of one beat on a chain. */
    async look(chainId: ChainId): Promise<void> {
      const { scan, tending } = parts[chainId]
      const to = await scan.step()
      if (to !== null) await tending.settlePointed(to)
      if (scan.isOurTurn) await tending.tend()
    },
  }
}
