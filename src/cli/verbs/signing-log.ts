import { BrokenSigningLog, readSigningLog } from '../../adapters/signer/signing-log'
import { Failure } from '../terminal/failure'

/** Checks a signing log by itself, asking nobody. @throws {Failure} when somebody changed it, or it cannot be read. */
export async function signingLog(path: string): Promise<void> {
  const { signed, refused, last } = await readSigningLog(path).catch((error) => {
    if (error instanceof BrokenSigningLog) throw new Failure(`${error.message}: somebody changed this file.`)
    throw new Failure('The file cannot be read.')
  })
  console.log(`${signed} orders signed and ${refused} refused, and no line changed. The last one has the hash ${last}.`)
  console.log(
    'Lines that were cut off at the end are not noticed here: compare this hash with one that you wrote down.',
  )
}
