import { expect, test } from 'bun:test'
import { aesVault } from '../../src/adapters/webhooks/vault'
import { signedHeaders } from '../../src/domain/webhook/signature'
import { sealedSecret } from '../../src/webhooks/secrets'
import { vault } from '../support/webhooks'
import { secret, sendingWorld } from './sending'

test('both secrets sign during a rotation, and only the new one afterwards', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  const sealed = world.webhookEndpoints.get('whe_1').secret
  const whose = { id: 'whe_1', organizationId: 'org_a' }
  const next = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const previousExpiresAt = world.clock.now + 86_400_000
  await world.change('whe_1', { secret: sealedSecret(whose, vault, next), previousSecret: sealed, previousExpiresAt })
  for (const secrets of [[next, secret], [next]]) {
    world.happen()
    await process.work()
    const { id, body, headers } = world.posted.at(-1)!
    expect(headers).toEqual(signedHeaders({ id, body }, secrets, world.clock.now))
    world.clock.now = previousExpiresAt
  }
})

test('nothing is posted while the secret cannot be decrypted, and posting resumes once it can', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const other = world.process('other', { vault: aesVault([`0x${'77'.repeat(32)}`]) })
  const id = world.happen()
  await other.work()
  expect(world.posted).toEqual([])
  // This is our fault: it uses none of the ten attempts, and the endpoint does not count as failing.
  expect(world.webhookDeliveries.all()).toMatchObject([{ tries: 0, lastAttempt: { error: 'SECRET_UNREADABLE' } }])
  expect(world.webhookFeeds.get('whe_1')).toMatchObject({ failingSince: null, lastFailureAt: null })
  await other.end()
  world.clock.now += 60_000
  await world.process('one').work()
  expect(world.idsTo('whe_1')).toEqual([id])
})
