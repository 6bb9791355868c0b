import type { BlacklistEntry, Listing } from '../domain/blacklist-entry'
import { type ChainId, isChainId } from '../domain/chain/chain'
import { jsonOf } from '../domain/json'
import { tokenNamed } from '../domain/money/token'

/** One entry of a list in our form. */
export type ListEntry = Pick<BlacklistEntry, 'kind' | 'address' | 'listedAs' | 'reason'> & { chainId: ChainId | null }

/** Details from the caller that the list does not contain. */
type ListDefaults = { listedAs?: Listing; kind?: BlacklistEntry['kind']; chainId?: ChainId; reason?: string }

const listFormats = ['OFAC_XML', 'ADDRESSES', 'TOKEN_LIST', 'GOPLUS', 'ENTRIES'] as const
type ListFormat = (typeof listFormats)[number]
export type ParsedList = { format: ListFormat; listed: ListEntry[]; ignored: number }

/** The list cannot be used, for the reason in the message. */
export class ListRefused extends Error {
  override name = 'ListRefused'
}

const evm = /^0x[0-9a-fA-F]{40}$/
/** A tax of at least this share takes most of the sold amount. */
const taxMax = 0.5

/**
 * Reads a security list and detects its format (providers 5).
 *
 * @throws {ListRefused} for a text that is not a list, was cut off, or leaves the kind of its entries open.
 */
export function readList(text: string, defaults: ListDefaults = {}): ParsedList {
  const start = text.trimStart()
  if (start.startsWith('<')) return readOfac(text, defaults)
  if (!/^[[{]/.test(start)) return readAddresses(text.split(/\r?\n/), defaults)
  const content = jsonOf(text) as object | undefined
  if (content === undefined) throw new ListRefused('The list is not complete JSON; the download may have been cut off.')
  if (Array.isArray(content)) return readAddresses(content, defaults)
  const { tokens, result, entries } = content as { tokens?: unknown; result?: unknown; entries?: unknown }
  if (Array.isArray(entries)) return readEntries(entries, defaults)
  if (Array.isArray(tokens)) return readTokenList(tokens, defaults)
  if (typeof result === 'object' && result !== null) return readGoplus(content as { code?: unknown }, result, defaults)
  throw new ListRefused(
    'The format of the list is unknown. It must be addresses, OFAC XML, a token list, GoPlus or entries.',
  )
}

/** OFAC's sdn.xml and sdn_advanced.xml. An EVM address counts on every chain, for any coin that the list names. */
function readOfac(text: string, { reason = 'On the list of the US Treasury (OFAC SDN)' }: ListDefaults): ParsedList {
  if (!/<\/(?:\w+:)?(?:Sanctions|sdnList)>\s*$/.test(text.slice(-200)))
    throw new ListRefused('The SDN list is not complete: its end is missing.')
  const matches = text.matchAll(/<(?:\w+:)?(?:VersionDetail|idNumber)\b[^>]*>\s*([^<\s]+)\s*</g)
  const values = [...matches].map(([, value]) => value!).filter((value) => /^0x/i.test(value))
  return addressesOf('OFAC_XML', values, { kind: 'ADDRESS', chainId: null, listedAs: 'SANCTIONED', reason })
}

/** Extracted lists: an array of strings, or one address a line. They may contain addresses of other chains. */
function readAddresses(rows: readonly unknown[], defaults: ListDefaults): ParsedList {
  const {
    kind = 'ADDRESS',
    chainId = null,
    listedAs = 'SANCTIONED',
    reason = 'On an imported list of addresses',
  } = defaults
  if (kind === 'TOKEN' && chainId === null)
    throw new ListRefused('A token belongs to one chain. Name the chain with --chain.')
  const values = rows.map((row) => (typeof row === 'string' ? row.trim() : '')).filter((row) => !/^(#.*)?$/.test(row))
  return addressesOf('ADDRESSES', values, { kind, chainId, listedAs, reason })
}

function addressesOf(format: ListFormat, values: string[], as: Omit<ListEntry, 'address'>): ParsedList {
  const addresses = values.filter((value) => evm.test(value))
  if (addresses.length === 0) throw new ListRefused('The list contains no EVM address.')
  return read(
    format,
    addresses.map((address) => ({ ...as, address })),
    values.length - addresses.length,
  )
}

/**
 * The format of tokenlists.org. The caller must state the kind of entries, because many such lists contain tokens for a
 * legal reason and not because they are scams.
 */
function readTokenList(
  tokens: readonly unknown[],
  { listedAs, reason = 'On an imported token list' }: ListDefaults,
): ParsedList {
  if (!listedAs) throw new ListRefused('A token list does not state what is wrong with its tokens. Name it with --as.')
  const listed = tokens.flatMap((token): ListEntry[] => {
    const { chainId, address } = (token ?? {}) as { chainId?: unknown; address?: unknown }
    const isOurs = typeof chainId === 'number' && isChainId(chainId) && typeof address === 'string' && evm.test(address)
    return isOurs ? [{ kind: 'TOKEN', chainId, address, listedAs, reason }] : []
  })
  return read('TOKEN_LIST', listed, tokens.length - listed.length)
}

/**
 * The token_security responses of GoPlus. A token that can blocklist addresses is not at fault for that: USDC can, too.
 */
function readGoplus({ code }: { code?: unknown }, result: object, { chainId, reason }: ListDefaults): ParsedList {
  if (code !== 1) throw new ListRefused('GoPlus returned an error.')
  if (chainId === undefined) throw new ListRefused('A GoPlus response covers one chain. Name the chain with --chain.')
  const rows = Object.entries(result).filter(([address]) => evm.test(address))
  const listed = rows.flatMap(([address, facts]): ListEntry[] => {
    const fault = faultOf(facts as Record<string, unknown>)
    if (!fault) return []
    return [{ kind: 'TOKEN', chainId, address, listedAs: 'SCAM', reason: reason ?? `GoPlus: ${fault}` }]
  })
  return read('GOPLUS', listed, rows.length - listed.length)
}

function faultOf(facts: Record<string, unknown> | null): string | null {
  if (!facts || facts['trust_list'] === '1') return null
  const flags = ['is_honeypot', 'is_airdrop_scam', 'cannot_sell_all', 'fake_token']
  const raised = flags.find((flag) => facts[flag] === '1' || isTrue(facts[flag]))
  if (raised) return raised
  if (facts['is_true_token'] === '0') return 'is_true_token is 0'
  return ['sell_tax', 'buy_tax'].find((tax) => Number(facts[tax] ?? 0) >= taxMax) ?? null
}

/** `fake_token` is an object that names the imitated token. */
const isTrue = (flag: unknown): boolean => typeof flag === 'object' && flag !== null && Object.values(flag).includes(1)

/** Our own form: `{"entries":[{"kind":"TOKEN","chainId":1,"address":"0x…","listedAs":"SCAM","reason":"…"}]}`. */
function readEntries(entries: readonly unknown[], defaults: ListDefaults): ParsedList {
  const listed = entries.map((entry, n): ListEntry => {
    const {
      kind,
      chainId = null,
      address,
      listedAs = defaults.listedAs,
      reason = defaults.reason,
    } = (entry ?? {}) as ListEntry
    const isGood =
      (kind === 'TOKEN' || kind === 'ADDRESS') &&
      (chainId === null || isChainId(chainId)) &&
      evm.test(address) &&
      (listedAs === 'SANCTIONED' || listedAs === 'SCAM' || listedAs === 'MALICIOUS') &&
      typeof reason === 'string'
    if (!isGood) throw new ListRefused(`Entry ${n} is malformed.`)
    return { kind, chainId, address, listedAs, reason: reason.slice(0, 500) }
  })
  return read('ENTRIES', listed, 0)
}

/** Returns an entry under the address that the checks compare. */
function stored(entry: ListEntry): ListEntry {
  const named = entry.kind === 'TOKEN' ? { ...entry, ...tokenNamed(entry) } : entry
  return { ...named, address: named.address.toLowerCase() }
}

const read = (format: ListFormat, listed: readonly ListEntry[], ignored: number): ParsedList => ({
  format,
  listed: listed.map(stored),
  ignored,
})
