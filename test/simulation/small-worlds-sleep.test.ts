import { nightly } from '../support/depth'
import { bounds, explored } from '../support/simulation/explored'

// More than a million states take a processor for as long as all other tests of a night, so they run beside them.
nightly('small worlds: three deposits end well with a worker that sleeps before any request', () => {
  explored(bounds(3, 1, 'sleep'))
})
