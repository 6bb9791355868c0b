import { type } from '../../domain/schema'
import { shown, Text } from './scalar'

export const ActorView = type({
  kind: shown(type("'API_KEY' | 'MEMBER' | 'SYSTEM'"), 'What kind of actor', 'API_KEY'),
  id: Text('Id of the key or member', 'key_9fT2'),
  label: Text('Name for people', 'on-call'),
})
