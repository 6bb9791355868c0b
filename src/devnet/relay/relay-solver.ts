import { encodeFunctionData, erc20Abi, parseEventLogs } from 'viem'
import { devDepositoryAbi } from '../../../contracts/artifacts/abi'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import { relayDepository } from '../../protocols/relay/relay-order'
import { accounts } from '../chains/accounts'
import { ChainSender } from '../chains/chain-sender'
import type { DevChain } from '../chains/dev-chain'
import { type Faults, faultKinds } from '../faults'
import type { OfferedOrder } from './relay-quote'

type RelayRun = OfferedOrder & {
  status: 'waiting' | 'pending' | 'success' | 'refund' | 'failure'
  inHash: Hash | null
  outHash: Hash | null
}

const payGas = 200_000n
/** Faults that concern no deposit. */
const requestFaults = faultKinds.relay.filter((kind) => kind !== 'SLOW' && kind !== 'REFUND')
const slowMs = 5_000

/** Pays the promised amount of an order from its own money once the deposit is seen, or refunds the deposit. */
export class RelaySolver {
  readonly byRequest = new Map<Hash, RelayRun>()
  private readonly byOrder = new Map<Hash, RelayRun>()
  private readonly senders: ReadonlyMap<ChainId, ChainSender>

  constructor(
    private readonly chains: ReadonlyMap<ChainId, DevChain>,
    private readonly faults: Faults,
    private readonly report: (line: string) => void,
  ) {
    this.senders = new Map([...chains].map(([id, chain]) => [id, new ChainSender(chain, accounts.relaySolver)]))
    for (const chain of chains.values())
      chain.watch.onBlock(async ({ receipts }) => {
        const deposits = receipts.flatMap(({ logs }) => depositsIn(logs))
        await Promise.all(deposits.map((deposit) => this.solve(chain.id, deposit)))
      })
  }

  offer(offered: OfferedOrder): void {
    const run: RelayRun = { ...offered, status: 'waiting', inHash: null, outHash: null }
    this.byRequest.set(offered.requestId, run)
    this.byOrder.set(offered.orderId, run)
  }

  private async solve(chainId: ChainId, deposit: Deposited): Promise<void> {
    const run = this.byOrder.get(deposit.id)
    if (run?.status !== 'waiting' || run.parties.fromChainId !== chainId) return
    run.status = 'pending'
    run.inHash = deposit.hash
    const { parties, order } = run
    const fault = this.faults.take('relay', requestFaults)
    if (fault?.fault === 'SLOW') await Bun.sleep(fault.ms ?? slowMs)
    const isAsOrdered = deposit.amount === parties.amount && deposit.token.toLowerCase() === parties.token.toLowerCase()
    const { expectedAmount } = order.output.payments[0]!
    try {
      const isFilled =
        isAsOrdered &&
        fault?.fault !== 'REFUND' &&
        (await this.pay(run, parties.toChainId, parties.tokenOut, parties.recipient, BigInt(expectedAmount)))
      if (isFilled) run.status = 'success'
      else if (await this.pay(run, chainId, deposit.token, parties.account, deposit.amount)) run.status = 'refund'
      else run.status = 'failure'
    } catch (error) {
      this.report(`relay: ${run.orderId} is not filled: ${(error as Error).message.split('\n')[0]}`)
    }
  }

  private async pay(run: RelayRun, chainId: ChainId, token: Address, to: Address, amount: bigint): Promise<boolean> {
    const call =
      token === zeroAddress
        ? { to, value: amount, gas: payGas }
        : {
            to: token,
            data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
            gas: payGas,
          }
    const hash = await this.senders.get(chainId)!.send(call)
    const { status } = await this.chains.get(chainId)!.receiptOf(hash)
    if (status === '0x1') run.outHash = hash
    return status === '0x1'
  }
}

type Deposited = { id: Hex; token: Address; amount: bigint; hash: Hash }
type Logs = Parameters<typeof parseEventLogs>[0]['logs']

function depositsIn(logs: readonly { address: Address }[]): Deposited[] {
  const ours = logs.filter(({ address }) => address.toLowerCase() === relayDepository) as unknown as Logs
  return parseEventLogs({ abi: devDepositoryAbi, logs: ours }).map(({ args, transactionHash }) => ({
    id: args.id,
    amount: args.amount,
    hash: transactionHash as Hash,
    token: 'token' in args ? args.token : zeroAddress,
  }))
}
