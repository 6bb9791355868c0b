/** Returns the commands of each numbered step of a page: the code blocks indented below the step's text. */
export async function stepsOfPage(path: string): Promise<Map<number, string[]>> {
  const text = await Bun.file(path).text()
  const parts = text.split(/^(\d+)\. (?=\*\*)/m).slice(1)
  const steps = new Map<number, string[]>()
  for (let n = 0; n < parts.length; n += 2) {
    const indent = parts[n]!.length + 2 + 4
    const blocks = parts[n + 1]!.split(/\n\s*\n/).map((block) => block.split('\n').filter((line) => line.trim() !== ''))
    const isCommands = (lines: string[]) =>
      lines.length > 0 && lines.every((line) => /^ +$/.test(line.slice(0, indent)))
    const commands = blocks.filter(isCommands).map((lines) => lines.map((line) => line.slice(indent)).join('\n'))
    steps.set(Number(parts[n]), commands)
  }
  return steps
}
