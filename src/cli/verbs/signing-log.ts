import { BrokenSigningLog, readSigningLog } from '../../adapters/signer/signing-log-files'
import { Failure } from '../terminal/failure'

/** Checks a signing log by itself, asking nobody. @throws {Failure} when somebody changed it, or it cannot be read. */
export async function signingLog(path: string): Promise<void> {
  const { signed, refused, firstSeq, count, last, files } = await readSigningLog(path).catch((error) => {
    if (error instanceof BrokenSigningLog) throw new Failure(`${error.message}: somebody changed this file.`)
    throw new Failure('The file cannot be read.')
  })
  const inFiles = files.length === 1 ? '' : ` in ${files.length} files`
  console.log(`${signed} orders signed and ${refused} refused${inFiles}, and no line changed.`)
  if (firstSeq > 1) console.log(`It begins with entry ${firstSeq}; the files with those before it are not here.`)
  console.log(`The last entry is number ${count} and has the hash ${last}.`)
  console.log(
    'Lines that were cut off at the end are not noticed here: compare this hash with one that you wrote down.',
  )
}
