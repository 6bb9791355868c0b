import { chainKeys } from '../src/domain/chain/chain'
import { carried, type Sent } from './deposits'
import { onRig, percentile, type Rig } from './rig'

const depositsCount = Number(process.env['DEPOSITS'] ?? 100)
/** First, each of these users has a deposit on each chain. With 2, few kinds of routes are measured beforehand. */
const usersBefore = Number(process.env['USERS_BEFORE'] ?? 10)
const usersCount = usersBefore + Math.ceil(depositsCount / chainKeys.length)
/** Quotes per minute that the stand-ins for LI.FI and Relay answer. */
const perMinute = { lifi: 60, relay: 30 } as const
type Provider = keyof typeof perMinute
const providers: Provider[] = ['lifi', 'relay']

type Counts = Record<Provider, { answered: number; refused: number }>

/** Sends a hundred deposits at once while the providers refuse requests beyond their limits, and counts the quotes. */
export const limits = (): Promise<string[]> =>
  onRig(
    async (rig) => {
      const accounts = await Promise.all(Array.from({ length: usersCount }, (_, n) => rig.newUser(`limits-${n}`)))
      const one = (n: number): Sent => ({
        chainKey: chainKeys[n % chainKeys.length]!,
        account: accounts[Math.floor(n / chainKeys.length)]!,
        amountRaw: BigInt(20_000_000 + n),
      })
      // A few deposits measure the cost of each kind of route, as in a running installation.
      const countBefore = chainKeys.length * usersBefore
      for (let n = 0; n < countBefore; n++) await carried(rig, [one(n)])
      await Promise.all(providers.map((provider) => limited(rig, provider)))
      await carried(rig, [one(0)])
      const [before, reasonsBefore] = [await countsOf(rig), await reasonsOf(rig)]
      const startedAt = performance.now()
      const all = await carried(
        rig,
        Array.from({ length: depositsCount }, (_, n) => one(countBefore + n)),
      )
      const seconds = (performance.now() - startedAt) / 1_000
      const [after, reasonsAfter] = [await countsOf(rig), await reasonsOf(rig)]
      const reasons = [...reasonsAfter].map(
        ([reason, count]) => `${reason} ${count - (reasonsBefore.get(reason) ?? 0)}`,
      )
      const routed = all.filter(({ facts }) => facts.route?.kind !== 'DIRECT').length
      const succeeded = all.filter(({ status }) => status === 'SUCCESS').length
      const retries = all.reduce((sum, { retryCount }) => sum + retryCount, 0)
      const waited = all.map(({ completedAt, history }) => (completedAt! - history[0]!.at) / 1_000)
      const used = providers.map((provider) => {
        const [answered, refused] = (['answered', 'refused'] as const).map(
          (kind) => after[provider][kind] - before[provider][kind],
        )
        const chosen = all.filter(({ facts }) => facts.route?.provider === provider).length
        return `${provider} at ${perMinute[provider]} a minute: ${answered} quotes, ${refused} refused, ${chosen} routes`
      })
      return [
        `${depositsCount} deposits at once within the providers’ limits: ${succeeded} SUCCESS in ${seconds.toFixed(0)} s, ` +
          `p50 ${percentile(waited, 0.5).toFixed(0)} s, ${retries} retries; ${routed} of them need a provider`,
        ...used,
        `quotes with a route, by the reason for the request: ${reasons.join(', ')}`,
      ]
    },
    { LIFI_REQUESTS_PER_MINUTE: '', RELAY_REQUESTS_PER_MINUTE: '', LIFI_API_KEY: 'bench' },
  )

const limited = ({ installation }: Rig, provider: Provider) =>
  fetch(`${installation.devnet.controlUrl}/limits/${provider}`, {
    method: 'PUT',
    body: JSON.stringify({ most: perMinute[provider] }),
  })

const reasonsOf = async ({ installation }: Rig): Promise<Map<string, number>> => {
  const metrics = await (await fetch(`${installation.apiUrl}/metrics`)).text()
  const rows = [...metrics.matchAll(/^switchyard_quotes_total\{reason="(\w+)"\} (\d+)$/gm)]
  return new Map(rows.map(([, reason, count]) => [reason!, Number(count)]))
}

const countsOf = async ({ installation }: Rig): Promise<Counts> =>
  (await (await fetch(`${installation.devnet.controlUrl}/limits`)).json()) as Counts
