const actors: Record<string, string> = {
  SERVICE: 'Switchyard',
  PROVIDER: 'the bridge',
  INTEGRATOR: 'you',
  SENDER: 'the sender',
  OPERATOR: 'an operator',
}

/** Returns who acts next, for use inside a sentence; undefined if no one does. */
export const actorName = (actor: string): string | undefined => actors[actor]

/** Returns a sentence about who acts next. */
export function actsNext(actor: string): string {
  const name = actorName(actor)
  if (!name) return actor === 'NOBODY' ? 'No action is needed' : actor
  return `${name[0]!.toUpperCase()}${name.slice(1)} ${name === 'you' ? 'act' : 'acts'} next`
}
