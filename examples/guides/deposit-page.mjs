import { writeFile } from 'node:fs/promises'
import { formatUnits, Switchyard } from '@switchyard/client'
import { renderSVG } from 'uqr'

const client = new Switchyard({ baseUrl: process.env.API, apiKey: process.env.KEY })
const { depositAddress, accepts, notices } = await client.getDepositAddress('yara')

// Symbols come from the chain, so they can contain any text.
const safe = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const rows = accepts
  .filter(({ acceptsDeposits }) => acceptsDeposits)
  .map(({ fromTokenSymbol, fromChainKey, fromTokenDecimals, minimumAmountIn, paymentUri }) => {
    const least = minimumAmountIn === null ? 'unknown' : formatUnits(minimumAmountIn, fromTokenDecimals)
    const link = `<a href="${safe(paymentUri)}">${safe(fromTokenSymbol)} on ${safe(fromChainKey)}</a>`
    return `<tr><td>${link}</td><td>${least}</td></tr>`
  })

await writeFile(
  'deposit.html',
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Deposit</title>
<h1>Send to this address</h1>
<p><code>${depositAddress}</code></p>
<div role="img" aria-label="The address as a QR code" style="max-width: 16rem">${renderSVG(depositAddress)}</div>
<table><tr><th>You can send</th><th>at least</th></tr>${rows.join('')}</table>
${notices.map((notice) => `<p>${safe(notice)}</p>`).join('\n')}
</html>
`,
)
console.log(`deposit.html shows ${depositAddress} and ${rows.length} tokens`)
