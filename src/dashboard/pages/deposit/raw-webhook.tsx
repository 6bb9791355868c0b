import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { InboundWebhookView } from '../../../http/dashboard/inbound-webhooks'
import { ask } from '../../data/api'
import { exact } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositRow } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'

type Of = { deposit: Pick<DepositRow, 'id' | 'detectedBy' | 'depositTxHash'> }

/** The stored webhooks that reported a deposit. They come from outside and are shown only as text. */
export function RawWebhook({ deposit: { id, detectedBy, depositTxHash } }: Of) {
  const { organization } = useHere()
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({
    // A webhook can still arrive after the deposit was found another way.
    queryKey: ['webhook', organization.id, id, detectedBy.join()],
    queryFn: () => ask<InboundWebhookView[]>(`/deposits/${encodeURIComponent(id)}/webhooks`),
    staleTime: 60_000,
  })
  const isMeasured = depositTxHash === null
  const text = ifLoaded(query, bodyOf)
  return (
    <Card
      title="Raw webhook"
      side={
        text && (
          <span className="row">
            <Copy value={text} what="webhook" />
            <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide webhook' : 'Show webhook'}
            </Button>
          </span>
        )
      }
    >
      <Loaded of={query} bones={<Bones rows={1} />}>
        {(said) => (
          <p className="sub small">{said.length > 0 ? saidOf(said, detectedBy, isMeasured) : noneOf(detectedBy)}</p>
        )}
      </Loaded>
      {isOpen && text && (
        <section aria-label="Webhook" style={{ marginTop: 12 }}>
          <pre className="code" tabIndex={0} style={{ maxHeight: 420 }}>
            {text}
          </pre>
        </section>
      )}
    </Card>
  )
}

/** Returns the stored webhooks as indented JSON, or null if none was stored. */
function bodyOf(said: readonly InboundWebhookView[]): string | null {
  const bodies = said.flatMap(({ text }) => (text === null ? [] : [JSON.parse(text)]))
  return bodies.length === 0 ? null : JSON.stringify(bodies.length === 1 ? bodies[0] : bodies, null, 2)
}

function saidOf(said: readonly InboundWebhookView[], [first]: readonly string[], isMeasured: boolean): string {
  const cameAt = exact(Date.parse(said[0]!.receivedAt))
  const rest = said.some(({ text }) => text === null) ? ' One of them was too long to store.' : ''
  if (isMeasured) {
    const what = said.length === 1 ? 'a payment' : `${said.length} payments`
    return `Alchemy’s webhooks reported ${what} after the previous balance measurement, first at ${cameAt}. The deposit is the amount measured in the account’s balance after that.${rest}`
  }
  const order = first === 'WEBHOOK' ? '' : ' Our own scanner saw the deposit first.'
  const read =
    ' Its entry for this transfer is stored unchanged. Amounts are never read from it: they are measured on chain.'
  return `Alchemy’s webhook for this transfer arrived at ${cameAt}.${order}${rest || read}`
}

/** Explains how a deposit without a stored webhook was found. */
function noneOf(detectedBy: readonly string[]): string {
  if (detectedBy.includes('WEBHOOK')) return 'A webhook led to this deposit, but its text was not stored.'
  if (detectedBy.includes('SCANNER')) return 'No webhook announced this deposit; our own scanner found it.'
  return 'No webhook announced this deposit; our own check of the balance found it.'
}
