import { expect, test } from 'bun:test'
import { receiptOf } from '../../../src/devnet/chains/chain-sender'
import { ChainWatch } from '../../../src/devnet/chains/chain-watch'
import { Rpc } from '../../../src/devnet/rpc/rpc'
import { hashOf } from '../../support/deposits'

class Suspended extends Rpc {
  override ask<Answer>(): Promise<Answer> {
    return new Promise(() => {})
  }
}

test('a transaction is given up although its node takes requests and never answers, as a suspended one does', async () => {
  const rpc = new Suspended('http://localhost')
  const watch = new ChainWatch(rpc, () => {})
  await expect(receiptOf(rpc, watch, hashOf(1), 1)).rejects.toThrow('the node does not respond: no answer within 2 s')
})
