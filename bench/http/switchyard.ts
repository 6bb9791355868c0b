import { createApi } from '../../src/app/api/api'
import { portsInMemory } from './memory'

const api = createApi(portsInMemory()).listen({ port: 0, hostname: '127.0.0.1' })
console.log(api.server!.port)
