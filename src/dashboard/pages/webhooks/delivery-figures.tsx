import { Figure } from '../../ui/known'
import { Card, Facts } from '../../ui/parts'
import { type CountQuery, countWords, notAccepted, successRate, useCounts } from './delivery-counts'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, roundingMode: 'floor' })

/** How many events of the chosen types and time were accepted. The search and the status do not narrow the figures. */
export function DeliveryFigures({ id, filter }: { id: string; filter: CountQuery }) {
  const counts = useCounts(id, filter)
  const count = (...statuses: Parameters<typeof countWords>[1]) => (
    <Figure of={counts}>{(read) => countWords(read, statuses)}</Figure>
  )
  return (
    <Card label="Figures">
      <Facts
        rows={[
          ['Accepted', count('DELIVERED')],
          ['Not accepted yet', count(...notAccepted)],
          ['Of these, being retried', count('RETRYING')],
          ['Not sent yet', count('PENDING')],
          [
            'Success rate',
            <Figure key="rate" of={counts}>
              {(read) => {
                const rate = successRate(read)
                if (rate !== null) return percent.format(rate)
                return <span className="sub">{read.isWhole ? 'nothing was sent' : 'too many to count'}</span>
              }}
            </Figure>,
          ],
        ]}
      />
    </Card>
  )
}
