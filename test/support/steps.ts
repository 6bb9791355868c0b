import type { Steps } from '../../src/routing/engine/step'
import { type StepPorts, stepsOn } from '../../src/routing/steps'

type Flat = StepPorts['store'] &
  Omit<StepPorts['chains'], 'clients'> &
  StepPorts['screening'] &
  StepPorts['pricing'] &
  StepPorts['relaying'] &
  StepPorts['signing'] &
  StepPorts['delivering'] &
  Pick<StepPorts, 'limits' | 'refunds' | 'now'> & { chains: StepPorts['chains']['clients'] }

/** The product's steps on a world that names its parts in one list. */
export const stepsIn = (world: Flat): Steps =>
  stepsOn({
    store: world,
    chains: { ...world, clients: world.chains },
    screening: world,
    pricing: world,
    relaying: world,
    signing: world,
    delivering: world,
    limits: world.limits,
    refunds: world.refunds,
    now: world.now,
  })
