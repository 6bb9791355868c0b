import autocannon from 'autocannon'

/** Runs one measurement and prints its result as JSON: the responses and their durations. */
const { url, key, kind, seconds, connections, rate, users } = JSON.parse(process.argv[2])
const headers = { 'x-api-key': key, 'content-type': 'application/json' }
const target = {
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
}
const posts = Array.from({ length: users }, (_, n) => ({
  method: 'POST',
  path: '/api/deposit-intents',
  headers,
  body: JSON.stringify({ userId: `user-${n}`, ...target }),
}))
const gets = Array.from({ length: users }, (_, n) => ({
  method: 'GET',
  path: `/api/users/user-${n}/deposit-intent`,
  headers,
}))
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: kind === 'POST' ? posts : gets,
  ...(rate ? { overallRate: rate } : {}),
})
const { latency, requests, errors, non2xx } = result
console.log(JSON.stringify({ p50: latency.p50, p99: latency.p99, total: requests.total, errors: errors + non2xx }))
