import { expect, test } from 'bun:test'
import { pad, toEventSelector, toHex } from 'viem/utils'
import { ruleKey } from '../../src/adapters/evm/deployment'
import type { Ask } from '../../src/adapters/evm/rpc/json-rpc'
import type { DeploymentFile } from '../../src/deploying/deployment-file'
import type { ProductContracts } from '../../src/deploying/product-contracts'
import { unnamedPowers } from '../../src/deploying/unnamed-powers'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { relaySolver } from '../../src/protocols/relay/relay-order'
import { lifiRules } from '../../src/signer/route-rules'
import { addressOf } from '../support/signable'

const added = toEventSelector('event RuleAdded(address indexed,bytes4 indexed,address indexed,address,bytes32)')
const { target, selector } = lifiRules()[0]!
const thief = addressOf('thief')
const at = { address: addressOf('executor') }
const contracts = { registry: at, executor: at, recoveryExecutor: at } as ProductContracts
const nothing = { relayers: [], signers: [], collectors: [], caps: [] }
const file = { settings: { relaySolver }, wanted: { base: nothing } } as unknown as DeploymentFile

/**
 * A chain that once allowed one of our functions with the spenders of the first list, and now allows the spenders of the
 * second.
 */
function said(spenders: readonly Address[], holding = spenders): Promise<string[]> {
  const topicsOf = (spender: Address) => [added, pad(target), pad(selector, { dir: 'right' }), pad(spender)]
  const held = holding.map((spender) => ruleKey({ target, selector, spender }).slice(2))
  const ask = async (method: string, [call]: readonly unknown[]) => {
    if (method === 'eth_getBlockByNumber') return { number: '0x10' }
    if (method === 'eth_getLogs')
      return spenders.map((spender) => ({ ...at, topics: topicsOf(spender), data: '0x', blockNumber: '0x1' }))
    const { data } = call as { data: string }
    return pad(toHex(held.some((key) => data.endsWith(key)) ? 1 : 0))
  }
  return unnamedPowers(ask as Ask, 'base', file, contracts)
}

test('a rule for our function with a foreign spender is reported, and one with ours is not', async () => {
  expect(await said([target, zeroAddress])).toEqual([])
  const [sentence, ...others] = await said([target, thief, zeroAddress])
  expect(others).toEqual([])
  expect(sentence!.toLowerCase()).toContain(`${selector} of ${target} may be called on base`.toLowerCase())
  expect(sentence!.toLowerCase()).toContain(`with ${thief} as its spender`.toLowerCase())
  expect(await said([thief], [])).toEqual([])
})
