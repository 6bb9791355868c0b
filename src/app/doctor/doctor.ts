import { tokenMetadata } from '../../adapters/evm/balances'
import { feedPrices } from '../../adapters/evm/feeds/feed-price'
import { rpcError } from '../../adapters/evm/rpc/error'
import { nodes } from '../../adapters/evm/rpc/nodes'
import { noTelemetry } from '../../adapters/no-telemetry'
import { readTokenList } from '../../adapters/prices/token-list'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { priceFeeds } from '../../domain/money/price-feeds'
import { isNative, type TokenList } from '../../domain/money/token'
import { rulesFor } from '../../signer/all-rules'
import { ConfigError, loadConfig } from '../config/config'
import type { Loaded } from '../process/base'
import { contractsOf } from './contracts'
import { type Area, about, codeOf, type Finding, findingsOf } from './finding'
import { nodesOf } from './nodes'
import { outsideOf } from './outside'
import { providersOf } from './providers'
import { type RecordedResponse, type RecordedResponses, recordedResponses } from './recorded-responses'
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
  const responses = recordedResponses()
  const { loaded, findings } = configurationOf(env)
  onArea('Configuration', findings)
  if (!loaded) return { findings, answers: responses.all }
  const tokenList = about('token-list', 'Tokens')
  const tokens = await readTokenList(loaded.config.tokenList).catch(() => null)
  if (!tokens) {
    const results = [
      tokenList.bad('TOKEN_LIST cannot be read.', 'Set it to a token list (tokenlists.org), or unset it.'),
    ]
    onArea('Token list', results)
    return { findings: [...findings, ...results], answers: responses.all }
  }
  const rules = rulesFor(loaded.config)
  const examine = (areas: readonly Area[]) =>
    Promise.all(
      areas.map(async ({ name, examine }) => {
        const part = await findingsOf(about('examination', name), 'Report this with the log.', examine)
        onArea(name, part)
        return part
      }),
    )
  // Servers first: their connections must not compete with hundreds of responses from the others.
  const isSigner = loaded.config.roles.includes('signer')
  const signers = await signersOf(loaded)
  if (signers.findings.length > 0) onArea('Signer', signers.findings)
  const results = [
    signers.findings,
    ...(await examine(isSigner ? [] : [database(loaded, signers.log), messages(loaded, natsMonitors)])),
    ...(await examine([
      nodesOf(loaded, responses),
      contractsOf(loaded, tokens, rules, signers),
      pricesOf(loaded, tokens, responses),
      ...(withQuotes ? [providersOf(loaded, tokens, rules, responses)] : []),
      ...(isSigner ? [] : [outsideOf(loaded, responses)]),
    ])),
  ]
  return { findings: [...findings, ...results.flat()], answers: responses.all }
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
    const problems = [...needless, ...strange]
    return { loaded, findings: problems.length > 0 ? problems : [good('Every variable is set correctly.')] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const sentences = error.message.split('\n').filter((line) => line.trim() !== '')
    return { loaded: null, findings: sentences.map((sentence) => bad(sentence.trim(), 'See .env.example.')) }
  }
}

const timeoutMs = 10_000

/** Checks the price feeds and the listed tokens of each chain. */
function pricesOf({ secrets }: Loaded, tokens: TokenList, responses: RecordedResponses): Area {
  async function ofChain(key: ChainKey): Promise<Finding[]> {
    const { id, name } = chains[key]
    const settings = { chainId: id, rpcUrls: secrets.rpcUrls[key], timeoutMs, isAnswer: () => false }
    const ask = responses.ofNode(`${name}, prices`, nodes({ ...settings, telemetry: noTelemetry }))
    const pricesOf = feedPrices(ask, id)
    const metadata = tokenMetadata(ask)

    const ofFeed = async (feed: (typeof priceFeeds)[number]): Promise<Finding> => {
      const { good, bad, unknown } = about('price-feed', `${name}, ${feed.pairs[0]}`)
      return pricesOf([feed]).then(
        ([price = null]) =>
          price === null
            ? bad(
                'The feed has no fresh price, or it is another feed.',
                'Compare its address with Chainlink’s list; without it, one source fewer confirms the value of an order.',
              )
            : good('The feed has a fresh price.'),
        (error) => unknown(`The feed could not be read (${codeOf(rpcError(error))}).`, 'Run the doctor again.'),
      )
    }
    const ofToken = async ({ address, symbol, decimals }: (typeof tokens.all)[number]): Promise<Finding> => {
      const { good, bad, unknown } = about('token', `${name}, ${symbol}`)
      return metadata(address).then(
        (said) =>
          said?.decimals === decimals
            ? good(`The token has ${decimals} decimals, as listed.`)
            : bad(
                said
                  ? `The token has ${said.decimals} decimals, not ${decimals}.`
                  : 'There is no token at its address.',
                'Correct it in TOKEN_LIST; a pinned token that differs is a reason to stop.',
              ),
        (error) => unknown(`The token could not be read (${codeOf(rpcError(error))}).`, 'Run the doctor again.'),
      )
    }
    const feeds = priceFeeds.filter(({ chainId }) => chainId === id)
    const listed = tokens.all.filter(({ chainId, address }) => chainId === id && !isNative(address))
    return Promise.all([...feeds.map(ofFeed), ...listed.map(ofToken)])
  }

  return { name: 'Prices and tokens', examine: async () => (await Promise.all(chainKeys.map(ofChain))).flat() }
}
