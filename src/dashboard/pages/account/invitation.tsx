import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { InvitationOfferView, JoinedView } from '../../../http/dashboard/invitations'
import { ask, askAuth, queryOf } from '../../data/api'
import type { Me } from '../../data/types'
import { Alone } from '../../ui/alone'
import { Bones, Note, Trouble } from '../../ui/parts'
import SignIn from './sign-in'

/**
 * The page of an invitation link. It names the inviter and the organization, and requires a sign-in with the invited
 * address.
 */
export default function Invitation({ me }: { me: Me | null }) {
  const [parameters] = useSearchParams()
  const token = parameters.get('token') ?? ''
  const offered = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => ask<InvitationOfferView>(`/invitation${queryOf({ token })}`),
  })
  if (offered.error)
    return (
      <Alone title="This invitation has ended" foot={<Link href="/">Go to sign-in</Link>}>
        <Trouble error={offered.error} />
      </Alone>
    )
  if (!offered.data)
    return (
      <Alone title="Invitation">
        <Bones rows={3} />
      </Alone>
    )
  if (me) return <Join me={me} offered={offered.data} token={token} />
  const { email, role, organizationName } = offered.data
  return (
    <SignIn
      email={email}
      invitation={token}
      lead={`You are invited to join ${organizationName} as ${role}, on the Switchyard at ${location.host}. Sign in to accept, or create an account.`}
    />
  )
}

type JoinProps = { me: Me; offered: InvitationOfferView; token: string }
function Join({ me, offered: { email, role, invitedBy, organizationName }, token }: JoinProps) {
  const client = useQueryClient()
  const [, go] = useLocation()
  const accept = useMutation({
    mutationFn: () => ask<JoinedView>('/invitation', { body: { token } }),
    onSuccess: async ({ organizationId }) => {
      await client.invalidateQueries({ queryKey: ['me'] })
      const next = client.getQueryData<Me>(['me'])?.organizations.find(({ id }) => id === organizationId)
      go(next ? `/${next.slug}` : '/')
    },
  })
  const signOut = async () => {
    await askAuth('sign-out', {})
    await client.invalidateQueries({ queryKey: ['me'] })
  }
  const isRight = me.person.email.toLowerCase() === email
  return (
    <Alone
      title={`Join ${organizationName}`}
      lead={`${invitedBy} invites ${email} as ${role}, on the Switchyard at ${location.host}.`}
    >
      <Trouble error={accept.error} />
      {isRight ? (
        <Button loading={accept.isPending} onClick={() => accept.mutate()}>
          Join {organizationName}
        </Button>
      ) : (
        <>
          <Note tone="warn">
            You are signed in as {me.person.email}, and this invitation is for {email}.
          </Note>
          <Button variant="default" onClick={signOut}>
            Sign out to use the other address
          </Button>
        </>
      )}
    </Alone>
  )
}
