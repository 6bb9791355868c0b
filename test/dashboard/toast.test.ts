import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Icon } from '../../src/dashboard/ui/icon'
import { showToast, Toast } from '../../src/dashboard/ui/toast'

const shown = (): string => renderToStaticMarkup(createElement(Toast))
const tick = renderToStaticMarkup(createElement(Icon, { name: 'check', size: 16 }))

test('only what was done has a tick, and a failure stays until it is dismissed', () => {
  showToast('The export broke off.', 'bad')
  expect(shown()).toContain('The export broke off.')
  expect(shown()).toContain('Dismiss')
  expect(shown()).not.toContain(tick)
  showToast('It is already being sent.', 'info')
  expect(shown()).not.toContain(tick)
  showToast('Saved.')
  expect(shown()).toContain(tick)
  expect(shown()).not.toContain('Dismiss')
})

/** The calls that show a text of elsewhere without a tone, so as done. A call can take several lines. */
function shownAsDone(text: string) {
  const calls = [...text.matchAll(/showToast\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g)].map(([call]) => call)
  const unknown = calls.filter((call) => /\bmessage\b/.test(call))
  return { unknown, asDone: unknown.filter((call) => !/'(?:bad|info)',?\s*\)$/.test(call)) }
}

test('no page shows an error, or the result of a rescan, as done', async () => {
  const files = [...new Glob('src/dashboard/**/*.{ts,tsx}').scanSync('.')]
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await Bun.file(path).text() })))
  const asDone = texts.flatMap(({ path, text }) => shownAsDone(text).asDone.map((call) => `${path}: ${call}`))
  expect([texts.flatMap(({ text }) => shownAsDone(text).unknown).length > 3, asDone]).toEqual([true, []])
  const [plain, broken] = ['showToast(error.message)', 'showToast(\n  (error as Error).message,\n)']
  expect(shownAsDone(`${plain}; ${broken}; showToast(\n  message,\n  'bad',\n)`).asDone).toEqual([plain, broken])
})
