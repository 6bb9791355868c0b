import { expect } from 'bun:test'
import { executionModel } from '../../../../src/adapters/mongo/collections/execution-model'
import { mintIdOf } from '../../../../src/domain/execution/mint'
import { messageTransmitter } from '../../../../src/protocols/cctp/burn'
import { nightly } from '../../../support/depth'
import { settled, signIn, turnTo, visit } from '../browser'
import type { Seen } from '../in-browser'
import { checkPage } from '../page-checks'

/** `receiveMessage` with a message and two signatures of real length. */
const data = `0x57ecfd28${'0123456789abcdef'.repeat(72)}` as const
const minuteMs = 60_000

/** Money that Circle has burned and attested but that is not minted yet, stored as by the service. */
export function mintTests(seen: () => Seen): void {
  nightly('a burn without a mint shows the full call that mints it, ready to copy, until delivery', async () => {
    const { world, browser, url, account } = seen()
    const model = executionModel(world.connection)
    const { _id, keys: _, ...one } = (await model.findOne({ userId: 'shown-1' }).lean())!
    const { routeId: __, quotaKey: ___, delivery: ____, ...facts } = one.facts
    const id = `${_id}:burned`
    const [now, state] = [Date.now(), 'RUNNING']
    const burned = {
      ...one,
      ...{ _id: id, keys: { hashes: [] }, derived: {} },
      ...{ state, status: state, completedAt: null, dueAt: now + 24 * 60 * minuteMs },
      history: one.history.slice(0, -1),
      facts: {
        ...facts,
        route: { ...facts.route!, provider: 'cctp' },
        spent: { ...facts.spent!, at: now - 3 * minuteMs },
        mint: {
          ...{ id: mintIdOf({ data }), nonce: `0x${'5a'.repeat(32)}`, attestedAt: now - minuteMs, transactions: [] },
          call: { target: messageTransmitter, data },
        },
        waiting: { for: 'GAS', since: now - minuteMs },
      },
    }
    await model.collection.insertOne(burned as never)
    try {
      const { page, context, complaints } = await visit(browser, url)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await signIn(page, account.email, account.password)
      const home = new URL(page.url()).pathname.replace(/\/$/, '')
      await turnTo(page, `${home}/executions/${encodeURIComponent(id)}`)
      const card = page.getByRole('region', { name: 'Mint it yourself' })
      await card.getByText('The money was burned and can now be minted on Arbitrum.').waitFor()
      await settled(page)
      const copied = async (what: string) => {
        await card.getByRole('button', { name: `Copy ${what}` }).click()
        return page.evaluate(() => navigator.clipboard.readText())
      }
      expect(await copied('call that mints')).toBe(data)
      expect(await copied('contract that mints')).toBe(messageTransmitter)
      await page.getByRole('button', { name: 'Retry now' }).waitFor()
      expect(await checkPage(page, 'execution-mint')).toEqual({})
      await model.collection.updateOne({ _id: id } as never, {
        $set: {
          'facts.delivery': one.facts.delivery,
          state: 'SUCCESS',
          status: 'SUCCESS',
          completedAt: now,
          dueAt: null,
        },
      })
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled(page)
      expect(await card.count()).toBe(0)
      expect(complaints).toEqual([])
      await context.close()
    } finally {
      await model.deleteOne({ _id: id })
    }
  })
}
