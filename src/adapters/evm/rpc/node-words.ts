/** A node's refusal: the JSON-RPC code, the message, and the HTTP status that came with it. */
type Refused = { code: number; message: string; status: number | null }

/**
 * What a node's refusal means to us:
 * - `REVERTED`: the EVM ran and reverted. It is an answer.
 * - `TAKEN`: the node already has this transaction, or a mined one has its nonce. It is an answer.
 * - `DELEGATED`: delegated code acts for the signing key (EIP-7702), so the node accepts one of its transactions at a
 *   time. It is an answer.
 * - `RANGE_AHEAD`: the requested logs lie beyond this node's head. The node lags, and a shorter range does not help.
 * - `RANGE_TOO_LONG`: the range has too many blocks or too many logs.
 * - `RATE_LIMITED`, `TIMED_OUT`: the same request may succeed later.
 */
export type Meaning =
  | 'REVERTED'
  | 'TAKEN'
  | 'DELEGATED'
  | 'RANGE_AHEAD'
  | 'RANGE_TOO_LONG'
  | 'RATE_LIMITED'
  | 'TIMED_OUT'

type Row = { meaning: Meaning; words?: RegExp; codes?: readonly number[]; statuses?: readonly number[] }

const anyOf = (...patterns: RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'))

/** Meanings that come from the chain, through the node. Any other meaning is about the node itself. */
const answers: readonly Meaning[] = ['REVERTED', 'TAKEN', 'DELEGATED']
/** HTTP statuses of an error of the chain, by "JSON-RPC over HTTP". Any other status comes from a proxy or a limit. */
const answerStatuses: readonly (number | null)[] = [null, 400, 500]
/** JSON-RPC codes of a vendor's limit. Their messages are free text, also about ranges of logs. */
const limitCodes: readonly number[] = [429, -32005, -32007, -32097]
/** Words before a contract's own reason. */
const revertedFirst = /^executionreverted/

/**
 * The table of refusals: the first matching row decides. A status and the code of a limit come before words of the
 * chain, which a message may quote.
 * Messages are compared in lower case and reduced to letters and digits, because "AlreadyKnown", "already known" and
 * "ALREADY_KNOWN" are all in use. A message that no row matches is a fault of the node. Samples of every vendor are in
 * test/fixtures/real-answers/rpc.
 */
const table: readonly Row[] = [
  { meaning: 'RATE_LIMITED', statuses: [429] },
  // A contract's own reason follows "execution reverted", so this row stands before all other rows that match words.
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
      /nonce(is)?toolow|oldnonce|nonce(has)?alreadybeenused|noncealreadyused/, // also Nethermind's OwnNonceAlreadyUsed
    ),
  },
  { meaning: 'DELEGATED', words: /delegatedaccount|delegatorhaspendingtx/ }, // geth and its forks; Nethermind
  {
    meaning: 'RANGE_AHEAD',
    words: /beyond(the)?(current|latest|chain)?head|afterlastacceptedblock|blocksspecifiedinfilter\w*cannotbefound/,
  },
  {
    meaning: 'RATE_LIMITED',
    words: anyOf(
      /rate(was|is)?limit|request(rate|count)exceeded|toomanyrequest|throttled/,
      /persecond(capacity|limit)|secondrequestlimit|requestlimit(reached|exceeded)|concurrentrequests?capacity/,
      /rpslimit|computeunits|exceeded\w*(capacity|quota)|(monthly|daily)\w*(limit|quota|capacity)/,
    ),
  },
  {
    meaning: 'RANGE_TOO_LONG',
    // Every provider phrases it differently: a counted thing, and a word for too much of it.
    words: anyOf(
      /(range|blocks|results|logs|response)\w*(too(large|big|wide|long|many)|exceed|limit|max|(great|larg)erthan)/,
      /(range|blocks|results|logs|response)\w*(notsupported|notallowed|distance|shouldwork)/,
      /(too(large|big|wide|long|many)|exceed|limit|max|morethan|upto|atmost|over\d)\w*(range|blocks|results|logs)/,
    ),
  },
  { meaning: 'TIMED_OUT', codes: [30, -32002], statuses: [408, 504], words: /timedout|timeout|deadlineexceeded/ },
  { meaning: 'RATE_LIMITED', codes: limitCodes },
]

/** Compared part of a message, in characters. The rest is ignored. */
const wordsMax = 2_000

export function meaningOf({ code, message, status }: Refused): Meaning | null {
  // Many messages name the method, and the name contains "logs".
  const text = message
    .slice(0, wordsMax)
    .toLowerCase()
    .replaceAll('eth_getlogs', '')
    .replaceAll(/[^a-z0-9]/g, '')
  const isLimit = limitCodes.includes(code) && !revertedFirst.test(text)
  const isAnswer = answerStatuses.includes(status) && !isLimit
  const row = table.find(
    ({ meaning, codes, statuses, words }) =>
      (isAnswer || !answers.includes(meaning)) &&
      (codes?.includes(code) || (status !== null && statuses?.includes(status)) || words?.test(text)),
  )
  return row?.meaning ?? null
}
