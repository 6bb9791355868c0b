import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { CreatedKeyView } from '../../../http/dashboard/keys'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import type { KeyView } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Trouble } from '../../ui/parts'

/** The terms of a first key. Its intents take 0.25 % as the protocol fee, and gas from the deposit. */
const defaults = { label: 'First key', role: 'CLIENT', protocolFeeBps: 25, sponsoredGas: false, endsInDays: null }

type Props = {
  apiKey: KeyView | null
  /** The value of the key that was created on this page; null afterwards. */
  value: string | null
  isTest: boolean
  onMade: (value: string) => void
}
/** A key with defaults, in one click. Its value stays on the page until the person leaves it. */
export function CreateKey({ apiKey, value, isTest, onMade }: Props) {
  const { organization, isAdmin } = useHere()
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () => ask<CreatedKeyView>('/keys', { body: defaults }),
    onSuccess: (created) => onMade(created.value),
    onSettled: () => client.invalidateQueries({ queryKey: ['keys', organization.id] }),
  })
  if (value !== null) return <Shown value={value} />
  if (apiKey)
    return (
      <p className="small">
        <span className="strong">{apiKey.label}</span> begins with <span className="mono">{apiKey.prefix}</span>. Only
        you have the rest. If you lost it, roll the key under <Link href="/keys">API keys</Link>.
      </p>
    )
  if (!isAdmin) return <p className="small sub">Ask an owner or admin of {organization.name} for a key.</p>
  return (
    <>
      <p className="small">
        Your server calls Switchyard with it. The first key takes a protocol fee of 0.25 % and gas from the deposit, and
        never expires. Other settings are under <Link href="/keys">API keys</Link>.
      </p>
      <Trouble error={make.error} />
      <div>
        <Button size="sm" loading={make.isPending} onClick={() => make.mutate()}>
          {isTest ? 'Create a test key' : 'Create a key'}
        </Button>
      </div>
    </>
  )
}

const Shown = ({ value }: { value: string }) => (
  <>
    <p className="small" role="status">
      Copy the key now. It disappears when you leave or reload this page.
    </p>
    <div className="secret">
      <code className="code breaks" data-secret>
        {value}
      </code>
      <Copy value={value} what="API key" />
    </div>
  </>
)
