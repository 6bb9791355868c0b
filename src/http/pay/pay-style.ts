import { colorForm, inkOn, usualColor } from '../../domain/tenant/deposit-page'

/**
 * Returns the style of the hosted page: one column, for a phone first, in the organization's colour. The colour goes
 * into the style unescaped, so any text that is not a colour is replaced.
 */
export const payStyle = (color: string): string => styleIn(colorForm.test(color) ? color : usualColor)

const styleIn = (color: string): string => `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#14171f;--sub:#4a5160;--line:#d5d9e2;
--ok:#116329;--bad:#a40e26;--warn:#9a5b00}
@media(prefers-color-scheme:dark){:root{--page:#111318;--card:#1b1e26;--ink:#eef0f4;--sub:#b3bac8;--line:#3a4050;
--ok:#6fdd8b;--bad:#ff9aa5;--warn:#f0b357}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header{background:${color};color:${inkOn(color)};padding:1rem}
header{display:flex;align-items:center;gap:.75rem}
header img{max-height:2.5rem;max-width:40%;background:#fff;border-radius:.25rem;padding:.25rem}
header h1{font-size:1.25rem;margin:0;overflow-wrap:anywhere}
header,main{padding-inline:max(1rem,calc(50% - 16rem))}
main{display:grid;gap:1rem;padding-block:1rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem}
h2{font-size:1.05rem;margin:0 0 .5rem}
p{margin:.25rem 0;overflow-wrap:anywhere}
.sub{color:var(--sub)}
.warning{border:2px solid var(--bad);font-weight:600}
.copy{display:none}
.can-copy .copy{display:block}
h3{font-size:1rem;margin:0}
.late:empty{display:none}
.late,.caution{border:1px solid var(--sub);border-inline-start:.4rem solid var(--warn);border-radius:.5rem;
padding:.5rem .75rem}
.late{background:var(--card)}
.caution{margin:0 0 .75rem}
nav{display:flex;flex-wrap:wrap;gap:.5rem;margin:.5rem 0}
.chip{border:1px solid var(--sub);border-radius:999px;padding:.5rem .9rem;color:var(--ink);text-decoration:none}
.chip[aria-current]{background:${color};color:${inkOn(color)};border-color:var(--ink);font-weight:600}
.button{display:block;text-align:center;text-decoration:none}
.qr{display:block;width:min(100%,15rem);background:#fff;padding:.75rem;border-radius:.5rem;margin:0 auto .75rem}
.address{font:600 1rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin-top:.5rem}
select,input,button,.button{font:inherit;width:100%;min-height:2.75rem;padding:.5rem .75rem;border-radius:.5rem;
border:1px solid var(--sub);background:var(--card);color:var(--ink)}
button,.button{margin-top:.75rem;background:${color};color:${inkOn(color)};border-color:var(--ink);font-weight:600;
cursor:pointer}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
#terms{margin-top:.75rem}
dl{display:grid;gap:.25rem;margin:0}
dl div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}
dt{color:var(--sub)}
dd{margin:0 0 0 auto;text-align:right;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0;display:grid;gap:.75rem}
.ok{color:var(--ok)}
.bad{color:var(--bad)}`
