import { Elysia } from 'elysia'
import { keccak256 } from 'viem/utils'
import { accountInitCode, saltNamespace } from '../../domain/chain/account'
import { type ChainId, chainIds, chainKeyOf } from '../../domain/chain/chain'
import type { Address as AddressText } from '../../domain/chain/hex'
import { type, view } from '../../domain/schema'
import type { ChainClient } from '../../ports/chain-client'
import type { Accounts } from '../../ports/tenants'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { readQuery } from '../request/query'
import { readAddress } from '../views/address-parameter'
import { example } from '../views/examples'
import { Address, ChainId as ChainIdField, ChainKeyName, described, Flag, Hash, Text } from '../views/scalar'
import type { AccountFactory } from './users'

type AccountProofPorts = {
  accounts: Accounts
  factory: AccountFactory
  chains: Record<ChainId, Pick<ChainClient, 'isDeployed'>>
}

const Params = type({ address: described(type('1 <= string <= 256'), 'A deposit address', example.depositAddress) })

export const DeploymentView = view({
  chainId: ChainIdField('Chain'),
  chainKey: ChainKeyName('Chain key'),
  deployed: Flag('Whether the account has code there; its first route deploys it', true),
})

/** Proof that an address can be nothing but an account of this registry (extensions 5.4). */
export const AccountProofView = view({
  address: Address('The deposit address', example.depositAddress),
  userId: Text('Your stable identifier of the user', example.userId),
  namespace: Text('Namespace of the salt', saltNamespace),
  registryAddress: Address('Contract that deploys the account', example.registry),
  accountSalt: Hash('Salt of the deployment', '0xa809c61607d5c82f0532c49679f322e06589b8def8b2fda4cfa7a8daf672e31d'),
  initCode: described(type(/^0x[0-9a-f]*$/), 'Code that creates the account', '0x3d603380600a3d3981f336600557005b'),
  initCodeHash: Hash('Hash of that code', '0xe7cdbc0f681cc19788053ebf57d0706cd9984cf44034604d60edb4e3bcc3e36e'),
  deployments: described(DeploymentView.array(), 'Whether it has code, for each chain'),
})

/** Serves that proof, which does not reveal the salt of the organization. */
export function accountProof({ accounts, factory, chains }: AccountProofPorts, gate: Gate, prefix: string) {
  /** Accounts that were seen with code. Code never disappears, so the chain is not queried again. */
  const seen = new Set<string>()

  async function isDeployed(id: ChainId, address: AddressText): Promise<boolean> {
    if (seen.has(`${id} ${address}`)) return true
    const isFound = await chains[id].isDeployed(address)
    if (isFound) seen.add(`${id} ${address}`)
    return isFound
  }

  const initCode = accountInitCode(factory.implementation).toLowerCase() as `0x${string}`
  const initCodeHash = keccak256(initCode)

  return new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/accounts/:address/proof',
    async ({ params, caller, request, set }) => {
      readQuery(request, type({}), true)
      const address = readAddress(params.address)
      const account = address && (await accounts.load(address))
      const isTheirs = account && (caller.tenant === null || account.organizationId === caller.tenant)
      if (!isTheirs) throw new Refusal('NO_ACCOUNT')
      const deployed = await Promise.all(chainIds.map((id) => isDeployed(id, account.id))).catch((cause) => {
        throw new Refusal('STORE_UNAVAILABLE', { cause })
      })
      const view: typeof AccountProofView.infer = {
        address: account.id,
        userId: account.userId,
        namespace: saltNamespace,
        registryAddress: factory.registry,
        accountSalt: account.accountSalt,
        initCode,
        initCodeHash,
        deployments: chainIds.map((id, n) => ({ chainId: id, chainKey: chainKeyOf(id), deployed: deployed[n]! })),
      }
      return answer({ request, set }, view)
    },
    {
      params: Params,
      ...operationDocs({
        operationId: 'getAccountProof',
        tag: 'Accounts',
        summary: 'Prove that an address is the registry’s account',
        description:
          '`address == last 20 bytes of keccak256(0xff ++ registryAddress ++ accountSalt ++ ' +
          'keccak256(initCode))`. You may hand it to the end user.',
        roles: everyRole.roles,
        answers: { 200: { view: AccountProofView, description: 'The proof.', headers: ['etag'] } },
        refusals: ['NO_ACCOUNT', 'UNKNOWN_PARAMETER'],
      }),
    },
  )
}
