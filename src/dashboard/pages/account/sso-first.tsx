import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useHere } from '../../data/session'
import { useSignOut } from '../../data/sign-out'
import { goToProvider } from '../../data/sso'
import { Alone } from '../../ui/alone'
import { Trouble } from '../../ui/parts'

/** Shown to a member with a password by an organization that requires its own provider. */
export default function SsoFirst() {
  const { me, organization } = useHere()
  const others = me.organizations.filter(({ id }) => id !== organization.id)
  const go = useMutation({ mutationFn: () => goToProvider({ email: me.person.email }) })
  const leave = useSignOut()
  return (
    <Alone
      title="Single sign-on"
      lead={`${organization.name} requires its members to sign in through its own provider.`}
      foot={
        <div className="row">
          {others.map(({ id, slug, name }) => (
            <a key={id} href={`/app/${slug}`}>
              Go to {name}
            </a>
          ))}
          <Button variant="subtle" onClick={() => void leave()}>
            Sign out
          </Button>
        </div>
      }
    >
      <div className="stack">
        <Trouble error={go.error} />
        <Button onClick={() => go.mutate()} loading={go.isPending} fullWidth>
          Go to the provider
        </Button>
      </div>
    </Alone>
  )
}
