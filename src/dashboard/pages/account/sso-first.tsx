import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useHere } from '../../data/session'
import { goToProvider } from '../../data/sso'
import { Alone } from '../../ui/alone'
import { OtherOrganizations } from '../../ui/other-organizations'
import { Trouble } from '../../ui/parts'

/** Shown to a member with a password by an organization that requires its own provider. */
export default function SsoFirst() {
  const { me, organization } = useHere()
  const go = useMutation({ mutationFn: () => goToProvider({ email: me.person.email }) })
  return (
    <Alone
      title="Single sign-on"
      lead={`${organization.name} requires its members to sign in through its own provider.`}
      foot={<OtherOrganizations />}
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
