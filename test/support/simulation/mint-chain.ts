import type { Address, Hash, Hex } from '../../../src/domain/chain/hex'
import type { AttestedMint } from '../../../src/domain/execution/mint'
import type { Order } from '../../../src/domain/execution/route'
import { addressOf } from '../deposits'
import { Chain, evidence, type SimulatedBlock } from './chain'
import type { Dice } from './loop'
import { usdcThere } from './parties'

/** What a call mints. `order` is the order that burned it; null for a stranger's burn. */
export type Minted = { nonce: Hash; amountRaw: bigint; expiresAt: number; order: Order | null }

const gas = 150_000n
const stranger = addressOf(0x57)

/** The chain where burns are minted. Its transactions carry mints instead of orders, and each burn is minted once. */
export class MintChain extends Chain {
  override readonly chainId = 42161
  override readonly confirmations = 3
  protected override readonly firstHash = 0x5000_0000

  constructor(
    dice: Dice,
    narrate: (sentence: string) => void,
    /** What Circle attested with a call. */
    private readonly mintedWith: (data: Hex) => Minted | null,
    private readonly isPaused: () => boolean,
  ) {
    super(dice, narrate)
  }

  /** Whether the contract refuses a mint in a block with this number. */
  private isVoid({ nonce, expiresAt }: Minted, { number, used }: Pick<SimulatedBlock, 'number' | 'used'>): boolean {
    return this.isPaused() || used.has(nonce) || (expiresAt !== 0 && number >= expiresAt)
  }

  protected override execute(order: Order, hash: Hash, transfer: Hash, block: SimulatedBlock): boolean {
    const minted = this.mintedWith(order.data)
    if (!minted || this.isVoid(minted, block) || this.isRefused(transfer, block.number)) return false
    if (!minted.order) {
      this.refused.push('a relayer minted a stranger’s burn')
      return false
    }
    const { nonce, amountRaw: spentRaw } = minted
    block.used.set(nonce, { hash, block: block.number, spentRaw, order: minted.order, transfer })
    return true
  }

  /** A stranger mints a burn, which CCTP allows. */
  mintByStranger(order: Order, data: Hex): void {
    const nonce = this.tip.nonces.get(stranger) ?? 0
    void this.send(
      this.sign({ key: stranger, nonce, orders: [{ ...order, data }], fee: { feeCap: 2_000n, tip: 1n } }).bytes,
    )
  }

  mintedBy = async (nonce: Hash): Promise<Hash | null> => this.standing.used.get(nonce)?.hash ?? null

  async estimateMint({ data }: AttestedMint): Promise<bigint | 'EXPIRED' | 'REFUSED'> {
    const minted = this.mintedWith(data)
    const { number, used } = this.seenBy(4)
    if (minted?.expiresAt && number + 1 >= minted.expiresAt) return 'EXPIRED'
    return minted && !this.isVoid(minted, { number: number + 1, used }) ? gas : 'REFUSED'
  }

  override async arrived(hash: Hash, of: Address, recipient: Address) {
    const isIt = (order: Order) => of === usdcThere && order.intent.recipient === recipient
    const use = this.standing.used.values().find((one) => one.hash === hash && isIt(one.order))
    return use ? evidence(hash, use.spentRaw, this.blocks[use.block]!) : null
  }
}
