/** Everything that can go wrong in a world. */
export const troubles = [
  'lost-requests',
  'lost-responses',
  'slow-messages',
  'crashes',
  'freezes',
  'wrong-clocks',
  'lost-wakes',
  'extra-wakes',
  'old-records',
  'reorganizations',
  'dear-gas',
  'pauses',
  'lying-nodes',
  'provider-away',
  'provider-errors',
  'poor-key',
  'full-key',
  'changed-intents',
  'operators',
  'webhooks',
  'unread-logs',
  'deep-reorganizations',
  'hourly-caps',
  'late-attestations',
  'circle-errors',
  'others-mints',
  'quotas',
  'api-requests',
] as const
export type Trouble = (typeof troubles)[number]

/** A world: its seed, and the part of it that happens. */
export type Plan = {
  seed: number
  /** The numbers of the deposits that arrive. All of them if undefined. */
  only?: ReadonlySet<number> | undefined
  /** What goes wrong. Everything if undefined. */
  troubles?: ReadonlySet<Trouble> | undefined
}

/** The deposits of a world, by number. */
export const depositNumbers = {
  usual: Array.from({ length: 14 }, (_, n) => n + 1),
  /** Of a lane that the provider does not serve before the first of them has ended. */
  abandoned: [15, 16],
  /** Shown by the balance alone. */
  silent: 17,
  /** From a party that is listed later, and into its account afterwards. */
  villain: [18, 19],
  large: [20, 21],
  /** Whose logs no node shows for a while, or ever. Only worlds with a sweep of balances have them. */
  unlogged: [22, 23, 24],
  /** Of USDC, for which only Circle has a route. Only worlds with mints have them. */
  burned: [25, 26, 27, 28, 29, 30],
} as const

export const allDeposits: readonly number[] = Object.values(depositNumbers).flat()

export const hasDeposit = ({ only }: Plan, number: number): boolean => only === undefined || only.has(number)
export const hasTrouble = ({ troubles: some }: Plan, trouble: Trouble): boolean =>
  some === undefined || some.has(trouble)
