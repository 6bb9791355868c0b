import { Agent, request } from 'node:http'
import { measure } from './phases.mjs'
import { deposit } from './steps.mjs'

const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const port = Number(process.env['BENCH_PORT'])

await measure(
  (n) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `d${n}` }
      const path = `/deposits/account-${n}/carried`
      const asked = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
        let text = ''
        answer.on('data', (part) => {
          text += part
        })
        answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))))
      })
      asked.on('error', reject)
      asked.end(JSON.stringify(deposit(n)))
    }),
)
