import type { ChainId } from '../../../src/domain/chain/chain'
import { depositIdOf } from '../../../src/domain/execution/execution'
import type { Transfer } from '../../../src/ports/chain-client'
import { withoutFinds } from './bug-tools'
import type { Bug } from './view'

const idOf = (chainId: ChainId, { txHash, logIndex }: Transfer): string => depositIdOf(chainId, txHash, logIndex)

/** Planted bugs of detection: of the scan and of webhooks. */
export const bugsOfDetection: Record<string, Bug> = {
  'the scan records what the sweep has found': () => ({
    scanning: ({ executions }) => ({ executions: withoutFinds(executions) }),
  }),
  'a webhook records what the sweep has found': () => ({ reading: () => ({ sweptTo: async () => -1 }) }),
  'a deposit counts as recorded before it is stored': () => ({
    intake: ({ confirmed }) => {
      const recorded = new Set<string>()
      return {
        confirmed: async (chainId, transfer, ...more) => {
          const id = idOf(chainId, transfer)
          if (recorded.has(id)) return 'KNOWN'
          recorded.add(id)
          return confirmed(chainId, transfer, ...more)
        },
      }
    },
  }),
  'a sighting counts as shown before it is stored': () => ({
    intake: ({ seen }) => {
      const shown = new Set<string>()
      return {
        seen: async (chainId, transfer, account, detector) => {
          const shownAs = `${idOf(chainId, transfer)}@${transfer.blockHash}:${detector}`
          if (shown.has(shownAs)) return 'KNOWN'
          shown.add(shownAs)
          return seen(chainId, transfer, account, detector)
        },
      }
    },
  }),
  'the scan moves on before it has stored the deposits': () => ({
    scanning: ({ cursors, intake }) => {
      const read: Parameters<typeof intake.confirmed>[] = []
      return {
        intake: {
          ...intake,
          confirmed: async (...one) => {
            read.push(one)
            return 'KNOWN'
          },
        },
        cursors: {
          ...cursors,
          save: async (cursor) => {
            const moved = await cursors.save(cursor)
            for (const one of read.splice(0)) await intake.confirmed(...one)
            return moved
          },
        },
      }
    },
  }),
}
