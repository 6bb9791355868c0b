import { useQuery } from '@tanstack/react-query'
import type { PauseView } from '../../../http/operator/pauses'
import { ask } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { Tenant, useTenantName } from '../../data/tenant'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { PauseButton } from './pause-button'
import { isOwnOf, mayEnd, scopeName } from './pause-scopes'

export type Pause = typeof PauseView.infer

export function usePauses() {
  const { organization } = useHere()
  const queryKey = ['pauses', organization.id]
  return useQuery({ queryKey, queryFn: () => ask<Pause[]>('/operator/pauses'), refetchInterval: 5_000 })
}

/** Current pauses. During a pause deposits are still found and wait. Nothing new is signed; signed orders finish. */
export function Pauses() {
  const { organization } = useHere()
  const nameOf = useTenantName()
  const pauses = usePauses()
  return (
    <Card
      title="Pauses"
      side={
        // Offered once the pauses are read, because a pause in force is ended and not begun again.
        ifLoaded(pauses, (rows) => (
          <PauseButton
            scope={organization.isPlatform ? null : 'organization'}
            isOffered={organization.isPlatform || !rows.some((pause) => isOwnOf(pause, organization.id))}
          >
            {organization.isPlatform ? 'Pause something' : 'Pause this organization'}
          </PauseButton>
        ))
      }
    >
      <Loaded of={pauses} bones={<Bones rows={2} />}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="sub">
              Nothing is paused. During a pause, affected deposits are still found and wait safely; nothing new is
              signed.
            </p>
          ) : (
            <ul className="stack">
              {rows.map((pause) => (
                <li key={`${pause.scope}${pause.organizationId ?? ''}`} className="row apart keep">
                  <div>
                    <span className="pill t-warn">{nameOfPause(pause, organization.id, nameOf)}</span>
                    <div className="small">{pause.reason}</div>
                    <div className="sub tiny">
                      since <Ago at={pause.createdAt} />
                      {pause.until && (
                        <>
                          , ends <Ago at={pause.until} />
                        </>
                      )}
                    </div>
                    {pause.scope === 'organization' && !isOwnOf(pause, organization.id) && (
                      <Tenant id={pause.organizationId} />
                    )}
                  </div>
                  {mayEnd(pause, organization) ? (
                    <PauseButton scope={pause.scope} pause={pause} />
                  ) : (
                    <span className="sub tiny">
                      {organization.isPlatform
                        ? 'Only its own members can end it'
                        : 'Only the platform’s operators can end it'}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function nameOfPause(pause: Pause, here: string, nameOf: (id: string) => string): string {
  const { scope, organizationId } = pause
  if (scope === 'organization' && organizationId && !isOwnOf(pause, here))
    return `${nameOf(organizationId)}, by its own members`
  if (scope === `tenant:${here}`) return 'This organization, by the platform'
  return scopeName(scope, nameOf)
}
