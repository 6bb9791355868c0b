import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { BrokenSigningLog, readSigningLog } from '../../adapters/signer/signing-log-files'
import { rewrite } from '../../domain/concurrency'
import { type LogHead, signerLogId } from '../../domain/signer-log'
import { appendAudit } from '../installation/audit'
import { databaseUrl, withStore } from '../installation/database'
import { Failure } from '../terminal/failure'

/** Checks a signing log offline. @throws {Failure} if it was changed or cannot be read. */
export async function signingLog(path: string): Promise<void> {
  const { signed, refused, firstSeq, count, last, files } = await readSigningLog(path).catch((error) => {
    if (error instanceof BrokenSigningLog) throw new Failure(`${error.message}: this file was changed.`)
    throw new Failure('The file cannot be read.')
  })
  const inFiles = files.length === 1 ? '' : ` in ${files.length} files`
  console.log(`${signed} orders signed and ${refused} refused${inFiles}, and no line changed.`)
  if (firstSeq > 1) console.log(`It begins with entry ${firstSeq}; the files with earlier entries are missing.`)
  console.log(`The last entry is number ${count} and has the hash ${last}.`)
  console.log('Lines removed from the end are not detected: compare this hash with one that you wrote down.')
}

type Store = Pick<MongoStore, 'signerLogs' | 'organizations' | 'auditLog' | 'time'>

/**
 * Accepts the signer's log after it was shortened, replaced or restored, because an operator vouches for it. Workers
 * then trust the signer again. `last` is the final hash of the accepted log, as workers received it.
 *
 * @throws {Failure} if workers refuse no log with that hash.
 */
export async function acceptLog(store: Store, last: string, reason: string): Promise<{ from: number; to: number }> {
  const platform = (await store.organizations.all()).find(({ isPlatform }) => isPlatform)
  const organizationId = platform?.id ?? 'platform'
  const accepted = { from: 0, to: 0 }
  await rewrite(store.signerLogs, signerLogId, async (signerLogState) => {
    if (!signerLogState?.other)
      throw new Failure('No worker refuses the log of the signer, so there is nothing to accept.')
    const before: LogHead = { count: signerLogState.count, last: signerLogState.last }
    const now = [signerLogState.other, before].find((head) => head.last === last)
    if (!now)
      throw new Failure(
        `Name the log to trust: ${textOf(signerLogState.other)}, or the earlier one, ${textOf(before)}.`,
      )
    Object.assign(accepted, { from: before.count, to: now.count })
    const details = { before, refused: signerLogState.other, accepted: now, reason }
    await appendAudit(store, { organizationId, verb: 'signer.accept_log', target: signerLogId, details })
    return { ...signerLogState, ...now, other: null }
  })
  return accepted
}

const textOf = ({ count, last }: LogHead): string => `${count} entries that end with ${last || 'nothing'}`

export async function acceptSignerLog(last: string, { reason }: { reason: string }): Promise<void> {
  const { from, to } = await withStore(databaseUrl(), (store) => acceptLog(store, last, reason))
  console.log(`Workers trust the signer again: its log had ${from} entries and now has ${to}.`)
}
