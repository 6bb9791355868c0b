import type { Account } from '../../src/domain/modular-account'
import type { InboundWebhook, InboundWebhooks } from '../../src/ports/inbound-webhooks'

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
      const { organizationId: _, ...said } = found
      return said
    },
  }
  return { ...port, all: () => [...kept.values()] }
}
