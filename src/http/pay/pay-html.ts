import { qrPath } from '../../domain/qr'
import type { PayerAnswer, PayerText } from './pay-state'
import { payStyle } from './pay-style'

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const safe = (text: string): string => text.replace(/[&<>"']/g, (mark) => marks[mark]!)

/**
 * Fetches the page again every few seconds and replaces the parts that changed. Without scripts, the page refreshes
 * itself.
 */
const script = `
const parts=['warnings','where','networks','asset','state','terms'].filter((id)=>document.getElementById(id));
const age=document.getElementById('age');
const clock=()=>performance.timeOrigin+performance.now();
let readAt=clock();
function late(){const since=new Date(readAt).toISOString().slice(11,16);
const text='Not up to date since '+since+' UTC. Check your connection; this page retries automatically.';
if(age.textContent!==text)age.textContent=text}
addEventListener('offline',late);addEventListener('online',()=>look());
const before=new Map(parts.map((id)=>[id,document.getElementById(id).innerHTML]));
async function look(){if(document.hidden)return;
try{const answer=await fetch(location.href);if(answer.status===404)return location.reload();if(!answer.ok)return late();
const body=(await answer.text()).split('<main>')[1].split('</main>')[0];
const page=new DOMParser().parseFromString(body,'text/html');
for(const id of parts){const[now,next]=[document.getElementById(id),page.getElementById(id)];
if(!now||!next||before.get(id)===next.innerHTML)continue;
before.set(id,next.innerHTML);now.replaceChildren(...next.childNodes)}
readAt=clock();age.textContent=''}catch{late()}}
setInterval(look,5000);
if(navigator.clipboard){document.documentElement.classList.add('can-copy');
document.addEventListener('click',async({target})=>{if(!target.classList.contains('copy'))return;
await navigator.clipboard.writeText(target.value);
const before=target.textContent;if(before==='Copied')return;target.textContent='Copied';setTimeout(()=>{target.textContent=before},3000)})}`

/** How a page shows the organization. `logo` is the address of its picture. */
export type Branding = { name: string; color: string; logo: string | null }
type Document = Branding & { title: string; nonce: string; main: string; isLive: boolean }
const documentOf = ({ title, name, color, logo, nonce, main, isLive }: Document): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${safe(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="icon" href="data:,"><style nonce="${nonce}">${payStyle(color)}</style>
${isLive ? '<noscript><meta http-equiv="refresh" content="30"></noscript>' : ''}</head>
<body><header>${logo === null ? '' : `<img src="${safe(logo)}" alt="">`}<h1>${safe(name)}</h1></header><main>${main}</main>
${isLive ? `<script nonce="${nonce}">${script}</script>` : ''}</body></html>`

type Choice = { value: string; label: string; isChosen: boolean }
/** A line of the terms: a name and a value. */
export type Term = readonly [what: string, text: string]

export type PayPage = {
  page: Branding
  address: string
  /**
   * The content of the QR code and its label, the payment that a wallet opens, the only token to send, and the amount
   * if one was entered. Null while nothing should be sent.
   */
  code: { text: string; label: string; uri: string; only: string; amount: string | null } | null
  goesTo: string
  /** The networks as links to this page. */
  networks: readonly { href: string; label: string; isChosen: boolean }[]
  /** The tokens of the chosen network. */
  choices: readonly Choice[]
  amount: string
  terms: readonly Term[]
  /** Why the chosen token must not be sent. Shown above everything else. */
  warnings: readonly string[]
  /** Further notices. */
  notices: readonly string[]
  deposits: readonly PayerText[]
  until: string
}

export function payHtml(
  { page, address, code, goesTo, networks, choices, amount, terms, warnings, notices, deposits, until }: PayPage,
  nonce: string,
): string {
  const options = choices.map(
    ({ value, label, isChosen }) =>
      `<option value="${safe(value)}"${isChosen ? ' selected' : ''}>${safe(label)}</option>`,
  )
  const none = choices.some(({ isChosen }) => isChosen) ? '' : '<option value="" selected>Choose one</option>'
  const rows = terms.map(([what, text]) => `<div><dt>${safe(what)}</dt><dd>${safe(text)}</dd></div>`)
  const items = deposits.map((one) => `<li>${payerHtml(one)}</li>`)
  const chips = networks.map(
    ({ href, label, isChosen }) =>
      `<a class="chip" href="${safe(href)}"${isChosen ? ' aria-current="true"' : ''}>${safe(label)}</a>`,
  )
  const nothing = '<p class="sub">Nothing has arrived yet. This page updates automatically.</p>'
  const main = `
<div id="age" class="late" role="status"></div>
<div id="warnings" role="alert">${warnings.map((one) => `<section class="warning">${safe(one)}</section>`).join('')}</div>
<section aria-labelledby="pay" id="where">${whereHtml(address, code, networks)}<p class="sub">${safe(goesTo)}</p></section>
<section aria-labelledby="what"><h2 id="what">What you send</h2>
<h3 id="on">Network</h3><nav aria-labelledby="on" id="networks">${chips.join('')}</nav>
<form method="get"><label for="asset">Token</label>
<select id="asset" name="asset" required>${none}${options.join('')}</select><label for="amount">Amount</label>
<input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="40" value="${safe(amount)}">
<button>Show</button></form>
<div id="terms"><dl>${rows.join('')}</dl>${notices.map((one) => `<p class="sub">${safe(one)}</p>`).join('')}</div></section>
<section aria-labelledby="status"><h2 id="status">What has arrived</h2>
<div id="state" aria-live="polite">${items.length > 0 ? `<ul>${items.join('')}</ul>` : nothing}</div></section>
<p class="sub">This link works until ${safe(until)}.</p>`
  return documentOf({ ...page, title: `Pay ${page.name}`, nonce, main, isLive: true })
}

const payerHtml = ({ tone, head, text, what }: PayerText): string =>
  `<strong class="${tone}">${safe(head)}</strong> <span>${safe(what)}</span><p class="sub">${safe(text)}</p>`

/** Returns the page of one deposit, to read only: it shows no address and invites no payment. */
export function depositHtml(
  { seenAt, delivery, ...deposit }: PayerAnswer,
  branding: Branding,
  until: string,
  nonce: string,
): string {
  const transaction =
    delivery && `<p class="sub"><a href="${safe(delivery.url)}">Transaction ${safe(delivery.hash)}</a></p>`
  const main = `
<div id="age" class="late" role="status"></div>
<section aria-labelledby="status"><h2 id="status">Your deposit of ${safe(seenAt)}</h2>
<div id="state" aria-live="polite">${payerHtml(deposit)}${transaction ?? ''}</div></section>
<p class="sub">This page updates automatically. The link works until ${safe(until)}.</p>`
  return documentOf({ ...branding, title: `Your deposit, ${branding.name}`, nonce, main, isLive: true })
}

/**
 * Returns the address. The QR code, the copy buttons and the wallet's link, which invite a payment, are left out while
 * nothing should be sent.
 */
function whereHtml(address: string, code: PayPage['code'], networks: PayPage['networks']): string {
  const text = `<p class="address" id="address">${safe(address)}</p>`
  if (code === null) return `<h2 id="pay">The address</h2>${text}`
  const { size, path } = qrPath(code.text)
  return `<h2 id="pay">Send to this address</h2>
<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${safe(code.label)}" shape-rendering="crispEdges">
<path d="${path}" fill="#111"/></svg>
<p class="caution"><strong>Send only ${safe(code.only)}.</strong> ${safe(elsewhere(networks))}</p>${text}
<button type="button" id="copy" class="copy" value="${safe(address)}">Copy the address</button>
${copyAmount(code.amount)}<a class="button" href="${safe(code.uri)}">Open in wallet</a>`
}

/** Returns the page for a link that does not work. It does not reveal the reason. */
export const noPayHtml = (head: string, text: string, nonce: string): string =>
  documentOf({
    title: head,
    name: 'Deposit',
    color: '#3b4252',
    logo: null,
    nonce,
    main: `<section><h2>${safe(head)}</h2><p>${safe(text)}</p></section>`,
    isLive: false,
  })

const copyAmount = (amount: string | null): string =>
  amount === null
    ? ''
    : `<button type="button" id="copy-amount" class="copy" value="${safe(amount)}">Copy the amount ${safe(amount)}</button>\n`

/** Returns what happens to money on other networks. A chosen network's tokens are the list below. */
const elsewhere = (networks: PayPage['networks']): string =>
  `Money on a network other than ${networks.map(({ label }) => label).join(', ')} would not arrive. ` +
  'An unlisted token does not arrive, and must be recovered by hand.'
