import type { Json } from './json'

/** Models that have all the fields of another one, and more. */
export const bases: Record<string, string> = {
  AccountCreated: 'Account',
  DepositDetail: 'Deposit',
  FullExecution: 'Execution',
  ExecutionDetail: 'FullExecution',
  SimulationRefused: 'Error',
}

/** A model by what it has beyond its base, which is named and not repeated. */
export function extending(base: Json, inherited: Json, { properties, required, ...rest }: Json): Json {
  const isOwn = (field: string) => !(field in inherited)
  const own = Object.entries(properties as Json).filter(([field]) => isOwn(field))
  const more = { ...rest, properties: Object.fromEntries(own), required: (required as string[]).filter(isOwn) }
  return { allOf: [base, more] }
}
