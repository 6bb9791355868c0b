import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { unsupportedIdOf } from '../../domain/deposit/unsupported'
import { type Detector, depositIdOf } from '../../domain/execution/execution'
import type { Chains, TransactionSeen, Transfer } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { AddressMap, Holder } from '../intake/address-map'
import type { Intake, IntakeResult } from '../intake/intake'
import type { UnsupportedIntake } from '../unlisted/unsupported-intake'
import { sweepFloor } from './coverage'

type Ports = {
  chains: Chains
  accounts: AddressMap
  intake: Intake
  executions: Executions
  isScanned: (chainId: ChainId, token: Address) => boolean
  isDeposit: (chainId: ChainId, transfer: Transfer) => boolean
  unsupported: Pick<UnsupportedIntake, 'pointed'>
  scannedTo: (chainId: ChainId) => Promise<number>
}

/** What a transaction brought to one of our accounts. `SWEEP`: the balance sweep has to measure it. */
export type Brought = {
  account: Holder
  token: Address
  id: string | null
  taken: IntakeResult | 'SWEEP' | 'UNSUPPORTED'
}
/** `block` is null until it is mined. */
export type TransactionRead = { isMined: boolean; succeeded: boolean; block: number | null; brought: Brought[] }

/** An organization, or null for the platform's operators, who see every organization. */
export type TenantId = string | null
export const isOf = (tenant: TenantId, { organizationId }: Pick<Holder, 'organizationId'>): boolean =>
  tenant === null || tenant === organizationId

const transfersMax = 500
const readsAtOnce = 16

/**
 * Reads one transaction as the chain has it now, and hands its transfers to the intake as the scanner would. Doing so
 * twice does no harm.
 */
export function readTransaction(ports: Ports) {
  const { chains, accounts, intake, executions, isScanned, isDeposit, unsupported, scannedTo } = ports

  return async (chainId: ChainId, txHash: Hash, detector: Detector, wantedBy?: TenantId): Promise<TransactionRead> => {
    const transaction = await chains[chainId].transaction(txHash)
    if (!transaction) return { isMined: false, succeeded: false, block: null, brought: [] }
    if (!transaction.succeeded) return { isMined: true, succeeded: false, block: transaction.block, brought: [] }
    const { block } = transaction
    const coin = await paidDirectly(chainId, txHash, transaction)
    const ours = await transfersToUs(transaction)
    // Our own routes are reported as well. They bring us nothing, so nobody is asked which block is confirmed.
    if (ours.length === 0) return { isMined: true, succeeded: true, block, brought: coin }
    const [confirmed, scanned] = await Promise.all([chains[chainId].confirmed(), scannedTo(chainId)])

    async function take(transfer: Transfer, account: Holder): Promise<Brought> {
      const { token } = transfer
      if (!isScanned(chainId, token)) {
        if (!isDeposit(chainId, transfer)) return { account, token, id: null, taken: 'IGNORED' }
        const isWanted = wantedBy !== undefined && isOf(wantedBy, account)
        await unsupported.pointed(chainId, transfer, account, detector, isWanted)
        return { account, token, id: unsupportedIdOf(chainId, account.id, token), taken: 'UNSUPPORTED' }
      }
      const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
      if (transfer.block > confirmed.number)
        return { account, token, id, taken: await intake.seen(chainId, transfer, account, detector) }
      // The block was scanned long ago and the transfer is not recorded. The sweep may have found it under an id of its
      // own.
      const isMissed = transfer.block <= sweepFloor(chainId, scanned) && !(await executions.load(id))
      if (isMissed) return { account, token, id: null, taken: 'SWEEP' }
      return { account, token, id, taken: await intake.confirmed(chainId, transfer, account, detector) }
    }

    const brought = await inParallel(ours, readsAtOnce, ([transfer, account]) => take(transfer, account))
    return { isMined: true, succeeded: true, block, brought: [...brought, ...coin] }
  }

  /** The native coin that the transaction itself pays, which the node is asked for only when it calls an account. */
  async function paidDirectly(chainId: ChainId, txHash: Hash, { to }: TransactionSeen): Promise<Brought[]> {
    const account = to && (await accounts.find(to))
    if (!account || (await chains[chainId].nativeValueOf(txHash)) === 0n) return []
    return [{ account, token: zeroAddress, id: null, taken: 'SWEEP' }]
  }

  /**
   * A transaction may carry thousands of logs. Of such a one only known accounts are looked at, and the scanner reads
   * the rest.
   */
  async function transfersToUs({ transfers }: TransactionSeen): Promise<[Transfer, Holder][]> {
    const few = transfers.length <= transfersMax
    const wanted = transfers.filter(({ to, amountRaw }) => amountRaw > 0n && (few || accounts.has(to)))
    const found = await inParallel(wanted, readsAtOnce, async (transfer) => {
      const account = await accounts.find(transfer.to)
      return account && ([transfer, account] satisfies [Transfer, Holder])
    })
    return found.filter((one) => one !== null)
  }
}
