import { useState } from 'react'
import { Link } from 'wouter'
import { grouped, percent } from '../data/format'
import { useHere } from '../data/session'
import {
  beforehand,
  countOf,
  inFlight,
  isInFlight,
  listedBeforehand,
  needingAttention,
  type StateCount,
  useCounts,
  waitsForRetry,
} from '../live/counts'
import { useDwells } from '../live/dwells'
import { figuresOf } from '../machine/figures'
import { MachineMap } from '../machine/machine-map'
import { useDirection } from '../machine/use-direction'
import { useModel } from '../machine/use-model'
import { Bones, Card, Page, Tile, Trouble } from '../ui/parts'
import { useNow } from '../ui/time'
import { attentionQuery } from './executions/execution-filter'
import { Latest } from './latest'
import { DayBars } from './usage/day-bars'
import { QuotaNote } from './usage/quota-note'

/** The first page: executions in flight, stuck executions with their age, and links to those that need action. */
export default function Overview() {
  const { organization } = useHere()
  const model = useModel()
  const counts = useCounts()
  const dwells = useDwells()
  const direction = useDirection()
  const [selected, setSelected] = useState<string | null>(null)
  const now = useNow()
  const byState = counts.data ?? []
  return (
    <Page
      title="Overview"
      lead={`Every deposit of ${organization.isPlatform ? 'all organizations' : organization.name}, as it happens.`}
    >
      <QuotaNote />
      <CountTiles counts={byState} finals={model.data?.finals ?? []} />
      <div className={direction === 'down' ? 'beside' : 'stack page-gap'}>
        <Card
          title="Live map"
          side={
            <span className="sub tiny">
              Each dot is a transition happening now. Choose a state to list its executions.
            </span>
          }
        >
          <Trouble error={model.error ?? counts.error} retry={() => void counts.refetch()} />
          {model.data ? (
            <MachineMap
              model={model.data}
              direction={direction}
              label="Executions by state"
              figures={figuresOf(model.data, byState, dwells.data ?? [], now)}
              selected={selected}
              onSelect={(state) => setSelected(state === selected ? null : state)}
              isLive
            />
          ) : (
            <Bones rows={6} height={34} />
          )}
        </Card>
        <div className={direction === 'down' ? 'stack page-gap' : 'grid2'}>
          <Latest state={selected} model={model.data} onAll={() => setSelected(null)} />
          <DayBars />
        </div>
      </div>
    </Page>
  )
}

type TilesProps = { counts: readonly StateCount[]; finals: readonly string[] }
function CountTiles({ counts, finals }: TilesProps) {
  const count = (states: readonly string[]) => countOf(counts, ({ state }) => states.includes(state))
  const before = listedBeforehand(counts)
  const succeeded = count(['SUCCESS'])
  const lost = count(finals)
  const stuck = needingAttention(counts)
  const retrying = countOf(counts, waitsForRetry)
  return (
    <div className="grid4">
      <Tile
        what="In flight"
        value={grouped(countOf(counts, isInFlight))}
        more={
          <>
            <Link className="nowrap" href={`/executions?status=${inFlight}`}>
              Executions in flight
            </Link>
            {before > 0 && (
              <>
                {' · '}
                <Link className="nowrap" href={`/deposits?stage=${beforehand}`}>
                  {grouped(before)} not sent yet
                </Link>
              </>
            )}
          </>
        }
      />
      <Tile
        what="Waiting for a retry"
        tone={retrying > 0 ? 'warn' : undefined}
        value={grouped(retrying)}
        more={<Link href="/executions?status=FAILED">Executions waiting</Link>}
      />
      <Tile
        what="Need attention"
        tone={stuck > 0 ? 'bad' : undefined}
        value={grouped(stuck)}
        more={<Link href={`/executions?${attentionQuery}`}>See who must act</Link>}
      />
      <Tile
        what="Succeeded"
        value={grouped(succeeded)}
        more={
          succeeded + lost === 0
            ? 'Nothing has ended yet'
            : `${percent(succeeded, succeeded + lost)} of those that ended`
        }
      />
    </div>
  )
}
