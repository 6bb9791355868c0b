// Writes src/schema.ts and src/error-codes.ts from the OpenAPI document: `npm run generate -- DOCUMENT [FOLDER]
// [CHAIN IDS]`. CHAIN IDS, with commas, adds those of the test networks: one package serves real money and rehearsals.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'

const [path, folder = 'src', rehearsed = ''] = process.argv.slice(2)
const document = JSON.parse(readFileSync(path, 'utf8'))
document.components.schemas.SupportedChainId.enum.push(...rehearsed.split(',').filter(Boolean).map(Number))
const head = `// Generated from the OpenAPI document, as CONTRIBUTING.md describes. Do not change it by hand.\n`
writeFileSync(join(folder, 'schema.ts'), head + astToString(await openapiTypescript(document)))

const followed = (part) =>
  part?.$ref === undefined
    ? part
    : followed(
        part.$ref
          .slice(2)
          .split('/')
          .reduce((found, name) => found[name], document),
      )
const codes = new Set()
for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods)))
  for (const [status, answer] of Object.entries(operation.responses))
    if (Number(status) >= 400)
      for (const code of Object.keys(followed(answer).content?.['application/json']?.examples ?? {})) codes.add(code)

const list = [...codes].sort().map((code) => `  '${code}',`)
writeFileSync(
  join(folder, 'error-codes.ts'),
  `${head}
/** Every \`x-error-code\` that the document names. More values may come. */
export const errorCodes = [
${list.join('\n')}
] as const
export type ErrorCode = (typeof errorCodes)[number]
`,
)
