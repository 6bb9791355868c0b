import type { Hex } from '../../domain/chain/hex'
import { meaningIn } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

export const isTaken = (error: unknown): boolean => meaningIn(error) === 'TAKEN'

/** Sends a signed transaction. It is not a failure when the node already has it. */
export const broadcast =
  (ask: Ask) =>
  async (bytes: Hex): Promise<void> => {
    await ask('eth_sendRawTransaction', [bytes]).catch((error) => {
      if (!isTaken(error)) throw error
    })
  }
