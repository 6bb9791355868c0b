import { Button } from '@mantine/core'
import { useHere } from '../../data/session'
import { useSignOut } from '../../data/sign-out'
import { Alone } from '../../ui/alone'
import { SecondStepCard } from './second-step-card'

/** Shown to a member without a second step by an organization that requires one. */
export default function SecondStepFirst() {
  const { me, organization } = useHere()
  const others = me.organizations.filter(({ id }) => id !== organization.id)
  const leave = useSignOut()
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
