import { expect } from 'bun:test'

/** `UPDATE=1 bun test <file>` writes what is published; without it, it must be the same. */
const isUpdate = process.env['UPDATE'] === '1'

/** What stands between the marks of that name in the README. */
export async function shownInReadme(name: string): Promise<string> {
  const readme = await Bun.file('README.md').text()
  return readme.split(`<!-- ${name}:begin -->\n`)[1]!.split(`\n<!-- ${name}:end -->`)[0]!
}

export async function publishedInReadme(name: string, text: string): Promise<void> {
  if (isUpdate) {
    const readme = await Bun.file('README.md').text()
    const [before, rest] = readme.split(`<!-- ${name}:begin -->\n`)
    const after = rest!.split(`<!-- ${name}:end -->`)[1]
    await Bun.write('README.md', `${before}<!-- ${name}:begin -->\n${text}\n<!-- ${name}:end -->${after}`)
  }
  expect(await shownInReadme(name)).toBe(text)
}
