export type { CardData, CardDeposit, CardToken, DepositState } from './contract.js'
export { depositsOf } from './deposits-of.js'
export { nodeListener } from './node-listener.js'
export { type DepositRoutes, depositRoutes } from './routes.js'
