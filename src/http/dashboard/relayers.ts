import { Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { assurePlatform } from '../operator/access'
import { memberSession, operators, type SessionPorts } from './member-session'
import type { RelayerBalance, RelayerBalances } from './ports'

type Ports = SessionPorts & {
  relayers: RelayerBalances
}

type Chain = { nativeBalance(account: Address): Promise<bigint> }
type RelayersOnChain = { onChain(chainId: ChainId): readonly { address: Address }[] }

const freshMs = 10_000

/** Reads the balances at most once in ten seconds, so an open page costs the nodes little. */
export function relayerBalances(
  chains: Record<ChainId, Chain>,
  relayers: RelayersOnChain,
  now: () => number,
): RelayerBalances {
  const read = (): Promise<RelayerBalance[]> =>
    Promise.all(
      chainIds.flatMap((chainId) =>
        relayers.onChain(chainId).map(async ({ address }) => ({
          chainId,
          address,
          balanceWei: await chains[chainId].nativeBalance(address).catch(() => null),
        })),
      ),
    )
  return aged(read, { now, forMs: freshMs, from: 'START' }).get
}

const relayerView = ({ chainId, address, balanceWei }: RelayerBalance) => ({
  chainId,
  chainKey: chainKeyOf(chainId),
  symbol: chainOf(chainId).native.symbol,
  address,
  balance: balanceWei === null ? null : String(balanceWei),
})
export type RelayerView = ReturnType<typeof relayerView>

/** Serves the balances of the relayers, for the platform's operators. A relayer without gas sends nothing. */
export const relayerRoutes = (ports: Ports) =>
  new Elysia().use(memberSession(ports, operators)).get('/relayers', async ({ session }) => {
    assurePlatform({ tenant: session.organization.isPlatform ? null : session.organization.id })
    const balances = await ports.relayers()
    return balances.map(relayerView)
  })
