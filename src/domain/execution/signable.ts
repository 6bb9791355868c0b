import type { Deposit, Execution, Facts } from './execution'
import type { Candidate, Route } from './route'

type Offered = Pick<Candidate, 'provider' | 'amountOutExpected' | 'amountOutMin' | 'quotedAt' | 'seal'>
type Routed = Pick<Route, 'provider' | 'kind' | 'amountIn' | 'amountOutExpected' | 'amountOutMin' | 'call'>

/** The part of a record that a signature depends on. The signer receives nothing else. */
export type Signable = Pick<Execution, 'id' | 'organizationId' | 'userId' | 'refundOf' | 'redriveOf'> & {
  deposit: Pick<Deposit, 'account' | 'chainId' | 'token' | 'amountRaw'>
  facts: Pick<Facts, 'intent' | 'routeId' | 'balance' | 'worthApproval' | 'fees' | 'gasLimit'> & {
    route?: Routed
    candidates?: Offered[]
  }
}
