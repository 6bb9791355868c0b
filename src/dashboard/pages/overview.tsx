import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'wouter'
import { ago, grouped, percent } from '../format'
import {
  beforehand,
  countOf,
  inFlight,
  isBeforehand,
  isInFlight,
  needingAttention,
  type StateCount,
  useCounts,
  waitsForRetry,
} from '../live/counts'
import { MachineMap } from '../machine/machine-map'
import type { Model } from '../machine/model'
import { useModel } from '../machine/use-model'
import { useHere } from '../session'
import { Bones, Card, Page, Tile, Trouble } from '../ui/parts'
import { useNow } from '../ui/time'
import { DayBars } from './day-bars'
import { attentionQuery } from './execution-filter'
import { Latest } from './latest'
import { QuotaNote } from './quota-note'

/** At a glance: what is under way, what is stuck, for how long, and who acts next. */
export default function Overview() {
  const { organization } = useHere()
  const model = useModel()
  const counts = useCounts()
  const isNarrow = useMediaQuery('(max-width: 720px)') ?? false
  const [selected, setSelected] = useState<string | null>(null)
  const now = useNow()
  const byState = counts.data ?? []
  const count = (states: readonly string[]) => countOf(byState, ({ state }) => states.includes(state))
  const before = countOf(byState, isBeforehand)
  const succeeded = count(['SUCCESS'])
  const lost = count(model.data?.finals ?? [])
  const stuck = needingAttention(byState)
  return (
    <Page
      title="Overview"
      lead={`Every deposit of ${organization.isPlatform ? 'all organizations' : organization.name}, as it happens.`}
    >
      <QuotaNote />
      <div className="grid4">
        <Tile
          what="In flight"
          tone="info"
          value={grouped(countOf(byState, isInFlight))}
          more={
            <>
              <Link href={`/executions?status=${inFlight}`}>Look at them</Link>
              {before > 0 && (
                <>
                  {' · '}
                  <Link href={`/deposits?stage=${beforehand}`}>{grouped(before)} not sent yet</Link>
                </>
              )}
            </>
          }
        />
        <Tile
          what="Waiting for a retry"
          tone="warn"
          value={grouped(countOf(byState, waitsForRetry))}
          more={<Link href="/executions?status=FAILED">Look at them</Link>}
        />
        <Tile
          what="Need attention"
          tone="bad"
          value={grouped(stuck)}
          more={<Link href={`/executions?${attentionQuery}`}>Look at them</Link>}
        />
        <Tile
          what="Succeeded"
          tone="ok"
          value={grouped(succeeded)}
          more={
            succeeded + lost === 0 ? 'Nothing has ended yet' : `${percent(succeeded, succeeded + lost)} of what ended`
          }
        />
      </div>
      <Card
        title="Live map"
        side={
          <span className="sub tiny">Each dot is something happening now. Choose a state to list what is in it.</span>
        }
      >
        <Trouble error={model.error ?? counts.error} retry={() => void counts.refetch()} />
        {model.data ? (
          <MachineMap
            model={model.data}
            direction={isNarrow ? 'down' : 'across'}
            label="Executions by state"
            counts={Object.fromEntries(byState.map(({ state }) => [state, count([state])]))}
            hints={hintsOf(byState, model.data, now)}
            selected={selected}
            onSelect={(state) => setSelected(state === selected ? null : state)}
            isLive
          />
        ) : (
          <Bones rows={6} height={34} />
        )}
      </Card>
      <div className="grid2">
        <Latest state={selected} model={model.data} onAll={() => setSelected(null)} />
        <DayBars />
      </div>
    </Page>
  )
}

function hintsOf(counts: StateCount[], model: Model, now: number): Record<string, string> {
  const active = new Set(model.states.filter(({ kind }) => kind !== 'terminal').map(({ id }) => id))
  return Object.fromEntries(
    counts.flatMap(({ state, count, oldestAt }) =>
      count > 0 && oldestAt && active.has(state) ? [[state, `The oldest came ${ago(Date.parse(oldestAt), now)}.`]] : [],
    ),
  )
}
