import { view } from '../../domain/schema'
import { described, Text } from './scalar'

export const ActorView = view({
  kind: described(view("'API_KEY' | 'MEMBER' | 'SYSTEM'"), 'Kind of actor', 'API_KEY'),
  id: Text('Id of the key or member', 'key_9fT2'),
  label: Text('Name for people', 'on-call'),
})
