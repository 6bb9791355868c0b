import { readTokenList } from '../../adapters/prices/token-list'
import { rulesFor } from '../../signer/all-rules'
import { ConfigError, loadConfig } from '../config/config'
import type { Loaded } from '../process/base'
import { contractsOf } from './contracts'
import { type Area, about, examined, type Finding } from './finding'
import { nodesOf } from './nodes'
import { outsideOf } from './outside'
import { pricesOf } from './prices'
import { providersOf } from './providers'
import { type RecordedResponse, recordedResponses } from './recorded-responses'
import { database, messages } from './servers'
import { signersOf } from './signer'

type Report = { findings: Finding[]; answers: readonly RecordedResponse[] }

type Options = {
  /**
   * Whether to request a quote for every pair of chains from each routing provider. These requests count towards the
   * provider's limits.
   */
  withQuotes: boolean
  /** The monitoring URLs of the NATS servers, the only source for how they write to disk. */
  natsMonitors?: readonly string[]
  /** Called with each part as soon as it is examined. */
  onArea: (name: string, findings: readonly Finding[]) => void
}

/**
 * Examines everything that can be checked before money moves: configuration, servers, nodes, contracts, prices and
 * providers. It changes nothing and sends nothing.
 */
export async function examination(
  env: Record<string, string | undefined>,
  { withQuotes, natsMonitors = [], onArea }: Options,
): Promise<Report> {
  const kept = recordedResponses()
  const { loaded, findings } = configurationOf(env)
  onArea('Configuration', findings)
  if (!loaded) return { findings, answers: kept.all }
  const tokenList = about('token-list', 'Tokens')
  const tokens = await readTokenList(loaded.config.tokenList).catch(() => null)
  if (!tokens) {
    const found = [tokenList.bad('TOKEN_LIST cannot be read.', 'Set it to a token list (tokenlists.org), or unset it.')]
    onArea('Token list', found)
    return { findings: [...findings, ...found], answers: kept.all }
  }
  const rules = rulesFor(loaded.config)
  const examine = (areas: readonly Area[]) =>
    Promise.all(
      areas.map(async ({ name, examine }) => {
        const part = await examined(about('examination', name), 'Report this with the log.', examine)
        onArea(name, part)
        return part
      }),
    )
  // Servers first: their connections must not compete with hundreds of responses from the others.
  const isSigner = loaded.config.roles.includes('signer')
  const signers = await signersOf(loaded)
  if (signers.findings.length > 0) onArea('Signer', signers.findings)
  const found = [
    signers.findings,
    ...(await examine(isSigner ? [] : [database(loaded, signers.log), messages(loaded, natsMonitors)])),
    ...(await examine([
      nodesOf(loaded, kept),
      contractsOf(loaded, tokens, rules, signers),
      pricesOf(loaded, tokens, kept),
      ...(withQuotes ? [providersOf(loaded, tokens, rules, kept)] : []),
      ...(isSigner ? [] : [outsideOf(loaded, kept)]),
    ])),
  ]
  return { findings: [...findings, ...found.flat()], answers: kept.all }
}

/** The keys that can change the contracts. No process of the service may hold them. */
const keysOfHolders = ['GUARDIAN_PRIVATE_KEY', 'DEPLOYER_PRIVATE_KEY', 'HOLDER_PRIVATE_KEYS']

function configurationOf(env: Record<string, string | undefined>): { loaded: Loaded | null; findings: Finding[] } {
  const { good, bad } = about('configuration', 'Environment')
  try {
    const loaded = loadConfig(env)
    const needless = loaded.misplaced.map((name) =>
      bad(`${name} is set, and no role of this process needs it.`, 'Remove it here: anyone who holds it can do harm.'),
    )
    const strange = keysOfHolders
      .filter((name) => env[name] || env[`${name}_FILE`])
      .map((name) => bad(`${name} is set beside the service.`, 'Keep it away from every machine of the service.'))
    const found = [...needless, ...strange]
    return { loaded, findings: found.length > 0 ? found : [good('Every variable is set correctly.')] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const sentences = error.message.split('\n').filter((line) => line.trim() !== '')
    return { loaded: null, findings: sentences.map((sentence) => bad(sentence.trim(), 'See .env.example.')) }
  }
}
