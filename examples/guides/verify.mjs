import { readFileSync } from 'node:fs'
import { verifyTypedData } from 'viem'

const { digest, signer, ...receipt } = JSON.parse(readFileSync('receipt.json', 'utf8'))
const published = await fetch(`${process.env.API}/.well-known/receipt-signers`).then((answer) => answer.json())
const address = published.signers.map((each) => each.address).find((each) => each === signer)
if (!address || !(await verifyTypedData({ address, ...receipt }))) throw new Error('This is not our receipt')
const { status, deposit, delivered } = receipt.message
console.log(`${deposit.amount} of ${deposit.token} ended in ${status}, delivered ${delivered[0]?.amount}`)
