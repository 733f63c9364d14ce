import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listDirectory } from '../../../server/hosts/local/list-directory.ts'
import { readFiles } from '../../../server/hosts/local/read-files.ts'
import { localDoor } from '../../../server/hosts/reeve-op/door.ts'
import { askPlan } from '../../../server/hosts/reeve-op/ask-plan.ts'
import { operate, operationStatus } from '../../../server/hosts/reeve-op/operate.ts'
import type { FileRead, Machine, MachineFacts } from '../../../server/modules/machines.ts'
import type { RootMachine } from './root-machine.ts'

/** The account that Reeve has there: an ordinary one. */
const ACCOUNT = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

/**
 * A Debian with a root of its own, as the port has machines: its programs run inside as an ordinary account, and what needs
 * root goes through its reeve-op. `helper` null: there is none.
 */
export function insideMachine(
  inside: RootMachine,
  facts: MachineFacts,
  helper: string | null = inside.socket,
): Machine {
  const door = localDoor(helper ?? join(inside.folder, 'nothing.sock'))
  const below = (path: string) => join(inside.folder, path)
  const fails = () => Promise.reject(new Error('That is not asked of it.'))
  return {
    id: 'local',
    name: 'local',
    facts: () => Promise.resolve(facts),
    async readFiles(paths, options, signal) {
      const read = await readFiles(paths.map(below), options, signal)
      const seen = (path: string): FileRead => (mayRead(below(path)) ? (read.get(below(path)) ?? 'missing') : 'denied')
      return new Map(paths.map((path) => [path, seen(path)]))
    },
    listDir: (path, options, signal) => listDirectory(below(path), options, signal),
    readEach: fails,
    space: fails,
    addresses: fails,
    async run({ argv }) {
      // Unique among all calls: tests make one of these for each.
      const errors = `/tmp/errors-${randomUUID()}`
      const words = [...ACCOUNT, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
      const said = await inside.shLater(`${words} 2>${errors} </dev/null`)
      const stderr = readFileSync(below(errors), 'utf8')
      rmSync(below(errors))
      const end = said.trimEnd().lastIndexOf('\n') + 1
      const [stdout, exit_code] = [said.slice(0, end), Number(said.slice(end))]
      if (exit_code === 127) return { kind: 'refused', why: 'no_program', detail: stderr }
      const rest = { signal: null, duration_ms: 1, stopped: null, background: false, cut: { stdout: 0, stderr: 0 } }
      return { kind: 'ended', exit_code, stdout, stderr, ...rest }
    },
    write: fails,
    operate: (operation, options, signal) => operate(door, operation, options, signal),
    plan: (wanted, signal) => askPlan(door, wanted, signal),
    operationStatus: (options, signal) => operationStatus(door, options, signal),
  }
}

/** This process is root, the account is not. */
function mayRead(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined || (stats.mode & 0o004) !== 0
}
