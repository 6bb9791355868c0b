import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { BoundedMap } from '../domain/bounded-map'
import { type Account, accountSaltOf } from '../domain/chain/account'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Execution } from '../domain/execution/execution'
import type { Order } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { intentObjection, type Seals, shareBpsOf, withoutForgedWorth } from '../domain/seals'
import type { OrderDrafter, OrderSigner } from '../ports/signer'
import type { Accounts, Organizations } from '../ports/tenants'
import { draftAccount, orderDigest, type Terms } from '../protocols/executor/signed-order'
import type { RouteRule } from './function-rule'
import { lifiRules } from './route-rules'
import { assumedSplit, must, pricedSplit, SigningRefusal, termsOf } from './terms'
import { assureWorth, type WorthPorts } from './worth'

type OrderPolicy = {
  executor: Address
  registry: Address
  collector: Address
  accounts: Pick<Accounts, 'load'>
  organizations: Pick<Organizations, 'load'>
  /** The calls that are allowed. */
  rules?: readonly RouteRule[]
}

type PolicySigner = OrderPolicy &
  WorthPorts & {
    privateKey: Hex
    /** The seals by which intents are verified, because a stored record alone does not prove who wrote it. */
    seals: Seals
  }

/** The gas limit of a record that has none. */
const gasLimitDefault = '1500000'

type Making = {
  accountSalt: Hash
  deadline: number
  splitBy: typeof pricedSplit
  by: PrivateKeyAccount
  assure?: (terms: Terms, gasLimit: bigint) => Promise<void>
}

const accountsMax = 10_000

/** What the signer reads of an account never changes, so each is read once. */
function rememberedAccounts(accounts: OrderPolicy['accounts']): OrderPolicy['accounts'] {
  const known = new BoundedMap<string, Account>(accountsMax)
  return {
    async load(id) {
      const found = known.get(id) ?? (await accounts.load(id))
      if (found) known.set(id, found)
      return found
    },
  }
}

function ordersBy(settings: OrderPolicy) {
  const { executor, registry, collector, accounts, rules = lifiRules() } = settings
  const policy = { executor, registry, collector, rules }

  async function order(execution: Execution, { by, assure, ...how }: Making): Promise<Order> {
    const terms = termsOf(execution, how, policy)
    const gasLimit = execution.facts.gasLimit ?? gasLimitDefault
    await assure?.(terms, amountOf(gasLimit))
    const id = orderDigest(terms, { chainId: execution.deposit.chainId, executor })
    return { ...terms, id, signature: await by.sign({ hash: id }), gasLimit }
  }

  async function storedSalt({ organizationId, userId, deposit }: Execution): Promise<Hash | null> {
    const stored = await accounts.load(deposit.account)
    if (stored === null) return null
    must(stored.organizationId === organizationId && stored.userId === userId, 'The account belongs to another user')
    return stored.accountSalt
  }

  return { order, storedSalt }
}

/**
 * Drafts orders by the same rules as the signer, but signs them with a key that no executor accepts.
 */
export function policyDrafter({ accounts, ...policy }: OrderPolicy): OrderDrafter {
  const settings = { ...policy, accounts: rememberedAccounts(accounts) }
  return draftsBy(settings, ordersBy(settings))
}

function draftsBy({ organizations }: OrderPolicy, { order, storedSalt }: ReturnType<typeof ordersBy>): OrderDrafter {
  /** The salt of an account that is not stored yet. */
  async function futureSalt({ organizationId, userId }: Execution): Promise<Hash | null> {
    const organization = await organizations.load(organizationId)
    return organization && accountSaltOf(organization.salt, userId)
  }

  return {
    draft: (execution, deadline) =>
      refusing(async () => {
        const accountSalt = (await storedSalt(execution)) ?? (await futureSalt(execution))
        must(accountSalt !== null, 'There is no such organization')
        return order(execution, { accountSalt, deadline, splitBy: assumedSplit, by: draftAccount })
      }),
  }
}

/**
 * Signs the order of a stored record, after verifying that the calldata does what the intent says, and that independent
 * price sources find the output worth the input.
 */
export function policySigner({ privateKey, seals, accounts, ...policy }: PolicySigner): OrderSigner {
  const settings = { ...policy, accounts: rememberedAccounts(accounts) }
  const orders = ordersBy(settings)
  const { order, storedSalt } = orders
  const account = privateKeyToAccount(privateKey)
  return {
    ...draftsBy(settings, orders),
    sign: (execution, deadline) =>
      refusing(async () => {
        const objection = intentObjection(seals, execution)
        if (objection) throw new RoutingError('INTENT_NOT_SEALED', { cause: new SigningRefusal(objection) })
        must(execution.facts.routeId !== undefined, 'There is no routeId')
        const accountSalt = await storedSalt(execution)
        must(accountSalt !== null, 'There is no such account')
        const shareBps = shareBpsOf(seals, await settings.organizations.load(execution.organizationId))
        const assure = (terms: Terms, gasLimit: bigint) =>
          assureWorth(withoutForgedWorth(seals, execution), terms, { gasLimit, shareBps }, settings)
        return order(execution, { accountSalt, deadline, splitBy: pricedSplit, by: account, assure })
      }),
  }
}

async function refusing<Result>(make: () => Promise<Result>): Promise<Result> {
  try {
    return await make()
  } catch (cause) {
    throw cause instanceof SigningRefusal ? new RoutingError('SIGNER_REFUSED', { cause }) : cause
  }
}
