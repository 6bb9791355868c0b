import { Elysia } from 'elysia'
import { BoundedMap } from '../../domain/bounded-map'
import type { Hash, Hex } from '../../domain/chain/hex'
import { receiptDigest, receiptDomain, receiptOf } from '../../domain/execution/receipt'
import { TemporarilyUnavailable } from '../../domain/unavailable'
import type { ExecutionQueries } from '../../ports/queries'
import type { ReceiptSigning, SigningKey } from '../../ports/signer'
import { hidden, operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { isPublic } from '../routes/execution-lookup'
import { IdParams } from '../views/scalar'
import { ReceiptView, receiptExample, receiptView } from './views'

type ReceiptPorts = { executionQueries: Pick<ExecutionQueries, 'find'>; receipts: ReceiptSigning }

/** Signatures are cached: a key management service charges for each one, and each time returns a different one. */
const signaturesMax = 2_000

const getReceiptDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'getReceipt',
    tag: 'Executions',
    summary: 'The signed receipt of an ended execution',
    description:
      'EIP-712 typed data: deposit, intent, fees, route, the transactions on both chains, and how it ended. The same ' +
      'execution always has the same `digest`. `/.well-known/receipt-signers` names the addresses that sign.',
    roles: everyRole.roles,
    answers: { 200: { view: ReceiptView, description: 'The receipt.', example: receiptExample, headers: ['etag'] } },
    refusals: ['EXECUTION_NOT_FOUND', 'NO_RECEIPTS', 'EXECUTION_NOT_ENDED', 'RECEIPT_KEY_UNAVAILABLE'],
  }),
}

/** Receipts of ended executions (extensions 4.6). */
export function receipts({ executionQueries, receipts: { key } }: ReceiptPorts, gate: Gate, prefix: string) {
  const signatures = new BoundedMap<Hash, Hex>(signaturesMax)

  async function signed(digest: Hash, { sign }: SigningKey): Promise<Hex> {
    const signature = signatures.get(digest) ?? (await sign(digest).catch(refuse))
    signatures.set(digest, signature)
    return signature
  }

  return new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/executions/:id/receipt',
    async ({ params: { id }, caller, request, set }) => {
      const execution = await executionQueries.find({ organizationId: caller.tenant }, id)
      if (!execution || !isPublic(execution)) throw new Refusal('EXECUTION_NOT_FOUND')
      if (!key) throw new Refusal('NO_RECEIPTS')
      const message = receiptOf(execution)
      if (!message) {
        const status = execution.status ?? 'PENDING'
        throw new Refusal('EXECUTION_NOT_ENDED', {
          message: `Only an execution that has ended has a receipt; this one is ${status}`,
        })
      }
      const signature = await signed(receiptDigest(message), key)
      return answer({ request, set }, receiptView(message, { signer: key.address, signature }))
    },
    getReceiptDocs,
  )
}

function refuse(error: unknown): never {
  if (error instanceof TemporarilyUnavailable) throw new Refusal('RECEIPT_KEY_UNAVAILABLE', { cause: error })
  throw error
}

/** The addresses that sign receipts, for verifiers without a key (extensions 4.6). */
export function receiptSigners({ key, former }: ReceiptSigning) {
  const signers = [
    ...(key ? [{ address: key.address, current: true }] : []),
    ...former.map((address) => ({ address, current: false })),
  ]
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  }
  const text = JSON.stringify({ domain: receiptDomain, signers })
  return new Elysia({ name: 'receipt signers' }).get(
    '/.well-known/receipt-signers',
    () => new Response(text, { headers }),
    hidden,
  )
}
