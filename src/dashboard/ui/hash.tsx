import { short, shortId } from '../data/format'

type Props = {
  /** The whole hash, address or id appears in print and on hover. The copy button works for every input device. */
  value: string
  /** What it is, such as `transaction`. */
  kind: string
  shown?: string
}

/** A hash, an address or an id. It is read as its kind and its short form, not letter by letter. */
export const Hash = ({ value, kind, shown = short(value) }: Props) => (
  <>
    <span className="hidden-visually">
      {kind} {shown === value ? shortId(value) : shown}
    </span>
    <span aria-hidden="true" className="mono wrap" title={value} data-full={shown === value ? undefined : value}>
      {shown}
    </span>
  </>
)
