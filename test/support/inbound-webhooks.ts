import type { Account } from '../../src/domain/chain/account'
import { zeroAddress } from '../../src/domain/chain/hex'
import type { InboundWebhook, InboundWebhooks } from '../../src/ports/detection'

export function inboundWebhooksInMemory(accounts: () => readonly Pick<Account, 'id' | 'organizationId'>[]) {
  const kept = new Map<string, InboundWebhook & { organizationId: string }>()
  const port: InboundWebhooks = {
    note(said) {
      for (const one of said) {
        const organizationId = accounts().find(({ id }) => id === one.account)?.organizationId
        if (organizationId !== undefined && !kept.has(one.id)) kept.set(one.id, { ...one, organizationId })
      }
    },
    async find(organizationId, account, id) {
      const found = kept.get(id)
      if (found?.organizationId !== organizationId || found.account !== account) return null
      return saidIn(found)
    },
    async ofCoin(organizationId, { account, chainId, after, to }, limit) {
      return [...kept.values()]
        .filter((one) => one.organizationId === organizationId && one.account === account)
        .filter((one) => one.chainId === chainId && one.token === zeroAddress)
        .filter(({ block }) => block !== null && block > after && block <= to)
        .toSorted((a, b) => a.block! - b.block!)
        .slice(0, limit)
        .map(saidIn)
    },
  }
  return { ...port, all: () => [...kept.values()] }
}

const saidIn = ({ organizationId: _, ...said }: InboundWebhook & { organizationId: string }): InboundWebhook => said
