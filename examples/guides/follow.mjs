import { formatUnits, Switchyard } from '@switchyard/client'

const client = new Switchyard({ baseUrl: process.env.API, apiKey: process.env.KEY })
const userId = 'yara'

/** @param {import('@switchyard/client').Schema<'FullExecution'>} execution */
function show({ status, completedAt, amountOut, toTokenDecimals, toTokenSymbol, funds, next }) {
  console.log(`${status}: ${next.message}`)
  if (completedAt === null) return
  // A refund to the refund address ends in SUCCESS too.
  const what = funds.refund ? 'refunded' : 'delivered'
  if (amountOut !== null) console.log(`${what} ${formatUnits(amountOut, toTokenDecimals)} ${toTokenSymbol}`)
  process.exit()
}

// The stream delivers events from now on; the list has the earlier executions.
const onOpen = async () => {
  for await (const execution of client.listExecutions({ userId })) show(execution)
}
for await (const event of client.streamEvents({ userId, types: 'execution.*' }, { onOpen }))
  if ('completedAt' in event.data) show(event.data)
