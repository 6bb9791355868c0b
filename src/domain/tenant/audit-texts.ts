import type { AuditEntry } from './audit'
import type { AuditVerb } from './audit-verb'

/** Texts in the entry of an action. `isNamed`: the target has a name instead of an id. */
type Texts = { isNamed: boolean; stays: readonly string[]; apart: readonly string[] }

/** An action on a target with an id. @param stays @param apart Field names, as in the table. */
const id = (stays = '', apart = ''): Texts => ({ isNamed: false, stays: fieldsOf(stays), apart: fieldsOf(apart) })
/** An action on a target that has only a name: a person by e-mail address, or a domain. */
const named = (stays = ''): Texts => ({ isNamed: true, stays: fieldsOf(stays), apart: [] })
const fieldsOf = (fields: string): readonly string[] => (fields === '' ? [] : fields.split(' '))

const recipient = 'targetTokenAddress targetAddress refundAddress'
const provenance = 'email address'

/**
 * The fields of each action's details that hold texts. Some texts stay in the chain permanently. They are our own
 * words, ids, times, hashes, addresses on chains, figures, an integrator's user ids, and reasons. Texts that a person
 * chose are kept apart and can be removed: names, labels, URLs, addresses of people and machines. A text in a field
 * missing from this table is kept apart too, so a forgotten field can still be removed.
 */
const textsOf: Record<AuditVerb, Texts> = {
  'account.create': id('userId', 'label'),
  'account.edit': id('', 'label'),
  'blacklist.delete': id(),
  'blacklist.import': id('format digest'),
  'blacklist.put': id('listedAs expiresAt'),
  'deposit.pretend': id('userId fromChainKey fromTokenSymbol amountIn'),
  'deposit_page.edit': id('color digest', 'name'),
  'deposit_page.link': id(),
  'execution.approve': id('amountOutMin'),
  'execution.dead-letter': id(),
  'execution.redrive': id('intent execution'),
  'execution.refund': id('intent execution'),
  'execution.retry': id(),
  'intent.create': id(`userId ${recipient} apiKeyId`),
  'intent.edit': id(`userId ${recipient} askedAt`),
  'intent.approve_change': id(recipient, 'askedBy'),
  'intent.hold_change': id(`${recipient} from`),
  'intent.reseal': id('kind by fingerprint'),
  'intent.withdraw_change': id(recipient),
  'job.create': id('verb filter intent seenAt'),
  'key.create': id('role expiresAt', 'label allowedAddresses'),
  'key.edit': id('', 'label allowedAddresses'),
  'key.refused': id('why', 'address'),
  'key.revoke': id('endsAt', 'label'),
  'key.roll': id('endsAt', 'label'),
  'member.invite': named('role'),
  'member.invite_again': named(),
  'member.join': id('role by'),
  'member.leave': id(),
  'member.remove': id('from'),
  'member.role': id('from to'),
  'member.withdraw_invitation': named(),
  'organization.create': id('plan', 'slug'),
  'organization.delete': id('deposits'),
  'organization.plan': id('from to'),
  'organization.policy': id('policy'),
  'organization.recipient_hold': id('from to'),
  'organization.rename': id('', 'from to'),
  'organization.second_step': id(),
  'organization.sso_demand': id(),
  'pause.delete': id(),
  'pause.put': id('until'),
  'person.backup_codes': id('', provenance),
  'person.delete': id(),
  'person.password_change': id('', provenance),
  'person.password_refused': id('', provenance),
  'person.password_reset': id('', provenance),
  'person.password_reset_asked': id('', provenance),
  'person.second_step_again': id('', provenance),
  'person.second_step_failed': id('', provenance),
  'person.second_step_off': id('reason', provenance),
  'person.second_step_on': id('', provenance),
  'person.second_step_secret': id('', provenance),
  'person.sessions_end': id('', provenance),
  'person.sign_in': id('by', provenance),
  'person.sign_in_failed': id('', provenance),
  'person.sign_out': id('', provenance),
  'person.sign_up': id('', provenance),
  'scan.create': id('verb'),
  'signer.accept_log': id('before refused accepted reason'),
  'sso.admission': id('', 'groups'),
  'sso.domain_add': named(),
  'sso.domain_prove': named(),
  'sso.domain_remove': named(),
  'sso.edit': id('role', 'issuer clientId'),
  'sso.refused': id('objection', provenance),
  'sso.remove': id('', 'issuer'),
  'webhook_endpoint.create': id('types', 'url'),
  'webhook_endpoint.delete': id(),
  'webhook_endpoint.edit': id('types', 'url description'),
  'webhook_endpoint.resend': id('eventId statuses'),
  'webhook_endpoint.rotate_secret': id(),
  'webhook_endpoint.test': id(),
}

export const auditTexts: Readonly<Record<string, Texts>> = textsOf

export const isNamedTarget = ({ verb }: Pick<AuditEntry, 'verb'>): boolean => auditTexts[verb]?.isNamed ?? true

export const isApart = ({ verb }: Pick<AuditEntry, 'verb'>, field: string): boolean =>
  !auditTexts[verb]?.stays.includes(field)

/** Our own processes have fixed labels. A person with a shell has a personal name. */
export const isNamedActor = ({ actor }: Pick<AuditEntry, 'actor'>): boolean =>
  actor.kind !== 'SYSTEM' || actor.id === 'cli'
