import { ApiError, ConnectionError, Switchyard } from '@switchyard/client'

const client = new Switchyard({ baseUrl: process.env.API, apiKey: process.env.KEY })
try {
  await client.putDepositIntent({
    userId: 'zoe',
    targetChainId: 42161,
    targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    targetAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  })
} catch (error) {
  if (error instanceof ApiError && error.code === 'TARGET_ADDRESS_NOT_PAYABLE') console.log(error.message)
  else if (error instanceof ApiError) throw new Error(`${error.code}, to ask about as ${error.requestId}`)
  else if (error instanceof ConnectionError) throw new Error('Try again later with the same Idempotency-Key')
  else throw error
}
