import { useHere } from '../../data/session'
import { Page } from '../../ui/parts'
import { Chains } from './chains'
import { JobHistory } from './job-history'
import { Jobs } from './jobs'
import { Nodes } from './nodes'
import { OverdueCard } from './overdue'
import { Pauses } from './pauses'
import { Providers } from './providers'
import { Relayers } from './relayers'
import { States } from './states'

/** The page for the person on call: problems and their switches first, then the details. */
export default function Operations() {
  const { organization } = useHere()
  return (
    <Page
      title="Operations"
      lead={
        organization.isPlatform
          ? 'For the whole platform: a pause here applies to every organization.'
          : 'For your organization. Chains and providers are paused by the platform’s operators.'
      }
    >
      <OverdueCard />
      {organization.isPlatform && <Providers />}
      <Chains />
      <div className="grid2">
        <Pauses />
        <Jobs />
      </div>
      <JobHistory />
      <States />
      {organization.isPlatform && <Relayers />}
      {organization.isPlatform && <Nodes />}
    </Page>
  )
}
