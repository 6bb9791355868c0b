import type { Steps } from '../engine/step'
import { notingSuperseded } from '../engine/supersede'
import { confirmDelivery } from './confirm-delivery'
import { findRoute } from './find-route'
import { matchIntent } from './match-intent'
import { priceFees } from './price-fees'
import { screenDeposit } from './screen-deposit'
import { signOrder } from './sign-order'
import { submitOrder } from './submit-order'
import { takeLane } from './take-lane'
import { verifyBalance } from './verify-balance'

type Ports = Parameters<typeof matchIntent>[0] &
  Parameters<typeof screenDeposit>[0] &
  Parameters<typeof takeLane>[0] &
  Parameters<typeof verifyBalance>[0] &
  Parameters<typeof findRoute>[0] &
  Parameters<typeof priceFees>[0] &
  Omit<Parameters<typeof signOrder>[0], 'reprice'> &
  Parameters<typeof submitOrder>[0] &
  Parameters<typeof confirmDelivery>[0]

type PreviewPorts = Parameters<typeof screenDeposit>[0] &
  Parameters<typeof findRoute>[0] &
  Parameters<typeof priceFees>[0]

/** The steps that a preview runs, before anything is signed. They need no key, and the deposit need not exist. */
export const previewStepsOn = (ports: PreviewPorts) => ({
  screenDeposit: screenDeposit(ports),
  findRoute: findRoute(ports),
  priceFees: priceFees(ports),
})

/** Every step that the machine names, built on these ports. */
export function stepsOn(ports: Ports): Steps {
  const price = priceFees(ports)
  const steps: Steps = {
    matchIntent: matchIntent(ports),
    screenDeposit: screenDeposit(ports),
    takeLane: takeLane(ports),
    verifyBalance: verifyBalance(ports),
    findRoute: findRoute(ports),
    priceFees: price,
    signOrder: signOrder({ ...ports, reprice: price }),
    submitOrder: submitOrder(ports),
    confirmDelivery: confirmDelivery(ports),
  }
  return notingSuperseded(steps, ports)
}
