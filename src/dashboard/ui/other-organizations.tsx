import { Button } from '@mantine/core'
import { useHere } from '../data/session'
import { useSignOut } from '../data/sign-out'

/** The ways out of a page that bars the current organization. */
export function OtherOrganizations() {
  const { me, organization } = useHere()
  const leave = useSignOut()
  return (
    <div className="row">
      {me.organizations
        .filter(({ id }) => id !== organization.id)
        .map(({ id, slug, name }) => (
          <a key={id} href={`/app/${slug}`}>
            Go to {name}
          </a>
        ))}
      <Button variant="subtle" onClick={() => void leave()}>
        Sign out
      </Button>
    </div>
  )
}
