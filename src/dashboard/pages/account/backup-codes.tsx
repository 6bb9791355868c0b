import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BackupCodesView } from '../../../http/dashboard/organizations'
import { ask, askAuth } from '../../data/api'
import { download } from '../../data/download'
import { ifLoaded } from '../../data/read'
import { Copy } from '../../ui/copy'
import { FormDialog } from '../../ui/form-dialog'
import { Figure, Unread } from '../../ui/loaded'
import { StoredOnce } from '../../ui/one-time'
import { Note } from '../../ui/parts'
import { PasswordField } from '../../ui/password-fields'

/** With fewer codes left than this, a lost phone soon means a lost account. */
const fewCodes = 4

/** The number of unused backup codes, and a way to replace them. */
export function BackupCodes() {
  const client = useQueryClient()
  const queryKey = ['backup codes']
  const codes = useQuery({ queryKey, queryFn: () => ask<BackupCodesView>('/account/backup-codes') })
  const [isAsking, setAsking] = useState(false)
  const make = useMutation({
    mutationFn: (password: string) =>
      askAuth<{ backupCodes: string[] }>('two-factor/generate-backup-codes', { password }),
    onSuccess: () => {
      setAsking(false)
      void client.invalidateQueries({ queryKey })
    },
  })
  return (
    <>
      <Unread of={codes} />
      <div className="row apart">
        <span className="small">
          Unused backup codes: <Figure of={codes}>{({ left }) => left}</Figure>
        </span>
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          Make new codes
        </Button>
      </div>
      {ifLoaded(codes, ({ left }) => left < fewCodes) && (
        <Note tone="warn">Make new codes before the last one is used. Without a code, a lost phone locks you out.</Note>
      )}
      <FormDialog
        title="Make new backup codes"
        action="Make new codes"
        isOpen={isAsking}
        onSubmit={(event) => make.mutate(String(new FormData(event.currentTarget).get('password')))}
        onClose={() => setAsking(false)}
        isPending={make.isPending}
        error={make.error}
      >
        <p className="small">The current codes stop working immediately.</p>
        <PasswordField data-autofocus />
      </FormDialog>
      {make.data && (
        <StoredOnce title="Store your new backup codes" stored="I have stored these codes" onClose={make.reset}>
          <p className="small">They are shown only once, and replace the earlier ones.</p>
          <Codes codes={make.data.backupCodes} />
        </StoredOnce>
      )}
    </>
  )
}

/** Backup codes to copy, or to save as a file. */
export const Codes = ({ codes }: { codes: readonly string[] }) => (
  <div>
    <div className="row apart">
      <span className="small strong">Backup codes, each works once</span>
      <span className="row keep">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => download('switchyard-backup-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}
        >
          Save as a file
        </Button>
        <Copy value={codes.join('\n')} what="backup codes" />
      </span>
    </div>
    <pre className="code codes">
      {codes.map((code) => (
        <span key={code}>{code}</span>
      ))}
    </pre>
  </div>
)
