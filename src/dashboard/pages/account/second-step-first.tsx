import { useHere } from '../../data/session'
import { Alone } from '../../ui/alone'
import { OtherOrganizations } from '../../ui/other-organizations'
import { SecondStepCard } from './second-step-card'

/** Shown to a member without a second step by an organization that requires one. */
export default function SecondStepFirst() {
  const { organization } = useHere()
  return (
    <Alone
      title="Set up a second step"
      lead={`${organization.name} requires a second step of its members. Set one up to continue.`}
      foot={<OtherOrganizations />}
    >
      <SecondStepCard />
    </Alone>
  )
}
