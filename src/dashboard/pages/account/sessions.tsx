import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { askAuth } from '../../data/api'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { Loaded } from '../../ui/loaded'
import { Bones, Card, Trouble } from '../../ui/parts'
import { Ago } from '../../ui/time'

type Session = {
  id: string
  token: string
  createdAt: string
  updatedAt: string
  ipAddress: string | null
  userAgent: string | null
}

/** Returns a name such as `Chrome on Linux`, from the browser's user agent. */
function nameOf(agent: string | null): string {
  if (!agent) return 'Unknown program'
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)/.exec(agent)?.[1] ?? 'Another program'
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }
  return `${names[browser] ?? browser}${system ? ` on ${names[system] ?? system}` : ''}`
}

export function Sessions() {
  const { me } = useHere()
  const client = useQueryClient()
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: () => askAuth<Session[]>('list-sessions') })
  const renew = () => void client.invalidateQueries({ queryKey: ['sessions'] })
  const end = useMutation({ mutationFn: (token: string) => askAuth('revoke-session', { token }), onSettled: renew })
  const endOthers = useMutation({ mutationFn: () => askAuth('revoke-other-sessions', {}), onSettled: renew })
  return (
    <Card
      title="Sessions"
      side={
        ifLoaded(sessions, ({ length }) => length > 1) && (
          <Button size="compact-sm" variant="default" onClick={() => endOthers.mutate()} loading={endOthers.isPending}>
            End all others
          </Button>
        )
      }
    >
      <Trouble error={end.error ?? endOthers.error} />
      <Loaded of={sessions} bones={<Bones rows={2} height={34} />}>
        {(rows) => (
          <ul className="stack">
            {rows.map(({ id, token, createdAt, ipAddress, userAgent }) => (
              <li key={id} className="row apart">
                <div>
                  <div className="small strong row">
                    {nameOf(userAgent)} {id === me.sessionId && <span className="pill t-ok">This session</span>}
                  </div>
                  <div className="sub tiny">
                    Signed in <Ago at={createdAt} />
                    {ipAddress && ` from ${ipAddress}`}
                  </div>
                </div>
                {id !== me.sessionId && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => end.mutate(token)}
                    aria-label={`End the session of ${nameOf(userAgent)}`}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
