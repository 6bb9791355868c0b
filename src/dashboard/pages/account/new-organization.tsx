import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { ask } from '../../data/api'
import { useSignOut } from '../../data/sign-out'
import type { Me, OrganizationView } from '../../data/types'
import { Alone } from '../../ui/alone'
import { Trouble } from '../../ui/parts'

export default function NewOrganization({ isFirst = false }: { isFirst?: boolean }) {
  const client = useQueryClient()
  const [, go] = useLocation()
  const create = useMutation({
    mutationFn: (name: string) => ask<OrganizationView>('/organizations', { body: { name } }),
    onSuccess: (organization) => {
      client.setQueryData<Me>(['me'], (me) => me && { ...me, organizations: [...me.organizations, organization] })
      go(`/${organization.slug}/start`)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(String(new FormData(event.currentTarget).get('name')).trim())
  }
  const signOut = useSignOut()
  return (
    <Alone
      title={isFirst ? 'Your first organization' : 'New organization'}
      lead="API keys, deposits and members belong to an organization. You are its owner and can invite others."
      foot={
        isFirst ? (
          <button type="button" className="linkbutton" onClick={signOut}>
            Sign out
          </button>
        ) : (
          <Link href="/">Back</Link>
        )
      }
    >
      <form onSubmit={submit} className="stack">
        <Trouble error={create.error} />
        <TextInput name="name" label="Name" placeholder="Acme Pay" maxLength={64} required data-autofocus />
        <Button type="submit" loading={create.isPending}>
          Create organization
        </Button>
      </form>
    </Alone>
  )
}
