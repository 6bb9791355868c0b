/**
 * What of a record says whose it is and what it is. `fixed` never changes once it is stored. `once` may still be null,
 * and never changes after that. `sooner` is a time that is set once, and may only be brought forward.
 */
export type Identity = { fixed?: readonly string[]; once?: readonly string[]; sooner?: readonly string[] }

const snapshot = ['apiKeyId', 'targetChainId', 'targetTokenAddress', 'targetAddress', 'protocolFeeBps', 'seal']

/** By collection: every one whose records are saved is here. The store refuses a save that breaks it. */
export const identities = {
  organizations: { fixed: ['salt', 'isPlatform', 'createdAt'] },
  memberships: {},
  invitations: { fixed: ['organizationId', 'email', 'createdAt'], once: ['acceptedAt', 'withdrawnAt'] },
  apiKeys: {
    fixed: ['digest', 'prefix', 'organizationId', 'role', 'createdAt', 'createdBy'],
    sooner: ['revokedAt'],
  },
  accounts: { fixed: ['organizationId', 'userId', 'accountSalt', 'canonicalChainId', 'createdAt'] },
  intents: { fixed: ['organizationId', 'userId', 'apiKeyId', 'createdAt'] },
  // Whose it is may change with the chain: after a reorganization the same place may hold another transfer.
  sightings: { fixed: ['chainId', 'txHash', 'logIndex'] },
  unsupported: { fixed: ['organizationId', 'userId', 'account', 'chainId', 'detectedAt'] },
  executions: {
    fixed: [
      'organizationId',
      'userId',
      'redriveOf',
      ...['lane', 'account', 'chainId', 'token', 'amountRaw', 'txHash', 'logIndex', 'detectedAt'].map(
        (name) => `deposit.${name}`,
      ),
    ],
    once: [
      'createdAt',
      'refundOf',
      'redrivenBy',
      'continuedBy',
      'takenBy',
      'facts.routeId',
      ...snapshot.map((name) => `facts.intent.${name}`),
    ],
  },
  deliveries: { fixed: ['executionId'] },
  lanes: {},
  senders: {},
  quotaBooks: {},
  placeBooks: {},
  scanCursors: {},
  tellings: {},
  blacklist: { fixed: ['kind', 'chainId', 'address'] },
  blacklistLists: {},
  pauses: {},
  providerRests: {},
  jobs: { fixed: ['organizationId', 'createdAt', 'asked.organizationId', 'work.verb'] },
} as const satisfies Record<string, Identity>

export type CollectionName = keyof typeof identities

/** The field of its identity that a change would break, or null. */
export function brokenIdentity({ fixed = [], once = [], sooner = [] }: Identity, before: object, after: object) {
  const is = (path: string) => [valueAt(before, path), valueAt(after, path)] as const
  const isOther = (path: string) => {
    const [was, will] = is(path)
    return was !== will
  }
  const isTakenBack = (path: string) => is(path)[0] !== null && isOther(path)
  const isLater = (path: string) => {
    const [was, will] = is(path)
    return was !== null && (typeof will !== 'number' || will > (was as number))
  }
  return fixed.find(isOther) ?? once.find(isTakenBack) ?? sooner.find(isLater) ?? null
}

/** What is absent and what is null are the same. */
export function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value ?? null
}

/** A bug of whoever saves, not a race: it is said aloud, and nothing is stored. */
export class IllegalChange extends Error {
  override name = 'IllegalChange'

  /** @param field what may not become what it is to be; absent where it is the whole record. */
  constructor(id: string, field: string | null = null) {
    super(`${field === null ? '' : `${field} of `}${id} may not become what it is to be`)
  }
}
