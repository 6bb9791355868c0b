import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/**
 * Who may move the money of one account, chain and token. A lane is never released: it is free once the holder's money
 * has left the account or never will.
 */
export type Lane = {
  id: string
  version: number
  holder: string | null
  /** From this block on, the balance reflects every transfer of earlier holders. */
  clearFrom: number
}

export const laneId = (account: Address, chainId: ChainId, token: Address): string =>
  `${account}:${chainId}:${token}`.toLowerCase()
