// The results of the steps, as large as real ones. They need no outside request.
const data = `0x${'5c'.repeat(1_000)}`

export const deposit = (n) => ({ id: `d${n}`, organization: `org_${n % 40}`, account: `0xacc${n}`, amount: '1000000' })
export const quote = ({ amount }) => ({ provider: 'lifi', data, out: String((BigInt(amount) * 984n) / 1_000n) })
export const price = ({ amount }) => ({ fee: String((BigInt(amount) * 50n) / 10_000n), gas: '10000' })
export const sign = ({ id, account }) => ({ id, account, data, signature: `0x${'51'.repeat(65)}` })
export const confirm = ({ id }) => ({ status: 'SUCCESS', hash: `0x${id}` })
