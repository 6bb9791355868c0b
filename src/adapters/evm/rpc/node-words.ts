/** What a node refused, as it came: JSON-RPC's code, its words, and the HTTP status that they came with. */
export type Refused = { code: number; message: string; status: number | null }

/**
 * What a node's refusal means to us:
 * - `REVERTED`: the EVM ran and said no. It is an answer.
 * - `TAKEN`: the node has these bytes already, or a mined transaction has their nonce. It is an answer.
 * - `RANGE_AHEAD`: logs were asked for that lie beyond this node's head. It lags; a shorter range changes nothing.
 * - `RANGE_TOO_LONG`: logs were asked for over too many blocks, or there are too many of them.
 * - `RATE_LIMITED`, `TIMED_OUT`: later.
 */
export type Meaning = 'REVERTED' | 'TAKEN' | 'RANGE_AHEAD' | 'RANGE_TOO_LONG' | 'RATE_LIMITED' | 'TIMED_OUT'

type Row = { meaning: Meaning; words?: RegExp; codes?: readonly number[]; statuses?: readonly number[] }

const anyOf = (...patterns: RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'))

/**
 * THE table of what nodes say; the first row that fits decides. Words are compared in lower case and without anything
 * but letters and digits, since "AlreadyKnown", "already known" and "ALREADY_KNOWN" are all in use. What no row knows
 * is the node's own trouble. Samples from every vendor are in test/fixtures/real-answers/rpc.
 */
const table: readonly Row[] = [
  // A contract writes its own reason behind "execution reverted", so that this row stands before all others.
  { meaning: 'REVERTED', codes: [3], words: /revert|vmexecutionerror/ },
  {
    meaning: 'REVERTED',
    words: anyOf(
      /gasrequiredexceeds|outofgas|gasuintoverflow/, // geth, erigon, op-geth, nitro, bor, coreth
      /invalid(fe)?opcode|opcodenotfound|badinstruction|invalidjump|badjumpdestination/, // with revm and Nethermind
      /stack(under|over)flow|stacklimitreached|(returndata|access)outofbounds|outofoffset|accessviolation/,
      /writeprotection|staticcallviolation|maxcalldepth|invalidcodemustnotbegin|contractaddresscollision/,
    ),
  },
  {
    meaning: 'TAKEN',
    words: anyOf(
      /already(known|imported|exists|mined|inpool|inthepool|inmempool|inthemempool)|knowntransaction/,
      /nonce(is)?toolow|oldnonce|nonce(has)?alreadybeenused|noncealreadyused/, // Nethermind's OwnNonceAlreadyUsed too
    ),
  },
  {
    meaning: 'RANGE_AHEAD',
    words: /beyond(the)?(current|latest|chain)?head|afterlastacceptedblock|blocksspecifiedinfilter\w*cannotbefound/,
  },
  {
    meaning: 'RATE_LIMITED',
    statuses: [429],
    words: anyOf(
      /rate(was|is)?limit|request(rate|count)exceeded|toomanyrequest|throttled/,
      /persecond(capacity|limit)|secondrequestlimit|requestlimit(reached|exceeded)|concurrentrequests?capacity/,
      /rpslimit|computeunits|exceeded\w*(capacity|quota)|(monthly|daily)\w*(limit|quota|capacity)/,
    ),
  },
  {
    meaning: 'RANGE_TOO_LONG',
    // Every provider has a sentence of its own for it: something that is counted, and that it is too much.
    words: anyOf(
      /(range|blocks|results|logs|response)\w*(too(large|big|wide|long|many)|exceed|limit|max|(great|larg)erthan)/,
      /(range|blocks|results|logs|response)\w*(notsupported|notallowed|distance|shouldwork)/,
      /(too(large|big|wide|long|many)|exceed|limit|max|morethan|upto|atmost|over\d)\w*(range|blocks|results|logs)/,
    ),
  },
  { meaning: 'TIMED_OUT', codes: [30, -32002], statuses: [408, 504], words: /timedout|timeout|deadlineexceeded/ },
  { meaning: 'RATE_LIMITED', codes: [429, -32005, -32007, -32097] },
]

/** More than this of what a node says is not looked at. */
const wordsMax = 2_000

export function meaningOf({ code, message, status }: Refused): Meaning | null {
  // The name of the method is in many a sentence, and "logs" in the name.
  const text = message
    .slice(0, wordsMax)
    .toLowerCase()
    .replaceAll('eth_getlogs', '')
    .replaceAll(/[^a-z0-9]/g, '')
  const row = table.find(
    ({ codes, statuses, words }) =>
      codes?.includes(code) || (status !== null && statuses?.includes(status)) || words?.test(text),
  )
  return row?.meaning ?? null
}
