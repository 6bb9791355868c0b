import { Button, Switch, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Admission } from '../../../domain/tenant/sso'
import type { SsoView } from '../../../http/dashboard/sso/settings'
import { ask } from '../../data/api'
import { Trouble } from '../../ui/parts'
import { showToast } from '../../ui/toast'

type Props = { view: SsoView; mayChange: boolean; onDone: () => void }

/** Whom the connection admits: unstated verification of addresses, and required groups. */
export function SsoAdmission({ view, mayChange, onDone }: Props) {
  const { acceptsUnstatedVerification, groups } = view.admission
  const change = useMutation({
    mutationFn: (terms: Partial<Admission>) => ask('/sso/admission', { method: 'PUT', body: terms }),
    onSuccess: (_, { acceptsUnstatedVerification: isAccepted }) => {
      if (isAccepted === undefined) showToast('The groups are saved.')
      else showToast(`Addresses whose verification is not stated are ${isAccepted ? 'accepted now' : 'refused again'}.`)
      onDone()
    },
  })
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('groups'))
    const names = text.split('\n').map((line) => line.trim())
    change.mutate({ groups: [...new Set(names.filter((name) => name !== ''))] })
  }
  return (
    <>
      <Switch
        label="Accept addresses whose verification is not stated"
        description={
          'Entra ID needs this. The address must still be at a proved domain, and an address that the provider calls ' +
          'unverified is still refused. You trust your directory: anyone who can change e-mail addresses there decides ' +
          'who signs in under which address. Turning it off signs out everyone who signed in through the provider.'
        }
        maw={720}
        checked={acceptsUnstatedVerification}
        disabled={!mayChange || change.isPending}
        onChange={(event) => change.mutate({ acceptsUnstatedVerification: event.currentTarget.checked })}
      />
      <form key={groups.join('\n')} onSubmit={save} className="stack tight">
        <Textarea
          name="groups"
          label="Groups that may sign in"
          description={
            'One per line, exactly as the provider sends it. Leave it empty to admit everyone in the directory. ' +
            'Removing a group, or adding the first one, signs out everyone who signed in through the provider.'
          }
          defaultValue={groups.join('\n')}
          disabled={!mayChange}
          autosize
          minRows={2}
          maxRows={8}
          maw={520}
        />
        {mayChange && (
          <div className="row">
            <Button type="submit" variant="default" loading={change.isPending}>
              Save groups
            </Button>
          </div>
        )}
      </form>
      <Trouble error={change.error} />
    </>
  )
}
