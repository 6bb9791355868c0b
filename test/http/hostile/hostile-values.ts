import type { HostileWorld } from './hostile-world'

/** What belongs to the victim, by the name of the field that says it; what a database or an object might obey. */
export function scopeValues({ victim }: HostileWorld) {
  const { ids, people, client, depositAddress, userId, id } = victim
  const theirs: Record<string, unknown> = {
    ...{ organizationId: id, _id: ids.key, id: ids.key, userId, ownerAddress: userId, personId: people[0]!.id },
    ...{ account: depositAddress, depositAddress, address: depositAddress, target: depositAddress },
    ...{ digest: client.record.digest, prefix: client.record.prefix, apiKeyId: client.record.id, by: client.record.id },
    ...{ executionId: ids.execution, redriveOf: ids.execution, refundOf: ids.execution, invitation: ids.invitation },
    ...{ job: ids.job, scope: ids.pause, email: 'b-owner@x.test', tokenDigest: '2'.repeat(64), holder: ids.execution },
    ...{ isPlatform: true, emailVerified: true, isAdmin: true, revokedAt: null, acceptedAt: null, version: 1 },
    ...{ createdAt: 0, salt: `0x${'2'.repeat(64)}`, accountSalt: `0x${'2'.repeat(64)}`, plan: 'scale' },
    ...{ members: [{ personId: people[0]!.id, role: 'owner', joinedAt: 0 }], customPlan: null },
  }
  const operators: unknown[] = [
    ...[{ $gt: '' }, { $ne: null }, { $where: 'true' }, { $exists: true }, { $in: [id] }, { $set: { role: 'owner' } }],
    ...[{ __proto__: null, constructor: { prototype: { isPlanted: true } } }, [id], ['$ne', 1], -1, true, null, ''],
  ]
  const keys = [
    ...['__proto__', 'constructor', 'prototype', '$set', '$where', '$or', '$unset', '$expr', 'members.0.role'],
    ...['deposit.account', 'facts.intent.targetAddress', 'keys.targets', 'organizationId.$ne', '', '.', 'toString'],
  ]
  return { theirs, operators, keys }
}
