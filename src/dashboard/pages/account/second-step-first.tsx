import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { askAuth } from '../../data/api'
import { useHere } from '../../data/session'
import { Alone } from '../../ui/alone'
import { SecondStepCard } from './second-step-card'

/** Shown to a member without a second step by an organization that requires one. */
export default function SecondStepFirst() {
  const { me, organization } = useHere()
  const others = me.organizations.filter(({ id }) => id !== organization.id)
  const client = useQueryClient()
  const leave = async () => {
    await askAuth('sign-out', {})
    client.clear()
    window.location.assign('/app')
  }
  return (
    <Alone
      title="Set up a second step"
      lead={`${organization.name} requires a second step of its members. Set one up to continue.`}
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
      <SecondStepCard />
    </Alone>
  )
}
