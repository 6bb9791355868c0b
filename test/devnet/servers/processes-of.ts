import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The ids of all processes that work in a folder or have it as an argument. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => isOn(pid, folder))
}

function isOn(pid: number, folder: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (command.includes('\0clean-up\0')) return false
    if (command.includes(folder)) return true
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
  } catch {
    return false
  }
}
