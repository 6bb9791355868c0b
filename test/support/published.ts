import { expect } from 'bun:test'

/** `UPDATE=1 bun test <file>` writes the published texts. Without it, the texts must match. */
const isUpdate = process.env['UPDATE'] === '1'

async function around(document: string, name: string): Promise<[before: string, shown: string, after: string]> {
  const [before, rest] = (await Bun.file(document).text()).split(`<!-- ${name}:begin -->\n`)
  const [shown, after] = rest!.split(`\n<!-- ${name}:end -->`)
  return [before!, shown!, after!]
}

/** Returns the text between the marks of that name in a document. */
export const shownIn = async (document: string, name: string): Promise<string> => (await around(document, name))[1]

export async function publishedIn(document: string, name: string, text: string): Promise<void> {
  if (isUpdate) {
    const [before, , after] = await around(document, name)
    await Bun.write(document, `${before}<!-- ${name}:begin -->\n${text}\n<!-- ${name}:end -->${after}`)
  }
  expect(await shownIn(document, name)).toBe(text)
}
