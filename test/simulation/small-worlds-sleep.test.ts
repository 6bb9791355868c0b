import { nightly } from '../support/depth'
import { bounds, explored } from '../support/simulation/explored'

// More than a million states take a processor for two minutes, so they run beside the other small worlds.
nightly('small worlds: three deposits end well with a worker that sleeps before any request', () => {
  explored(bounds(3, 1, 'sleep'))
})
