import { isoTime } from '../linux/kernel-texts.ts'

const COLUMNS = ['pid', 'ppid', 'user', 'state', 'pcpu', 'rss', 'etime', 'args']

/**
 * Every process, in columns that all systems have, without a heading; `rss` in KiB, the command with its arguments last. Each
 * column is an option of its own: to the BSDs, all that follows an equals sign is the heading.
 */
export const PS = ['env', 'LC_ALL=C', 'ps', '-A', '-ww', ...COLUMNS.flatMap((name) => ['-o', `${name}=`])] as const

const COMMAND_MAX = 4000

/** `now` is the time of the machine's clock in epoch milliseconds. */
export function parsePs(text: string, now: number) {
  return text.split('\n').flatMap((line) => {
    const match =
      /^\s*(\d{1,10})\s+(\d{1,10})\s+(\S{1,100})\s+(\S{1,20})\s+([\d.]{1,10})\s+(\d{1,15})\s+([\d:-]{1,20})\s+(\S.*)$/.exec(
        line,
      )
    if (match === null) return []
    const [, pid, parent, user = '', state = '', cpu, memory, elapsed = '', command = ''] = match
    const age = seconds(elapsed)
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        user,
        /** One letter; those after it say how it is scheduled. */
        state: state.slice(0, 1),
        /** Percent of one core, as an average that the system keeps. */
        cpu: Number(cpu) || 0,
        memory: Number(memory) * 1024,
        started: age === null ? null : isoTime(Math.floor(now / 1000 - age) * 1000),
        command: command.slice(0, COMMAND_MAX),
      },
    ]
  })
}

/** Of `[[days-]hours:]minutes:seconds`. */
function seconds(elapsed: string): number | null {
  const match = /^(?:(?:(\d{1,6})-)?(\d{1,2}):)?(\d{1,2}):(\d{1,2})$/.exec(elapsed)
  if (match === null) return null
  const [days = 0, hours = 0, minutes = 0, rest = 0] = match.slice(1).map((part) => Number(part ?? 0))
  return ((days * 24 + hours) * 60 + minutes) * 60 + rest
}
