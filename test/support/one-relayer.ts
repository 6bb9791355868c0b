import type { ChainClient } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import { addressOf, hashOf } from './deposits'

export const key = { id: 'base:0', address: addressOf(1) }

/** One relayer key on one chain. It can always pay. `state.mined` is the number of its mined nonces. */
export function oneRelayer(state: { mined: number } = { mined: 0 }) {
  const chain = {
    chainId: 8453,
    confirmedNumber: async () => 1,
    head: async () => ({ number: 9, hash: '0x', time: 0 }),
    blockAt: async (number: number) => ({ number, hash: '0x', time: 0 }),
    nativeBalance: async () => 10n ** 20n,
    minedNonces: async (_key: string, block?: number) => (block === undefined ? state.mined : 0),
    fee: async () => ({ feeCap: 8n, tip: 1n }),
    send: async () => {},
    hasTransaction: async () => true,
  } as unknown as ChainClient
  const relayers = {
    forRoute: () => key,
    onChain: () => [key],
    transaction: async (_id: string, nonce: number) => ({ hash: hashOf(nonce), bytes: '0x' }),
  } as unknown as Relayers
  return { chain, relayers }
}
