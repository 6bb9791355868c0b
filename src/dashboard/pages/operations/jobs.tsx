import { Button, SegmentedControl, Select } from '@mantine/core'
import { useState } from 'react'
import { errorCodes } from '../../../domain/error'
import type { MatchedView } from '../../../http/dashboard/bulk'
import { capital, grouped, words } from '../../data/format'
import { ifLoaded, type QueryState } from '../../data/read'
import { Loaded } from '../../ui/loaded'
import { Bones, Card, Trouble } from '../../ui/parts'
import { isReason, ReasonField } from '../../ui/reason-field'
import { type BulkVerb, Progress, statusFilterOf, useBulk, useMatched } from './bulk'

/** Acts on many executions in the background, for example on all that failed for one cause. */
export function Jobs() {
  const [verb, setVerb] = useState<BulkVerb>('retry')
  const [causeCode, setCause] = useState<string | null>(null)
  const [intent, setIntent] = useState<WhichIntent>('CURRENT')
  const [reason, setReason] = useState('')
  const { begin, job } = useBulk()
  const filter = { status: statusFilterOf(verb), ...(causeCode && { causeCode }) }
  const query = useMatched(verb, filter)
  const isPossible = ifLoaded(query, ({ matched, most }) => matched > 0 && matched <= most)
  return (
    <Card title="Retry or re-drive many">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const seenAt = ifLoaded(query, ({ at }) => at)
          const wanted = { verb, filter, reason, seenAt, ...(verb === 'redrive' && { intent }) }
          begin.mutate(wanted, { onSuccess: () => setReason('') })
        }}
      >
        <SegmentedControl
          aria-label="What to do"
          value={verb}
          onChange={(value) => setVerb(value as BulkVerb)}
          data={[
            { value: 'retry', label: 'Retry failed' },
            { value: 'redrive', label: 'Re-drive ended' },
          ]}
        />
        <Select
          label="Cause"
          placeholder="Any cause"
          data={errorCodes.map((code) => ({ value: code, label: capital(words(code)) }))}
          value={causeCode}
          onChange={setCause}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear cause' }}
        />
        {verb === 'redrive' && <WhichIntent value={intent} onChange={setIntent} />}
        <HowMany query={query} />
        <ReasonField value={reason} onChange={setReason} />
        <Trouble error={begin.error ?? job.error} />
        <div className="row">
          <Button type="submit" loading={begin.isPending} disabled={!isReason(reason) || !isPossible}>
            {verb === 'retry' ? 'Retry' : 'Re-drive'}{' '}
            {ifLoaded(query, ({ matched, most }) => grouped(Math.min(matched, most)))}
          </Button>
        </div>
        {job.data && <Progress job={job.data} />}
      </form>
    </Card>
  )
}

type WhichIntent = 'CURRENT' | 'ORIGINAL'
const WhichIntent = ({ value, onChange }: { value: WhichIntent; onChange: (value: WhichIntent) => void }) => (
  <Select
    label="Destination"
    data={[
      { value: 'CURRENT', label: 'The users’ current intents' },
      { value: 'ORIGINAL', label: 'The original intents' },
    ]}
    value={value}
    onChange={(chosen) => onChange(chosen === 'ORIGINAL' ? chosen : 'CURRENT')}
  />
)

const HowMany = ({ query }: { query: QueryState<MatchedView> }) => (
  <Loaded of={query} bones={<Bones rows={1} height={16} />}>
    {({ matched, most }) => (
      <p className="small" role="status">
        {matched > most
          ? `More than ${grouped(most)} match. Choose a cause: one job handles at most that many.`
          : `${grouped(matched)} ${matched === 1 ? 'execution matches' : 'executions match'}.`}
      </p>
    )}
  </Loaded>
)
