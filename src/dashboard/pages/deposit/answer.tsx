import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { linkMinutes } from '../../../domain/tenant/deposit-page'
import type { PayerAnswerView } from '../../../http/dashboard/hosted/answers'
import type { DepositLinkView } from '../../../http/dashboard/hosted/links'
import { ask } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { useRead } from '../../data/use-read'
import { Copy } from '../../ui/copy'
import { FormDialog } from '../../ui/form-dialog'
import { Loaded } from '../../ui/loaded'
import { Bones } from '../../ui/parts'
import { Ago } from '../../ui/time'

/** A ready answer to the customer who asks about a deposit: a sentence, and a link that shows this deposit alone. */
export function AnswerCustomer({ depositId }: { depositId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" size="sm" onClick={() => setOpen(true)}>
        Answer the customer
      </Button>
      {isOpen && <Answer depositId={depositId} onClose={() => setOpen(false)} />}
    </>
  )
}

function Answer({ depositId, onClose }: { depositId: string; onClose: () => void }) {
  const { isOperator } = useHere()
  const answer = useRead<PayerAnswerView>(['answer', depositId], `/deposits/${encodeURIComponent(depositId)}/answer`)
  const make = useMutation({
    mutationFn: () => ask<DepositLinkView>('/deposit-page/links', { body: { depositId, minutes: linkMinutes.most } }),
  })
  const mayLink = isOperator && !make.data && ifLoaded(answer, ({ hasPage }) => hasPage)
  return (
    <FormDialog
      title="Answer the customer"
      action={mayLink ? 'Create a link' : null}
      cancel="Close"
      act={make}
      onClose={onClose}
    >
      <Loaded of={answer} bones={<Bones rows={3} />}>
        {({ sentence, hasPage }) => (
          <>
            <Ready what="sentence" text={sentence} />
            {make.data ? (
              <>
                <Ready what="link" text={make.data.url} />
                <p className="sub small">
                  It shows this deposit alone, to read only, and ends <Ago at={make.data.expiresAt} />.
                </p>
              </>
            ) : (
              <AboutLink hasPage={hasPage} />
            )}
          </>
        )}
      </Loaded>
    </FormDialog>
  )
}

/** What a link shows, and who can make it. */
export function AboutLink({ hasPage }: { hasPage: boolean }) {
  const { isAdmin, isOperator } = useHere()
  return (
    <p className="sub small">
      {hasPage ? (
        `A link shows the customer this deposit alone, in your name, for one day.${isOperator ? '' : ' An operator can create it.'}`
      ) : (
        <>
          A link would show the customer this deposit alone. It needs the hosted page, which{' '}
          {isAdmin ? 'you can turn on' : 'an admin can turn on'} at <Link href="/address">Deposit address</Link>.
        </>
      )}
    </p>
  )
}

const Ready = ({ what, text }: { what: string; text: string }) => (
  <div className="secret">
    <p className="code breaks" data-answer={what}>
      {text}
    </p>
    <Copy value={text} what={what} />
  </div>
)
