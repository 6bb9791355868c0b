import type { RecipientHold } from '../../../src/domain/tenant/recipient-hold'
import { heldChangesTask } from '../../../src/intents/held-changes'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { aloneIn } from '../../support/alone'
import { seals } from '../../support/seals'
import { target } from '../world'

export const hour = 3_600_000
export const elsewhere = { ...target, targetAddress: '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C' }
export const third = { ...target, targetAddress: '0x9F2079ab06Cfa943B47c781c2dba3dC5A14723Fa' }

/** An organization with a safeguard for recipient changes, and a user with an intent. */
export async function holding(hold: RecipientHold) {
  const world = await membersWorld()
  const put = (body: object, key: string | null = world.client) =>
    world.ask('/api/deposit-intents', { key, body: { userId: 'ann', ...body } })
  const { depositAddress: id } = (await put(target)).json
  const known = (await world.store.organizations.load('org_a'))!
  await world.store.organizations.save({ ...known, recipientHold: { hold, next: null } })
  const { heldChanges, intents, accounts, auditLog, semaphoreRecords } = world.store
  const troubles: unknown[] = []
  const onTrouble = (error: unknown) => void troubles.push(error)
  const now = () => world.clock.now
  const alone = aloneIn(semaphoreRecords, now)
  const ports = { heldChanges, intents, accounts, auditLog, alone, seals, now, onTrouble }
  const goesTo = async (): Promise<string> => (await intents.load(id))!.targetAddress
  const shown = async (): Promise<string> => String((await heldChanges.load(id))?.version)
  /** Acts as the page does: on the current change, or on the version that the person saw. */
  const approve = async (who: string, version?: string) =>
    world.as(who, `/recipient-changes/${id}/approve`, { body: { version: version ?? (await shown()) } })
  const withdraw = async (who: string, version?: string) =>
    world.as(who, `/recipient-changes/${id}?version=${version ?? (await shown())}`, { method: 'DELETE' })
  const acts = { shown, approve, withdraw }
  return { ...world, ...acts, put, id, goesTo, ports, troubles, apply: () => heldChangesTask(ports).round() }
}
type Answered = { status: number; headers: Headers }
export const codeOf = ({ status, headers }: Answered) => [status, headers.get('x-error-code')]
export const changeHeld = [409, 'CHANGE_HELD']
