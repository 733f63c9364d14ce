import { Link, type LinkProps } from '@tanstack/react-router'
import { useToMessageBox } from '../chat/composer/use-to-message-box.ts'
import type { Dashboard, MachineState } from '../../contract/dashboard.ts'
import { classNames } from '../parts/class-names.ts'
import { formatBytes, formatNumber, formatRelative } from '../text/format.ts'
import { type MessageKey, t } from '../text/i18n.ts'
import { Sparkline } from './sparkline.tsx'

/** Shares and days from which a figure is shown as a warning. */
const BUSY = 0.9
const FULL = 0.9
const OLD_BACKUP = 7 * 86_400_000

interface Tile {
  readonly name: MessageKey
  readonly value: string
  readonly note: string
  readonly bad?: boolean
  readonly line?: { readonly values: readonly (number | null)[]; readonly most: number }
  /** The question that a click types into a new conversation. */
  readonly question: MessageKey
  /** Without an engine: the tool that answers it, or the page that does. */
  readonly instead: string | LinkProps
}

interface MachineStripProps {
  readonly machine: MachineState
  readonly engine: Dashboard['engine']
  /** Unfinished runs of everybody. */
  readonly runs: number
}

/** The machine in figures, each with its last day; a click asks about it. */
export function MachineStrip(state: MachineStripProps) {
  const { engine } = state
  const toMessageBox = useToMessageBox()
  return (
    <section aria-label={t('machine.title')}>
      <ul className="border-line bg-line grid grid-cols-2 gap-px overflow-hidden rounded-lg border sm:grid-cols-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
        {tilesOf(state).map((tile) => {
          const { name, question, instead } = tile
          const text = engine.ai_mode === 'model' ? t(question) : instead
          const look = 'hover:bg-hover block h-full w-full px-3 pt-2 pb-1.5 text-start focus-visible:-outline-offset-2'
          return (
            <li
              key={name}
              className="bg-surface min-w-0 max-sm:[&:last-child:nth-child(odd)]:col-span-2 sm:max-lg:[&:last-child:nth-child(3n+2)]:col-span-2"
            >
              {typeof text === 'string' ? (
                <button
                  type="button"
                  onClick={() => toMessageBox({ text, target: 'new', send: false })}
                  title={t('machine.ask')}
                  className={look}
                >
                  <Figure tile={tile} />
                </button>
              ) : (
                <Link {...text} className={look}>
                  <Figure tile={tile} />
                </Link>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Figure({ tile: { name, value, note, bad = false, line } }: { readonly tile: Tile }) {
  return (
    <>
      <span className="text-muted block truncate text-sm">{t(name)}</span>
      <span className={classNames('tabular block truncate text-lg leading-7 font-semibold', bad && 'text-danger')}>
        {value}
      </span>
      <span className="text-muted tabular block h-5 truncate text-sm">{note}</span>
      <span className="mt-1 block h-6">{line && <Sparkline {...line} />}</span>
    </>
  )
}

function tilesOf({ machine, engine, runs }: MachineStripProps): Tile[] {
  const { cpu, memory, disk, failed_services: failed, backup_at, lines } = machine
  const tiles: (Tile | null)[] = [
    {
      name: 'machine.cpu',
      value: cpu === null ? '–' : percent(cpu),
      note: dayNote(lines.cpu),
      bad: cpu !== null && cpu > BUSY,
      line: { values: lines.cpu, most: 1 },
      question: 'machine.ask_cpu',
      instead: '/system.cpu ',
    },
    memory && {
      name: 'machine.memory',
      value: percent(memory.used / memory.total),
      note: t('machine.of', { used: formatBytes(memory.used), total: formatBytes(memory.total) }),
      bad: memory.used / memory.total > BUSY,
      line: { values: lines.memory, most: 1 },
      question: 'machine.ask_memory',
      instead: '/system.memory ',
    },
    disk && {
      name: 'machine.disk',
      value: percent(disk.used / disk.total),
      note: t('machine.free_on', { free: formatBytes(disk.total - disk.used), path: disk.path }),
      bad: disk.used / disk.total > FULL,
      line: { values: lines.disk, most: 1 },
      question: 'machine.ask_disk',
      instead: '/system.disks ',
    },
    failed === null
      ? null
      : {
          name: 'machine.services',
          value: formatNumber(failed),
          note: failed === 0 ? t('machine.services_none') : '',
          bad: failed > 0,
          line: { values: lines.failed_services, most: Math.max(1, ...known(lines.failed_services)) },
          question: 'machine.ask_services',
          instead: '/system.services state=failed',
        },
    {
      name: 'machine.backup',
      value: backup_at === null ? t('machine.backup_never') : formatRelative(backup_at),
      note: '',
      bad: backup_at !== null && Date.now() - Date.parse(backup_at) > OLD_BACKUP,
      question: 'machine.ask_backup',
      instead: { to: '/help', search: { chapter: 'operation' }, hash: 'backup' },
    },
    {
      name: 'machine.engine',
      value: engine.model ?? t('machine.engine_none'),
      note: t('machine.runs', { count: runs }),
      line: { values: lines.runs, most: Math.max(1, ...known(lines.runs)) },
      question: 'machine.ask_engine',
      instead: { to: '/admin/$page', params: { page: 'ai' } },
    },
  ]
  return tiles.filter((tile) => tile !== null)
}

/** The mean of a day. */
function dayNote(values: readonly (number | null)[]): string {
  const all = known(values)
  return all.length === 0 ? '' : t('machine.mean', { value: percent(all.reduce((a, b) => a + b) / all.length) })
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null)
}

function percent(share: number): string {
  return formatNumber(share, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 })
}
