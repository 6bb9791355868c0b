import { BoundedMap } from '../domain/bounded-map'
import { type Account, accountSaltOf } from '../domain/chain/account'
import type { Hash } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Execution, Signable } from '../domain/execution/execution'
import type { OrderDrafter, OrderSigner, Signing } from '../ports/signer'
import type { Accounts, Organizations } from '../ports/tenants'
import { orderDigest, signedDraft } from '../protocols/executor/signed-order'
import { lifiRules } from './route-rules'
import { gasLimitDefault, type OrderRules, type SignerSettings, signing, withRefusalCode } from './signing'
import { assumedSplit, executorUnder, must, SigningRefusal, termsOf } from './terms'

type PolicyStores = {
  accounts: Pick<Accounts, 'load'>
  organizations: Pick<Organizations, 'load'>
}
type OrderPolicy = OrderRules & PolicyStores

const accountsMax = 10_000

/** The account data that the signer receives never changes, so each account is read once. */
function rememberedAccounts(accounts: OrderPolicy['accounts']): OrderPolicy['accounts'] {
  const cached = new BoundedMap<string, Account>(accountsMax)
  return {
    async load(id) {
      const account = cached.get(id) ?? (await accounts.load(id))
      if (account) cached.set(id, account)
      return account
    },
  }
}

/** Drafts orders by the same rules as the signer, but signs them with a key that no executor accepts. */
export function policyDrafter({ accounts, organizations, ...settings }: OrderPolicy): OrderDrafter {
  const { rules = lifiRules() } = settings
  const saltOf = storedSalts(rememberedAccounts(accounts))

  /** The salt of an account that is not stored yet. */
  async function futureSalt({ organizationId, userId }: Execution): Promise<Hash | null> {
    const organization = await organizations.load(organizationId)
    return organization && accountSaltOf(organization.salt, userId)
  }

  return {
    draft: (execution, deadline) =>
      withRefusalCode(async () => {
        const accountSalt = (await saltOf(execution)) ?? (await futureSalt(execution))
        must(accountSalt !== null, 'There is no such organization')
        const how = { accountSalt, deadline, gasLimit: null, splitBy: assumedSplit }
        const terms = termsOf(execution, how, { ...settings, rules })
        const executor = executorUnder(settings, terms.kind)
        const id = orderDigest(terms, { chainId: execution.deposit.chainId, executor })
        const gasLimit = execution.facts.gasLimit ?? gasLimitDefault
        return { ...terms, id, signature: await signedDraft(id), gasLimit }
      }),
  }
}

/** Requests signatures for the orders of stored records, from a signer that reads no store itself. */
export function storedSigner(signer: Signing, policy: OrderPolicy): OrderSigner {
  const { sign, verifyIntent, isSeparate, unreadUntil } = signer
  const accounts = rememberedAccounts(policy.accounts)
  const saltOf = storedSalts(accounts)
  return {
    ...policyDrafter({ ...policy, accounts }),
    ...(isSeparate && { isSeparate }),
    ...(unreadUntil && { unreadUntil }),
    sign: (execution, deadline) =>
      withRefusalCode(async () => {
        const accountSalt = await saltOf(execution).catch(async (refusal) => {
          // A forged intent is the more useful error than an account of another user.
          const objection = await verifyIntent(execution)
          throw objection ? new RoutingError('INTENT_NOT_SEALED', { cause: new SigningRefusal(objection) }) : refusal
        })
        must(accountSalt !== null, 'There is no such account')
        const organization = await policy.organizations.load(execution.organizationId)
        return sign({ execution: signableOf(execution), deadline, accountSalt, organization })
      }),
  }
}

/** Signs the orders of stored records in this process. */
export const policySigner = (settings: SignerSettings & PolicyStores): OrderSigner =>
  storedSigner(signing(settings), settings)

/** The salt of a stored account; null if it is not stored. */
const storedSalts =
  (accounts: OrderPolicy['accounts']) =>
  async ({ organizationId, userId, deposit }: Execution): Promise<Hash | null> => {
    const stored = await accounts.load(deposit.account)
    if (stored === null) return null
    must(stored.organizationId === organizationId && stored.userId === userId, 'The account belongs to another user')
    return stored.accountSalt
  }

/** Leaves out the fields of a record that the signer does not need. */
export function signableOf({ id, organizationId, userId, refundOf, redriveOf, deposit, facts }: Signable): Signable {
  const { account, chainId, token, amountRaw } = deposit
  const { intent, routeId, balance, worthApproval, fees, gasLimit, route, candidates } = facts
  return {
    ...{ id, organizationId, userId, refundOf, redriveOf },
    deposit: { account, chainId, token, amountRaw },
    facts: {
      ...(intent && { intent }),
      ...(routeId && { routeId }),
      ...(balance && { balance }),
      ...(worthApproval && { worthApproval }),
      ...(fees && { fees }),
      ...(gasLimit && { gasLimit }),
      ...(route && { route: routedOf(route) }),
      ...(candidates && { candidates: candidates.map(offeredOf) }),
    },
  }
}

const routedOf = ({ provider, kind, amountIn, amountOutExpected, amountOutMin, call }: Routed): Routed => ({
  ...{ provider, kind, amountIn, amountOutExpected, amountOutMin, call },
})

const offeredOf = ({ provider, amountOutExpected, amountOutMin, quotedAt, seal }: Candidate): Candidate => ({
  ...{ provider, amountOutExpected, amountOutMin, quotedAt },
  ...(seal !== undefined && { seal }),
})

type Routed = NonNullable<Signable['facts']['route']>
type Candidate = NonNullable<Signable['facts']['candidates']>[number]
