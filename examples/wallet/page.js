const at = (id) => document.getElementById(id)

/** Everything from outside is put in as text: symbols come from the chain, where anybody may write anything. */
function made(name, text, children = []) {
  const element = document.createElement(name)
  element.textContent = text
  element.append(...children)
  return element
}

async function show() {
  const answer = await fetch('/deposit')
  if (!answer.ok) throw new Error(String(answer.status))
  const { depositAddress, qr, tokens, notices, deposits } = await answer.json()
  at('address').textContent = depositAddress
  // Made by our own server of nothing but the address.
  at('qr').innerHTML = qr
  at('tokens').replaceChildren(
    ...tokens.map(({ name, least, paymentUri }) => {
      const link = made('a', name)
      link.href = paymentUri
      return made('tr', '', [made('td', '', [link]), made('td', least ?? 'unknown')])
    }),
  )
  at('notices').replaceChildren(...notices.map((notice) => made('p', notice)))
  if (deposits.length > 0)
    at('deposits').replaceChildren(
      ...deposits.map(({ amount, token, text }) =>
        made('li', `${amount === null ? '' : `${amount} `}${token}: ${text}`),
      ),
    )
}

let isShowing = false
let isStale = false
let isFirst = true
/** Shows the newest, once at a time. What many pages hear of at once they do not all ask for at once. */
async function refresh() {
  isStale = true
  if (isShowing) return
  isShowing = true
  while (isStale) {
    if (!isFirst) await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000))
    isFirst = false
    isStale = false
    try {
      await show()
      at('trouble').textContent = ''
    } catch {
      at('trouble').textContent = 'This cannot be brought up to date at the moment. Your money is safe.'
      setTimeout(refresh, 5_000)
    }
  }
  isShowing = false
}

at('copy').addEventListener('click', async () => {
  // A browser may refuse, and has no clipboard at all for a page without TLS.
  const isCopied = await navigator.clipboard?.writeText(at('address').textContent).then(
    () => true,
    () => false,
  )
  at('copied').textContent = isCopied ? 'Copied.' : 'Your browser did not copy it: select the address by hand.'
})
const changes = new EventSource('/changes')
// A connection that was away may have missed something, so what is shown is read anew whenever there is one.
changes.addEventListener('open', refresh)
changes.addEventListener('message', refresh)
await refresh()
