import { decodeFunctionResult, encodeFunctionData, erc20Abi, toHex } from 'viem'
import { type ChainId, type ChainKey, chains } from '../../domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../domain/chain/hex'
import type { Receipt, Rpc } from '../rpc/rpc'
import { accounts } from './accounts'
import { startAnvil } from './anvil'
import { BlockProducer } from './block-producer'
import { ChainSender, receiptOf } from './chain-sender'
import { ChainWatch } from './chain-watch'
import { deploy } from './deploy'

export type DevChain = {
  key: ChainKey
  id: ChainId
  rpc: Rpc
  port: number
  pid: number
  exited: Promise<number>
  producer: BlockProducer
  watch: ChainWatch
  faucet: ChainSender
  solver: ChainSender
  receiptOf(hash: Hex): Promise<Receipt>
  balanceOf(token: Address, owner: Address): Promise<bigint>
  stop(): Promise<void>
}

type DevChainOptions = {
  key: ChainKey
  dir: string
  genesisTime: number
  blockTimeSeconds: number
  isEmpty?: boolean
  port?: number
  report: (line: string) => void
}

/** Starts one chain of the devnet: its node with contracts and tokens, mining and watched, and senders for two keys. */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const { key, genesisTime, blockTimeSeconds, isEmpty = false, report } = options
  const id = chains[key].id
  const anvil = await startAnvil({ ...options, id })
  const { rpc } = anvil
  const watch = new ChainWatch(rpc, (why) => report(`${key}: ${why}`))
  const producer = new BlockProducer(rpc, blockTimeSeconds * 1000)
  const stop = () => {
    producer.stop()
    watch.stop()
    return anvil.stop()
  }
  try {
    await deploy(rpc, id, { genesisTime, isEmpty })
    watch.onPending(() => producer.onTraffic())
    await watch.start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    key,
    id,
    rpc,
    port: anvil.port,
    pid: anvil.pid,
    exited: anvil.exited,
    producer,
    watch,
    faucet: new ChainSender(rpc, id, accounts.faucet),
    solver: new ChainSender(rpc, id, accounts.solver),
    receiptOf: (hash) => receiptOf(rpc, watch, hash),
    balanceOf: (token, owner) => balanceOf(rpc, token, owner),
    stop,
  }
}

async function balanceOf(rpc: Rpc, token: Address, owner: Address): Promise<bigint> {
  if (token === zeroAddress) return BigInt(await rpc.ask('eth_getBalance', owner, 'latest'))
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  const answer = await rpc.ask('eth_call', { to: token, data, gas: toHex(500_000) }, 'latest')
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: answer })
}
