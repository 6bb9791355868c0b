/**
 * Runs Halmos on specifications that must all be refuted by a counterexample. The exit code is 0 if each one is. A
 * specification that ends in an error or a timeout is not refuted.
 */
const child = Bun.spawn(process.argv.slice(2), { stdout: 'pipe', stderr: 'inherit' })
const text = await new Response(child.stdout).text()
process.stdout.write(text)
await child.exited
const plain = Bun.stripANSI(text)
const [ran = 0, refuted = 0] = [/^\[(?:PASS|FAIL|ERROR|TIMEOUT)\] refute_/gm, /^\[FAIL\] refute_/gm].map(
  (form) => plain.match(form)?.length ?? 0,
)
const shown = plain.match(/^Counterexample:/gm)?.length ?? 0
console.log(`${refuted} of ${ran} refuted, ${shown} counterexamples`)
process.exit(ran > 0 && refuted === ran && shown >= ran ? 0 : 1)
