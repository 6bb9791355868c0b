import type { Hex } from '../../domain/chain/hex'
import { meaningIn } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

export const isTaken = (error: unknown): boolean => meaningIn(error) === 'TAKEN'

/** Hands bytes to the network. That they are there already is no failure. */
export const broadcast =
  (ask: Ask) =>
  async (bytes: Hex): Promise<void> => {
    await ask('eth_sendRawTransaction', [bytes]).catch((error) => {
      if (!isTaken(error)) throw error
    })
  }
