import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/** Who may move the money of one account, chain and token. It has no release: it is free once the holder's has left. */
export type Lane = {
  id: string
  version: number
  holder: string | null
  /** From this block on the balance shows every move of earlier holders. */
  clearFrom: number
}

export const laneId = (account: Address, chainId: ChainId, token: Address): string =>
  `${account}:${chainId}:${token}`.toLowerCase()
