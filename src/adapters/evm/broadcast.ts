import type { Hex } from '../../domain/hex'
import { refusalIn } from './error'
import type { Ask } from './json-rpc'

/** Clients have different words for "I have it" and "that nonce is mined". */
const isThere = /already (known|imported|exists|in (the )?(mem)?pool)|known transaction|nonce (is )?too low|old ?nonce/i

export const isTaken = (error: unknown): boolean => isThere.test(refusalIn(error)?.message ?? '')

/** Hands bytes to the network. That they are there already is no failure. */
export const broadcast =
  (ask: Ask) =>
  async (bytes: Hex): Promise<void> => {
    await ask('eth_sendRawTransaction', [bytes]).catch((error) => {
      if (!isTaken(error)) throw error
    })
  }
