import type { IntentVersionView } from '../../../http/views/intent-version'
import { choicesOf } from '../../data/read'
import { useRead } from '../../data/use-read'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { TargetWords } from './redirect'
import { useTokens } from './tokens'

type Version = typeof IntentVersionView.infer

/** The destinations of a user's deposits, newest first. */
export function IntentHistory({ userId }: { userId: string }) {
  const path = `/users/${encodeURIComponent(userId)}/deposit-intent/versions?limit=100`
  const query = useRead<Version[]>(['intent versions', userId], path)
  return (
    <Loaded of={query} bones={<Bones rows={2} />}>
      {(versions) => versions.length > 0 && <Versions versions={versions} />}
    </Loaded>
  )
}

function Versions({ versions }: { versions: readonly Version[] }) {
  const tokens = choicesOf(useTokens())
  const oldest = versions.at(-1)!.version
  return (
    <Card title="Where deposits are sent">
      <ol className="stack" data-history>
        {versions.map((each, n) => (
          <li key={each.version} className="small">
            <TargetWords target={each} tokens={tokens} />
            <div className="sub">
              {n === 0 ? 'In force, stored ' : 'Replaced, stored '}
              <Ago at={each.createdAt} />
              {each.actor && ` by ${each.actor.label}`}
              {!each.sealed && '; not proven to come from your organization'}
            </div>
          </li>
        ))}
      </ol>
      {oldest > 1 && versions.length < 100 && <p className="sub small">Versions before {oldest} were not retained.</p>}
    </Card>
  )
}
