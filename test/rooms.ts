/** A room's purpose, and what its files may import besides each other. */
type Room = { is: string; imports: readonly string[] }
const room = (is: string, ...imports: readonly string[]): Room => ({ is, imports })

const domain = 'src/domain/'
const ports = 'src/ports/'
const protocols = 'src/protocols/'
const artifacts = 'contracts/artifacts/'
const batches = 'src/adapters/batch-requests'
/** The files beside the adapters' rooms that serve several of them. */
const shared = [batches, ...['clock', 'http', 'memory-records', 'no-telemetry'].map((name) => `src/adapters/${name}`)]

/**
 * The architecture: every room, and the rooms it may import from, including itself. The longest matching row applies,
 * and a violation fails the build. The code that moves money reads downwards: steps, ports, domain. Adapters do not
 * import steps, and only the entries at the end import everything.
 */
export const rooms: Record<string, Room> = {
  'src/domain/': room('nouns, rules and arithmetic: pure, with time and randomness as arguments'),
  'machines/': room('the life of an execution, as a state machine', domain),
  // The errors of ports are in `src/domain/error.ts` and `src/domain/unavailable.ts`.
  'src/ports/': room('what the service needs of the world outside, as interfaces', domain),
  'src/protocols/': room('wire formats that adapters, the signer and the devnet share', domain, artifacts),

  'src/detection/': room('sees transfers on the chains and stores each once', ports, domain),
  'src/routing/': room('carries executions on to their end'),
  'src/routing/engine/': room(
    'wakes executions, advances them step by step, stores each turn, and reports why one waits',
    'src/routing/delivery/',
    'machines/',
    'src/screening/',
    ports,
    domain,
  ),
  'src/routing/pricing/': room('quotes, fees and gas, before anything is signed', ports, domain),
  'src/routing/delivery/': room(
    'sends signed transactions, and finds out from the chain what became of them',
    'src/routing/engine/',
    'machines/',
    ports,
    domain,
  ),
  'src/routing/steps/': room(
    'one step of the machine per file, none of which imports another',
    'src/routing/engine/',
    'src/routing/pricing/',
    'src/routing/delivery/',
    'machines/',
    'src/screening/',
    'src/gas/',
    ports,
    domain,
  ),
  'src/routing/operations/': room(
    'what operators do with executions',
    'src/routing/engine/',
    'machines/',
    'src/screening/',
    ports,
    domain,
  ),
  'src/routing/overdue/': room('what should have moved by now, and who is notified', ports, domain),

  'src/estimates/': room(
    'estimates of fees and durations before a deposit',
    'src/routing/pricing/',
    'src/routing/engine/',
    ports,
    domain,
  ),
  'src/screening/': room('reads imported security lists, and checks deposits against them', ports, domain),
  'src/limits/': room('plans, quotas and semaphores, counted for all processes together', batches, ports, domain),
  'src/gas/': room('gas of each kind of route, measured once for all processes', ports, domain),
  'src/intents/': room('changes of intents that take effect later', ports, domain),
  'src/nodes/': room(
    'whether a node or the call is at fault when a chain cannot be read',
    'src/adapters/evm/rpc/error',
    ports,
    domain,
  ),
  'src/signer/': room('signs only what the sealed intent allows', protocols, ports, domain, artifacts),

  'src/adapters/': room('ports on real systems', ports, domain),
  'src/providers/': room(
    'the gate of each routing provider: its limit, whether it is asked, and what of its answers may be used',
    batches,
    ports,
    domain,
  ),
  'src/adapters/aggregators/': room(
    'the routing providers, each as its own API describes it',
    ...shared,
    'src/providers/',
    protocols,
    ports,
    domain,
  ),
  'src/adapters/alchemy/': room('Alchemy’s webhooks and its list of transfers', ports, domain),
  'src/adapters/auth/': room('sign-in', 'src/adapters/mongo/engine/', ports, domain),
  'src/adapters/caches/': room('what every process keeps in memory of the store', ...shared, ports, domain),
  'src/adapters/evm/': room('the nodes of the chains', ...shared, protocols, ports, domain, artifacts),
  'src/adapters/keys/': room('keys that sign, here or in a key management service', protocols, ports, domain),
  'src/adapters/mail/': room('letters', ports, domain),
  'src/adapters/nats/': room('wake-ups and pointers as messages', ...shared, ports, domain),
  'src/adapters/prices/': room('what tokens are worth, by providers and feeds', 'src/adapters/evm/', ports, domain),
  'src/adapters/signer/': room('the signer as a process of its own: who asks it, and what it signed', ports, domain),
  'src/adapters/webhooks/': room('posts webhooks, and encrypts their secrets', ports, domain),
  'src/adapters/mongo/': room('the store, which puts the collections together', 'src/adapters/auth/', ports, domain),
  'src/adapters/mongo/engine/': room('how records are kept in MongoDB, whatever they hold', batches, ports, domain),
  'src/adapters/mongo/collections/': room(
    'one collection per file',
    'src/adapters/mongo/engine/',
    'src/providers/breaker',
    'src/nodes/node-failures',
    batches,
    ports,
    domain,
  ),
  'src/adapters/mongo/queries/': room(
    'what people and programs outside read',
    'src/adapters/mongo/engine/',
    'src/adapters/mongo/collections/',
    ports,
    domain,
  ),
  'src/events/': room(
    'the log of events: appends each event of a record once, and reads by position',
    'src/http/views/',
    'src/http/webhooks/views',
    ports,
    domain,
  ),
  'src/webhooks/': room('posts events to the endpoints of organizations', ports, domain),
  // It calls none of the rules that it checks: of the domain, only types and the table of chains.
  'src/audit/': room('explains every unit of money from facts of the chains and the records', ports, domain),
  'src/http/': room(
    'the API, and what the dashboard asks of the server',
    'src/routing/',
    'src/events/',
    'src/webhooks/',
    'machines/',
    'src/intents/',
    ports,
    domain,
  ),
  'src/dashboard/': room('the pages, which take the types of what they show from the server', 'src/http/', domain),
  'src/deploying/': room(
    'takes empty chains to our contracts, step by step',
    'src/adapters/evm/',
    'src/signer/',
    protocols,
    domain,
    artifacts,
  ),
  'src/devnet/': room(
    'chains, bridges and providers on one machine, guarded by the signer’s own rules',
    'src/signer/',
    'src/deploying/',
    protocols,
    domain,
    artifacts,
  ),

  'src/app/': room(
    'puts the parts together, configures them and reports what they do',
    'src/',
    'machines/',
    'package.json',
  ),
  'src/cli/': room(
    'the commands, with a whole installation for those that need one',
    'src/app/',
    'src/adapters/',
    'src/deploying/',
    'src/devnet/',
    'src/http/',
    'src/screening/',
    ports,
    domain,
  ),
  'src/main.ts': room('reads the environment and starts the process', 'src/app/'),
}

/** Returns the row of a file: the longest that its path begins with. */
export const roomOf = (path: string): [string, Room] =>
  Object.entries(rooms)
    .filter(([prefix]) => path.startsWith(prefix))
    .toSorted(([one], [other]) => other.length - one.length)[0]!
