import type { Connection } from 'mongoose'
import { zeroAddress } from '../../../domain/chain/hex'
import type { InboundWebhook, InboundWebhooks } from '../../../ports/detection'
import { collection, text, textOrNull, whole, wholeOrNull } from '../engine/collection'

type StoredWebhook = Omit<InboundWebhook, 'id'> & { _id: string; organizationId: string }

const fields = {
  organizationId: text,
  account: text,
  chainId: whole,
  token: text,
  block: wholeOrNull,
  at: whole,
  text: textOrNull,
}

/** Limits the memory that is used while the database is unreachable. */
const waitingMax = 5_000
const togetherMax = 500

/** One document for each transfer that a webhook reported. It never changes: the first report stays. */
export function mongoInboundWebhooks(connection: Connection): InboundWebhooks {
  const model = collection<StoredWebhook>(connection, 'inboundWebhooks', fields, [
    [{ account: 1, chainId: 1, token: 1, block: 1 }, { name: 'coin' }],
    [{ at: 1 }, { name: 'at' }],
  ])
  const accounts = connection.db!.collection<{ _id: string; organizationId: string }>('accounts')
  const waiting: InboundWebhook[] = []
  let isWriting = false

  /** Stores only the transfers to our accounts. A webhook also reports other transfers of the same transactions. */
  async function keep(inboundWebhooks: readonly InboundWebhook[]): Promise<void> {
    const ids = [...new Set(inboundWebhooks.map(({ account }) => account as string))]
    const cursor = accounts.find({ _id: { $in: ids } }, { projection: { organizationId: 1 } })
    const ours = new Map((await cursor.toArray()).map(({ _id, organizationId }) => [_id, organizationId]))
    const writes = inboundWebhooks.flatMap(({ id: _id, ...rest }) => {
      const organizationId = ours.get(rest.account)
      if (organizationId === undefined) return []
      return [{ updateOne: { filter: { _id }, update: { $setOnInsert: { organizationId, ...rest } }, upsert: true } }]
    })
    if (writes.length > 0) await model.collection.bulkWrite(writes as never, { ordered: false })
  }

  /** Writes the reports that arrive during a write together. */
  async function write(): Promise<void> {
    isWriting = true
    // A report that cannot be written is lost. It serves display only, and nothing depends on it.
    while (waiting.length > 0) await keep(waiting.splice(0, togetherMax)).catch(() => {})
    isWriting = false
  }

  return {
    note(inboundWebhooks) {
      waiting.push(...inboundWebhooks.slice(0, waitingMax - waiting.length))
      if (!isWriting && waiting.length > 0) void write()
    },
    async find(organizationId, account, id) {
      const stored = await model.findOne({ _id: id, organizationId, account }).lean<StoredWebhook>()
      return stored && fromStored(stored)
    },
    async ofCoin(organizationId, { account, chainId, after, to }, limit) {
      const block = { $gt: after, $lte: to }
      const filter = { organizationId, account, chainId, token: zeroAddress, block }
      const stored = await model.find(filter).sort({ block: 1 }).hint('coin').limit(limit).lean<StoredWebhook[]>()
      return stored.map(fromStored)
    },
  }
}

const fromStored = ({ _id: id, organizationId: _, ...said }: StoredWebhook): InboundWebhook => ({ id, ...said })
