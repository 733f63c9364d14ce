import type { Space } from '../../../modules/machines.ts'
import type { Question } from '../ask.ts'
import { quote } from '../command-line.ts'

/** `Machine.space`: every file system is asked by a process of its own, so that one which is dead keeps no other waiting. */
export function spaceQuestion(
  paths: readonly string[],
  deadline_ms: number,
): Question & { parse(answer: Buffer): Map<string, Space> } {
  const script = `
a() {
  o=$(stat -f -c '%S %b %f %a %c %d' -- "$2" 2>/dev/null) || o=$(df -Pk -- "$2" 2>/dev/null | tail -n 1)
  [ -z "$o" ] || printf '%s %s\\n' "$1" "$o"
}
${paths.map((path, at) => `a ${at} ${quote(path)} &`).join('\n')}
wait
exit 0`
  return {
    script,
    most: paths.length * 5000,
    enough_ms: deadline_ms,
    parse(answer) {
      const spaces = new Map<string, Space>()
      for (const line of answer.toString('utf8').split('\n').slice(0, -1)) {
        const [at = '', ...rest] = line.split(' ')
        const path = paths[Number(at)]
        const space = spaceOf(rest.join(' '))
        if (path !== undefined && space !== null) spaces.set(path, space)
      }
      return spaces
    },
  }
}

function spaceOf(text: string): Space | null {
  const numbers = text.split(' ').map(Number)
  if (numbers.length === 6 && numbers.every((each) => Number.isFinite(each))) {
    const [unit = 0, blocks = 0, free = 0, available = 0, inodes = 0, inodesFree = 0] = numbers
    const used = (blocks - free) * unit
    return { size: blocks * unit, used, available: available * unit, inodes, inodes_used: inodes - inodesFree }
  }
  // `/dev/sda1 1000 400 600 40% /`
  const [, size, used, available] = /\s(\d+)\s+(\d+)\s+(-?\d+)\s+(?:\d+%|-)\s/.exec(text) ?? []
  if (size === undefined) return null
  const bytes = (kibibytes: string | undefined): number => Number(kibibytes) * 1024
  return { size: bytes(size), used: bytes(used), available: bytes(available), inodes: 0, inodes_used: 0 }
}
