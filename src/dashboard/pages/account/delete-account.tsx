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
          You leave every organization, and your name and address are removed. What you did stays in the audit logs
          under a number. If you are the only owner of an organization, make somebody else an owner first, or delete it.
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
          <p className="small">All of your sessions end. Keys that you created keep working for their organizations.</p>
        </ConfirmedDeletion>
      )}
    </Card>
  )
}
