import { Button } from '@mantine/core'
import { useState } from 'react'
import { useHere } from '../../data/session'
import { ConfirmedDeletion } from '../../ui/confirmed-deletion'
import { Card } from '../../ui/parts'

export function DeleteAccount() {
  const { me } = useHere()
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title="Delete your account">
      <div className="stack">
        <p className="small">
          You leave every organization, and your name and address are removed. Your actions stay in the audit logs under
          a pseudonym. If you are the only owner of an organization, first make another member an owner, or delete the
          organization.
        </p>
        <div className="row">
          <Button variant="default" onClick={() => setAsking(true)} aria-label="Delete your account">
            Delete…
          </Button>
        </div>
      </div>
      {isAsking && (
        <ConfirmedDeletion
          title="Delete your account"
          path="/account/delete"
          word={me.person.email}
          label="Your e-mail address"
          onClose={() => setAsking(false)}
        >
          <p className="small">All your sessions end. Keys that you created keep working for their organizations.</p>
        </ConfirmedDeletion>
      )}
    </Card>
  )
}
