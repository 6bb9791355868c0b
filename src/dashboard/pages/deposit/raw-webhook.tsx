import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api'
import { exact } from '../../format'
import { useHere } from '../../session'
import type { DepositRow } from '../../types'
import { Copy } from '../../ui/copy'
import { Bones, Card, Trouble } from '../../ui/parts'

type Said = { webhook: { receivedAt: string; text: string | null } | null }
type Of = { deposit: Pick<DepositRow, 'id' | 'detectedBy'> }

/** What a webhook said of a deposit, as it came: text of somebody else's, shown as text. */
export function RawWebhook({ deposit: { id, detectedBy } }: Of) {
  const { organization } = useHere()
  const [isOpen, setOpen] = useState(false)
  const found = useQuery({
    // Whoever sees it later may be a webhook.
    queryKey: ['webhook', organization.id, id, detectedBy.join()],
    queryFn: () => ask<Said>(`/deposits/${encodeURIComponent(id)}/webhook`),
    staleTime: 60_000,
  })
  const webhook = found.data?.webhook
  const text = webhook?.text ? JSON.stringify(JSON.parse(webhook.text), null, 2) : null
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
      {found.isPending ? (
        <Bones rows={1} />
      ) : (
        found.data && <p className="sub small">{webhook ? saidOf(webhook, detectedBy) : noneOf(detectedBy)}</p>
      )}
      <Trouble error={found.error} retry={() => void found.refetch()} />
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

function saidOf({ receivedAt, text }: NonNullable<Said['webhook']>, [first]: readonly string[]): string {
  const came = `Alchemy’s webhook of this transfer came at ${exact(Date.parse(receivedAt))}.`
  const order = first === 'WEBHOOK' ? '' : ' Our own scanner saw the deposit first.'
  const rest =
    text === null
      ? ' It said more than is kept.'
      : ' Its entry of this transfer is kept as it came. Amounts are never read from it: they are measured on chain.'
  return came + order + rest
}

/** What led to a deposit of which no webhook is kept. */
function noneOf(detectedBy: readonly string[]): string {
  if (detectedBy.includes('WEBHOOK')) return 'A webhook led to this deposit, but what it said was not kept.'
  if (detectedBy.includes('SCANNER')) return 'No webhook announced this deposit; our own scanner found it.'
  return 'No webhook names this deposit: it was measured in the account’s balance, which belongs to no one transaction.'
}
