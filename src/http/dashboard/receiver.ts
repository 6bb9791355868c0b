import { Elysia } from 'elysia'
import type { Faucet } from '../../ports/chain-client'

export const receiverPath = '/app/receiver'

/**
 * Accepts every webhook and stores nothing, so that a sandbox can show deliveries before there is a server. Events are
 * posted to it as to any other endpoint. The path exists only with a faucet.
 */
export const receiverRoute = ({ faucet }: { faucet: Faucet | null }) =>
  faucet
    ? new Elysia().post(
        receiverPath,
        ({ set }) => {
          set.status = 204
        },
        { parse: 'none' },
      )
    : new Elysia()
