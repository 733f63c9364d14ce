import type { Command } from '../../contract/commands.ts'
import { keepRecord, readRecord } from './stored-record.ts'

const KEY = 'reeve.commands.used'
/** Older uses are dropped, which also removes deleted commands over time. */
const KEPT = 200

/** Records, in this browser, that the command was just run. */
export function noteUse(commandId: string, now = Date.now()): void {
  const used = Object.entries({ ...readRecord(KEY), [commandId]: now })
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .toSorted((a, b) => b[1] - a[1])
  keepRecord(KEY, Object.fromEntries(used.slice(0, KEPT)))
}

/** Recently run commands first, then the others in their order. */
export function byLastUse(commands: readonly Command[]): readonly Command[] {
  const used = readRecord(KEY)
  const at = ({ command_id: id }: Command): number => (typeof used[id] === 'number' ? used[id] : 0)
  return commands.toSorted((a, b) => at(b) - at(a))
}
