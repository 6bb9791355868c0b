import { Link } from 'wouter'
import { shortId } from '../data/format'
import { Hash } from './hash'

/** The id of an execution, also of a re-drive, within a sentence. */
const executionId = /(\d{1,10}:(?:0x[0-9a-f]{64}|sweep:0x[0-9a-f]{40}:0x[0-9a-f]{40}):\d{1,9}(?::r\d{1,6})?)/i

/** Puts what only integrators know into plain words. */
const plain = (text: string): string =>
  text
    .replace(/^Superseded: (\w)/, (_, letter: string) => letter.toUpperCase())
    .replace('was re-driven', 'was routed again')

/** A sentence of the server. An execution that it names is a short link. */
export const LinkedIds = ({ children }: { children: string }) =>
  plain(children)
    .split(executionId)
    .map((part, n) =>
      n % 2 === 1 ? (
        <Link key={part} href={`/executions/${encodeURIComponent(part)}`} className="nowrap">
          <Hash value={part} kind="execution" shown={shortId(part)} />
        </Link>
      ) : (
        part
      ),
    )
