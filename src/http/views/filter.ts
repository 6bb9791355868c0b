import { dayOf, timeOf } from '../../domain/calendar'
import { type ChainId, chainIds, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { tokenNamed } from '../../domain/money/token'
import { type } from '../../domain/schema'
import { readAddress } from './address-parameter'
import { calendarDate, described, requestTime } from './scalar'

/** Query parameters that narrow a list. Each is read from its text in the URL. */

const chainNames = chainIds.map(String)
const chainForms = `one of ${chainIds.join(', ')}`

export const ChainIdFilter = (description: string, example: ChainId = chains.base.id) =>
  described(
    type(new RegExp(`^(${chainNames.join('|')})$`))
      .describe(chainForms)
      .pipe(Number)
      .to(type.enumerated(...chainIds)),
    description,
    example,
  )

export const AddressFilter = (description: string, example: string) =>
  described(
    type(/^0x[0-9a-fA-F]{40}$/)
      .describe('an EVM address')
      .pipe((text, context) => readAddress(text) ?? context.error('an EVM address with a valid checksum')),
    description,
    example,
  )

type OfToken = { fromChainId?: ChainId; fromTokenAddress?: Address }

/** Replaces an alias of a chain's coin in a filter by its stored address. */
export function withTokenAddress<Query extends OfToken>(query: Query): Query {
  const { fromChainId = null, fromTokenAddress: named } = query
  if (named === undefined) return query
  const { chainId, address } = tokenNamed({ chainId: fromChainId, address: named })
  return { ...query, fromTokenAddress: address, ...(chainId !== null && { fromChainId: chainId }) }
}

export const HashFilter = (description: string, example: string) =>
  described(
    type(/^0x[0-9a-fA-F]{64}$/)
      .describe('a hash of 32 bytes')
      .pipe((text) => text.toLowerCase() as `0x${string}`),
    description,
    example,
  )

export const FlagFilter = (description: string, example: boolean) =>
  described(
    type(/^(true|false)$/)
      .describe('true or false')
      .pipe((text) => text === 'true'),
    description,
    String(example),
  )

export const TimeFilter = (description: string, example: string) =>
  described(
    requestTime.pipe((text, context) => timeOf(text) ?? context.error('an ISO 8601 time')),
    description,
    example,
  )

export const DayFilter = (description: string, example: string) =>
  described(
    calendarDate.pipe((text, context) => dayOf(text) ?? context.error('a day such as 2026-11-21')),
    description,
    example,
  )

/** Accepts one name, or several separated by commas. */
export const NamesFilter = <Name extends string>(
  names: readonly Name[],
  expected: string,
  description: string,
  example: string,
) =>
  described(
    type('1 <= string <= 1000')
      .describe(expected)
      .pipe((text, context) => {
        const requested = text.split(',') as Name[]
        return requested.every((name) => names.includes(name)) ? [...new Set(requested)] : context.error(expected)
      }),
    description,
    example,
  )

export const IdFilter = (description: string, example: string) =>
  described(type(/^[A-Za-z0-9:_-]{1,200}$/).describe('an id'), description, example)
