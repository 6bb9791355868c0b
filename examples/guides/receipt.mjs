import { writeFileSync } from 'node:fs'
import { Switchyard } from '@switchyard/client'

const client = new Switchyard({ baseUrl: process.env.API, apiKey: process.env.KEY })
for await (const { id } of client.listExecutions({ userId: 'yara', status: 'SUCCESS' })) {
  writeFileSync('receipt.json', JSON.stringify(await client.getReceipt(id), null, 2))
  console.log(`saved the receipt of ${id}`)
  break
}
