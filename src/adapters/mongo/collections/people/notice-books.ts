import type { Connection } from 'mongoose'
import type { NoticeBook } from '../../../../domain/tenant/notices'
import type { NoticeBooks } from '../../../../ports/people'
import { anyList, collection, documentsOf, versioned, whole } from '../../engine/collection'
import { mongoRecords, type Stored } from '../../engine/records'

const fields = { ...versioned, lookedAt: whole, known: anyList, people: anyList }

export const mongoNoticeBooks = (connection: Connection, worker: string): NoticeBooks =>
  mongoRecords(documentsOf<NoticeBook>(collection<Stored<NoticeBook>>(connection, 'noticeBooks', fields)), worker)
