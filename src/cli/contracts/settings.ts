import { take } from '../../deploying/deployment-chain'
import { type SettingChange, settingChanges } from '../../deploying/setting-changes'
import { chains } from '../../domain/chain/chain'
import { dateOf, type Keys, keysOf, type Options, reasonOf, requestOf, sendersOf, type Work, workOf } from './contracts'

/**
 * Shows the settings of each executor beside those of the file. With `change` it takes the steps that are ready and
 * whose key is present. A narrower setting applies immediately; a wider one takes two steps, two days apart.
 *
 * @returns 0 if every chain matches the file, otherwise 1.
 */
export async function settings(options: Options & { change?: boolean; unpause?: boolean }): Promise<number> {
  const keys = keysOf(options.change ? process.env : {})
  let isAsWanted = true
  for (const work of workOf(options)) {
    const { key, ask, file, contracts } = work
    const { name } = chains[key]
    try {
      const changes = await settingChanges(ask, file.wanted[key], contracts, options)
      isAsWanted &&= changes.every(({ step }) => step === null)
      console.log(`\n${name}`)
      for (const change of changes) console.log(await settingLine(change, work, keys, options.change === true))
    } catch (error) {
      isAsWanted = false
      console.log(`\n${name}: stopped here (${reasonOf(error)}).`)
    }
  }
  return isAsWanted ? 0 : 1
}

/** Returns the line of one setting, after taking its step if requested and possible. */
async function settingLine({ name, is, wanted, step }: SettingChange, work: Work, keys: Keys, takes: boolean) {
  const text = /^the (relayer|signer|collector|pause)/.test(name) ? (wanted === '1' ? 'listed' : 'ended') : wanted
  if (!step) return `  ✓ ${name}: ${text}`
  const change = text === wanted ? `${name}: ${is}, to become ${wanted}` : `${name}: to be ${text}`
  if (step.status === 'WAITS') return `    ${change}: it can be applied from ${dateOf(step.readyAt)}`
  const [sender] = sendersOf(step, keys)
  if (!takes) return `  → ${change}: next, ${step.name}`
  if (!sender) return `  → ${change}\n    ${requestOf(step, keys, ' or ')}`
  const hash = await take(work.ask, chains[work.key].id, step, sender)
  return `  → ${change}: ${step.name}, ${hash}`
}
