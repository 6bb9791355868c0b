import { Elysia } from 'elysia'
import { type ChainId as ChainIdNumber, chainIds, chainKeyOf, chains } from '../../domain/chain/chain'
import { scanBlocksMax } from '../../domain/execution/operation'
import { type, view } from '../../domain/schema'
import type { IdempotentRequests } from '../../ports/limits'
import type { Job } from '../../ports/operators'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { idempotent } from '../request/idempotent'
import { ChainId, ChainKeyName, Count, CountOrNull, described, IdParams, isoTime, Text, Time } from '../views/scalar'
import { assurePlatform, operatorOnly, operatorVerbs } from './access'
import { newJob } from './new-job'
import { noteVerb } from './note-verb'
import type { OperatorPorts } from './ports'
import { Reason } from './reason'
import { requestOf } from './request-context'

type Ports = {
  operator: Pick<OperatorPorts, 'jobs' | 'auditLog' | 'newId'>
  idempotency: IdempotentRequests
  now: () => number
}

const block = type('0 <= number.integer <= 9007199254740991').describe('a block number')
export const ScanBody = type({
  chainId: ChainId('The chain').describe(`one of ${chainIds.join(', ')}`),
  fromBlock: described(block, 'The first block', 38294000),
  toBlock: described(block, `The last block; at most ${scanBlocksMax} blocks in all`, 38294117),
  reason: Reason,
})
export const BegunView = view({ id: Text('The scan', 'scan_9fT2aQ') })

export const ScanView = view({
  id: Text('The scan', 'scan_9fT2aQ'),
  chainId: ChainId('The chain'),
  chainKey: ChainKeyName('Chain key'),
  fromBlock: Count('The first block', 38294000),
  toBlock: Count('The last block', 38294117),
  scannedBlock: CountOrNull('The last block that was read; null before the first', 38294117),
  found: Count('New deposits', 0),
  state: described(type("'RUNNING' | 'DONE'"), 'Whether blocks are left to read', 'DONE'),
  reason: Text('The reason', 'A user misses a deposit'),
  createdAt: Time('When it was created'),
  updatedAt: Time('When it last progressed'),
})

function scanView({ id, work, done, found, state, asked, createdAt, updatedAt }: Job): typeof ScanView.infer {
  if (work.verb !== 'scan') throw new Refusal('NOT_FOUND')
  const { chainId, fromBlock, toBlock } = work
  return {
    id,
    chainId,
    chainKey: chainKeyOf(chainId),
    fromBlock,
    toBlock,
    scannedBlock: done === 0 ? null : fromBlock + done - 1,
    found,
    state,
    reason: asked.reason,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

const createScanDocs = {
  body: ScanBody,
  ...operationDocs({
    operationId: 'createScan',
    tag: 'Operators',
    summary: 'Read blocks again',
    description:
      'For the platform’s operators. Known deposits stay as they are. The scan waits for blocks that do not ' +
      'exist yet.',
    roles: operatorOnly.roles,
    bodyExample: {
      chainId: chains.base.id,
      fromBlock: 38294000,
      toBlock: 38294117,
      reason: 'A user misses a deposit',
    },
    isMutation: true,
    answers: { 202: { view: BegunView, description: 'The scan has begun.' } },
    refusals: [],
  }),
}

const getScanDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'getScan',
    tag: 'Operators',
    summary: 'Show the progress of a scan',
    description: 'For the platform’s operators.',
    roles: operatorOnly.roles,
    answers: { 200: { view: ScanView, description: 'The scan.', headers: ['etag'] } },
    refusals: ['NOT_FOUND'],
  }),
}

/** Scans: the platform's operators read blocks again. Known deposits stay as they are (extensions 9.1). */
export function operatorScans({ operator, idempotency, now }: Ports, gate: Gate, prefix: string) {
  const { jobs, newId } = operator
  return new Elysia({ prefix })
    .use(authenticate(gate, operatorVerbs))
    .post(
      '/operator/scans',
      async ({ body, caller, request, path, set }) => {
        assurePlatform(caller)
        return idempotent(idempotency, now, { request, path, set }, { caller, body }, async () => {
          const { fromBlock, toBlock, reason } = body
          const chainId = body.chainId as ChainIdNumber
          const matched = toBlock - fromBlock + 1
          if (matched < 1 || matched > scanBlocksMax)
            throw new Refusal('VALIDATION_FAILED', {
              message: `toBlock must be fromBlock or later, by less than ${scanBlocksMax} blocks`,
            })
          const at = now()
          const id = newId('scan_')
          const operationRequest = requestOf(caller, reason, set)
          const work = { verb: 'scan', chainId, fromBlock, toBlock } as const
          await noteVerb(operator, caller, operationRequest, { verb: 'scan.create', target: id, at, details: work })
          await jobs.save(newJob(caller, { id, asked: operationRequest, work, matched, at }))
          return { status: 202, view: { id } }
        })
      },
      createScanDocs,
    )
    .get(
      '/operator/scans/:id',
      async ({ params: { id }, caller, request, set }) => {
        assurePlatform(caller)
        const job = await jobs.load(id)
        if (!job) throw new Refusal('NOT_FOUND')
        return answer({ request, set }, scanView(job))
      },
      getScanDocs,
    )
}
