import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, ask } from '../../data/api'
import { choicesOf } from '../../data/read'
import { Unread } from '../../ui/loaded'
import { Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'
import { findIntent, type IntentTarget, isSameTarget, RedirectDialog } from './redirect'
import { chainChoices, type Token, tokenChoices, useTokens } from './tokens'

/** Stores an intent. If deposits currently go elsewhere, `before` is that target, and the person must confirm. */
function useMaking(userId: string, intentTarget: IntentTarget, onStored: (userId: string) => void) {
  const [, go] = useLocation()
  const [before, setBefore] = useState<IntentTarget | null>(null)
  const make = useMutation({
    /** @param seen The target that the person has agreed to replace. Any other target needs another confirmation. */
    mutationFn: async (seen: IntentTarget | null) => {
      const current = await findIntent(userId)
      if (current && !isSameTarget(current, intentTarget) && !(seen && isSameTarget(current, seen))) return current
      await ask('/deposit-intents', { body: { userId, ...intentTarget } })
      return null
    },
    onSuccess: (unconfirmed) => {
      setBefore(unconfirmed)
      if (unconfirmed) return
      showToast('The intent is stored.')
      onStored(userId)
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || error.code !== 'CHANGE_HELD') return
      showToast(error.message, 'info')
      go('/recipient-changes')
    },
  })
  return { make, before, keepBefore: () => setBefore(null) }
}

/** The input of the form. */
export type Draft = { userId: string; chainId: string | null; token: string | null; recipient: string }

/** Returns the target of a draft. The server refuses anything that is not a chain or an address. */
export const targetOf = ({ chainId, token, recipient }: Draft) =>
  ({
    targetChainId: Number(chainId),
    targetTokenAddress: token ?? '',
    targetAddress: recipient.trim(),
  }) as IntentTarget

type Props = { draft: Draft; onEdit: (draft: Draft) => void; onStored: (userId: string) => void }
/** A form for a deposit intent, created with the newest CLIENT key. */
export function IntentForm({ draft, onEdit, onStored }: Props) {
  const listed = useTokens()
  const tokens = choicesOf(listed)
  const { userId, chainId, token, recipient } = draft
  const intentTarget = targetOf(draft)
  const { make, before, keepBefore } = useMaking(userId, intentTarget, onStored)
  /** The browser checks every field but a select without a search. */
  const [unchosen, setUnchosen] = useState<Error | null>(null)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        setUnchosen(chainId ? null : new Error('Destination chain must be chosen.'))
        if (chainId) make.mutate(null)
      }}
    >
      <Unread of={listed} />
      <div className="form-grid">
        <TextInput
          label="User"
          value={userId}
          onChange={(event) => onEdit({ ...draft, userId: event.currentTarget.value })}
          maxLength={256}
          required
        />
        <TextInput
          label="Recipient"
          name="targetAddress"
          placeholder="0x…"
          value={recipient}
          onChange={(event) => onEdit({ ...draft, recipient: event.currentTarget.value })}
          pattern="\s*0x[0-9a-fA-F]{40}\s*"
          required
        />
        <TargetFields
          tokens={tokens}
          chainId={chainId}
          token={token}
          onChange={(chain, tokenAddress) => onEdit({ ...draft, chainId: chain, token: tokenAddress })}
        />
      </div>
      <RedirectDialog
        userId={userId}
        before={before}
        after={intentTarget}
        tokens={tokens}
        isPending={make.isPending}
        error={make.error}
        onClose={keepBefore}
        onConfirm={() => make.mutate(before)}
      />
      {!before && <Trouble error={unchosen ?? make.error} />}
      <div className="row">
        <Button type="submit" loading={make.isPending}>
          Store the intent
        </Button>
      </div>
    </form>
  )
}

type TargetProps = {
  tokens: readonly Token[]
  chainId: string | null
  token: string | null
  onChange: (chainId: string | null, token: string | null) => void
}
const TargetFields = ({ tokens, chainId, token, onChange }: TargetProps) => (
  <>
    <Select
      label="Destination chain"
      data={chainChoices(tokens)}
      value={chainId}
      onChange={(value) => onChange(value, null)}
      required
    />
    <Select
      label="Destination token"
      data={tokenChoices(tokens, chainId)}
      value={token}
      onChange={(value) => onChange(chainId, value)}
      disabled={chainId === null}
      searchable
      required
    />
  </>
)
