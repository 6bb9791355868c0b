import type { Connection } from 'mongoose'
import type { DepositIntent } from '../../domain/deposit-intent'
import type { DepositIntents } from '../../ports/tenants'
import { collection, documentsOf, flag, text, textOrNull, versioned, whole } from './collection'
import { mongoRecords, type Stored } from './records'

const fields = {
  ...versioned,
  organizationId: text,
  userId: text,
  apiKeyId: text,
  targetChainId: whole,
  targetTokenAddress: text,
  targetAddress: text,
  protocolFeeBps: whole,
  sponsoredGas: flag,
  refundAddress: textOrNull,
  createdAt: whole,
  updatedAt: whole,
}

export const mongoIntents = (connection: Connection, worker: string): DepositIntents =>
  mongoRecords(documentsOf<DepositIntent>(collection<Stored<DepositIntent>>(connection, 'intents', fields)), worker)
