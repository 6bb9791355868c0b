import { type DeliveryStatus, deliveryNames } from '../../../domain/webhook/delivery'
import type { DeliveryPeriods } from '../../../http/webhooks/delivery-periods'
import { grouped } from '../../data/format'
import { BarPlot } from '../../ui/bar-plot'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { type CountQuery, useCounts } from './delivery-counts'
import { periodLabel } from './period-label'
import { tones } from './states'

const series = (['DELIVERED', 'RETRYING', 'FAILED', 'PENDING'] as const).map((status) => ({
  status,
  name: deliveryNames[status],
  tone: tones[status],
}))

/** The deliveries of the chosen types and time in bars, by what became of them. */
export function DeliveryChart({ id, filter }: { id: string; filter: CountQuery }) {
  const counts = useCounts(id, filter)
  return (
    <Card title="Over time" side={<span className="sub tiny">By creation, in UTC</span>}>
      <Loaded of={counts} bones={<Bones rows={6} height={24} />}>
        {({ periods, isWhole }) => (
          <>
            <Bars periods={periods} />
            {!isWhole && <p className="sub tiny">Older deliveries are too many to count.</p>}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Bars({ periods: { step, rows } }: { periods: DeliveryPeriods }) {
  const total = (of: DeliveryStatus): string => grouped(rows.reduce((sum, row) => sum + row[of], 0))
  return (
    <BarPlot
      labels={rows.map(({ at }) => periodLabel(at, step))}
      label={`Deliveries per ${step.toLowerCase()}: ${series.map(({ name, status }) => `${total(status)} ${name.toLowerCase()}`).join(', ')}`}
      series={series.map(({ name, tone, status }) => ({ name, tone, values: rows.map((row) => row[status]) }))}
    />
  )
}
