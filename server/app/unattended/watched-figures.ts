import { availableParallelism, loadavg, platform } from 'node:os'
import { LOCAL_HOST } from '../../../contract/host-values.ts'
import type { HostFigures, HostSummary } from '../../../contract/host-figures.ts'
import type { WatchFigure } from '../../../contract/watch-values.ts'
import type { MachineEye } from '../../dashboard/machine-state.ts'
import { newestSample } from '../../dashboard/samples.ts'
import type { Database } from '../../db/database.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { backupAge } from '../../operation/backup/backup-age.ts'
import type { Figured, Figures } from '../../watches/watch-ports.ts'

/** A sample of the minute before is as good as a look. */
const SAMPLE_MS = 150_000
/** What a machine has told longer ago is not what it is now. */
const FIGURES_MS = 120_000
const HOUR_S = 3600
const DAY_MS = 86_400_000

interface Of {
  readonly db: Database
  readonly eye: MachineEye
  /** Of the machines that are reached over a network. */
  readonly hosts: (host_ids: readonly string[], signal: AbortSignal) => Promise<HostSummary[]>
  /** When the certificate of the service expires (epoch milliseconds); null: it has none. */
  readonly certificateEnds: () => number | null
}

/** The figures of the control room, for watches: what was sampled a moment ago is not asked again. */
export function watchedFigures({ db, eye, hosts, certificateEnds }: Of): Figures {
  return {
    installation: async (figure) => {
      if (figure === 'backup_age') return hoursWithoutBackup(db)
      const ends = certificateEnds()
      return ends === null ? null : (ends - Date.now()) / DAY_MS
    },
    async machines(figure, host_ids, signal) {
      const found = new Map<string, Figured>()
      if (host_ids.includes(LOCAL_HOST)) found.set(LOCAL_HOST, await here(db, eye, figure))
      const others = host_ids.filter((host_id) => host_id !== LOCAL_HOST)
      if (others.length > 0)
        for (const summary of await hosts(others, signal)) found.set(summary.host_id, there(figure, summary))
      return found
    },
  }
}

async function here(db: Database, eye: MachineEye, figure: WatchFigure): Promise<Figured> {
  if (figure === 'load')
    // Elsewhere it is always 0.
    return platform() === 'win32' ? unknown() : loadavg()[0]! / availableParallelism()
  const sample = await newestSample(db, SAMPLE_MS)
  if (sample !== null) {
    const { disk, memory, failed_services } = sample
    return known({ disk_used: percent(disk), memory_used: percent(memory), failed_services }, figure)
  }
  const { disk, memory, failed_services } = await eye.look('page')
  return known({ disk_used: share(disk), memory_used: share(memory), failed_services }, figure)
}

function there(figure: WatchFigure, { figures, state, problem, disabled }: HostSummary): Figured {
  if (disabled) return say`Nothing connects to it: it is disabled.`
  if (state !== 'ok' || figures === null || Date.now() - Date.parse(figures.at) > FIGURES_MS)
    return problem === null ? say`The machine gives no answer.` : quoted(visible(cut(problem, 200)))
  return known(numbersOf(figures), figure)
}

function numbersOf({ load, cores, memory, disk, failed_services }: HostFigures) {
  return {
    disk_used: share(disk),
    memory_used: share(memory),
    load: load === null || cores === null ? null : load / cores,
    failed_services,
  }
}

function known(numbers: Partial<Record<WatchFigure, number | null>>, figure: WatchFigure): Figured {
  return numbers[figure] ?? unknown()
}

function unknown(): Sentence {
  return say`The machine does not tell this.`
}

function share(of: { readonly used: number; readonly total: number } | null): number | null {
  return of === null || of.total === 0 ? null : (of.used / of.total) * 100
}

function percent(of: number | null): number | null {
  return of === null ? null : of * 100
}

/** An installation that was never backed up counts from its first user on. */
async function hoursWithoutBackup(db: Database): Promise<Figured> {
  const age = await backupAge(db.read)
  if (age !== null) return age / HOUR_S
  const first = await db.read.selectFrom('user').select('created_at').orderBy('user_id').limit(1).executeTakeFirst()
  return first === undefined ? 0 : Math.max(0, Date.now() - first.created_at) / 1000 / HOUR_S
}
