import { BoundedMap } from '../../domain/bounded-map'
import { type Account, accountAddressOf, accountSaltOf } from '../../domain/chain/account'
import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { rewrite } from '../../domain/concurrency'
import type { Organization } from '../../domain/tenant/organization'
import type { Accounts } from '../../ports/tenants'

/** The contracts that determine every address. They never change (decision 3). */
export type AccountFactory = { registry: Address; implementation: Address }

type UserPorts = {
  accounts: Accounts
  factory: AccountFactory
  /**
   * @throws {ChainsUnverified} until the chains have shown our contracts. Without them, a new address might not be
   * ours.
   */
  assureAddresses: () => Promise<void>
  now: () => number
}

type UserRequest = { organization: Organization; userId: string; canonicalChainId: ChainId; label: string | null }

const cachedMax = 50_000

/** The users of organizations, and their accounts. */
export function users({ accounts, factory, assureAddresses, now }: UserPorts) {
  /** Addresses of users with an account. Accounts are never deleted, so the store is not queried again. */
  const addresses = new BoundedMap<string, Address>(cachedMax)
  const keyOf = (organizationId: string, userId: string): string => `${organizationId}:${userId}`
  const remember = ({ organizationId, userId, id }: Account) => addresses.set(keyOf(organizationId, userId), id)

  async function create(wanted: UserRequest): Promise<Account | null> {
    await assureAddresses()
    return accounts.save(accountOf(wanted, factory, now()))
  }

  async function findStored(organization: Organization, userId: string): Promise<Address | null> {
    const account = await accounts.findByUser(organization.id, userId)
    if (account) remember(account)
    return account?.id ?? null
  }

  return {
    /** Returns the address of a user's account, or null if there is none. */
    find(organization: Organization, userId: string): Address | Promise<Address | null> {
      return addresses.get(keyOf(organization.id, userId)) ?? findStored(organization, userId)
    },

    /** Returns the address of the user's account, which need not exist yet. */
    addressOf: (organization: Organization, userId: string): Address =>
      accountAddressOf({ ...factory, accountSalt: accountSaltOf(organization.salt, userId) }),

    /**
     * Returns the account of a user, created if needed. Concurrent calls store one account, because its address is its
     * id.
     */
    async provision(wanted: UserRequest): Promise<Account> {
      const { organization, userId } = wanted
      const account =
        (await accounts.findByUser(organization.id, userId)) ??
        (await create(wanted)) ??
        (await accounts.findByUser(organization.id, userId))
      if (!account) throw new Error('The address of an account belongs to another user')
      remember(account)
      return account
    },

    /** Stores a new label. If another writer was faster, it reads again; one writer always succeeds. */
    async relabel(account: Account, label: string): Promise<Account> {
      const change = (read: Account | null) =>
        read && read.label !== label ? { ...read, label, updatedAt: now() } : null
      return (await rewrite(accounts, account.id, change, { first: account })) ?? account
    },
  }
}
export type Users = ReturnType<typeof users>

function accountOf(
  { organization, userId, canonicalChainId, label }: UserRequest,
  factory: AccountFactory,
  at: number,
): Account {
  const accountSalt = accountSaltOf(organization.salt, userId)
  const id = accountAddressOf({ ...factory, accountSalt })
  const owner = { organizationId: organization.id, userId }
  return { id, version: 0, ...owner, accountSalt, canonicalChainId, label, createdAt: at, updatedAt: at }
}
