import { Elysia } from 'elysia'
import { type ChainId, chainIds } from '../../domain/chain/chain'
import type { TokenList } from '../../domain/money/token'
import { type } from '../../domain/schema'
import type { ChainClient } from '../../ports/chain-client'
import type { FiguresNow } from '../../ports/prices'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { readQuery } from '../request/query'
import { ChainView, chainView } from '../views/chain'
import { ChainIdFilter } from '../views/filter'
import { TokenView, tokenView } from '../views/token'

type ChainPorts = {
  chains: Record<ChainId, Pick<ChainClient, 'confirmations'>>
  tokens: TokenList
  figures: FiguresNow
}

const TokensQuery = type({ 'chainId?': ChainIdFilter('Only the tokens of this chain') })
const cacheControl = 'private, max-age=30'

/** The chains, and the tokens that can be sent and received (extensions 5.1, 5.2). */
export const chainRoutes = ({ chains, tokens, figures }: ChainPorts, gate: Gate, prefix: string) =>
  new Elysia({ prefix })
    .use(authenticate(gate, everyRole))
    .get(
      '/chains',
      async ({ request, set }) => {
        readQuery(request, type({}), true)
        const current = await figures()
        return answer(
          { request, set },
          chainIds.map((id) => chainView(id, chains[id].confirmations, current.ofChain(id))),
          cacheControl,
        )
      },
      operationDocs({
        operationId: 'listChains',
        tag: 'Getting started',
        summary: 'List the chains',
        description: 'The five chains, and whether each currently works.',
        roles: everyRole.roles,
        answers: { 200: { view: ChainView.array(), description: 'The chains.', headers: ['etag'] } },
        refusals: ['UNKNOWN_PARAMETER'],
      }),
    )
    .get(
      '/tokens',
      async ({ caller, request, set }) => {
        const { chainId } = readQuery(request, TokensQuery, true)
        const listed = tokens.all.filter((token) => chainId === undefined || token.chainId === chainId)
        const current = await figures()
        return answer(
          { request, set },
          listed.map((token) => tokenView(token, current, caller.terms.sponsoredGas)),
          cacheControl,
        )
      },
      operationDocs({
        operationId: 'listTokens',
        tag: 'Getting started',
        summary: 'List the tokens',
        description:
          'The tokens that can be sent and received, native coins included, with the minimum amount that a deposit ' +
          'should have. The minimum is for information: the service does not enforce it.',
        roles: everyRole.roles,
        query: TokensQuery,
        answers: { 200: { view: TokenView.array(), description: 'The tokens.', headers: ['etag'] } },
        refusals: ['UNKNOWN_PARAMETER'],
      }),
    )
