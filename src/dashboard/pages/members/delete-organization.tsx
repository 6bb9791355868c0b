import { Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeletionView } from '../../../http/dashboard/deletion/deletion'
import { ask } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { ConfirmedDeletion } from '../../ui/confirmed-deletion'
import { Loaded } from '../../ui/loaded'
import { Bones, Card, Note } from '../../ui/parts'
import { OpenDeposits } from './open-deposits'

/** For owners: lists what is unfinished and what would remain, and deletes the organization. */
export function DeleteOrganization() {
  const { organization } = useHere()
  const [isAsking, setAsking] = useState(false)
  /** The number of deposits shown when the owner agreed. If it changes, the owner must agree again. */
  const [handsOver, setHandsOver] = useState(0)
  const queryKey = ['deletion', organization.id]
  const deletion = useQuery({ queryKey, queryFn: () => ask<DeletionView>('/organization/deletion') })
  const mayDelete = ifLoaded(deletion, ({ open, left }) => open.length === 0 && left.count === handsOver)
  return (
    <Card title="Delete the organization">
      <div className="stack">
        <p className="small">
          Its name, keys, webhook endpoints, invitations and members are removed. Records that accounting and the law
          require stay stored under its ID. Deposit addresses are watched permanently: later deposits follow the last
          intent of their user.
        </p>
        <Loaded of={deletion} bones={<Bones rows={2} />}>
          {({ open, left }) => (
            <>
              {open.length > 0 && (
                <Note tone="warn">
                  {open.map((sentence) => (
                    <span key={sentence} style={{ display: 'block' }}>
                      {sentence}
                    </span>
                  ))}
                </Note>
              )}
              {left.count > 0 && (
                <>
                  <OpenDeposits left={left} />
                  <Checkbox
                    label={
                      left.count === 1
                        ? 'I hand this deposit over to the platform’s operators'
                        : `I hand these ${left.count} deposits over to the platform’s operators`
                    }
                    checked={handsOver === left.count}
                    onChange={(event) => setHandsOver(event.currentTarget.checked ? left.count : 0)}
                  />
                </>
              )}
            </>
          )}
        </Loaded>
        <div className="row">
          <Button
            variant="default"
            disabled={!mayDelete}
            onClick={() => setAsking(true)}
            aria-label="Delete the organization"
          >
            Delete…
          </Button>
        </div>
      </div>
      {isAsking && (
        <ConfirmedDeletion
          title={`Delete ${organization.name}`}
          path="/organization/delete"
          more={{ handsOver }}
          onError={() => deletion.refetch()}
          word={organization.name}
          label="Name of the organization"
          onClose={() => setAsking(false)}
        >
          <p className="small">
            Every key stops within seconds, no more events are sent, and these pages become inaccessible.
          </p>
        </ConfirmedDeletion>
      )}
    </Card>
  )
}
