import type { ChainId } from '../domain/chain'
import { sweptDepositIdOf } from '../domain/execution'
import type { Address, Hash } from '../domain/hex'
import { laneId } from '../domain/lane'
import type { Executions } from '../ports/executions'
import type { Found, Rescanned } from '../ports/watch'
import type { Brought, TransactionRead } from './read-transaction'
import type { Swept } from './sweep-balances'

type Ports = {
  read: (chainId: ChainId, txHash: Hash, detector: 'SCANNER') => Promise<TransactionRead>
  sweep: (chainId: ChainId, token: Address, accounts: readonly Address[]) => Promise<Swept>
  executions: Executions
  /** Whether a node has it in its pool. */
  isPending: (chainId: ChainId, txHash: Hash) => Promise<boolean>
}

/**
 * "My deposit is not showing": reads the transaction now. What belongs to another organization is taken in as well, but
 * never told, but to the platform’s operators. Source: beyond, 3.3.
 *
 * @throws {RoutingError} an RPC_ code when the chain cannot be read.
 */
export const rescan =
  ({ read, sweep, executions, isPending }: Ports) =>
  async (chainId: ChainId, txHash: Hash, organizationId: string | null): Promise<Rescanned> => {
    const { isMined, succeeded, brought } = await read(chainId, txHash, 'SCANNER')
    if (!isMined) return none((await isPending(chainId, txHash)) ? 'NOT_MINED' : 'NOT_FOUND')
    if (!succeeded) return none('REVERTED')
    const results = []
    for (const one of brought) results.push({ ...(await settled(one)), account: one.account })

    const isOurs = (owner: string) => organizationId === null || owner === organizationId
    const ours = results.filter(({ account, found }) => isOurs(account.organizationId) && found !== null)
    const depositIds = [...new Set(ours.flatMap(({ id }) => (id === null ? [] : [id])))]
    for (const found of ['DEPOSIT', 'KNOWN', 'TOKEN_NOT_SUPPORTED'] as const)
      if (ours.some((one) => one.found === found)) return { found, depositIds }
    return none('NO_TRANSFER_TO_US')

    async function settled({
      account,
      token,
      id,
      taken,
    }: Brought): Promise<{ id: string | null; found: Found | null }> {
      if (taken === 'UNSUPPORTED') return { id: null, found: 'TOKEN_NOT_SUPPORTED' }
      if (taken === 'IGNORED') return { id: null, found: null }
      if (taken !== 'SWEEP') return { id, found: taken === 'STORED' ? 'DEPOSIT' : 'KNOWN' }
      const swept = await sweep(chainId, token, [account.id])
      if (swept.found.length > 0) return { id: swept.found[0]!, found: 'DEPOSIT' }
      const book = await executions.bookOf(laneId(account.id, chainId, token), swept.block)
      // Nothing yet: its block is not deep enough, and a later sweep measures it.
      if (!book || book.finds === 0) return { id: null, found: 'DEPOSIT' }
      return { id: sweptDepositIdOf(chainId, account.id, token, book.finds), found: 'KNOWN' }
    }
  }

const none = (found: Found): Rescanned => ({ found, depositIds: [] })
