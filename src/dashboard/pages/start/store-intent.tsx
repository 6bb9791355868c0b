import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { DepositAddressView } from '../../../http/views/deposit-address'
import { queryOf } from '../../data/api'
import { chainName } from '../../data/format'
import { useHere } from '../../data/session'
import type { KeyView } from '../../data/types'
import { useRead } from '../../data/use-read'
import { Copy } from '../../ui/copy'
import { Loaded } from '../../ui/loaded'
import { Bones } from '../../ui/parts'
import { type Draft, IntentForm, targetOf } from '../intents/intent-form'
import { type Token, usualToken } from '../intents/tokens'

/** An address without an owner. Its money is worthless, because it is offered only where deposits are pretended. */
const pretendRecipient = '0x7e57000000000000000000000000000000c0ffee'

/** Returns a filled-in intent: USDC on Arbitrum if it is listed. Where money is real, the recipient is left open. */
export function draftOf(tokens: readonly Token[], isTest: boolean): Draft {
  const target = usualToken(tokens, 'arbitrum')
  return {
    userId: 'user-1',
    chainId: target ? String(target.chainId) : null,
    token: target?.tokenAddress ?? null,
    recipient: isTest ? pretendRecipient : '',
  }
}

type Props = {
  apiKey: KeyView | null
  draft: Draft
  /** The user whose intent is stored; null without one. */
  storedUser: string | null
  /** The text of the key, or the part of it that is not secret. */
  keyText: string
  onEdit: (draft: Draft) => void
  onStored: (userId: string) => void
}
export function StoreIntent({ apiKey, draft, storedUser, keyText, onEdit, onStored }: Props) {
  const { isAdmin, organization } = useHere()
  const client = useQueryClient()
  const stored = (userId: string) => {
    void client.invalidateQueries({ queryKey: ['first steps', organization.id] })
    void client.invalidateQueries({ queryKey: ['address', organization.id, userId] })
    onStored(userId)
  }
  const form = isAdmin && apiKey && <IntentForm draft={draft} onEdit={onEdit} onStored={stored} />
  return (
    <div className="stack">
      <p className="small">
        A deposit intent names the chain, the token and the recipient. The user gets one deposit address, the same on
        all five chains.
      </p>
      {storedUser !== null && <Stored userId={storedUser} />}
      {storedUser === null || !form ? (
        form
      ) : (
        <details>
          <summary className="small strong">Store an intent for another user</summary>
          <div style={{ paddingTop: 12 }}>{form}</div>
        </details>
      )}
      <p className="sub small">{form ? 'The same from your server:' : 'From your server:'}</p>
      <Curl command={curlOf(keyText, draft)} missing={missingOf(keyText, draft)} />
    </div>
  )
}

/** Where a user's deposits go, and the address for them. */
function Stored({ userId }: { userId: string }) {
  const query = useRead<typeof DepositAddressView.infer>(
    ['address', userId],
    `/users/${encodeURIComponent(userId)}/deposit-address`,
  )
  return (
    <Loaded of={query} bones={<Bones rows={2} />}>
      {(address) => (
        <div className="stack tight" role="status">
          <p className="small">
            {address.hasIntent && (
              <>
                Deposits of <span className="strong">{userId}</span> arrive as{' '}
                <span className="strong">{address.targetTokenSymbol}</span> on {chainName(address.targetChainKey)}, at{' '}
                <span className="mono wrap">{address.targetAddress}</span>.{' '}
              </>
            )}
            The deposit address is:
          </p>
          <div className="row keep id-cell">
            <span className="mono wrap">{address.depositAddress}</span>
            <Copy value={address.depositAddress} what="deposit address" />
          </div>
          <p className="small">
            <Link href={`/address${queryOf({ user: userId })}`}>Address and QR code</Link>
          </p>
        </div>
      )}
    </Loaded>
  )
}

const Curl = ({ command, missing }: { command: string; missing: readonly string[] }) => (
  <>
    <div className="secret">
      <pre className="code" tabIndex={0} data-curl>
        {command}
      </pre>
      {missing.length === 0 && <Copy value={command} what="curl command" />}
    </div>
    {missing.length > 0 && <p className="sub tiny">It still lacks {missing.join(' and ')}.</p>}
  </>
)

/** Names the parts that the command lacks. A key is shown only once, when it is made. */
export const missingOf = (keyText: string, { chainId, token, recipient }: Draft): string[] => [
  ...(keyText.endsWith('…') ? ['your API key'] : []),
  ...(chainId === null || token === null ? ['the chain and the token'] : []),
  ...(recipient.trim() === '' ? ['the recipient'] : []),
]

/** The call that stores the intent of the form. A recipient that is missing stays a placeholder. */
function curlOf(keyText: string, draft: Draft): string {
  const { targetAddress, ...rest } = targetOf(draft)
  const intent = { userId: draft.userId, ...rest, targetAddress: targetAddress || '0x…' }
  return [
    `curl -s ${location.origin}/api/deposit-intents \\`,
    `  -H 'x-api-key: ${keyText}' -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(intent).replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n')
}
