import { ApiError, formatUnits, parseAmount, Switchyard } from '@switchyard/client'

const client = new Switchyard({ baseUrl: process.env.API, apiKey: process.env.KEY })
const userId = 'yara'

// 1. The events. Real books continue after the last stored id: listEvents({ userId, after }).
const told = new Map()
for await (const event of client.listEvents({ userId, types: 'execution.success' }))
  if (event.type === 'execution.success') told.set(event.data.id, event.data)

// 2. The executions of the same time, with the fees charged.
const totals = new Map()
for await (const execution of client.listExecutions({ userId, status: 'SUCCESS' })) {
  const { id, amountIn, amountOut, fromTokenSymbol, toTokenSymbol, toTokenDecimals } = execution
  const { fees } = await client.getExecution(id)
  const parts = [fees.protocolFeeEffective, fees.gasFeeRaw, fees.amountForSwapRaw].map(parseAmount)
  const sum = parts.reduce((so, part) => so + part, 0n)
  if (sum !== parseAmount(fees.totalReceivedRaw)) throw new Error(`${id} does not add up`)
  if (told.has(id) && told.get(id).amountOut !== amountOut) throw new Error(`${id} differs between event and list`)
  console.log(`${id} ${fromTokenSymbol} ${amountIn} -> ${amountOut} ${toTokenSymbol}${told.has(id) ? '' : ' (new)'}`)
  // A refund ends in SUCCESS too, and nothing was delivered.
  if (execution.funds.refund) continue
  // One symbol can mean several tokens, and a token's decimals differ by chain.
  const token = `${execution.toChainId}:${execution.toTokenAddress}`
  const delivered = (totals.get(token)?.delivered ?? 0n) + parseAmount(amountOut)
  totals.set(token, { delivered, symbol: toTokenSymbol, decimals: toTokenDecimals })
}
for (const [token, { delivered, symbol, decimals }] of totals)
  console.log(`delivered ${formatUnits(delivered, decimals)} ${symbol} (${token})`)

// 3. An event without an execution in the list is an error: fetch it by its id.
for (const id of told.keys()) {
  const found = await client.getExecution(id).catch((error) => {
    if (error instanceof ApiError && error.code === 'EXECUTION_NOT_FOUND') return null
    throw error
  })
  if (found?.status !== 'SUCCESS') throw new Error(`${id} was reported as delivered but is not`)
}
