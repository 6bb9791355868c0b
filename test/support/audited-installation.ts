import type { Audited } from '../../src/app/audit/auditing'
import { perChain } from '../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { TokenList } from '../../src/domain/money/token'
import type { LaneFacts } from '../../src/ports/audit'
import { account, at, collector } from './audit-lanes'
import { addressOf, hashOf } from './deposits'

export const isOf = (accounts: readonly Address[], one: Address) =>
  accounts.some((each) => each.toLowerCase() === one.toLowerCase())

/**
 * An installation whose one busy account is the lane's, on Base, among many empty ones. `coins` has the native coin and
 * the number of transactions of its relayer and its collector.
 */
export function installation(facts: LaneFacts, replaced: Partial<Audited['queries']> = {}): Audited {
  return watchedInstallation(() => facts, replaced)
}

/** The same, with facts that can change. `requests` counts the requests to the nodes of all chains. */
export function watchedInstallation(
  facts: () => LaneFacts,
  replaced: Partial<Audited['queries']> = {},
  {
    coins = new Map<string, { balanceRaw: bigint; nonces: number }>(),
    block = (): number => at,
    requests = [] as string[],
  } = {},
): Audited {
  const { chainId: base, token, routes, heldRaw } = facts()
  const { relayer } = routes[0] ?? { relayer: addressOf(0x4e1) }
  const usdc = { chainId: base, address: token, symbol: 'USDC', name: 'USD Coin', decimals: 6 } as const
  const addresses = [...Array.from({ length: 1_500 }, (_, n) => addressOf(0x10000 + n)), account].toSorted()
  const isHere = (chainId: number) => chainId === base
  const coinOf = (address: Address) => coins.get(address.toLowerCase()) ?? { balanceRaw: 10n ** 18n, nonces: 1 }
  const within = <Row extends { block: number }>(rows: readonly Row[], from: number, to: number): Row[] =>
    rows.filter((row) => row.block >= from && row.block <= to)
  const asked = <Answer>(what: string, answer: Answer): Promise<Answer> => {
    requests.push(what)
    return Promise.resolve(answer)
  }
  const chains: Audited['chains'] = perChain((chainId) => ({
    client: {
      confirmedNumber: () => asked('confirmedNumber', block() + 5),
      blockAt: (number) => asked('blockAt', { number, hash: hashOf(number), time: number }),
      holdersOfEach: (tokens, accounts) =>
        asked(
          'holdersOfEach',
          tokens.map((each) => {
            const held = [
              { account, balanceRaw: facts().heldRaw ?? heldRaw! },
              { account: collector, balanceRaw: 125_020n },
            ]
            const isThere = isHere(chainId) && each === token
            return { holding: isThere ? held.filter((one) => isOf(accounts, one.account)) : [], unread: [] }
          }),
        ),
      balanceOf: (of, address) =>
        asked('balanceOf', of === zeroAddress && isHere(chainId) ? coinOf(address).balanceRaw : 0n),
      minedNonces: (address) => asked('minedNonces', isHere(chainId) ? coinOf(address).nonces : 0),
      fee: () => asked('fee', { feeCap: 10n ** 9n, tip: 0n }),
      isDeployed: () => asked('isDeployed', false),
      isDelegated: () => asked('isDelegated', false),
    },
    history: {
      moves: (accounts, from, to) =>
        asked(
          'moves',
          isHere(chainId)
            ? within(facts().moves, from, to).filter((move) => isOf(accounts, move.from) || isOf(accounts, move.to))
            : [],
        ),
      routes: (accounts, from, to) =>
        asked('routes', isHere(chainId) && isOf(accounts, account) ? within(facts().routes, from, to) : []),
      recoveries: () => asked('recoveries', []),
      executed: (from, to) =>
        asked('executed', { routes: isHere(chainId) ? within(facts().routes, from, to) : [], recovered: [] }),
      gasOf: () => asked('gasOf', 10n ** 14n),
    },
  }))
  const queries: Audited['queries'] = {
    accounts: async () => ({ addresses, firstCreatedAt: 0 }),
    records: async (from, to) =>
      facts().records.filter((record) => {
        const key = record.account.toLowerCase()
        return key >= from && (to === null || key < to)
      }),
    unsupported: async () => [],
    relayers: async () => new Set([relayer.toLowerCase()]),
    recordedTo: async () => ({ listed: block(), others: block() }),
    ...replaced,
  }
  return { queries, chains, tokens: new TokenList([usdc]), collector }
}
