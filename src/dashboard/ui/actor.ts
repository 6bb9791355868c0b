const actors: Record<string, string> = {
  SERVICE: 'Switchyard',
  PROVIDER: 'the bridge',
  INTEGRATOR: 'you',
  SENDER: 'the sender',
  OPERATOR: 'an operator',
}

/** Names who acts next, for the middle of a sentence; undefined when nobody does. */
export const actorName = (actor: string): string | undefined => actors[actor]

/** Says who acts next, in a sentence. */
export function actsNext(actor: string): string {
  const name = actorName(actor)
  if (!name) return actor === 'NOBODY' ? 'Nothing is left to do' : actor
  return `${name[0]!.toUpperCase()}${name.slice(1)} ${name === 'you' ? 'act' : 'acts'} next`
}
